"""`/pool`, `/project`: texts that wait for a label, and what the people who label agreed upon."""

from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from nabi.errors import NabiError
from nabi.server import AddTexts, PoolText, RemoveTexts
from nabi.server.http.call import Call
from nabi.server.http.endpoint import Endpoint
from nabi.server.http.refusal import Refusal, refusal_of
from nabi.server.http.routes.teaching import Name, submitted
from nabi.server.http.shapes import Asked, as_whole, check_texts
from nabi.server.http.uploads import suffix
from nabi.server.labelling import loading
from nabi.server.labelling import project as projects
from nabi.server.store.receipts import store_name

KeyName = Annotated[str, Meta(max_length=20)]


class NewText(Asked):
    """A text that waits for a label; one that has it already is learned."""

    text: str
    id: Name | None = None
    subject: Name | None = None
    source: Name | None = None
    label: Name | None = None


class PoolAsked(Asked):
    """Texts for the pool."""

    texts: Annotated[list[NewText], Meta(min_length=1)]


class Added(msgspec.Struct):
    """Texts that came to the pool, that were there already, that are empty; and how many it has."""

    added: int
    duplicates: int
    empty: int
    texts: int


async def add_texts(call: Call, body: PoolAsked) -> Added:
    """Add texts to the pool, which wait for a label."""
    check_texts([one.text for one in body.texts], call.service.limits)
    texts = tuple(
        PoolText(one.text, one.id, one.subject, one.source, one.label)
        for one in body.texts
        if one.text.strip()
    )
    added = duplicates = 0
    if texts:
        outcome = await submitted(call, [AddTexts(texts)])
        added, duplicates = outcome.added, outcome.duplicates
    empty, total = len(body.texts) - len(texts), (await call.quickly(_counts, call)).texts
    return Added(added, duplicates, empty, total)


# ---- files ----


class FileAsked(msgspec.Struct, forbid_unknown_fields=True):
    """The name of a file, the columns of its texts and labels, and what to call its source."""

    name: str = ""
    text: str | None = None
    label: str | None = None
    source: Name | None = None


class PathAsked(Asked):
    """A file on the server's machine, and the columns of its texts and labels."""

    path: str
    text: str | None = None
    label: str | None = None
    source: Name | None = None


class LoadedFile(msgspec.Struct):
    """Counts of the rows of a file: read = used + rejected; used = the first three."""

    added: int
    duplicates: int
    empty: int
    texts: int
    read: int
    used: int
    rejected: int
    columns: dict[str, str | None]
    first_rejects: list[dict[str, Any]]


async def add_upload(call: Call, query: FileAsked, upload: Path) -> LoadedFile:
    """Add the texts of a file, which is the body, to the pool."""
    path = upload.with_name(f"file{suffix(query.name)}")
    upload.rename(path)
    name = Path(query.name.replace("\\", "/")).name[:200] or "upload"
    return await _loaded(call, path, query, query.source or name)


async def add_path(call: Call, body: PathAsked) -> LoadedFile:
    """Add the texts of a file on the server's machine to the pool."""
    path = Path(body.path)
    if not path.is_file():
        raise Refusal(404, "no_such_file", f"{body.path[:200]}: there is no such file")
    return await _loaded(call, path, body, body.source or path.name[:200])


async def _loaded(call: Call, path: Path, asked: Any, source: str) -> LoadedFile:
    found: LoadedFile = await call.in_thread(_load, call, path, asked, source)
    return found


def _load(call: Call, path: Path, asked: Any, source: str) -> LoadedFile:
    labelling = call.labelling
    assert call.token is not None
    try:
        given = {"text": asked.text, "label": asked.label, "source": source}
        longest = call.service.limits.text
        with labelling.loads():
            made = loading.load(call.store, path, who=call.token.name, longest=longest, **given)
    except loading.UnclearColumnError as error:
        message = str(error).replace(str(path), source)
        raise Refusal(422, "which_column", message, candidates=error.candidates) from None
    except NabiError as error:
        refused = refusal_of(error)
        message = refused.message.replace(str(path), source)
        raise Refusal(422, "bad_file", message) from None
    counts = (made.added, made.duplicates, made.empty, _counts(call).texts)
    rows = (made.read, made.used, made.rejected)
    return LoadedFile(*counts, *rows, made.columns, made.first_rejects)


# ---- what is in it ----


class PoolNow(msgspec.Struct):
    """How many texts there are, have a label, wait for one, and were skipped by this person."""

    position: int
    texts: int
    labelled: int
    left: int
    skipped: int
    sources: dict[str, int]
    busy: bool


async def pool(call: Call) -> PoolNow:
    """Tell how many texts there are, and how many have a label."""
    found: PoolNow = await call.quickly(_counts, call)
    return found


def _counts(call: Call) -> PoolNow:
    assert call.token is not None
    queue = call.labelling.queue
    texts, labelled, skipped = queue.counts(call.token.name)
    sources = queue.sources()
    left, busy = texts - labelled, call.labelling.loading > 0
    return PoolNow(call.store.position, texts, labelled, left, skipped, sources, busy)


class SourceAsked(msgspec.Struct, forbid_unknown_fields=True):
    """The source whose texts are removed; none: all."""

    source: str | None = None


class Removed(msgspec.Struct):
    """How many texts left the pool, and how many it has."""

    removed: int
    texts: int


async def remove_texts(call: Call, query: SourceAsked) -> Removed:
    """Remove the texts without a label, all or those of a source."""
    removed, more = 0, True
    while more:
        outcome = await submitted(call, [RemoveTexts(query.source)])
        removed, more = removed + outcome.removed, outcome.removed > 0
    return Removed(removed, (await call.quickly(_counts, call)).texts)


# ---- project ----


class ClassShape(msgspec.Struct):
    """A class, the key that gives it, and how many examples it has."""

    name: str
    key: str
    examples: int


class ProjectNow(msgspec.Struct):
    """The title, the classes and their keys, and who asks; `id` names the data directory."""

    position: int
    id: str
    title: str
    classes: list[ClassShape]
    audit_every: int
    overlap: float
    texts: int
    who: str
    role: str


async def project(call: Call) -> ProjectNow:
    """Tell the title, the classes and their keys."""
    found: ProjectNow = await call.quickly(_project, call)
    return found


def _project(call: Call) -> ProjectNow:
    assert call.token is not None
    now = projects.project(call.store)
    classes = [ClassShape(one.name, one.key, one.examples) for one in now.classes]
    texts = call.labelling.queue.counts(call.token.name)[0]
    who, role = call.token.name, call.token.role
    name = store_name(call.store.journal)
    given = now.audit_every, now.overlap
    return ProjectNow(call.store.position, name, now.title, classes, *given, texts, who, role)


class NewClass(Asked):
    """A class and its key."""

    name: Name
    key: KeyName = ""


class ProjectAsked(Asked):
    """New settings; those that are left out stay."""

    title: Annotated[str, Meta(max_length=200)] | None = None
    classes: Annotated[list[NewClass], Meta(max_length=1000)] | None = None
    # In JSON 3.0 is a whole number, too.
    audit_every: (
        Annotated[float, Meta(ge=2, le=1000, multiple_of=1, extra_json_schema={"type": "integer"})]
        | None
    ) = None
    overlap: Annotated[float, Meta(ge=0, le=1)] | None = None


async def set_project(call: Call, body: ProjectAsked) -> ProjectNow:
    """Change title, classes and keys, how often an audit comes, or the share for two people."""
    classes = None if body.classes is None else [(one.name, one.key) for one in body.classes]
    now = await call.quickly(projects.project, call.store)
    every = as_whole(body.audit_every)
    change = projects.changed(
        now, title=body.title, classes=classes, audit_every=every, overlap=body.overlap
    )
    await submitted(call, [change])
    call.labelling.set_shares(change.settings["audit_every"], change.settings["overlap"])  # type: ignore[arg-type]
    return await project(call)


ENDPOINTS = [
    Endpoint("POST", "/pool", add_texts, "label"),
    Endpoint("POST", "/pool/file", add_upload, "admin", uploads=True),
    Endpoint("POST", "/pool/path", add_path, "admin"),
    Endpoint("GET", "/pool", pool, "read"),
    Endpoint("DELETE", "/pool", remove_texts, "admin"),
    Endpoint("GET", "/project", project, "read"),
    Endpoint("POST", "/project", set_project, "admin"),
]

"""`/examples`: search, filter, page and export what was learned."""

from collections.abc import Iterator
from itertools import islice
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from nabi.server import Example, Where
from nabi.server.http.call import Call
from nabi.server.http.endpoint import Endpoint, Streamed
from nabi.server.http.shapes import After, Count
from nabi.server.http.uploads import made_file
from nabi.server.store.export import lines, write

CHUNK = 1000  # examples of an export at a time
FIELDS = tuple(Example.__dataclass_fields__)
TYPES = {
    "csv": "text/csv; charset=utf-8",
    "jsonl": "application/x-ndjson",
    "parquet": "application/vnd.apache.parquet",
}


class ExamplesAsked(After):
    """Which examples: a part of the text, or exact values; page by page, or all as a file."""

    contains: str | None = None
    text: str | None = None
    id: str | None = None
    label: str | None = None
    subject: str | None = None
    source: str | None = None
    who: str | None = None
    counted: bool | None = True  # null: also those undone, or of dropped classes
    cursor: Count | None = None  # of the page before
    limit: Annotated[int, Meta(ge=1, le=1000)] = 50
    newest: bool = False  # the newest first
    format: Literal["json", "csv", "jsonl", "parquet"] = "json"
    safe_csv: bool = True  # put ' before what a spreadsheet would run


class ExampleShape(msgspec.Struct):
    """An example as it is now; `taught` is the label that it was learned with."""

    position: int
    id: str
    text: str
    label: str | None
    taught: str
    time: float
    who: str
    subject: str | None
    source: str | None


class Examples(msgspec.Struct):
    """A page of examples, how many there are in all, and the cursor of the next page."""

    position: int
    total: int
    examples: list[ExampleShape]
    cursor: int | None


async def examples(call: Call, query: ExamplesAsked) -> Examples:
    """Search and list examples, or export them as a file."""
    await call.reach(query.after)
    where = _where(query)
    if query.format != "json":
        asked = (call, where, query.format, "examples")
        return await call.in_thread(lambda: exported(*asked, safe=query.safe_csv))  # type: ignore[no-any-return]
    return await call.in_thread(_page, call, where, query)  # type: ignore[no-any-return]


def _where(query: ExamplesAsked) -> Where:
    names = ("contains", "text", "id", "label", "subject", "source", "who", "counted")
    return Where(**{name: getattr(query, name) for name in names})


def _page(call: Call, where: Where, query: ExamplesAsked) -> Examples:
    position = call.store.position
    found = call.store.page(where, after=query.cursor, limit=query.limit + 1, newest=query.newest)
    page = [shape(one) for one in found[: query.limit]]
    cursor = page[-1].position if len(found) > query.limit else None
    return Examples(position, call.store.count(where), page, cursor)


def shape(one: Example) -> ExampleShape:
    """Return an example in JSON's terms."""
    return ExampleShape(*(getattr(one, name) for name in FIELDS))


# ---- export ----


def exported(call: Call, where: Where, form: str, name: str, *, safe: bool) -> Streamed:
    """Return examples as a file of a format; in safe CSV no cell is a formula."""
    found, name = call.store.walk(where), f"{name}.{form}"
    if form == "parquet":  # whole, since its end tells the rest
        return made_file(call, name, TYPES[form], lambda path: write(str(path), found))
    return Streamed(_chunks(lines(found, f".{form}", safe_csv=safe)), TYPES[form], name)


def _chunks(parts: Iterator[bytes]) -> Iterator[bytes]:
    """Yield lines joined to larger parts; each is read when it is asked for."""
    while chunk := b"".join(islice(parts, CHUNK)):
        yield chunk


FILES = tuple(kind.split(";")[0] for kind in TYPES.values())
ENDPOINTS = [Endpoint("GET", "/examples", examples, "read", files=FILES)]

"""`/learn`, `/relabel`, `/forget`, `/undo`, `/classes`: changes, on disk before the answer."""

import contextlib
from collections.abc import Sequence
from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from nabi.server import (
    Allowance,
    Drop,
    Forget,
    Join,
    Key,
    Learn,
    Outcome,
    Receipt,
    Relabel,
    Rename,
    Undo,
)
from nabi.server.http.call import PAGE, Call
from nabi.server.http.endpoint import Endpoint
from nabi.server.http.refusal import Refusal
from nabi.server.http.shapes import Asked, Whole, as_whole, check_number, check_texts
from nabi.server.store.changes import Change

Name = Annotated[str, Meta(min_length=1, max_length=200)]
MOST_KEY = 200  # characters of an idempotency key


async def submitted(call: Call, changes: Sequence[Change]) -> Outcome:
    """Return the outcome of changes once they are on disk, and predictions hold them."""
    assert call.token is not None
    check_number(len(changes), call.service.limits)
    if not changes:
        raise Refusal(409, "nothing_to_do", "the request holds no change; send at least one")
    limits = call.service.limits
    allowance = Allowance(limits.new_words, limits.new_classes)
    future = call.store.submit(changes, who=call.token.name, key=_key(call), allowance=allowance)
    outcome: Outcome = await call.service.answers.of(future)
    call.labelling.changed()
    return outcome


def _key(call: Call) -> Key | None:
    """Return the idempotency key of a request: of its token, for its path and body."""
    given = call.headers.get(b"idempotency-key")
    if given is None:
        return None
    assert call.token is not None
    if not 0 < len(given) <= MOST_KEY or not all(32 < byte < 127 for byte in given):
        message = f"Idempotency-Key must be 1 to {MOST_KEY} visible ASCII characters"
        raise Refusal(422, "bad_key", message)
    return Key(f"{call.token.name} {given.decode()}", call.path.encode() + b"\n" + call.data)


# ---- learn ----


class NewExample(Asked):
    """A text with its label; id, subject (whose data it is) and source may be given."""

    text: str
    label: Name
    id: Name | None = None
    subject: Name | None = None
    source: Name | None = None


class LearnAsked(Asked):
    """Examples to learn."""

    examples: Annotated[list[NewExample], Meta(min_length=1)]


class Learned(msgspec.Struct):
    """The position at which the examples are learned, and their ids; null: forgotten since."""

    position: int
    ids: list[str | None]


async def learn(call: Call, body: LearnAsked) -> Learned:
    """Learn examples: all of them, or none."""
    check_texts([one.text for one in body.examples], call.service.limits)
    is_audit = call.labelling.queue.leases.is_audit
    changes = [
        Learn(
            *(one.text, one.label, one.id, one.subject, one.source),
            audit=one.id is not None and is_audit(one.id),
        )
        for one in body.examples
    ]
    outcome = await submitted(call, changes)
    call.service.metrics.texts["learned"] += len(changes)
    _end_leases(call, [one.id for one in body.examples if one.id is not None])
    return Learned(outcome.position, list(outcome.ids))


def _end_leases(call: Call, ids: list[str]) -> None:
    """Let others have texts for other questions, without keeping the answer back."""
    if ids and call.token is not None:
        labelling = call.labelling
        with contextlib.suppress(RuntimeError):  # the server ends
            labelling.calls.submit(labelling.queue.labelled, call.token.name, ids)


# ---- relabel ----


class NewLabel(Asked):
    """The id of an example, and its new label."""

    id: Name
    label: Name


class RelabelAsked(Asked):
    """Examples that get other labels."""

    examples: Annotated[list[NewLabel], Meta(min_length=1)]


async def relabel(call: Call, body: RelabelAsked) -> Learned:
    """Give examples other labels: all of them, or none."""
    outcome = await submitted(call, [Relabel(one.id, one.label) for one in body.examples])
    _end_leases(call, [one.id for one in body.examples])
    return Learned(outcome.position, list(outcome.ids))


# ---- forget ----


class Taught(Asked):
    """An example by its exact text, with its label where only that class is meant."""

    text: str
    label: Name | None = None


class ForgetAsked(Asked):
    """Examples to forget: ids, or exact texts (one copy or all), or all of a subject."""

    ONE_OF = ("ids", "examples", "subject")

    ids: Annotated[list[Name], Meta(min_length=1)] | UnsetType = UNSET
    examples: Annotated[list[Taught], Meta(min_length=1)] | UnsetType = UNSET
    subject: Name | UnsetType = UNSET
    copies: Literal["one", "all"] = "one"


class ReceiptShape(msgspec.Struct):
    """Proof of forgetting, without text: a keyed digest, the position and the time."""

    digest: str
    position: int
    time: float


class Forgotten(msgspec.Struct):
    """How many examples were forgotten, and the receipt."""

    position: int
    forgotten: int
    receipt: ReceiptShape | None


async def forget(call: Call, body: ForgetAsked) -> Forgotten:
    """Forget examples and erase them from the disk: by id, by exact text, or by subject."""
    outcome = await submitted(call, _forgets(call, body))
    call.labelling.clear()  # results hold texts
    call.service.metrics.texts["forgotten"] += outcome.forgotten
    return Forgotten(outcome.position, outcome.forgotten, _receipt(outcome.receipt))


def _forgets(call: Call, body: ForgetAsked) -> list[Change]:
    if body.given() == "subject":
        return [Forget(subject=str(body.subject))]
    if body.ids is not UNSET:
        return [Forget(id=one) for one in body.ids]
    assert body.examples is not UNSET
    check_texts([one.text for one in body.examples], call.service.limits)
    return [Forget(text=one.text, label=one.label, copies=body.copies) for one in body.examples]


def _receipt(given: Receipt | None) -> ReceiptShape | None:
    return None if given is None else ReceiptShape(given.digest, given.position, given.time)


# ---- undo, classes ----


class UndoAsked(Asked):
    """Change to take back: the one at a position, or the token's last submission.

    Only changes of the token itself; an admin also takes back those of others, unless `own`.
    """

    position: Whole | None = None
    own: bool = False


class Undone(msgspec.Struct):
    """How many changes were taken back."""

    position: int
    undone: int


async def undo(call: Call, body: UndoAsked) -> Undone:
    """Take the last change of this token back, or the one at a position."""
    assert call.token is not None
    own = body.own or body.position is None or call.token.role != "admin"
    if body.position is not None and PAGE in call.headers:
        await call.quickly(call.labelling.queue.keep, call.page, int(body.position))
    outcome = await submitted(call, [Undo(as_whole(body.position), own)])
    return Undone(outcome.position, outcome.undone)


class JoinAsked(Asked):
    """Classes that become one."""

    labels: Annotated[list[Name], Meta(min_length=1)]
    into: Name


class ClassesAsked(Asked):
    """Classes to rename (old name to new), to join, and to drop, in this order."""

    rename: dict[Name, Name] = msgspec.field(default_factory=dict)
    join: list[JoinAsked] = msgspec.field(default_factory=list)
    drop: list[Name] = msgspec.field(default_factory=list)


class ClassesChanged(msgspec.Struct):
    """How many examples changed their class, or are no longer counted."""

    position: int
    moved: int


async def change_classes(call: Call, body: ClassesAsked) -> ClassesChanged:
    """Rename, join and drop classes."""
    renames = [Rename(old, new) for old, new in body.rename.items()]
    joins = [Join(tuple(one.labels), one.into) for one in body.join]
    outcome = await submitted(call, [*renames, *joins, *map(Drop, body.drop)])
    return ClassesChanged(outcome.position, outcome.moved)


class ClassesNow(msgspec.Struct):
    """The number of examples of each class."""

    position: int
    classes: dict[str, int]


def classes(call: Call) -> ClassesNow:
    """List the classes and how many examples each has."""
    now = call.store.status()
    return ClassesNow(now.position, dict(now.classes))


ENDPOINTS = [
    Endpoint("POST", "/learn", learn, "label", keyed=True),
    Endpoint("POST", "/relabel", relabel, "label", keyed=True),
    Endpoint("POST", "/forget", forget, "label", keyed=True),
    Endpoint("POST", "/undo", undo, "label", keyed=True),
    Endpoint("POST", "/classes", change_classes, "admin", keyed=True),
    Endpoint("GET", "/classes", classes, "read"),
]

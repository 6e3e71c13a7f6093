"""`/next`, `/release`, `/skip`, `/second`, `/honest`, `/changes`: one text at a time."""

import asyncio
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from nabi.server import Second, Skip
from nabi.server.http.call import Call
from nabi.server.http.endpoint import Endpoint
from nabi.server.http.routes.predicting import explained_with
from nabi.server.http.routes.teaching import Name, submitted
from nabi.server.http.shapes import EXPLAINED, Asked, Count
from nabi.server.labelling import doubt
from nabi.server.labelling.changes import changes_after
from nabi.server.labelling.leases import SECONDS
from nabi.server.labelling.queue import Item, Wanted
from nabi.server.labelling.sureness import Sureness
from nabi.server.people.agreement import agreed, agreement, rated

POLL = 20.0  # seconds until a poll without news is answered
LOOK = 0.5  # seconds after which it looks whether the server ends
LONGEST = 20_000  # characters of a text that is explained


class NextAsked(Asked):
    """Which texts: by doubt, by chance, of a class that has few, found by words, or suspects.

    `disagreements`: those on which two people disagree; POST /relabel decides.
    """

    by: Literal["doubt", "random", "few", "search", "suspects", "disagreements"] = "doubt"
    # In JSON 3.0 is a whole number, too.
    count: Annotated[
        float, Meta(ge=1, le=50, multiple_of=1, extra_json_schema={"type": "integer"})
    ] = 5
    contains: Annotated[str, Meta(max_length=1000)] | None = None
    label: Name | None = None
    holding: Annotated[list[Name], Meta(max_length=200)] = msgspec.field(default_factory=list)


class ItemShape(msgspec.Struct):
    """A text to be asked: why, how many copies it has, and what the model says of it."""

    id: str
    text: str
    why: str
    near: int
    lease: float
    label: str | None
    second: bool
    explanation: dict[str, Any] | None
    labels: list[tuple[str, str]] = msgspec.field(default_factory=list)


class NextItems(msgspec.Struct):
    """The next texts, and how many have no label."""

    position: int
    items: list[ItemShape]
    left: int


async def next_items(call: Call, body: NextAsked) -> NextItems:
    """Give the next texts to label; nobody else gets them meanwhile."""
    page = call.page
    count, holding = int(body.count), tuple(body.holding)
    wanted = Wanted(page, body.by, count, body.contains, body.label, holding)
    run = call.in_thread if body.by == "suspects" else call.quickly
    found: NextItems = await run(_next, call, wanted)
    return found


def _next(call: Call, wanted: Wanted) -> NextItems:
    items = call.labelling.next(wanted)
    with call.store.view() as view:
        is_ready = view.model.__sklearn_is_fitted__() and len(view.model.classes_) > 1
        model = view.model.reader() if is_ready else None
        sure = call.labelling.sureness
        shapes, left = [], EXPLAINED
        for item in items:
            size = len(item.text) * (len(model.classes_) if model else 0)
            left -= size
            shapes.append(_shape(item, model if left >= 0 else None, sure))
        position = view.position
    return NextItems(position, shapes, call.labelling.queue.left)


def _shape(item: Item, model: Any, sure: Sureness | None) -> ItemShape:
    explained = None
    if model is not None and len(item.text) <= LONGEST:
        explained = explained_with(sure, model.explain(item.text))
    why = item.why
    if why == "doubt":
        why = doubt.LITTLE if explained is None else doubt.kind(explained["terms"])
    given = (item.id, item.text, why, item.near, SECONDS, item.label, item.second)
    return ItemShape(*given, explained, list(item.labels))


class ReleaseAsked(Asked):
    """Texts that a page gives back."""

    ids: Annotated[list[Name], Meta(max_length=1000)]


class Released(msgspec.Struct):
    """How many texts the page had."""

    released: int


async def release(call: Call, body: ReleaseAsked) -> Released:
    """Give texts back, for others to label."""
    return Released(await call.quickly(call.labelling.queue.release, call.page, body.ids))


class SkipAsked(Asked):
    """A text that this person does not want to label; with `undo`, one that it does."""

    id: Name
    undo: bool = False


class Skipped(msgspec.Struct):
    """The position of the journal, which a skip does not change."""

    position: int


async def skip(call: Call, body: SkipAsked) -> Skipped:
    """Skip a text: this person is not asked again."""
    outcome = await submitted(call, [Skip(body.id, body.undo)])
    queue = call.labelling.queue
    await call.quickly(queue.skips_changed, call.page[0])
    await call.quickly(queue.release, call.page, [body.id])
    return Skipped(outcome.position)


class SecondAsked(Asked):
    """A text that another person has labelled, and this person's label."""

    id: Name
    label: Name


async def second(call: Call, body: SecondAsked) -> Skipped:
    """Keep a second person's label, by which agreement is measured; it is not learned."""
    outcome = await submitted(call, [Second(body.id, body.label)])
    await call.quickly(call.labelling.queue.release, call.page, [body.id])
    return Skipped(outcome.position)


# ---- figures ----


class CurvePoint(msgspec.Struct):
    """The accuracy that the model had after so many labels."""

    labels: int
    accuracy: float
    low: float
    high: float


class Advice(msgspec.Struct):
    """Whether to go on, by the points of accuracy that the last labels have gained."""

    code: Literal["too_few", "go_on", "slowing", "stop"]
    gain: float
    last: int


class Agreement(msgspec.Struct):
    """How many texts two people have labelled, and Cohen's kappa."""

    pairs: int
    kappa: float


class HonestNow(msgspec.Struct):
    """How good the model is on all texts that were loaded; figures are value, low and high end.

    By audit texts alone. `rest` is the accuracy on the texts that still wait for a label, which are
    mostly easier than all texts are.
    """

    position: int
    labels: int
    audits: int
    accuracy: list[float] | None
    macro_f1: list[float] | None
    curve: list[CurvePoint]
    advice: Advice
    agreement: Agreement | None
    rest: list[float] | None = None


async def honest(call: Call) -> HonestNow:
    """Tell how good the model is, by texts that were drawn by chance."""
    found: HonestNow = await call.in_thread(_honest, call)
    return found


def _honest(call: Call) -> HonestNow:
    now, agreed = call.labelling.honest(), agreement(call.store)
    return HonestNow(
        now.position,
        now.labels,
        now.audits,
        None if now.accuracy is None else list(now.accuracy),
        None if now.macro_f1 is None else list(now.macro_f1),
        [CurvePoint(*point) for point in now.curve],
        Advice(now.advice, now.gain, now.last),  # type: ignore[arg-type]
        None if agreed is None else Agreement(*agreed),
        None if now.rest is None else list(now.rest),
    )


# ---- people ----


class PairShape(msgspec.Struct):
    """Two people, how many texts both have labelled, and Cohen's kappa."""

    who: tuple[str, str]
    texts: int
    kappa: float


class TwoLabels(msgspec.Struct):
    """A text that two people have labelled differently; `settled`: somebody has decided since."""

    id: str
    text: str
    first: tuple[str, str]
    second: tuple[str, str]
    now: str
    settled: bool


class AgreementNow(msgspec.Struct):
    """How far people agree on texts that two have labelled; nulls where there are none.

    `classes` has Cohen's kappa of each class against all others, `fleiss` Fleiss's of all.
    """

    texts: int
    kappa: float | None
    fleiss: float | None
    pairs: list[PairShape]
    classes: dict[str, float]
    disagreements: list[TwoLabels]


async def agreement_now(call: Call) -> AgreementNow:
    """Tell how far people agree, by pair and by class, and on which texts they do not."""
    found: AgreementNow = await call.in_thread(_agreement, call)
    return found


def _agreement(call: Call) -> AgreementNow:
    now = agreed(rated(call.store))
    if now is None:
        return AgreementNow(0, None, None, [], {}, [])
    pairs = [PairShape(who, *figures) for who, figures in now.pairs.items()]
    differing = [TwoLabels(*one) for one in now.disagreements]
    return AgreementNow(now.texts, now.kappa, now.fleiss, pairs, now.classes, differing)


# ---- what others do ----


class ChangesAsked(msgspec.Struct, forbid_unknown_fields=True):
    """The position after which changes are told."""

    after: Count = 0


class ChangedLabel(msgspec.Struct):
    """The label that an example has now (null: none), and who changed it by what."""

    id: str | None
    label: str | None
    who: str
    what: str
    old: str | None = None


class ChangesNow(msgspec.Struct):
    """Changes up to a position; `more`: ask again at once."""

    position: int
    labels: list[ChangedLabel]
    more: bool = False


async def changes(call: Call, query: ChangesAsked) -> ChangesNow:
    """Wait until something changes, for 20 s at most, and tell what."""
    if call.service.source.position <= query.after:
        await _news(call, query.after + 1)
    found: ChangesNow = await call.quickly(_changes, call, query.after)
    return found


async def _news(call: Call, position: int) -> None:
    """Wait until the model is at a position, the time is over, or the server ends."""
    reached = asyncio.wrap_future(call.store.reached(position))
    for _ in range(round(POLL / LOOK)):
        done, _ = await asyncio.wait([reached], timeout=LOOK)
        if done or call.labelling.stopping:
            break
    reached.cancel()


def _changes(call: Call, after: int) -> ChangesNow:
    position, more, rows = changes_after(call.store, after)
    return ChangesNow(position, [ChangedLabel(*row) for row in rows], more)


ENDPOINTS = [
    Endpoint("POST", "/next", next_items, "label"),
    Endpoint("POST", "/release", release, "label"),
    Endpoint("POST", "/skip", skip, "label"),
    Endpoint("POST", "/second", second, "label"),
    Endpoint("GET", "/honest", honest, "read"),
    Endpoint("GET", "/agreement", agreement_now, "read"),
    Endpoint("GET", "/changes", changes, "read"),
]

"""`/evaluate`, `/suspects`, `/judge`: how good the model is, each example judged without it."""

from typing import Annotated, Any

import msgspec
import numpy as np
from msgspec import Meta

from nabi.judging.cross_validation import CrossValidation, crossval
from nabi.judging.evaluation import Evaluation
from nabi.judging.refits import unfitted
from nabi.judging.suspect_labels import suspects_of
from nabi.metrics import ConfusionMatrix
from nabi.report.page import rounded
from nabi.report.reports import Report, of_crossval
from nabi.server.http.call import Call
from nabi.server.http.endpoint import Endpoint
from nabi.server.http.refusal import Refusal
from nabi.server.http.routes.teaching import ClassesAsked
from nabi.server.http.shapes import After, Count
from nabi.server.labelling.judging import LEAST, Judgement
from nabi.server.labelling.project import project
from nabi.server.store.class_names import moved
from nabi.server.store.counting import blank


def judged(call: Call) -> Judgement:
    """Return leave-one-out results of all counted examples; kept until something changes."""
    return call.labelling.judged()


class Evaluated(msgspec.Struct):
    """Figures as `nabi crossval --json` has them: accuracy, rates of each class, the matrix."""

    position: int
    examples: int
    figures: dict[str, Any]


async def evaluate(call: Call, query: After) -> Evaluated:
    """Tell how good the model is: leave-one-out figures of what was learned."""
    await call.reach(query.after)
    found: Judgement = await call.in_thread(judged, call)
    return Evaluated(found.position, len(found.examples), _figures(found.result))


def _figures(result: CrossValidation) -> dict[str, Any]:
    actual, predicted = (
        result.classes[codes].tolist() for codes in (result.actual, result.predicted)
    )
    return Evaluation.of(actual, predicted, result.scores, result.labels).to_dict()


class SuspectsAsked(After):
    """How many suspects."""

    top: Annotated[int, Meta(ge=1, le=1000)] = 20


class SuspectShape(msgspec.Struct):
    """An example whose label looks wrong, and the label that the others rather give it."""

    id: str
    text: str
    label: str
    rather: str
    log_odds: float


class Suspects(msgspec.Struct):
    """Examples whose labels look wrong, the most suspect first."""

    position: int
    total: int
    suspects: list[SuspectShape]


async def suspects(call: Call, query: SuspectsAsked) -> Suspects:
    """List the examples whose labels look wrong, the most suspect first."""
    await call.reach(query.after)
    found: Judgement = await call.in_thread(judged, call)
    listed = suspects_of(found.result)
    shown = [
        SuspectShape(
            found.examples[one.at].id,
            found.examples[one.at].text,
            str(one.label),
            str(one.rather),
            one.log_odds,
        )
        for one in listed[: query.top]
    ]
    return Suspects(found.position, len(listed), shown)


# ---- the report, live ----


class JudgeAsked(After):
    """A cell of the matrix, by the indexes of its predicted and its actual class: `3,0`."""

    cell: Annotated[str, Meta(pattern=r"^[0-9]{1,6},[0-9]{1,6}$")] | None = None
    cursor: Count = 0
    limit: Annotated[int, Meta(ge=1, le=1000)] = 50


class Told(msgspec.Struct):
    """An example, its label, and the one that the model without it gives."""

    id: str
    text: str
    label: str
    predicted: str


class Judged(msgspec.Struct):
    """The data of a report, or the texts of a cell of its matrix."""

    position: int
    examples: int
    report: dict[str, Any] | None = None
    texts: list[Told] | None = None
    total: int = 0
    cursor: int | None = None


async def judge(call: Call, query: JudgeAsked) -> Judged:
    """Tell all that the report tells of the model: each example judged by the model without it."""
    await call.reach(query.after)
    found: Judged = await call.in_thread(_judge, call, query)
    return found


def _judge(call: Call, query: JudgeAsked) -> Judged:
    found = judged(call)
    if query.cell is None:
        data = rounded(report(call, found).data)
        return Judged(found.position, len(found.examples), data)
    predicted, actual = map(int, query.cell.split(","))
    result = found.result
    is_in = (result.predicted == predicted) & (result.actual == actual)
    at = np.flatnonzero(is_in).tolist()
    end = query.cursor + query.limit
    told = [
        Told(
            found.examples[i].id,
            found.examples[i].text,
            str(result.labels[actual]),
            str(result.labels[predicted]),
        )
        for i in at[query.cursor : end]
    ]
    return Judged(
        found.position,
        len(found.examples),
        texts=told,
        total=len(at),
        cursor=end if end < len(at) else None,
    )


def report(call: Call, found: Judgement) -> Report:
    """Return the report on a judgement; kept until something changes."""

    def made() -> Report:
        return of_crossval(
            unfitted(_model(call)),
            [one.text for one in found.examples],
            [one.label for one in found.examples],
            result=found.result,
            title=project(call.store).title,
        )

    kept: Report = call.labelling.kept("report", made)
    return kept


def _model(call: Call) -> Any:
    """Return a model of the store's parameters that has learned nothing."""
    with call.store.view() as view:
        return blank(view.model)


# ---- classes ----


class Figures(msgspec.Struct):
    """Leave-one-out accuracy and macro F1 of all examples."""

    accuracy: float
    macro_f1: float


class Previewed(msgspec.Struct):
    """Figures before and after a change of classes, and how many examples it moves."""

    position: int
    before: Figures
    after: Figures | None
    moved: int


async def preview(call: Call, body: ClassesAsked) -> Previewed:
    """Tell what renaming, joining and dropping classes would do to the figures; change nothing."""
    found: Previewed = await call.in_thread(_preview, call, body)
    return found


def _preview(call: Call, body: ClassesAsked) -> Previewed:
    found = judged(call)
    moves = list(body.rename.items())
    moves += [(label, one.into) for one in body.join for label in one.labels]
    moves += [(label, None) for label in body.drop]  # type: ignore[misc]
    known = set(map(str, found.result.labels))
    for old, new in moves:
        if old not in known:
            raise Refusal(404, "unknown_class", f"no class is called {old!r}")
        known.add(new)
    labels = [moved(one.label, moves) for one in found.examples]
    number = sum(now != one.label for now, one in zip(labels, found.examples, strict=True))
    pairs = [
        (one.text, now) for one, now in zip(found.examples, labels, strict=True) if now is not None
    ]
    after = None
    if len({label for _, label in pairs}) >= LEAST:
        texts, left = zip(*pairs, strict=True)
        after = _two(crossval(_model(call), list(texts), list(left)))
    return Previewed(found.position, _two(found.result), after, number)


def _two(result: CrossValidation) -> Figures:
    actual, predicted = (
        result.classes[codes].tolist() for codes in (result.actual, result.predicted)
    )
    matrix = ConfusionMatrix.of(actual, predicted)
    return Figures(matrix.accuracy, float(matrix.average("macro").f))


ENDPOINTS = [
    Endpoint("GET", "/judge", judge, "read"),
    Endpoint("POST", "/classes/preview", preview, "admin"),
    Endpoint("GET", "/evaluate", evaluate, "read"),
    Endpoint("GET", "/suspects", suspects, "read"),
]

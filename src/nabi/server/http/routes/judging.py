"""`/evaluate`, `/suspects`: how good the model is, each example judged by the model without it."""

from typing import Annotated, Any, NamedTuple

import msgspec
from msgspec import Meta

from nabi.judging.cross_validation import CrossValidation, crossval
from nabi.judging.evaluation import Evaluation
from nabi.judging.suspect_labels import suspects_of
from nabi.server import Example
from nabi.server.http.call import Call
from nabi.server.http.endpoint import Endpoint
from nabi.server.http.refusal import Refusal
from nabi.server.http.shapes import After

LEAST = 2  # examples, of as many classes


class Judgement(NamedTuple):
    """Examples, and what the model without each of them says; at a position."""

    position: int
    examples: list[Example]
    result: CrossValidation


def judged(call: Call) -> Judgement:
    """Return leave-one-out results of all counted examples; kept until something changes."""
    with call.store.view() as view:
        position, model = view.position, view.model
        kept: Judgement | None = call.service.kept.get("judged")
        if kept is not None and kept.position == position:
            return kept
        model = type(model)(**model.get_params())  # its parameters: the examples are counted anew
    found = list(call.store.walk())
    labels = [one.label for one in found]
    if len(set(labels)) < LEAST:
        message = f"examples of {len(set(labels))} class are learned; {LEAST} are needed to compare"
        raise Refusal(409, "nothing_learned", message)
    judgement = Judgement(position, found, crossval(model, [one.text for one in found], labels))
    call.service.kept["judged"] = judgement
    return judgement


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


ENDPOINTS = [
    Endpoint("GET", "/evaluate", evaluate, "read"),
    Endpoint("GET", "/suspects", suspects, "read"),
]

"""`/predict`, `/explain`, `/words`: what a model says."""

import contextlib
from collections.abc import Iterator
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from nabi.errors import InputError
from nabi.models.base import require
from nabi.server.http.call import Call
from nabi.server.http.endpoint import Endpoint
from nabi.server.http.models.predictions import (
    Prediction,
    check_takes,
    predictions,
    reader,
    short_predictions,
)
from nabi.server.http.refusal import Refusal
from nabi.server.http.shapes import (
    After,
    Asked,
    Cell,
    Top,
    as_whole,
    check_explained,
    check_number,
    check_texts,
    label_name,
)
from nabi.server.labelling.sureness import Sureness

Priors = Literal["empirical", "uniform"] | dict[str, float]
Row = dict[str, Cell]


class Predict(Asked):
    """Texts (or rows, where the model is of tables), and what to tell of each."""

    ONE_OF = ("texts", "rows")

    texts: list[str] | UnsetType = UNSET
    rows: list[Row] | UnsetType = UNSET
    proba: bool = False  # tell the probability of each class, the most probable first
    top: Top | None = None  # tell that of so many classes
    prior: Priors | None = None


class Predictions(msgspec.Struct):
    """A prediction for each text, and the position that they were made at."""

    position: int
    results: list[Prediction]


async def predict(call: Call, query: After, body: Predict) -> Predictions:
    """Predict the labels of texts."""
    if query.after is not None:
        await call.reach(query.after)
    limits, together = call.service.limits, call.service.together
    if body.given() == "texts" and body.prior is None:
        size = _measured(call, body.texts)  # type: ignore[arg-type]
        top = as_whole(body.top)
        if size <= limits.short and len(body.texts) <= limits.few:  # type: ignore[arg-type]
            short = _short(call, body, top)
            if short is not None:
                return short
        if size <= call.service.inline:
            found = together.predicted(body.texts, size, body.proba, top)  # type: ignore[arg-type]
            return Predictions(*await found)
    with call.service.source.view() as view, prior_refused(body.prior):
        documents: list[Any] = getattr(body, body.given())
        size = _size(call, view.model, body.given(), documents)
        many, proba = [as_whole(body.top)] * len(documents), body.proba or body.top is not None
        model = view.model if size <= call.service.shared else reader(view.model)
        asked = (model, documents, proba, many, body.prior)
        results = await call.computed(size, predictions, *asked)
        call.service.metrics.texts["predicted"] += len(documents)
        return Predictions(view.position, results)


def _short(call: Call, body: Predict, top: int | None) -> Predictions | None:
    """Predict a few short texts one by one, where the model allows it: that is faster."""
    with call.service.source.view() as view:
        if view.one_text is None:
            return None
        texts: Any = body.texts
        call.service.metrics.texts["predicted"] += len(texts)
        proba = body.proba or top is not None
        return Predictions(view.position, short_predictions(view.one_text, texts, proba, top))


def _measured(call: Call, texts: list[str]) -> int:
    """Return about how many characters texts have; refuse too many, or one that is too long."""
    limits = call.service.limits
    if len(call.data) > limits.text:
        return check_texts(texts, limits)
    check_number(len(texts), limits)
    return len(call.data)  # no text is longer than the body


def _size(call: Call, model: Any, given: str, documents: list[Any]) -> int:
    """Return about how many characters texts or rows have, if the model takes them."""
    check_takes(model, given)
    limits = call.service.limits
    if given == "texts":
        return _measured(call, documents)
    check_number(len(documents), limits)
    cells = [str(cell) for row in documents for cell in row.values()]
    return check_texts(cells[: limits.texts], limits) + 100 * len(cells)


@contextlib.contextmanager
def prior_refused(prior: Any) -> Iterator[None]:
    """Turn what is wrong with a prior into a refusal: whether it fits depends on the classes."""
    try:
        yield
    except InputError as error:
        if prior is None:
            raise
        raise Refusal(409, "wrong_prior", str(error)) from None


class Explain(Asked):
    """A text (or a row), and how many of its words to tell."""

    ONE_OF = ("text", "row")

    text: str | UnsetType = UNSET
    row: Row | UnsetType = UNSET
    top: Top = 1000
    prior: Priors | None = None


class Explained(msgspec.Struct):
    """A decision with its evidence, as `nabi explain --json` has it, and calibrated probabilities.

    `proba` of the explanation is the model's. `calibrated` means what it says; null: nobody knows.
    """

    position: int
    explanation: dict[str, Any]


async def explain(call: Call, query: After, body: Explain) -> Explained:
    """Explain the label of a text: every word with its weight and counts."""
    await call.reach(query.after)
    kind = body.given()
    document = getattr(body, kind)
    with call.service.source.view() as view, prior_refused(body.prior):
        size = _size(call, view.model, f"{kind}s", [document])
        if kind == "text":
            check_explained(size, len(view.model.classes_))
        labelling = call.service.labelling
        sure = None if labelling is None else labelling.sureness
        found = await call.computed(20 * size, _explanation, view.model, document, body, sure)
        return Explained(view.position, found)


def explained_with(sure: Sureness | None, found: Any, *, fits: bool = False) -> dict[str, Any]:
    """Return an explanation in JSON's terms with calibrated probabilities; `fits`: its own are."""
    explained: dict[str, Any] = found.to_dict()
    own = explained.get("proba") if fits else None
    return {**explained, "calibrated": own if sure is None else sure.of(found)}


def _explanation(model: Any, document: Any, body: Explain, sure: Sureness | None) -> dict[str, Any]:
    fits = getattr(model, "is_calibrated", False)
    found = explained_with(sure, model.explain(document, prior=body.prior), fits=fits)
    lists = {key: value[: int(body.top)] for key, value in found.items() if isinstance(value, list)}
    return {**found, **lists}


class WordsAsked(After):
    """Which words: of all classes or one, how many of each, and by what order."""

    top: Annotated[int, Meta(ge=1, le=1_000_000)] = 20
    label: str | None = None
    by: Literal["support", "weight"] = "support"


class Words(msgspec.Struct):
    """The most telling words of each class, with weights and counts."""

    position: int
    words: list[dict[str, Any]]


async def words(call: Call, query: WordsAsked) -> Words:
    """List the most telling words of each class."""
    await call.reach(query.after)
    with call.service.source.view() as view:
        return Words(view.position, await call.in_thread(_words, view.model, query))


def _words(model: Any, asked: WordsAsked) -> list[dict[str, Any]]:
    from nabi.explain.explanation import as_json

    label = None if asked.label is None else _known_label(model, asked.label)
    found = require(model, "words")(asked.top, label=label, by=asked.by)
    return [as_json(word) for word in found]


def _known_label(model: Any, name: str) -> Any:
    for label in model.classes_.tolist():
        if label_name(label) == name:
            return label
    raise Refusal(404, "no_such_class", f"there is no class {name!r}")


ENDPOINTS = [
    Endpoint("POST", "/predict", predict, "read"),
    Endpoint("POST", "/explain", explain, "read"),
    Endpoint("GET", "/words", words, "read"),
]

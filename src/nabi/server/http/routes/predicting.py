"""`/predict`, `/explain`, `/words`: what a model says."""

from typing import Annotated, Any, Literal

import msgspec
import numpy as np
from msgspec import UNSET, Meta, UnsetType

from nabi.base.arrays import F64
from nabi.models.base import require
from nabi.server.http.call import Call
from nabi.server.http.endpoint import Endpoint
from nabi.server.http.limits import Limits
from nabi.server.http.refusal import Refusal
from nabi.server.http.shapes import After, Asked, Cell, check_number, check_texts, label_name

AT_ONCE = 256  # texts of a batch that are scored while other requests wait for the model
Top = Annotated[int, Meta(ge=1, le=1_000_000)]
Priors = Literal["empirical", "uniform"] | dict[str, float]
Row = dict[str, Cell]


class Predict(Asked):
    """Texts (or rows, where the model is of tables), and what to tell of each."""

    texts: list[str] | None = None
    rows: list[Row] | None = None
    proba: bool = False
    top: Top | None = None  # the classes that `proba` tells, the most probable first
    prior: Priors | None = None


class Prediction(msgspec.Struct):
    """The label of a text, and probabilities where they were asked for."""

    label: str | int | float | bool
    proba: dict[str, float] | UnsetType = UNSET


class Predictions(msgspec.Struct):
    """A prediction for each text, and the position that they were made at."""

    position: int
    results: list[Prediction]


async def predict(call: Call, query: After, body: Predict) -> Predictions:
    """Predict the labels of texts."""
    with await call.view(query.after) as view:
        documents, size = _documents(view.model, body.texts, body.rows, call.service.limits)
        asked = (view.model, documents, body.proba or body.top is not None, body.top, body.prior)
        results = await call.computed(size, predictions, *asked)
        call.service.metrics.texts["predicted"] += len(documents)
        return Predictions(view.position, results)


def _documents(
    model: Any, texts: list[str] | None, rows: list[Row] | None, limits: Limits
) -> tuple[list[Any], int]:
    """Return texts or rows, as the model takes them, and about how many characters they have."""
    if texts is not None and rows is None and not model.is_table:
        return texts, check_texts(texts, limits)
    if rows is not None and texts is None and model.reads_columns:
        check_number(len(rows), limits)
        cells = [str(cell) for row in rows for cell in row.values()]
        return rows, check_texts(cells[: limits.texts], limits) + 100 * len(cells)
    wanted = "rows" if model.is_table else "texts or rows" if model.reads_columns else "texts"
    raise Refusal(422, "wrong_input", f'the model takes {wanted}; send {{"{wanted[:5]}": [...]}}')


def predictions(
    model: Any, documents: list[Any], proba: bool, top: int | None, prior: Any
) -> list[Prediction]:
    """Return a prediction for each document; of many, some at a time."""
    found = []
    for start in range(0, len(documents), AT_ONCE):
        some = documents[start : start + AT_ONCE]
        if proba:
            found += _with_proba(model, some, top, prior)
        else:
            found += [Prediction(label) for label in model.predict(some, prior=prior).tolist()]
    return found


def _with_proba(model: Any, some: list[Any], top: int | None, prior: Any) -> list[Prediction]:
    shares: F64 = model.predict_proba(some, prior=prior)
    labels = model.classes_.tolist()
    names = [label_name(label) for label in labels]
    best = np.argsort(-shares, axis=1, kind="stable")[:, :top]
    if _is_clear(model, shares, best):
        decided = [labels[i] for i in best[:, 0].tolist()]
    else:
        decided = model.predict(some, prior=prior).tolist()
    told = np.take_along_axis(shares, best, axis=1).tolist()
    return [
        Prediction(label, {names[i]: share for i, share in zip(order, row, strict=True)})
        for label, order, row in zip(decided, best.tolist(), told, strict=True)
    ]


def _is_clear(model: Any, shares: F64, best: Any) -> bool:
    """Whether the most probable class is the label: no thresholds, and no two equal numbers."""
    if model.decision is not None:
        return False
    highest = np.take_along_axis(shares, best[:, :1], axis=1)
    return bool(((shares == highest).sum(axis=1) == 1).all())


class Explain(Asked):
    """A text (or a row), and how many of its words to tell."""

    text: str | None = None
    row: Row | None = None
    top: Top = 1000
    prior: Priors | None = None


class Explained(msgspec.Struct):
    """A decision with its evidence, as `nabi explain --json` has it."""

    position: int
    explanation: dict[str, Any]


async def explain(call: Call, query: After, body: Explain) -> Explained:
    """Explain the label of a text: every word with its weight and counts."""
    texts = None if body.text is None else [body.text]
    rows = None if body.row is None else [body.row]
    with await call.view(query.after) as view:
        (document,), size = _documents(view.model, texts, rows, call.service.limits)
        found = await call.computed(20 * size, _explanation, view.model, document, body)
        return Explained(view.position, found)


def _explanation(model: Any, document: Any, body: Explain) -> dict[str, Any]:
    found: dict[str, Any] = model.explain(document, prior=body.prior).to_dict()
    lists = {key: value[: body.top] for key, value in found.items() if isinstance(value, list)}
    return {**found, **lists}


class WordsAsked(After):
    """Which words: of all classes or one, how many of each, and by what order."""

    top: Top = 20
    label: str | None = None
    by: Literal["support", "weight"] = "support"


class Words(msgspec.Struct):
    """The most telling words of each class, with weights and counts."""

    position: int
    words: list[dict[str, Any]]


async def words(call: Call, query: WordsAsked) -> Words:
    """List the most telling words of each class."""
    with await call.view(query.after) as view:
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

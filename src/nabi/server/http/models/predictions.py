"""Predictions in JSON's terms: the label of each text, and probabilities in their order."""

from collections.abc import Sequence
from typing import Any

import msgspec
import numpy as np
from msgspec import UNSET, UnsetType

from nabi.base.arrays import F64
from nabi.models.one_text import OneText
from nabi.server.http.refusal import Refusal

AT_ONCE = 2000  # texts of a batch that are scored while other requests wait for the model


class Prediction(msgspec.Struct):
    """The label of a text, and probabilities where they were asked for."""

    label: str | int | float | bool
    proba: dict[str, float] | UnsetType = UNSET


def check_takes(model: Any, given: str) -> None:
    """Refuse texts for a model of tables, and rows for one of texts."""
    if (given == "texts" and not model.is_table) or (given == "rows" and model.reads_columns):
        return
    wanted = "rows" if model.is_table else "texts"
    message = f'the model takes {wanted}, and {given} came; send {{"{wanted}": [...]}}'
    raise Refusal(409, "wrong_input", message)


def reader(model: Any) -> Any:
    """Return the model with a lock of its own, for a thread that no short prediction waits for."""
    return model.reader() if hasattr(model, "reader") else model


def predictions(
    model: Any, documents: list[Any], proba: bool, tops: Sequence[int | None], prior: Any = None
) -> list[Any]:
    """Return a prediction for each document, or its JSON; of many documents, some at a time.

    With `proba`, `tops` has the number of classes that each document asks for (None: all).
    """
    found: list[Any] = []
    for start in range(0, len(documents), AT_ONCE):
        some = documents[start : start + AT_ONCE]
        if proba:
            found += _with_proba(model, some, tops[start : start + AT_ONCE], prior)
        else:
            found += _labels(model, some, prior)
    return found


def short_predictions(
    one: OneText, texts: list[str], proba: bool, top: int | None
) -> list[Prediction]:
    """Return the predictions of a few short texts, one after another."""
    if not proba:
        return [Prediction(one.labels[one.number(text)]) for text in texts]
    return [_short_with_proba(one, text, top) for text in texts]


def _short_with_proba(one: OneText, text: str, top: int | None) -> Prediction:
    best, shares = one.shares(text)
    order = sorted(range(len(shares)), key=shares.__getitem__, reverse=True)
    return Prediction(one.labels[best], {one.names[i]: shares[i] for i in order[:top]})


def _labels(model: Any, some: list[Any], prior: Any) -> list[msgspec.Raw]:
    """Return the JSON of each prediction: one for each class is encoded, and used many times."""
    if model.decision is not None:
        labels = model.predict(some, prior=prior).tolist()
        written = {label: _json(label) for label in set(labels)}
        return [written[label] for label in labels]
    of_class = [_json(label) for label in model.classes_.tolist()]
    return [of_class[i] for i in model.predict_numbers(some, prior=prior).tolist()]


def _json(label: Any) -> msgspec.Raw:
    return msgspec.Raw(msgspec.json.encode(Prediction(label)))


def _with_proba(
    model: Any, some: list[Any], tops: Sequence[int | None], prior: Any
) -> list[Prediction]:
    shares: F64 = model.predict_proba(some, prior=prior)
    labels = model.classes_.tolist()
    names = [label if isinstance(label, str) else str(label) for label in labels]
    best = np.argsort(-shares, axis=1, kind="stable")
    ordered = shares[np.arange(len(shares))[:, None], best]
    if model.decision is None and not _has_ties(ordered):
        decided = [labels[i] for i in best[:, 0].tolist()]
    else:
        decided = model.predict(some, prior=prior).tolist()
    most = max(top or len(labels) for top in tops)
    rows, get = (
        zip(best[:, :most].tolist(), ordered[:, :most].tolist(), strict=True),
        names.__getitem__,
    )
    return [
        Prediction(label, dict(zip(map(get, order[:top]), row, strict=False)))
        for label, top, (order, row) in zip(decided, tops, rows, strict=True)
    ]


def _has_ties(ordered: F64) -> bool:
    """Whether two classes are the most probable of a document: then `predict` knows better."""
    return ordered.shape[1] > 1 and bool((ordered[:, 0] == ordered[:, 1]).any())

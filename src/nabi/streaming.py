"""Learning, forgetting and predicting what a reader gives, part by part."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

import nabi._native as _native
from nabi.errors import NotLearnedError
from nabi.labels import Label, parsed
from nabi.prior import Prior
from nabi.readers import Part
from nabi.text import TextClassifier
from nabi.writers import Chosen, Labelled

MANY = 2**26  # bytes of text that are counted at a time: enough for two threads to share well


def learn(model: TextClassifier, parts: Iterable[Part]) -> TextClassifier:
    """Learn all rows."""
    for texts, labels in _gathered(parts):
        model.partial_fit(texts, _as_learned(model, labels))
    return model


def forget(model: TextClassifier, parts: Iterable[Part]) -> TextClassifier:
    """Forget all rows.

    Where one was not learned, an error says how many were used before it in `at`; the model may
    have forgotten earlier parts then, and is not to be kept.
    """
    done = 0
    for texts, labels in _gathered(parts):
        try:
            model.forget(texts, _as_learned(model, labels))
        except NotLearnedError as error:
            at = None if error.at is None else done + error.at
            raise NotLearnedError(str(error), at) from None
        done += len(labels)
    return model


def predict(
    model: TextClassifier,
    parts: Iterable[Part],
    *,
    best: int = 1,
    proba: bool = False,
    prior: Prior = None,
    column: str = "predicted",
) -> Iterator[Labelled]:
    """Each part with the labels of its rows, the `best` of them, and their probabilities."""
    best = min(best, len(model.classes_))
    names = [(column, "proba")] if best == 1 else []
    names = names or [(f"{column}_{i + 1}", f"proba_{i + 1}") for i in range(best)]
    for part in parts:
        if best == 1 and not proba:
            numbers = model.predict_numbers(part.texts, prior=prior)
            yield part, [Chosen(column, numbers.astype(np.int32))]
            continue
        p = model.predict_proba(part.texts, prior=prior)
        order = np.argsort(-p, axis=1, kind="stable")[:, :best].astype(np.int32)
        sorted_p = np.take_along_axis(p, order, axis=1)
        yield (
            part,
            [
                Chosen(name, order[:, i], proba_name, sorted_p[:, i])
                for i, (name, proba_name) in enumerate(names)
            ],
        )


def _gathered(parts: Iterable[Part]) -> Iterator[tuple[_native.Batch, list[str]]]:
    """The texts and labels of parts, enough of them at a time."""
    texts: list[_native.Batch] = []
    labels: list[str] = []
    size = 0
    for part in parts:
        assert part.labels is not None
        texts.append(part.texts)
        labels += part.labels
        size += part.texts.bytes
        if size >= MANY:
            yield _native.Batch.joined(texts), labels
            texts, labels, size = [], [], 0
    if texts:
        yield _native.Batch.joined(texts), labels


def _as_learned(model: TextClassifier, labels: list[str]) -> list[Any]:
    """Labels as the model knows them: a file has strings, the model perhaps numbers."""
    known: list[Label] = model.classes_.tolist() if model.__sklearn_is_fitted__() else []
    return parsed(labels, known)

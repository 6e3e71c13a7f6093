"""Learning, forgetting and predicting what a reader gives, part by part."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from math import inf
from operator import attrgetter
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

import nabi._native as _native
from nabi.base.arrays import F64
from nabi.base.labels import Label, parsed
from nabi.errors import NotLearnedError
from nabi.files.writers import Labelled, PredictedColumn
from nabi.models.counting import Classifier
from nabi.models.text import TextClassifier
from nabi.readers import Part
from nabi.scoring.calibration import Fitted, fitted
from nabi.scoring.prior import Prior

Model = TypeVar("Model", bound=Classifier)
MANY = 2**26  # bytes of text that are counted at a time: enough for two threads to share well


def learn(model: TextClassifier, parts: Iterable[Part]) -> TextClassifier:
    """Learn all rows."""
    return learn_batches(model, _gathered(parts, MANY))


def forget(model: TextClassifier, parts: Iterable[Part]) -> TextClassifier:
    """Forget all rows; see `forget_batches`."""
    return forget_batches(model, _gathered(parts, MANY))


def learn_batches(model: Model, batches: Iterable[tuple[Any, list[str]]]) -> Model:
    """Learn (documents, labels) one after another."""
    for documents, labels in batches:
        model.partial_fit(documents, as_learned(model, labels))
    return model


def forget_batches(model: Model, batches: Iterable[tuple[Any, list[str]]]) -> Model:
    """Forget (documents, labels) one after another.

    Where one was not learned, an error says how many were used before it in `at`; the model may
    have forgotten earlier ones then, and is not to be kept.
    """
    done = 0
    for documents, labels in batches:
        with _counted_on(done):
            model.forget(documents, as_learned(model, labels))
        done += len(labels)
    return model


@contextmanager
def _counted_on(done: int) -> Iterator[None]:
    """Let an error tell its place among all documents, those of earlier batches included."""
    try:
        yield
    except NotLearnedError as error:
        at = None if error.at is None else done + error.at
        raise NotLearnedError(str(error), at) from None


def calibrate(model: TextClassifier, parts: Iterable[Part], *, learned: bool = True) -> Fitted:
    """Calibrate with all rows, which the model has learned or not; what was found."""
    # Those that were learned all at once: what is left out with a text depends on its copies.
    return calibrate_batches(model, _gathered(parts, inf if learned else MANY), learned=learned)


def calibrate_batches(
    model: Classifier, batches: Iterable[tuple[Any, list[str]]], *, learned: bool
) -> Fitted:
    """Calibrate with (documents, labels), one after another."""
    scores, done = [], 0
    for documents, labels in batches:
        with _counted_on(done):
            given = as_learned(model, labels)
            scores.append(model.unseen_scores(documents, given, learned=learned))
        done += len(labels)
    found = fitted(*(np.concatenate(column) for column in zip(*scores, strict=True)))
    model.calibrate_with(found)
    return found


def predict(
    model: TextClassifier,
    parts: Iterable[Part],
    *,
    best: int = 1,
    proba: bool = False,
    prior: Prior = None,
    column: str = "predicted",
    documents: Callable[[Part], Any] = attrgetter("texts"),
) -> Iterator[Labelled]:
    """Each part with the labels of its rows, the `best` of them, and their probabilities.

    `documents` gives those of a part, where they are more than its texts.
    """
    for part in parts:
        given = documents(part)
        if best == 1 and not proba:
            yield part, labelled(model.predict_numbers(given, prior=prior), column)
        else:
            yield part, ranked(model.predict_proba(given, prior=prior), best, column)


def labelled(numbers: npt.NDArray[np.int64], column: str) -> list[PredictedColumn]:
    """A column of labels, by number."""
    return [PredictedColumn(column, numbers.astype(np.int32))]


def ranked(p: F64, best: int, column: str) -> list[PredictedColumn]:
    """Columns of the best labels of each row and of their probabilities."""
    best = min(best, p.shape[1])
    names = [(column, "proba")] if best == 1 else []
    names = names or [(f"{column}_{i + 1}", f"proba_{i + 1}") for i in range(best)]
    order = np.argsort(-p, axis=1, kind="stable")[:, :best].astype(np.int32)
    sorted_p = np.take_along_axis(p, order, axis=1)
    return [
        PredictedColumn(name, order[:, i], proba_name, sorted_p[:, i])
        for i, (name, proba_name) in enumerate(names)
    ]


def _gathered(parts: Iterable[Part], most: float) -> Iterator[tuple[_native.Batch, list[str]]]:
    """The texts and labels of parts, enough of them at a time."""
    texts: list[_native.Batch] = []
    labels: list[str] = []
    size = 0
    for part in parts:
        assert part.labels is not None
        texts.append(part.texts)
        labels += part.labels
        size += part.texts.bytes
        if size >= most:
            yield _native.Batch.joined(texts), labels
            texts, labels, size = [], [], 0
    if texts:
        yield _native.Batch.joined(texts), labels


def as_learned(model: Classifier, labels: list[str]) -> list[Any]:
    """Labels as the model knows them: a file has strings, the model perhaps numbers."""
    known: list[Label] = model.classes_.tolist() if model.__sklearn_is_fitted__() else []
    return parsed(labels, known)

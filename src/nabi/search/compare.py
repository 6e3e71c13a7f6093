"""Several models on the same texts: how good each is, how fast, and how large."""

import os
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from nabi.base.arrays import Bools
from nabi.base.labels import encode
from nabi.errors import InputError
from nabi.judging.evaluation import Evaluation
from nabi.scoring.held_out.text import fold_numbers


@dataclass(frozen=True)
class ModelResult:
    """A model, and how it did."""

    name: str
    model: Any  # fitted
    accuracy: float
    macro_f1: float
    log_loss: float | None  # None where a label of the test texts is none of the model's
    train_seconds: float
    predict_seconds: float
    bytes: int  # of its file

    def to_dict(self) -> dict[str, Any]:
        """Name and figures as JSON takes them, without the model."""
        return {name: value for name, value in vars(self).items() if name != "model"}


def compare(
    models: Mapping[str, Callable[[Any, Any], Any]],
    train: tuple[Any, list[Any]],
    test: tuple[Any, list[Any]],
) -> Iterator[ModelResult]:
    """Fit each model to the texts and labels of `train`, and judge it by those of `test`.

    Parameters
    ----------
    models : dict
        By name, a function of texts and labels that gives a fitted model, such as
        ``TextClassifier().fit``.
    train, test : (texts, labels)

    Examples
    --------
    >>> from nabi import LinearClassifier, TextClassifier
    >>> texts, labels = ["good film", "bad film", "so good", "so bad"] * 3, ["+", "-"] * 6
    >>> both = {"nb": TextClassifier().fit, "svm": LinearClassifier("svm").fit}
    >>> [(row.name, row.accuracy) for row in compare(both, (texts, labels), (texts, labels))]
    [('nb', 1.0), ('svm', 1.0)]
    """
    for name, fit in models.items():
        start = time.perf_counter()
        model = fit(*train)
        middle = time.perf_counter()
        logs = model.predict_log_proba(test[0])
        end = time.perf_counter()
        labels = model.classes_.tolist()
        predicted = [labels[i] for i in np.argmax(logs, axis=1).tolist()]
        found = Evaluation.of(test[1], predicted, logs, labels)
        figures = found.matrix.accuracy, found.matrix.average("macro").f
        loss = None if found.unknown else found.log_loss
        seconds = middle - start, end - middle
        yield ModelResult(name, model, *figures, loss, *seconds, _size(model))


def _size(model: Any) -> int:
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.nabi")
        model.save(path)
        return os.path.getsize(path)


def held_out_fifth(labels: Any, *, seed: int = 0) -> Bools:
    """Mark the texts to test on: a fifth of each class, drawn by the seed."""
    names, classes = encode(labels)
    if len(classes) < 5 or len(names) < 2:
        raise InputError("there is nothing to compare by; expected five texts of two classes")
    return np.asarray(fold_numbers(classes, 5, seed) == 2)

"""Several models on the same texts: how good each is, how fast, and how large."""

import os
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from nabi.base.arrays import F64, Bools
from nabi.base.labels import Label, encode, label_codes
from nabi.errors import InputError
from nabi.scoring.held_out.text import fold_numbers
from nabi.search.outcome import Outcome
from nabi.search.trial import Trial


@dataclass(frozen=True)
class ModelResult:
    """A model, and how it did."""

    name: str
    model: Any  # fitted
    trial: Trial  # on the test texts; its seconds are those of training
    predict_seconds: float
    bytes: int  # of its file

    def to_dict(self) -> dict[str, Any]:
        """Name and figures as JSON takes them, without the model."""
        figures = ("accuracy", "macro_f1", "balanced", "log_loss")
        return {
            "name": self.name,
            **{name: getattr(self.trial, name) for name in figures},
            "train_seconds": self.trial.seconds,
            "predict_seconds": self.predict_seconds,
            "bytes": self.bytes,
        }


def compare(
    models: Mapping[str, Callable[[Any, Any], Any]],
    train: tuple[Any, list[Any]],
    test: tuple[Any, list[Any]],
    *,
    metric: str = "accuracy",
) -> Iterator[ModelResult]:
    """Fit each model to the texts and labels of `train`, and judge it by those of `test`.

    Parameters
    ----------
    models : dict
        By name, a function of texts and labels that gives a fitted model, such as
        ``TextClassifier().fit``.
    train, test : (texts, labels)
    metric : {"accuracy", "macro_f1", "log_loss", "balanced"}
        What the trials are to be ranked by. Labels that a model does not know have no log loss.

    Examples
    --------
    >>> from nabi import LinearClassifier, TextClassifier
    >>> texts, labels = ["good film", "bad film", "so good", "so bad"] * 3, ["+", "-"] * 6
    >>> both = {"nb": TextClassifier().fit, "svm": LinearClassifier("svm").fit}
    >>> [(row.name, row.trial.accuracy) for row in compare(both, (texts, labels), (texts, labels))]
    [('nb', 1.0), ('svm', 1.0)]
    """
    for name, fit in models.items():
        start = time.perf_counter()
        model = fit(*train)
        middle = time.perf_counter()
        logs = model.predict_log_proba(test[0])
        end = time.perf_counter()
        outcome = _outcome(logs, test[1], model.classes_.tolist())
        more = {"metric": metric, "seconds": middle - start}
        trial = Trial.of({"model": name}, outcome, len(test[1]), **more)
        yield ModelResult(name, model, trial, end - middle, _size(model))


def _outcome(log_proba: F64, labels: Any, known: list[Label]) -> Outcome:
    """Predicted labels; those that are not known are classes after the others."""
    names, numbers = encode(labels)
    every = [*known, *(name for name in names if name not in set(known))]
    actual = label_codes(names, every).astype(np.uint32)[numbers]
    is_known = actual < len(known)
    found = Outcome.of(log_proba, np.where(is_known, actual, 0).astype(np.uint32), is_known)
    return replace(found, actual=actual)


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

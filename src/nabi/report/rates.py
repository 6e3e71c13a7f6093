"""Rates of all texts, of each class, and of the probabilities."""

from typing import Any

import numpy as np

from nabi import metrics
from nabi.base.arrays import F64
from nabi.metrics.intervals import wilson
from nabi.report.outcome import Outcome, shown_name

BINS = 15
Estimate = list[float]  # the estimate, and the ends of its interval of 95 %


def totals(outcome: Outcome) -> dict[str, Any]:
    """Return the rates of all texts together."""
    matrix, support = outcome.matrix, outcome.matrix.support
    largest = int(np.argmax(support))
    return {
        "accuracy": [matrix.accuracy, *matrix.accuracy_interval()],
        "baseline": float(support[largest] / support.sum()),
        "largest": largest,
        "macro_f1": [matrix.average("macro").f, *matrix.average_interval("macro").f],
        "right": int(outcome.correct.sum()),
        "unknown": int(np.sum(~outcome.known)),
        **_probability_rates(outcome, outcome.log_proba),
    }


def _probability_rates(outcome: Outcome, logs: F64) -> dict[str, Any]:
    """Return log loss and calibration error (of texts of known classes), mean confidence."""
    proba, known = np.exp(logs), outcome.known
    indices = list(range(logs.shape[1]))
    loss, error = None, 0.0
    if known.any():
        actual = outcome.actual[known]
        loss = metrics.log_loss(logs[known], actual, labels=indices, log=True)
        error = metrics.expected_calibration_error(proba[known], actual, BINS, labels=indices)
    confidence = float(proba.max(axis=1).mean())
    return {"log_loss": loss, "calibration_error": error, "confidence": confidence}


def classes(outcome: Outcome) -> list[dict[str, Any]]:
    """Return the rates of each class."""
    matrix, learned = outcome.matrix, outcome.model.class_count_
    right = np.bincount(outcome.actual[outcome.correct], minlength=len(matrix.labels))
    columns = {
        "name": [shown_name(label) for label in outcome.labels],
        "support": matrix.support.tolist(),
        "said": matrix.said.tolist(),
        "right": right.tolist(),
        "learned": [*learned.tolist(), *[0.0] * (len(outcome.labels) - len(learned))],
        "precision": _estimates(matrix.precision, matrix.precision_interval()),
        "recall": _estimates(matrix.recall, matrix.recall_interval()),
        "f1": _estimates(matrix.f1, f1_interval(right, matrix.said, matrix.support)),
    }
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _estimates(rate: F64, interval: tuple[F64, F64]) -> list[Estimate]:
    """Return the rate of each class with its interval."""
    return np.transpose([rate, *interval]).tolist()  # type: ignore[no-any-return]


def f1_interval(right: Any, said: Any, gold: Any) -> tuple[F64, F64]:
    """Wilson's interval for F1 = 2J / (1 + J), where J is the share TP / (TP + FP + FN)."""
    low, high = wilson(right, said + gold - right)
    return 2 * low / (1 + low), 2 * high / (1 + high)


def reliability(outcome: Outcome) -> dict[str, Any]:
    """Return confidence against accuracy, without and with calibration."""
    both = {"before": outcome.log_proba, "after": outcome.calibrated}
    return {name: None if logs is None else _curve(outcome, logs) for name, logs in both.items()}


def _curve(outcome: Outcome, logs: F64) -> dict[str, Any]:
    indices = list(range(logs.shape[1]))
    curve = metrics.reliability_curve(np.exp(logs), outcome.actual, BINS, labels=indices)
    low, high = wilson(curve.accuracy * curve.rows, curve.rows)
    columns = (curve.confidence, curve.accuracy, low, high, curve.rows)
    return {
        "bins": [list(row) for row in zip(*(c.tolist() for c in columns), strict=True)],
        **_probability_rates(outcome, logs),
    }

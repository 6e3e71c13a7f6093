"""Rates of all texts, of each class, of the probabilities, and at each threshold."""

from typing import Any

import numpy as np

from nabi import metrics
from nabi.base.arrays import F64, I64
from nabi.metrics.curves import cumulative_counts
from nabi.metrics.intervals import wilson
from nabi.report.outcome import Outcome, shown_name

BINS = 15
POINTS = 16_000  # of all threshold curves
MOST, LEAST = 400, 60  # of one
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
        "predicted": matrix.predicted.tolist(),
        "right": right.tolist(),
        "learned": [*learned.tolist(), *[0.0] * (len(outcome.labels) - len(learned))],
        "precision": _estimates(matrix.precision, matrix.precision_interval()),
        "recall": _estimates(matrix.recall, matrix.recall_interval()),
        "f1": _estimates(matrix.f1, f1_interval(right, matrix.predicted, matrix.support)),
    }
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


def _estimates(rate: F64, interval: tuple[F64, F64]) -> list[Estimate]:
    """Return the rate of each class with its interval."""
    return np.transpose([rate, *interval]).tolist()  # type: ignore[no-any-return]


def f1_interval(right: Any, predicted: Any, actual: Any) -> tuple[F64, F64]:
    """Wilson's interval for F1 = 2J / (1 + J), where J is the share TP / (TP + FP + FN)."""
    low, high = wilson(right, predicted + actual - right)
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


# ---- threshold curves: few points, each with exact counts ----


def curves(outcome: Outcome, shown: list[int]) -> dict[str, dict[str, Any]]:
    """Return the curve of each of these classes that the model knows and some text has."""
    logs = outcome.log_proba if outcome.calibrated is None else outcome.calibrated
    support = outcome.matrix.support
    points = int(np.clip(POINTS // max(1, len(shown)), LEAST, MOST))
    known = [c for c in shown if c < len(outcome.model.classes_) and support[c]]
    return {str(c): _threshold_curve(log_odds(logs, c), outcome.actual == c, points) for c in known}


def log_odds(logs: F64, c: int) -> F64:
    """Log P(c|d) / (1 - P(c|d)): different also where the probabilities all round to 1."""
    own: F64 = logs[:, c]
    with np.errstate(divide="ignore"):
        rest = np.log1p(-np.minimum(np.exp(own), 1.0))
    # Where c takes most of the row, 1 - P is what rounding left of it: the others are added up.
    sure = np.flatnonzero(own > np.log(0.5))
    rest[sure] = np.logaddexp.reduce(np.delete(logs[sure], c, axis=1), axis=1)
    return np.asarray(own - rest)


def _threshold_curve(score: F64, positive: Any, points: int) -> dict[str, Any]:
    """Return thresholds, ascending, and the true and false positives at or above each."""
    score = np.clip(score, -1e6, 1e6)
    false, true, threshold = (column[::-1] for column in cumulative_counts(positive, score))
    half = np.searchsorted(threshold, 0.0)  # where the class is more probable than not
    kept = thinned(true, false, points, also=min(int(half), len(threshold) - 1))
    return {
        "threshold": short(threshold, threshold - np.diff(threshold, prepend=-2e6))[kept].tolist(),
        "true": true[kept].astype(int).tolist(),
        "false": false[kept].astype(int).tolist(),
        "points": len(threshold),
        "average_precision": metrics.average_precision(positive, score),
    }


def thinned(true: F64, false: F64, points: int, *, also: int) -> I64:
    """Return the points to keep: half answer `precision of at least p`, half are evenly spaced."""
    if len(true) <= points:
        return np.arange(len(true))
    precision = true / (true + false)
    best = np.maximum.accumulate(np.append(-1.0, precision[:-1]))
    answers = np.flatnonzero(precision > best)  # no lower threshold is as precise
    some = [_spread(answers, points // 2), _spread(np.arange(len(true)), points // 2)]
    return np.unique(np.concatenate([*some, [also]]))


def _spread(points: I64, n: int) -> I64:
    at = np.linspace(0, len(points) - 1, min(n, len(points)))
    return np.asarray(points[np.unique(at.round().astype(np.int64))])


def short(threshold: F64, below: F64) -> F64:
    """Round the thresholds to few decimals; each stays above the next lower score."""
    found = threshold.copy()
    for digits in (9, 7, 5, 4, 3, 2, 1):
        cut = np.floor(threshold * 10**digits) / 10**digits
        fits = (cut > below) & (cut <= threshold)
        found[fits] = cut[fits]
    return found

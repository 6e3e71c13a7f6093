"""Threshold curves of each class: few points, each with exact counts."""

from typing import Any

import numpy as np

from nabi.base.arrays import F64, I64
from nabi.metrics import average_precision
from nabi.report.outcome import Outcome

POINTS = 16_000  # of all curves
MOST, LEAST = 400, 60  # of one


def curves(outcome: Outcome, shown: list[int]) -> dict[str, dict[str, Any]]:
    """Return the curve of each of these classes that the model knows and some text has."""
    logs = outcome.log_proba if outcome.calibrated is None else outcome.calibrated
    support = outcome.matrix.support
    points = int(np.clip(POINTS // max(1, len(shown)), LEAST, MOST))
    known = [c for c in shown if c < len(outcome.model.classes_) and support[c]]
    return {str(c): _curve(log_odds(logs, c), outcome.actual == c, points) for c in known}


def log_odds(logs: F64, c: int) -> F64:
    """Log P(c|d) / (1 - P(c|d)): different also where the probabilities all round to 1."""
    own: F64 = logs[:, c]
    with np.errstate(divide="ignore"):
        rest = np.log1p(-np.minimum(np.exp(own), 1.0))
    # Where c takes most of the row, 1 - P is what rounding left of it: the others are added up.
    sure = np.flatnonzero(own > np.log(0.5))
    rest[sure] = np.logaddexp.reduce(np.delete(logs[sure], c, axis=1), axis=1)
    return np.asarray(own - rest)


def _curve(score: F64, positive: Any, points: int) -> dict[str, Any]:
    """Return thresholds, ascending, and the true and false positives at or above each."""
    score = np.clip(score, -1e6, 1e6)
    threshold, true, false = exact_points(score, positive)
    half = np.searchsorted(threshold, 0.0)  # where the class is more probable than not
    kept = thinned(true, false, points, also=min(int(half), len(threshold) - 1))
    return {
        "threshold": short(threshold, threshold - np.diff(threshold, prepend=-2e6))[kept].tolist(),
        "true": true[kept].tolist(),
        "false": false[kept].tolist(),
        "points": len(threshold),
        "average_precision": average_precision(positive, score),
    }


def exact_points(score: F64, positive: Any) -> tuple[F64, I64, I64]:
    """Return each distinct score, ascending, and the true and false positives at or above it."""
    order = np.argsort(score, kind="stable")
    threshold, first = np.unique(score[order], return_index=True)
    true = np.cumsum(np.asarray(positive)[order][::-1])[::-1][first]
    return threshold, true.astype(np.int64), len(score) - first - true


def thinned(true: I64, false: I64, points: int, *, also: int) -> I64:
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

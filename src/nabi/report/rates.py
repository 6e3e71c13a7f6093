"""How good it is, in numbers: of all texts, of each class, and of the probabilities."""

from typing import Any

import numpy as np

from nabi import metrics
from nabi.base.arrays import F64
from nabi.metrics.intervals import wilson
from nabi.report.outcome import Outcome

BINS = 15
Estimate = list[float]  # the estimate, and the ends of its interval of 95 %


def totals(outcome: Outcome) -> dict[str, Any]:
    """What is said of all texts together."""
    matrix, support = outcome.matrix, outcome.matrix.support
    largest = int(np.argmax(support))
    return {
        "accuracy": [matrix.accuracy, *matrix.accuracy_interval()],
        "baseline": float(support[largest] / support.sum()),
        "largest": largest,
        "macro_f1": [matrix.average("macro").f, *matrix.average_interval("macro").f],
        "right": int(np.sum(outcome.said == outcome.gold)),
        "unknown": int(np.sum(~outcome.known)),
        **_of_probabilities(outcome, outcome.log_proba),
    }


def _of_probabilities(outcome: Outcome, logs: F64) -> dict[str, Any]:
    """Log loss and calibration error (of texts whose class the model knows), mean confidence."""
    proba, known = np.exp(logs), outcome.known
    places = list(range(logs.shape[1]))
    loss, error = None, 0.0
    if known.any():
        gold = outcome.gold[known]
        loss = metrics.log_loss(logs[known], gold, labels=places, log=True)
        error = metrics.expected_calibration_error(proba[known], gold, BINS, labels=places)
    confidence = float(proba.max(axis=1).mean())
    return {"log_loss": loss, "calibration_error": error, "confidence": confidence}


def classes(outcome: Outcome) -> list[dict[str, Any]]:
    """A row for each class."""
    matrix = outcome.matrix
    right = np.bincount(outcome.gold[outcome.said == outcome.gold], minlength=len(matrix.labels))
    rows = zip(
        matrix.per_class(),
        right.tolist(),
        np.transpose(matrix.precision_interval()).tolist(),
        np.transpose(matrix.recall_interval()).tolist(),
        np.transpose(f1_interval(right, matrix.said, matrix.support)).tolist(),
        strict=True,
    )
    return [
        {
            "name": outcome.names[c],
            "support": row.support,
            "said": row.said,
            "right": hits,
            "learned": learned,
            "precision": [row.precision, *precision],
            "recall": [row.recall, *recall],
            "f1": [row.f, *f1],
        }
        for c, ((row, hits, precision, recall, f1), learned) in enumerate(
            zip(rows, _learned(outcome), strict=True)
        )
    ]


def _learned(outcome: Outcome) -> list[float]:
    """How many documents of each class the model has learned."""
    counts: list[float] = outcome.model.class_count_.tolist()
    return counts + [0.0] * (len(outcome.labels) - len(counts))


def f1_interval(right: Any, said: Any, gold: Any) -> tuple[F64, F64]:
    """Wilson's interval for F1 = 2J / (1 + J), where J is the share TP / (TP + FP + FN)."""
    low, high = wilson(right, said + gold - right, 0.95)
    return 2 * low / (1 + low), 2 * high / (1 + high)


def reliability(outcome: Outcome) -> dict[str, Any]:
    """Confidence against accuracy, as it is and calibrated."""
    after = outcome.calibrated
    return {
        "before": _curve(outcome, outcome.log_proba),
        "after": None if after is None else _curve(outcome, after),
    }


def _curve(outcome: Outcome, logs: F64) -> dict[str, Any]:
    places = list(range(logs.shape[1]))
    curve = metrics.reliability_curve(np.exp(logs), outcome.gold, BINS, labels=places)
    low, high = wilson(curve.accuracy * curve.rows, curve.rows, 0.95)
    columns = (curve.confidence, curve.accuracy, low, high, curve.rows)
    return {
        "bins": [list(row) for row in zip(*(c.tolist() for c in columns), strict=True)],
        **_of_probabilities(outcome, logs),
    }

"""Metrics: confusion matrices, curves, decisions, probabilities, comparisons.

The actual labels are called `actual`. They come first where two columns of labels are compared, and
after the probabilities where probabilities are judged. Only NumPy is needed.

>>> from nabi import metrics
>>> matrix = metrics.ConfusionMatrix.of(["spam", "ham", "ham"], ["spam", "spam", "ham"])
>>> print(matrix)
           actual
predicted  ham  spam
ham          1     0
spam         1     1
>>> matrix.precision.tolist(), matrix.average("macro").recall
([1.0, 0.5], 0.75)
"""

from nabi.metrics.comparison import Comparison, mcnemar
from nabi.metrics.confusion import ClassRates, ConfusionMatrix
from nabi.metrics.curves import (
    Point,
    PrecisionRecallCurve,
    RocCurve,
    average_precision,
    precision_recall_curve,
    roc_auc,
    roc_curve,
    threshold_for,
)
from nabi.metrics.decisions import Band, CoverageCurve, cheapest, coverage_curve, not_sure
from nabi.metrics.intervals import Interval
from nabi.metrics.losses import brier, log_loss
from nabi.metrics.rates import Average
from nabi.metrics.reliability import ReliabilityCurve, expected_calibration_error, reliability_curve
from nabi.metrics.thresholds import Decision

__all__ = [
    "Average",
    "Band",
    "ClassRates",
    "Comparison",
    "ConfusionMatrix",
    "CoverageCurve",
    "Decision",
    "Interval",
    "Point",
    "PrecisionRecallCurve",
    "ReliabilityCurve",
    "RocCurve",
    "average_precision",
    "brier",
    "cheapest",
    "coverage_curve",
    "expected_calibration_error",
    "log_loss",
    "mcnemar",
    "not_sure",
    "precision_recall_curve",
    "reliability_curve",
    "roc_auc",
    "roc_curve",
    "threshold_for",
]

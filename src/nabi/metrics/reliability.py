"""Reliability curve and calibration error: are rows of confidence p right in p of the cases?"""

from typing import Any, NamedTuple

import numpy as np

from nabi.base.arrays import F64, I64, Bools
from nabi.metrics.inputs import Predictions, choice, whole

BINS = 15


class ReliabilityCurve(NamedTuple):
    """Bins that hold rows: mean confidence, accuracy, number of rows."""

    confidence: F64
    accuracy: F64
    rows: I64

    @property
    def error(self) -> float:
        """The mean distance of confidence from accuracy: the expected calibration error."""
        distance = np.abs(self.accuracy - self.confidence)
        return float((distance * self.rows).sum() / self.rows.sum())


def reliability_curve(
    proba: Any, actual: Any, bins: int = BINS, *, equal: str = "width", labels: Any = None
) -> ReliabilityCurve:
    """Confidence (the largest probability) against accuracy, bin by bin.

    Parameters
    ----------
    proba, actual, labels
        As in `log_loss`.
    bins : int
        How many bins; those without rows are left out.
    equal : {"width", "mass"}
        Bins of equal width from 0 to 1, or of as equally many rows as ties allow. A confidence at
        the border of two bins is in the lower one.

    Examples
    --------
    >>> reliability_curve([[0.9, 0.1], [0.2, 0.8]], [False, False], bins=2).accuracy.tolist()
    [0.5]
    """
    predictions = Predictions.of(proba, actual, labels)
    return binned(predictions.confidence, predictions.correct, bins, equal)


def binned(
    confidence: F64, correct: Bools, bins: int = BINS, equal: str = "width"
) -> ReliabilityCurve:
    """Return the curve of rows by their largest probability, and whether its class is theirs."""
    n_bins = whole(bins, "bins")
    if choice(equal, ("width", "mass"), "equal") == "width":
        borders = np.linspace(0.0, 1.0, n_bins + 1)[1:-1]
    else:  # the confidences below or at which k/n of the rows lie; ties stay together
        ranks = -(-len(confidence) * np.arange(1, n_bins) // n_bins) - 1  # ceil(n k / bins) - 1
        borders = np.sort(confidence)[ranks]
    own = np.searchsorted(borders, confidence)
    _, index, rows = np.unique(own, return_inverse=True, return_counts=True)
    means = [np.bincount(index, values) / rows for values in (confidence, correct)]
    return ReliabilityCurve(means[0], means[1], rows)


def expected_calibration_error(
    proba: Any, actual: Any, bins: int = BINS, *, equal: str = "width", labels: Any = None
) -> float:
    """The mean distance of confidence from accuracy, over the bins of `reliability_curve`.

    Examples
    --------
    >>> round(expected_calibration_error([[0.9, 0.1], [0.2, 0.8]], ["ham", "spam"]), 4)
    0.15
    """
    return reliability_curve(proba, actual, bins, equal=equal, labels=labels).error

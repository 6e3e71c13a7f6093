"""Whether rows of confidence p are right in p of the cases: reliability and calibration error."""

from typing import Any, NamedTuple

import numpy as np

from nabi.base.arrays import F64
from nabi.metrics.inputs import I64, chosen, whole
from nabi.metrics.proba import Judged


class ReliabilityCurve(NamedTuple):
    """Bins that hold rows: their mean confidence, their accuracy, how many."""

    confidence: F64
    accuracy: F64
    rows: I64


def reliability_curve(
    proba: Any, gold: Any, bins: int = 15, *, equal: str = "width", labels: Any = None
) -> ReliabilityCurve:
    """Confidence (the largest probability) against accuracy, bin by bin.

    Parameters
    ----------
    proba, gold, labels
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
    judged = Judged.of(proba, gold, labels)
    confidence, n_bins = judged.confidence, whole(bins, "bins")
    if chosen(equal, ("width", "mass"), "equal") == "width":
        borders = np.linspace(0.0, 1.0, n_bins + 1)[1:-1]
    else:
        borders = _borders_of_mass(confidence, n_bins)
    return _binned(np.searchsorted(borders, confidence), confidence, judged.right)


def _borders_of_mass(confidence: F64, n_bins: int) -> F64:
    """Confidences below or at which k/n of the rows lie; rows of one confidence stay together."""
    places = -(-len(confidence) * np.arange(1, n_bins) // n_bins) - 1  # ceil(n k / bins) - 1
    borders: F64 = np.sort(confidence)[places]
    return borders


def _binned(number: I64, confidence: F64, right: Any) -> ReliabilityCurve:
    """The means of each bin that holds rows."""
    bins, place = np.unique(number, return_inverse=True)
    rows = np.bincount(place, minlength=len(bins))
    sums = [np.bincount(place, values, len(bins)) for values in (confidence, right)]
    return ReliabilityCurve(sums[0] / rows, sums[1] / rows, rows)


def expected_calibration_error(
    proba: Any, gold: Any, bins: int = 15, *, equal: str = "width", labels: Any = None
) -> float:
    """The mean distance of confidence from accuracy, over the bins of `reliability_curve`.

    Examples
    --------
    >>> round(expected_calibration_error([[0.9, 0.1], [0.2, 0.8]], ["ham", "spam"]), 4)
    0.15
    """
    curve = reliability_curve(proba, gold, bins, equal=equal, labels=labels)
    distance = np.abs(curve.accuracy - curve.confidence)
    return float((distance * curve.rows).sum() / curve.rows.sum())

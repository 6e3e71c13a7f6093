"""Precision-recall and ROC curves of one class against the rest. O(n log n).

A row counts as positive where score >= threshold; rows of one score change sides together.
"""

from typing import Any, NamedTuple

import numpy as np

from nabi.base.arrays import F64, Bools
from nabi.base.checks import check_type, real_number
from nabi.errors import InputError
from nabi.metrics.inputs import booleans, check_lengths, check_rows, real_numbers, sample_weights


class PrecisionRecallCurve(NamedTuple):
    """Points by ascending threshold, and a last one without a threshold: precision 1, recall 0."""

    precision: F64
    recall: F64
    threshold: F64


class RocCurve(NamedTuple):
    """Points by descending threshold; the first, at infinity, is (0, 0)."""

    false_positive_rate: F64
    true_positive_rate: F64
    threshold: F64


class Point(NamedTuple):
    """A threshold, and the precision and recall of saying yes where score >= threshold."""

    threshold: float
    precision: float
    recall: float


def precision_recall_curve(
    actual_is_positive: Any,
    score: Any,
    *,
    sample_weight: Any = None,
    drop_intermediate: bool = False,
) -> PrecisionRecallCurve:
    """Precision and recall at each threshold, as scikit-learn's function of this name.

    Parameters
    ----------
    actual_is_positive : list or array of bool
        Whether the row is of the class, such as `actual == "spam"`.
    score : list or array of float
        The larger, the more evidence for the class: a probability, a log ratio.
    sample_weight : list or array, optional
        How much each row counts.
    drop_intermediate : bool
        Leave out points whose two neighbours have equal true positives: of each run of equal
        recall, the two ends stay.

    Examples
    --------
    >>> curve = precision_recall_curve([False, False, True, True], [0.1, 0.4, 0.35, 0.8])
    >>> curve.recall.tolist(), curve.threshold.tolist()
    ([1.0, 1.0, 0.5, 0.5, 0.0], [0.1, 0.35, 0.4, 0.8])
    """
    false, true, threshold = cumulative_counts(actual_is_positive, score, sample_weight)
    _check_occurs(true[-1], "True")
    if drop_intermediate:
        changes = np.diff(true) != 0
        false, true, threshold = _kept(changes[:-1] | changes[1:], false, true, threshold)
    precision, recall = true / (true + false), true / true[-1]
    return PrecisionRecallCurve(
        np.append(precision[::-1], 1.0), np.append(recall[::-1], 0.0), threshold[::-1].copy()
    )


def roc_curve(
    actual_is_positive: Any,
    score: Any,
    *,
    sample_weight: Any = None,
    drop_intermediate: bool = True,
) -> RocCurve:
    """False and true positive rates at each threshold, as scikit-learn's function of this name.

    The parameters are those of `precision_recall_curve`; `drop_intermediate` leaves out points
    that are the midpoint of their neighbours, which changes neither the line nor the area below.

    Examples
    --------
    >>> curve = roc_curve([False, False, True, True], [0.1, 0.4, 0.35, 0.8])
    >>> curve.true_positive_rate.tolist(), curve.threshold.tolist()
    ([0.0, 0.5, 0.5, 1.0, 1.0], [inf, 0.8, 0.4, 0.35, 0.1])
    """
    false, true, threshold = cumulative_counts(actual_is_positive, score, sample_weight)
    _check_occurs(true[-1], "True")
    _check_occurs(false[-1], "False")
    if drop_intermediate:
        bends = (np.diff(false, 2) != 0) | (np.diff(true, 2) != 0)
        false, true, threshold = _kept(bends, false, true, threshold)
    rates = [np.append(0.0, count / count[-1]) for count in (false, true)]
    return RocCurve(rates[0], rates[1], np.append(np.inf, threshold))


def average_precision(actual_is_positive: Any, score: Any, *, sample_weight: Any = None) -> float:
    """The mean of precision by gain in recall: sum over points of (R_n - R_n-1) P_n.

    >>> round(average_precision([False, False, True, True], [0.1, 0.4, 0.35, 0.8]), 4)
    0.8333
    """
    curve = precision_recall_curve(actual_is_positive, score, sample_weight=sample_weight)
    return float(np.sum((curve.recall[:-1] - curve.recall[1:]) * curve.precision[:-1]))


def roc_auc(actual_is_positive: Any, score: Any, *, sample_weight: Any = None) -> float:
    """P(a positive row scores higher than a negative one), ties counting one half.

    >>> roc_auc([False, False, True, True], [0.1, 0.4, 0.35, 0.8])
    0.75
    """
    curve = roc_curve(actual_is_positive, score, sample_weight=sample_weight)
    return float(np.trapezoid(curve.true_positive_rate, curve.false_positive_rate))


def threshold_for(
    curve: PrecisionRecallCurve, *, precision: float | None = None, recall: float | None = None
) -> Point:
    """The point of at least this precision with the most recall, or the other way round.

    Among equally good points, the one better in the rate asked for. A threshold looks a little too
    good on the rows on which it was chosen: choose and report on different rows.

    Examples
    --------
    >>> curve = precision_recall_curve([False, False, True, True], [0.1, 0.4, 0.35, 0.8])
    >>> threshold_for(curve, precision=0.9)
    Point(threshold=0.8, precision=1.0, recall=0.5)
    >>> threshold_for(curve, recall=0.9).threshold
    0.35
    """
    check_type("curve", curve, PrecisionRecallCurve, "a result of precision_recall_curve")
    if (precision is None) == (recall is None):
        raise InputError(
            f"precision={precision!r} and recall={recall!r}; expected one of the two, such as "
            f"threshold_for(curve, precision=0.9)"
        )
    asked, value = ("recall", recall) if precision is None else ("precision", precision)
    least = real_number(asked, value, 0, 1)
    wanted, other = curve.precision[:-1], curve.recall[:-1]
    if asked == "recall":
        wanted, other = other, wanted
    reached = np.flatnonzero(wanted >= least)
    if not len(reached):
        best = np.lexsort((other, wanted))[-1]
        raise InputError(
            f"no threshold reaches {asked}={least:g}: the best is {wanted[best]:.4g}, at "
            f"threshold {curve.threshold[best]:.6g}; ask for less, or for a better score"
        )
    best = reached[np.lexsort((wanted[reached], other[reached]))[-1]]
    columns = curve.threshold, curve.precision, curve.recall
    return Point(*(float(column[best]) for column in columns))


def cumulative_counts(
    actual_is_positive: Any, score: Any, sample_weight: Any = None
) -> tuple[F64, F64, F64]:
    """False and true positives at each distinct score, and that score, from the largest down."""
    positive, scores = (
        booleans(actual_is_positive, "actual_is_positive"),
        real_numbers(score, "score"),
    )
    check_lengths({"actual_is_positive": len(positive), "score": len(scores)})
    weights = sample_weights(sample_weight, len(scores))
    if weights is not None:  # a row without weight is no point of the curve
        counts = weights > 0
        positive, scores, weights = positive[counts], scores[counts], weights[counts]
    check_rows(len(scores))
    # Sums of weights are rounded, so equal scores need a fixed order; counts are exact, and an
    # unstable sort takes a quarter of the time.
    order = np.argsort(-scores, kind="quicksort" if weights is None else "stable")
    positive, scores = positive[order], scores[order]
    last = np.append(np.flatnonzero(scores[1:] != scores[:-1]), len(scores) - 1)
    if weights is None:
        true = np.cumsum(positive)[last]
        return (last + 1.0) - true, true.astype(np.float64), scores[last]
    weights = weights[order]
    return np.cumsum(weights * ~positive)[last], np.cumsum(weights * positive)[last], scores[last]


def _check_occurs(total: float, side: str) -> None:
    if not total > 0:
        raise InputError(
            f"actual_is_positive is never {side}; expected at least one row of each side: choose a "
            f"class that occurs among the actual labels, and is not all of them"
        )


def _kept(inner: Bools, *columns: F64) -> list[F64]:
    """Return the columns with their first and last points, and the inner points that are marked."""
    kept = np.ones(len(columns[0]), bool)
    kept[1:-1] = inner
    return [column[kept] for column in columns]

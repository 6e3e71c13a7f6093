"""The threshold that reaches a wanted precision or recall."""

from typing import NamedTuple

import numpy as np

from nabi.errors import InputError, InputTypeError
from nabi.metrics.curves import PrecisionRecallCurve
from nabi.metrics.inputs import share


class Point(NamedTuple):
    """A threshold, and the precision and recall of saying yes where score >= threshold."""

    threshold: float
    precision: float
    recall: float


def threshold_for(
    curve: PrecisionRecallCurve, *, precision: float | None = None, recall: float | None = None
) -> Point:
    """The point of at least this precision with the most recall, or the other way round.

    Among equally good points, the one better in the rate asked for. A threshold looks a little too
    good on the rows on which it was chosen: choose and report on different rows.

    Examples
    --------
    >>> from nabi.metrics import precision_recall_curve
    >>> curve = precision_recall_curve([False, False, True, True], [0.1, 0.4, 0.35, 0.8])
    >>> threshold_for(curve, precision=0.9)
    Point(threshold=0.8, precision=1.0, recall=0.5)
    >>> threshold_for(curve, recall=0.9).threshold
    0.35
    """
    if not isinstance(curve, PrecisionRecallCurve):
        raise InputTypeError(
            f"curve is {type(curve).__name__}, expected a result of precision_recall_curve"
        )
    if (precision is None) == (recall is None):
        raise InputError(
            f"precision={precision!r} and recall={recall!r}; expected one of the two, such as "
            f"threshold_for(curve, precision=0.9)"
        )
    asked, value = ("recall", recall) if precision is None else ("precision", precision)
    return _best(curve, asked, share(value, asked))


def _best(curve: PrecisionRecallCurve, asked: str, least: float) -> Point:
    """Return the point best in the other rate, then in the rate asked for, that reaches it."""
    sides = {"precision": curve.precision[:-1], "recall": curve.recall[:-1]}
    wanted, other = sides.pop(asked), next(iter(sides.values()))
    reached = np.flatnonzero(wanted >= least)
    if not len(reached):
        best = _point(curve, int(np.lexsort((other, wanted))[-1]))
        raise InputError(
            f"no threshold reaches {asked}={least:g}: the best is {getattr(best, asked):.4g}, at "
            f"threshold {best.threshold:.6g}; ask for less, or for a better score"
        )
    return _point(curve, int(reached[np.lexsort((wanted[reached], other[reached]))[-1]]))


def _point(curve: PrecisionRecallCurve, i: int) -> Point:
    return Point(float(curve.threshold[i]), float(curve.precision[i]), float(curve.recall[i]))

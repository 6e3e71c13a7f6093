"""Decisions from probabilities: the class of least cost, or none where none is sure."""

from typing import Any, NamedTuple

import numpy as np

from nabi.base.arrays import F64, Array, Bools
from nabi.base.checks import real_number
from nabi.base.labels import as_array
from nabi.base.softmax import row_max
from nabi.errors import InputError
from nabi.metrics.curves import cumulative_counts
from nabi.metrics.inputs import Predictions, checked_proba, distinct_labels, real_table


class Band(NamedTuple):
    """The rows that are sure, their share, and their accuracy (None without actual labels)."""

    decided: Bools
    coverage: float
    accuracy: float | None


class CoverageCurve(NamedTuple):
    """The share of rows decided, and their accuracy, for each `least` from the largest down."""

    least: F64
    coverage: F64
    accuracy: F64


def cheapest(proba: Any, cost: Any, *, labels: Any = None) -> Array:
    """The decision of least expected cost for each row; of equal ones the first.

    Parameters
    ----------
    proba : array
        A row for each text, a column for each class; or one column, of the second of two classes.
    cost : array
        `cost[s, c]` is the cost of deciding on s where c is true. There may be more decisions than
        classes, such as "ask a person".
    labels : list, optional
        The name of each row of `cost`. Default: the index of the row.

    Examples
    --------
    >>> cost = [[0, 1], [20, 0]]  # to call mail spam that is ham costs 20
    >>> cheapest([[0.1, 0.9], [0.01, 0.99]], cost, labels=["ham", "spam"]).tolist()
    ['ham', 'spam']
    """
    checked = checked_proba(proba)
    costs = real_table(cost, "cost").astype(np.float64)
    if costs.ndim != 2 or not costs.size or not np.isfinite(costs).all():
        raise InputError(
            "cost is no table of finite numbers; expected cost[predicted, actual], "
            "like [[0, 1], [9, 0]]"
        )
    if costs.shape[1] != checked.shape[1]:
        raise InputError(
            f"cost has {costs.shape[1]} columns, but proba has {checked.shape[1]}; expected "
            f"cost[predicted, actual] with one column for each class"
        )
    expected = np.zeros((len(checked), len(costs)))
    for c in range(checked.shape[1]):  # in order: the sum of a row depends on no other row
        expected += checked[:, c, None] * costs[:, c]
    predicted = expected.argmin(axis=1)
    if labels is None:
        return np.asarray(predicted)
    names = distinct_labels(labels)
    if len(names) != len(costs):
        raise InputError(
            f"cost has {len(costs)} rows, but there are {len(names)} labels; name each row"
        )
    return np.asarray(as_array(names)[predicted])


def not_sure(proba: Any, least: float, actual: Any = None, *, labels: Any = None) -> Band:
    """Decide only where the largest probability reaches `least`.

    Parameters
    ----------
    proba, labels
        As in `log_loss`.
    least : float
        The least probability that is sure enough.
    actual : list or array, optional
        The actual labels; without them there is no accuracy. It is 0.0 where no row is decided.

    Examples
    --------
    >>> proba = [[0.9, 0.1], [0.4, 0.6], [0.2, 0.8]]
    >>> band = not_sure(proba, 0.7, ["ham", "spam", "ham"])
    >>> band.decided.tolist(), round(band.coverage, 2), band.accuracy
    ([True, False, True], 0.67, 0.5)
    """
    least = real_number("least", least, 0, 1)
    if actual is None:
        decided, accuracy = row_max(checked_proba(proba)) >= least, None
    else:
        predictions = Predictions.of(proba, actual, labels)
        decided = predictions.confidence >= least
        accuracy = float(predictions.correct[decided].mean()) if decided.any() else 0.0
    return Band(decided, float(decided.mean()), accuracy)


def coverage_curve(proba: Any, actual: Any, *, labels: Any = None) -> CoverageCurve:
    """The results of `not_sure` for each `least` that makes a difference.

    Examples
    --------
    >>> proba = [[0.9, 0.1], [0.4, 0.6], [0.2, 0.8]]
    >>> curve = coverage_curve(proba, ["ham", "spam", "ham"])
    >>> curve.least.tolist(), curve.accuracy.round(2).tolist()
    ([0.9, 0.8, 0.6], [1.0, 0.5, 0.67])
    """
    predictions = Predictions.of(proba, actual, labels)
    wrong, correct, least = cumulative_counts(predictions.correct, predictions.confidence)
    decided = wrong + correct
    return CoverageCurve(least, decided / decided[-1], correct / decided)

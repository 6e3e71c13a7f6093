"""Confidence intervals: Wilson's and the exact one for shares, the bootstrap for averages."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from nabi.base.arrays import F64, I64, Array
from nabi.metrics.inputs import confidence_level
from nabi.metrics.rates import Totals, ratio

CHUNK = 1 << 20  # numbers drawn at a time: 8 MB


class Interval(NamedTuple):
    """The ends of an interval: two numbers, or two arrays in the order of the labels."""

    low: Any
    high: Any


def wilson(correct: Array, n: Array, level: float = 0.95) -> tuple[F64, F64]:
    """Return Wilson's interval for `correct` out of n; from 0 to 1 where n is 0."""
    from statistics import NormalDist  # takes 20 ms, which no model needs to wait for

    z2 = NormalDist().inv_cdf((1.0 - confidence_level(level)) / 2.0) ** 2
    p = ratio(correct, n)
    middle = ratio(correct + z2 / 2.0, n + z2)
    # No number of correct rows exceeds n, but rounding may make it so: sums of weights are floats.
    half = ratio(np.sqrt(z2 * (p * np.maximum(n - correct, 0.0) + z2 / 4.0)), n + z2)
    # Rounding may also push an end past the estimate, where that is 0 or 1.
    low = np.clip(np.minimum(middle - half, p), 0.0, 1.0)
    return low, np.clip(np.maximum(middle + half, p), 0.0, 1.0)


def resampled_totals(
    cells: tuple[I64, I64, Array], n_classes: int, *, draws: int, seed: int, unseen: float = 0.0
) -> Iterator[Totals]:
    """Yield the totals of tables drawn anew from the cells above zero; O(cells) for each draw.

    With `unseen`, of few rows: tables drawn from a Dirichlet distribution, and in each an error
    between two classes by chance, of so many rows on average, as no row has shown it yet.
    """
    predicted, actual, counts = cells
    random = np.random.default_rng(seed)
    rows = max(1, round(float(counts.sum())))
    step = max(1, CHUNK // (len(counts) + n_classes))
    for start in range(0, draws, step):
        size = min(step, draws - start)
        drawn: Array = (
            random.standard_gamma(counts, (size, len(counts)))
            if unseen
            else random.multinomial(rows, counts / counts.sum(), size)
        )
        totals = Totals(
            _class_sums(drawn * (predicted == actual), actual, n_classes),
            _class_sums(drawn, predicted, n_classes),
            _class_sums(drawn, actual, n_classes),
        )
        if unseen and n_classes > 1:
            _add_errors(totals, random.standard_gamma(unseen, size), random)
        yield totals


def _add_errors(totals: Totals, weights: F64, random: np.random.Generator) -> None:
    """Add an error of some weight between two classes by chance to each table."""
    draws, n_classes = totals.actual.shape
    said = random.integers(n_classes, size=draws)
    other = (said + random.integers(1, n_classes, size=draws)) % n_classes
    totals.predicted[np.arange(draws), said] += weights
    totals.actual[np.arange(draws), other] += weights


def _class_sums(drawn: Array, classes: I64, n_classes: int) -> Array:
    """Return, for each draw, the sum of the cells of each class."""
    sums = np.zeros((len(drawn), n_classes), drawn.dtype)
    order = np.argsort(classes, kind="stable")
    distinct, starts = np.unique(classes[order], return_index=True)
    sums[:, distinct] = np.add.reduceat(drawn[:, order], starts, axis=1)
    return sums


def exact_interval(correct: int, n: int, level: float = 0.95) -> Interval:
    """Return Clopper's and Pearson's interval for `correct` out of n: it never covers too rarely.

    >>> low, high = exact_interval(9, 10)
    >>> round(low, 4), round(high, 4)
    (0.555, 0.9975)
    """
    tail = (1.0 - confidence_level(level)) / 2.0
    if n == 0:
        return Interval(0.0, 1.0)
    low = 0.0 if correct == 0 else _solved(n, np.arange(correct, n + 1), tail, rises=True)
    high = 1.0 if correct == n else _solved(n, np.arange(correct + 1), tail, rises=False)
    return Interval(low, high)


def _solved(n: int, outcomes: I64, tail: float, *, rises: bool) -> float:
    """Return the share p at which these numbers of n are as probable as the tail: by bisection."""
    steps = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, n + 1)))])
    ways = steps[n] - steps[outcomes] - steps[n - outcomes]
    low, high = 0.0, 1.0
    for _ in range(60):
        p = (low + high) / 2.0
        logs = ways + outcomes * np.log(p) + (n - outcomes) * np.log1p(-p)
        if (float(np.exp(logs).sum()) < tail) == rises:
            low = p
        else:
            high = p
    return (low + high) / 2.0

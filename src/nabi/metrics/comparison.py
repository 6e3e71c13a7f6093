"""McNemar's test: whether one system is better than another on the same rows."""

import math
from typing import Any, NamedTuple

import numpy as np

from nabi.metrics.inputs import check_rows, class_indices

EXACT = 5000  # rows that are summed as whole numbers: 5 ms


class Comparison(NamedTuple):
    """Rows that only the first got right, rows of equal outcome, rows only the second got right.

    p is the probability of a difference as large, if neither is better.
    """

    won: int
    tied: int
    lost: int
    p: float


def mcnemar(actual: Any, a: Any, b: Any) -> Comparison:
    """Compare system a with system b by McNemar's exact test, two-sided.

    Parameters
    ----------
    actual : list or array
        The actual labels.
    a, b : list or array
        The labels that the two systems predicted.

    Examples
    --------
    >>> mcnemar(["x"] * 8, ["x"] * 7 + ["y"], ["y"] * 6 + ["x", "x"])
    Comparison(won=6, tied=1, lost=1, p=0.125)
    """
    _, (actual, a_, b_) = class_indices({"actual": actual, "a": a, "b": b})
    check_rows(len(actual))
    won = int(np.sum((a_ == actual) & (b_ != actual)))
    lost = int(np.sum((a_ != actual) & (b_ == actual)))
    n, k = won + lost, min(won, lost)  # p = 2 P(X <= k), X binomial of n throws of a fair coin
    p = min(1.0, 2 * (_tail(n, k) if n <= EXACT else _tail_by_logs(n, k)))
    return Comparison(won, len(actual) - n, lost, p)


def _tail(n: int, k: int) -> float:
    """Sum over i <= k of C(n, i) / 2^n, in whole numbers, rounded once."""
    total = term = 1
    for i in range(k):
        term = term * (n - i) // (i + 1)
        total += term
    return total / (1 << n)


def _tail_by_logs(n: int, k: int) -> float:
    """Sum from the largest term, i = k, down; that term by logarithms, to nine digits."""
    i = np.arange(k, 0, -1, dtype=np.float64)
    terms = np.cumprod(i / (n - i + 1.0))  # C(n, i-1) / C(n, i), multiplied up
    largest = math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1) - n * math.log(2.0)
    return math.exp(largest + math.log1p(float(terms.sum())))

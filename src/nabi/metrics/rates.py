"""Precision, recall and F_beta from three totals: right, said and gold. 0/0 is 0."""

from typing import Any, NamedTuple

import numpy as np

from nabi.base.arrays import F64, Array
from nabi.metrics.inputs import chosen, not_negative

AVERAGES = ("macro", "micro", "weighted")


class Average(NamedTuple):
    """Precision, recall and F_beta over all classes; `f` is F1 unless asked for another beta."""

    precision: Any
    recall: Any
    f: Any


def ratio(part: Array, whole: Array) -> F64:
    """The share of the part, and 0 where there is nothing to divide by."""
    return np.divide(part, whole, out=np.zeros(np.shape(whole)), where=np.asarray(whole) != 0)


def f_beta(right: Array, said: Array, gold: Array, beta: float) -> F64:
    """(b^2+1) P R / (b^2 P + R), as right / (said/(1+b^2) + gold b^2/(1+b^2)): any beta works."""
    beta = not_negative(beta, "beta")
    square = beta * beta
    said_share = 1.0 / (1.0 + square)
    # Not 1 - said_share, which has lost b^2 where it is small.
    gold_share = square * said_share if square < 1 else 1.0 / (1.0 + 1.0 / square)
    return ratio(right, said_share * said + gold_share * gold)


def average(how: str, right: Array, said: Array, gold: Array, beta: float) -> tuple[F64, F64, F64]:
    """Precision, recall and F_beta over the classes, which are the last axis."""
    if chosen(how, AVERAGES, "how") == "micro":  # one pooled table
        right, said, gold = (total.sum(axis=-1) for total in (right, said, gold))
    rates = ratio(right, said), ratio(right, gold), f_beta(right, said, gold, beta)
    if how == "micro":
        return rates
    weights = np.ones(gold.shape) if how == "macro" else gold
    total = weights.sum(axis=-1)
    precision, recall, f = (ratio((rate * weights).sum(axis=-1), total) for rate in rates)
    return precision, recall, f

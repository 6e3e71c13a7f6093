"""Precision, recall and F_beta from three totals of each class. 0/0 is 0."""

from typing import Any, NamedTuple

import numpy as np

from nabi.base.arrays import F64, Array
from nabi.base.checks import real_number
from nabi.metrics.inputs import choice

AVERAGES = ("macro", "micro", "weighted")


class Average(NamedTuple):
    """Precision, recall and F_beta over all classes; `f` is F1 unless asked for another beta."""

    precision: Any
    recall: Any
    f: Any


class Totals(NamedTuple):
    """Rows predicted correctly, rows predicted, and actual rows of each class (the last axis)."""

    correct: Array
    predicted: Array
    actual: Array

    def average(self, how: str, beta: float) -> Average:
        """Precision, recall and F_beta over the classes."""
        if choice(how, AVERAGES, "how") == "micro":  # one pooled table
            return Totals(*(total.sum(axis=-1) for total in self)).rates(beta)
        weights = np.ones(self.actual.shape) if how == "macro" else self.actual
        total = weights.sum(axis=-1)
        return Average(*(ratio((rate * weights).sum(axis=-1), total) for rate in self.rates(beta)))

    def rates(self, beta: float = 1.0) -> Average:
        """TP / predicted, TP / actual, and F_beta of each class.

        (b^2+1) P R / (b^2 P + R) = TP / (predicted/(1+b^2) + actual b^2/(1+b^2)): for any b.
        """
        beta = real_number("beta", beta, 0)
        square = beta * beta  # infinite where beta ** 2 is an error
        share = 1.0 / (1.0 + square)
        # Not 1 - share, which has lost b^2 where it is small.
        rest = square * share if square < 1 else 1.0 / (1.0 + 1.0 / square)
        wholes = self.predicted, self.actual, share * self.predicted + rest * self.actual
        return Average(*(ratio(self.correct, whole) for whole in wholes))


def ratio(part: Array, whole: Array) -> F64:
    """Return part / whole, and 0 where the whole is 0."""
    return np.divide(part, whole, out=np.zeros(np.shape(whole)), where=np.asarray(whole) != 0)

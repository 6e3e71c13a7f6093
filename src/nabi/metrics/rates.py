"""Precision, recall and F_beta from three totals of each class. 0/0 is 0."""

from typing import Any, NamedTuple

import numpy as np

from nabi.base.arrays import F64, Array
from nabi.metrics.inputs import choice, not_negative

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

    @property
    def precision(self) -> F64:
        """TP / (TP + FP)"""
        return ratio(self.correct, self.predicted)

    @property
    def recall(self) -> F64:
        """TP / (TP + FN)"""
        return ratio(self.correct, self.actual)

    def f_beta(self, beta: float) -> F64:
        """(b^2+1) P R / (b^2 P + R) = TP / (predicted/(1+b^2) + actual b^2/(1+b^2)): for any b."""
        beta = not_negative(beta, "beta")
        square = beta * beta
        share = 1.0 / (1.0 + square)
        # Not 1 - share, which has lost b^2 where it is small.
        rest = square * share if square < 1 else 1.0 / (1.0 + 1.0 / square)
        return ratio(self.correct, share * self.predicted + rest * self.actual)

    def average(self, how: str, beta: float) -> Average:
        """Precision, recall and F_beta over the classes."""
        if choice(how, AVERAGES, "how") == "micro":  # one pooled table
            return Totals(*(total.sum(axis=-1) for total in self)).rates(beta)
        weights = np.ones(self.actual.shape) if how == "macro" else self.actual
        total = weights.sum(axis=-1)
        return Average(*(ratio((rate * weights).sum(axis=-1), total) for rate in self.rates(beta)))

    def rates(self, beta: float) -> Average:
        """Precision, recall and F_beta of each class."""
        return Average(self.precision, self.recall, self.f_beta(beta))


def ratio(part: Array, whole: Array) -> F64:
    """Return part / whole, and 0 where the whole is 0."""
    return np.divide(part, whole, out=np.zeros(np.shape(whole)), where=np.asarray(whole) != 0)

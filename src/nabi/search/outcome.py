"""Outcomes: what a model predicted for held-out documents, and how good that is by each metric."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from nabi.base.arrays import F64, U32, Array, Bools
from nabi.base.checks import one_of
from nabi.base.softmax import LEAST_LOG, log_softmax
from nabi.metrics.rates import Totals, ratio
from nabi.models.linear.hyperparameters import sharpness

METRICS = ("accuracy", "macro_f1", "log_loss", "balanced")
BY_CLASS = ("macro_f1", "balanced")  # metrics in which a small class counts as much as a large one
UNEVEN = 1.5  # times as many documents as the smallest class: from there on classes are weighted
TEMPERED = 2**14  # scores that a temperature is fitted to


def check_metric(metric: object) -> str:
    """Return the metric, if there is such a one."""
    return one_of("metric", metric, METRICS)


def weighs_classes(metric: str, classes: U32) -> bool:
    """Whether to try class weights: classes are uneven, and the metric counts each alike."""
    sizes = np.bincount(classes)
    return metric in BY_CLASS and bool(sizes.max() >= UNEVEN * sizes[sizes > 0].min())


def scores(totals: Totals, log_loss: Array | float, metric: str) -> F64:
    """Return the values of a metric, the larger the better: of log loss the negative.

    Classes are the last axis of the totals. One that no document has does not count in `balanced`,
    the mean recall; nor in the macro F1, if it was never predicted.
    """
    if metric == "log_loss":
        return -np.asarray(log_loss)
    if metric == "accuracy":
        return ratio(totals.correct.sum(axis=-1), totals.actual.sum(axis=-1))
    wholes = np.broadcast_to(totals.actual, totals.correct.shape)
    if metric == "macro_f1":
        wholes = (totals.actual + totals.predicted) / 2
    return ratio(ratio(totals.correct, wholes).sum(axis=-1), (wholes > 0).sum(axis=-1))


@dataclass(frozen=True, eq=False)
class Outcome:
    """Results of one model on held-out documents, an item for each document."""

    actual: U32  # code of the label
    predicted: U32  # code of the most probable label
    own: F64  # log P(actual label); NaN where the model has learned no document of that label

    def __post_init__(self) -> None:
        """Let one mistake cost 36 at most, as in `nabi evaluate`: one may be as sure as 1e9."""
        object.__setattr__(self, "own", np.maximum(self.own, LEAST_LOG))

    @classmethod
    def of(cls, log_proba: F64, actual: U32, known: Bools) -> "Outcome":
        """Outcome of log P(c|d), a column a class; `known` marks labels that were learned."""
        own = log_proba[np.arange(len(actual)), actual]
        predicted = np.argmax(log_proba, axis=1).astype(np.uint32)
        return cls(actual, predicted, np.where(known, own, np.nan))

    @cached_property
    def correct(self) -> Bools:
        """Whether each document got its label; never a label that the model has not learned."""
        return np.asarray((self.predicted == self.actual) & ~np.isnan(self.own))

    @cached_property
    def totals(self) -> Totals:
        """Numbers of documents of each class that are correct, predicted and actual."""
        n = int(max(self.actual.max(initial=0), self.predicted.max(initial=0))) + 1
        parts = self.actual[self.correct], self.predicted, self.actual
        return Totals(*(np.bincount(part, minlength=n) for part in parts))

    def score(self, metric: str) -> float:
        """Return the value of a metric, the larger the better: of log loss the negative."""
        return float(scores(self.totals, self.log_loss, metric))

    @cached_property
    def log_loss(self) -> float:
        """The mean of -log P(actual label), of labels that were learned; infinite without any."""
        own = self.own[~np.isnan(self.own)]
        return abs(float(own.mean())) if len(own) else np.inf

    def influence(self, metric: str) -> F64:
        """Return how much each document adds to the score, up to a factor.

        Of macro F1, that is how much the score changes with the document (the delta method).
        """
        if metric == "log_loss":
            return np.nan_to_num(self.own)
        if metric == "accuracy":
            return self.correct.astype(np.float64)
        if metric == "balanced":
            return ratio(self.correct, self.totals.actual[self.actual])
        wholes = self.totals.actual + self.totals.predicted
        f1, count = ratio(2 * self.totals.correct, wholes), max(int((wholes > 0).sum()), 1)
        own = ratio(2 * self.correct - f1[self.actual], wholes[self.actual])
        return np.asarray((own - ratio(f1, wholes)[self.predicted]) / count)


def is_tie(one: Outcome, other: Outcome, metric: str = "accuracy") -> bool:
    """Whether two models are within a standard error of being equally good on the same documents.

    By accuracy: of the documents that one model alone gets right, about half fall to each of two
    equal ones, give or take half the root of their number (McNemar 1947). By other metrics, the
    squares of what each document adds to the difference estimate its variance likewise.
    """
    each = one.influence(metric) - other.influence(metric)
    by_f1 = metric == "macro_f1"
    ahead = one.score(metric) - other.score(metric) if by_f1 else float(each.sum())
    return bool(ahead * ahead <= float((each * each).sum()))


def temperature(scores: F64, actual: U32, known: Bools, *, exact: bool) -> float:
    """The number that scores are multiplied with for the least log loss of `known` labels.

    It is fitted to some of the texts, unless it is to be exact.
    """
    there = np.isfinite(scores)
    least = np.where(there, scores, np.inf).min(axis=1, keepdims=True)
    some = np.flatnonzero(known)[:: 1 if exact else -(-scores.size // TEMPERED)]
    if not len(some):
        return 1.0
    tolerance = 1e-3 if exact else 0.05
    return sharpness(np.where(there, scores, least)[some], actual[some], tolerance=tolerance)


def tempered(scores: F64, number: float) -> F64:
    """Log P(c|d) of scores times a number; a class of -inf is impossible."""
    return log_softmax(np.where(np.isfinite(scores), number * scores, -np.inf))

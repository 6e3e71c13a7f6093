"""Hyperparameters of a linear model of text, and the sharpness of its scores."""

from dataclasses import dataclass

import numpy as np

import nabi._native as _native
from nabi.base.arrays import F64, U32, U64, Array
from nabi.base.checks import one_of, real_number
from nabi.base.softmax import log_softmax
from nabi.errors import InputError

MODELS = {
    "nbsvm": (_native.Loss.squared_hinge, _native.Scale.ratio),
    "nblr": (_native.Loss.logistic, _native.Scale.ratio),
    "svm": (_native.Loss.squared_hinge, _native.Scale.idf),
    "logistic": (_native.Loss.logistic, _native.Scale.idf),
}
COSTS = {"nbsvm": 1.0, "nblr": 10.0, "svm": 1.0, "logistic": 10.0}  # C where none is given
SHARPEST = 1000.0


@dataclass(frozen=True)
class Hyperparameters:
    """The parameters of `LinearClassifier` that say how weights are fitted, checked."""

    model: str
    C: float
    alpha: float
    beta: float
    unit_length: bool
    min_count: int = 1

    def __post_init__(self) -> None:
        one_of("model", self.model, MODELS)
        for name, low, high in (("C", 1e-9, 1e9), ("alpha", 1e-9, 1e9), ("beta", 0.0, 1.0)):
            real_number(name, getattr(self, name), low, high)
        if not isinstance(self.unit_length, bool):
            raise InputError(f"unit_length={self.unit_length!r}; expected True or False")

    @property
    def native(self) -> _native.LinearWay:
        """The hyperparameters as the kernel takes them."""
        loss, scale = MODELS[self.model]
        return _native.LinearWay(
            loss=loss,
            scale=scale,
            cost=float(self.C),
            alpha=float(self.alpha),
            own=float(self.beta),
            normalised=self.unit_length,
            least=float(self.min_count),
        )

    @property
    def uses_idf(self) -> bool:
        """Whether the length of a text depends on how rare its words are."""
        return MODELS[self.model][1] == _native.Scale.idf


def canonical(fingerprints: U64, actual: U32, units: U64 | None = None) -> U64:
    """The indices of documents in an order that does not depend on how they were given."""
    keys = (actual, fingerprints) if units is None else (units, actual, fingerprints)
    return np.lexsort(keys).astype(np.uint64)


def by_class(scores: F64) -> F64:
    """Scores of all classes: of two, the first has 0."""
    if scores.shape[1] > 1:
        return scores
    return np.concatenate([np.zeros_like(scores), scores], axis=1)


def sharpness(
    scores: F64, actual: Array, weights: F64 | None = None, *, tolerance: float = 1e-3
) -> float:
    """The number that scores are multiplied with for the least log loss, by golden section.

    A text in n + 2 counts for the other classes: of few texts that are all right, nothing is sure
    (Platt 1999). The log loss is convex in the number. Its logarithm is exact to `tolerance`.
    """
    doubt = 1 / (len(actual) + 2)
    others = max(scores.shape[1] - 1, 1)

    def loss(exponent: float) -> float:
        logs = log_softmax(np.exp(exponent) * scores)
        own = logs[np.arange(len(actual)), actual]
        blurred = (1 - doubt) * own + doubt * (logs.sum(axis=1) - own) / others
        return -float(np.average(blurred, weights=weights))

    low, high = -np.log(SHARPEST), np.log(SHARPEST)
    golden = (np.sqrt(5) - 1) / 2
    left, right = high - golden * (high - low), low + golden * (high - low)
    at_left, at_right = loss(left), loss(right)
    while high - low > tolerance:
        if at_left <= at_right:
            high, right, at_right = right, left, at_left
            left = high - golden * (high - low)
            at_left = loss(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + golden * (high - low)
            at_right = loss(right)
    return float(np.exp((low + high) / 2))

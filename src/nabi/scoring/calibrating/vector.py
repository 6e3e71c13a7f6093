"""A scale and a bias for each class: vector scaling."""

from dataclasses import replace
from functools import partial

import numpy as np

from nabi.base.arrays import F64
from nabi.base.softmax import log_softmax
from nabi.scoring.calibrating.documents import Documents
from nabi.scoring.calibrating.newton import Map, minimised, solved
from nabi.scoring.calibrating.temperature import start
from nabi.scoring.calibration import Calibration
from nabi.scoring.classwise import LEAST_SCORE, MOST, ClassNumbers

MOST_CLASSES = 200  # of more there are few documents each, and it takes seconds
TOLERANCE = 1e-6
# Penalties, in documents: of a bias b, as b**2 / 2, and of a scale w, as w - 1 - log w, by which it
# stays above 0. Measured in docs/experiments/017-classwise-calibration.md.
BIAS, SCALE = 1.0, 10.0


def scaled(documents: Documents, long: Calibration, near: Calibration | None = None) -> Calibration:
    """Return a calibration with a scale and a bias for each class, by Newton's method.

    The length counts as it does in `long`. Where that is far off, since a few documents have quite
    impossible scores, the search starts from the scale of a document in the middle.
    """
    classes = documents.joint.shape[1]
    if not 2 <= classes <= MOST_CLASSES:
        return long
    fits = [_Fit(documents, each) for each in (near or long, start(documents))]
    first = np.array(_numbers(near or long, classes)), np.repeat([0.0, 1.0], classes)
    fit, x = min(zip(fits, first, strict=True), key=lambda each: each[0].loss(each[1])[0])
    return fit.calibration(minimised(fit.loss, x, tolerance=TOLERANCE))


def _numbers(near: Calibration, classes: int) -> list[float]:
    """The biases and scales of a calibration."""
    own = near.classes or (ClassNumbers(),) * classes
    return [*(c.bias for c in own), *(c.scale for c in own)]


class _Fit:
    """Scaled log joints of documents, and the loss of biases and scales of their classes."""

    def __init__(self, documents: Documents, common: Calibration) -> None:
        self._common, self._actual = common, documents.actual
        self._scores = documents.joint * common.scale(documents.lengths)[:, None]
        self._classes = documents.joint.shape[1]

    def loss(self, x: F64) -> tuple[float, F64, Map]:
        """The penalised log loss, which is convex, its slope, and the way to Newton's step.

        The score of a class changes by 1 with its bias and by the log joint with its scale; by
        nothing with the scale where it is as low as scores go.
        """
        rows, (biases, weights) = np.arange(len(self._actual)), x.reshape(2, -1)
        if not (weights > 0).all():
            return np.inf, x, np.positive
        scores = self._scores * weights
        u = np.where(scores > LEAST_SCORE, self._scores, 0.0)
        logs = log_softmax(np.maximum(scores, LEAST_SCORE) + biases)
        p = np.exp(logs)
        off = p.copy()
        off[rows, self._actual] -= 1.0
        penalty = BIAS / 2 * biases @ biases + SCALE * (weights - 1.0 - np.log(weights)).sum()
        pull = np.concatenate([BIAS * biases, SCALE * (1.0 - 1.0 / weights)])
        bend = np.concatenate([np.full(len(biases), BIAS), SCALE / weights**2])
        loss = float(penalty - logs[rows, self._actual].sum())
        return loss, _sums(off, u) + pull, partial(_step, p, u, bend)

    def calibration(self, x: F64) -> Calibration:
        """Return the calibration of these biases and scales."""
        biases, weights = np.clip(x, -MOST, MOST).reshape(2, self._classes).tolist()
        numbers = (ClassNumbers(w, b) for w, b in zip(weights, biases, strict=True))
        return replace(self._common, classes=tuple(numbers))


def _step(p: F64, u: F64, bend: F64, slope: F64) -> F64:
    """Newton's step: the slope divided by the curvature.

    The curvature between two directions is their covariance under P(c|d), summed over documents,
    and that of the penalties.
    """

    def curvature(way: F64) -> F64:
        by_bias, by_scale = way.reshape(2, -1)
        moved = u * by_scale + by_bias
        moved -= np.einsum("ij,ij->i", p, moved)[:, None]
        return _sums(p * moved, u) + bend * way

    spread = p * (1.0 - p)
    diagonal = np.concatenate([spread.sum(axis=0), np.einsum("ij,ij,ij->j", spread, u, u)])
    return solved(curvature, diagonal + bend, slope)


def _sums(change: F64, u: F64) -> F64:
    """Return the sums of changes of scores for each bias, and for each scale."""
    return np.concatenate([change.sum(axis=0), np.einsum("ij,ij->j", change, u)])

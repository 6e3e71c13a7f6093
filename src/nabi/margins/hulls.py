"""The nearest points of two convex hulls: the optimal margin, seen from its dual.

The plane with the largest margin stands in the middle between the two points, at right angles to
the line from one to the other. If the hulls meet, no plane separates the classes.
"""

import numpy as np
import numpy.typing as npt

from nabi.base.arrays import F64

Places = npt.NDArray[np.intp]
EXACT = 1e-12  # of the squared distance: how far a sample may be in front of its hull's point
ROUNDING = 8 * float(np.finfo(float).eps)


def nearest(X: F64, y: F64, start: F64, *, least: float) -> F64:
    """Weights, of sum 1 in each class, whose means of the samples are nearest to each other.

    An active set method, exact up to rounding: of the samples that have weight, the nearest points
    of the two affine hulls; a weight that would be negative leaves; then the sample that is most in
    front of its class's point enters. It ends when there is none, or when the distance is below
    `least`. `start` is a first guess of the weights.
    """
    weights, before = start, np.inf
    while True:
        weights = _settled(X, y, weights)
        between = (weights * y) @ X
        square = float(between @ between)
        if square <= least**2 or not square < before:
            return weights
        front = _in_front(X @ between * y, y, weights)
        worst = int(front.argmax())
        if front[worst] <= max(EXACT * square, ROUNDING * np.sqrt(square)):
            return weights
        weights, before = _entered(weights, worst), square


def _in_front(towards: F64, y: F64, weights: F64) -> F64:
    """How much nearer than its class's point each sample is to the other class."""
    levels = {sign: float((weights * towards)[y == sign].sum()) for sign in (-1.0, 1.0)}
    return np.where(y > 0, levels[1.0], levels[-1.0]) - towards


def _entered(weights: F64, at: int) -> F64:
    """Weights in which a sample takes part, if only just."""
    entered = weights.copy()
    entered[at] = np.finfo(float).tiny
    return entered


def _settled(X: F64, y: F64, weights: F64) -> F64:
    """The best weights for the samples that have some; those that would be negative leave."""
    settled = weights.copy()
    while True:
        places = np.flatnonzero(settled)
        own = settled[places]
        best = _affine(X[places], y[places])
        if (best >= 0).all():
            settled[places] = best
            return settled
        falling = best < 0
        steps = own[falling] / (own[falling] - best[falling])
        moved = np.maximum(own + steps.min() * (best - own), 0.0)
        moved[np.flatnonzero(falling)[steps.argmin()]] = 0.0
        settled[places] = moved


def _affine(X: F64, y: F64) -> F64:
    """Weights of any sign, of sum 1 in each class, of the nearest points of two affine hulls."""
    first = {sign: int(np.flatnonzero(y == sign)[0]) for sign in (-1.0, 1.0)}
    bases = np.where(y > 0, first[1.0], first[-1.0])
    free = np.flatnonzero(bases != np.arange(len(y)))
    spans = (y[:, None] * (X - X[bases]))[free]
    shares = np.linalg.lstsq(spans.T, X[first[-1.0]] - X[first[1.0]], rcond=None)[0]
    weights = np.zeros(len(y))
    weights[free] = shares
    for sign, base in first.items():
        weights[base] = 1.0 - weights[y == sign].sum()
    return weights

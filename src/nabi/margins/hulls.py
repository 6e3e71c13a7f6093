"""Nearest points of two convex hulls: the dual problem of the optimal margin.

The plane with the largest margin stands in the middle between the two points, at right angles to
the line from one to the other. If the hulls meet, no plane separates the classes.
"""

import numpy as np

from nabi.base.arrays import F64

EXACT = 1e-12  # of the squared distance: how far a sample may be in front of its hull's point
ROUNDING = 8 * float(np.finfo(float).eps)


def nearest(X: F64, y: F64, start: F64, *, least: float) -> F64:
    """Return weights, of sum 1 in each class, that make the two weighted means nearest.

    Active set method, exact up to rounding: find the nearest points of the two affine hulls of the
    samples that have weight; set weights that would be negative to 0; then add the sample that is
    most in front of its class's point. The method ends when there is none, or when the distance is
    below `least`. `start` is a first guess of the weights.
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
        weights, before = weights.copy(), square
        weights[worst] = np.finfo(float).tiny  # takes part from now on


def _in_front(towards: F64, y: F64, weights: F64) -> F64:
    """Return how much nearer than its class's point each sample is to the other class."""
    levels = {sign: float((weights * towards)[y == sign].sum()) for sign in (-1.0, 1.0)}
    return np.where(y > 0, levels[1.0], levels[-1.0]) - towards


def _settled(X: F64, y: F64, weights: F64) -> F64:
    """Return the best weights of the samples that have some; no weight is negative."""
    settled = weights.copy()
    while True:
        active = np.flatnonzero(settled)
        own = settled[active]
        best = _affine(X[active], y[active])
        if (best >= 0).all():
            settled[active] = best
            return settled
        falling = best < 0
        steps = own[falling] / (own[falling] - best[falling])
        moved = np.maximum(own + steps.min() * (best - own), 0.0)
        moved[np.flatnonzero(falling)[steps.argmin()]] = 0.0
        settled[active] = moved


def _affine(X: F64, y: F64) -> F64:
    """Return the weights, of any sign, of the nearest points of two affine hulls."""
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

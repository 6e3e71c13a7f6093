"""An isotonic curve for each class: how often it is right, by its log odds."""

from dataclasses import replace

import numpy as np

from nabi.base.arrays import F64, Bools
from nabi.scoring.calibrating.documents import Documents
from nabi.scoring.calibration import Calibration
from nabi.scoring.classwise import ClassNumbers, log_odds, log_scaled

BINS, ROWS = 100, 20  # of a curve: how many at most, and of how many documents at least
SUREST = 1e-12  # the least probability of a curve, and that of all others together


def curved(scaled: Calibration, documents: Documents) -> Calibration:
    """Return a calibration with a curve for each class on top, where there are documents enough."""
    bins = min(BINS, len(documents.actual) // ROWS)
    if bins < 2 or not scaled.classes:
        return scaled
    logs = log_scaled(documents.joint, scaled.scale(documents.lengths), scaled.classes)
    odds = log_odds(logs)
    numbers = tuple(
        _curve(own, odds[:, c], np.exp(logs[:, c]), documents.actual == c, bins)
        for c, own in enumerate(scaled.classes)
    )
    return replace(scaled, classes=numbers)


def _curve(own: ClassNumbers, odds: F64, p: F64, is_right: Bools, bins: int) -> ClassNumbers:
    """Return the numbers of a class with a curve, of bins with equally many documents.

    Each bin has one document more, which is right with the probability that it has without a curve.
    """
    order = np.argsort(odds, kind="stable")
    starts = np.linspace(0, len(order), bins + 1).astype(np.int64)[:-1]
    sizes = np.diff(starts, append=len(order)).astype(np.float64)
    right, sure, middle = (
        np.add.reduceat(values[order], starts) for values in (is_right.astype(np.float64), p, odds)
    )
    shares = isotonic((right + sure / sizes) / (sizes + 1), sizes)
    shares = np.clip(shares, SUREST, 1 - SUREST)
    steps, heights = middle / sizes, np.log(shares) - np.log1p(-shares)
    # Means of equal log odds differ by rounding, in either direction.
    ascends = np.diff(np.maximum.accumulate(steps), prepend=-np.inf) > 0
    steps, heights = steps[ascends], np.maximum.accumulate(heights[ascends])
    # Of a flat part, its two ends say it all.
    bends = np.diff(heights, prepend=-np.inf, append=np.inf) != 0
    bends = bends[:-1] | bends[1:]
    return replace(own, steps=tuple(steps[bends].tolist()), heights=tuple(heights[bends].tolist()))


def isotonic(y: F64, weights: F64) -> F64:
    """Isotonic regression: the ascending numbers nearest to y by weighted squares.

    >>> isotonic(np.array([1.0, 3.0, 2.0, 4.0]), np.ones(4)).tolist()
    [1.0, 2.5, 2.5, 4.0]
    """
    blocks: list[tuple[float, float, int]] = []  # mean, weight, how many
    for mean, weight in zip(y.tolist(), weights.tolist(), strict=True):
        block = (mean, weight, 1)
        while blocks and blocks[-1][0] >= block[0]:
            below = blocks.pop()
            weight = below[1] + block[1]
            mean = (below[0] * below[1] + block[0] * block[1]) / weight
            block = (mean, weight, below[2] + block[2])
        blocks.append(block)
    means, _, sizes = zip(*blocks, strict=True)
    return np.repeat(means, sizes)

"""Newton's method, for a loss that is not far from a parabola."""

from collections.abc import Callable

import numpy as np

from nabi.base.arrays import F64

STEPS = 100  # about ten are taken
Map = Callable[[F64], F64]
Loss = Callable[[F64], tuple[float, F64, Map]]  # value and slope; from a slope to Newton's step


def minimised(loss: Loss, start: F64, *, tolerance: float) -> F64:
    """Return where a loss is least; the last step makes less than this share of it better."""
    theta, (least, slope, newton) = start, loss(start)
    for _ in range(STEPS):
        step, size = newton(slope), 1.0
        while True:
            tried = theta - size * step
            found = loss(tried)
            if found[0] <= least or size < 1e-9:
                break
            size /= 2
        better = least - found[0]
        theta, (least, slope, newton) = tried, found
        if better <= tolerance * abs(least):
            break
    return theta


def solved(curvature: Map, diagonal: F64, slope: F64, *, tolerance: float = 1e-3) -> F64:
    """Return x where curvature(x) is nearly the slope, by conjugate gradients.

    No matrix is made: with other work beside it, the threads of a matrix product wait for each
    other, and one took 0.8 s in the place of 0.01 s.
    """
    x, rest = np.zeros_like(slope), slope
    way = scaled = rest / diagonal
    size = least = float(rest @ scaled)
    for _ in range(len(slope)):
        if size <= tolerance**2 * least:
            break
        bent = curvature(way)
        length = size / float(way @ bent)
        x, rest = x + length * way, rest - length * bent
        scaled, before = rest / diagonal, size
        size = float(rest @ scaled)
        way = scaled + size / before * way
    return x

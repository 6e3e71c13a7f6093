"""How far an estimate may be off: Wilson's interval for shares, the bootstrap for averages."""

from collections.abc import Iterator
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np

from nabi.base.arrays import F64, Array
from nabi.errors import InputError
from nabi.metrics.inputs import I64, share
from nabi.metrics.rates import average, ratio

CHUNK = 1 << 20  # numbers drawn at a time: 8 MB


class Interval(NamedTuple):
    """From low to high: two numbers, or two arrays in the order of the labels."""

    low: Any
    high: Any


def wilson(right: Array, n: Array, level: float) -> tuple[F64, F64]:
    """Wilson's interval for right out of n; from 0 to 1 where n is 0."""
    z2 = NormalDist().inv_cdf((1.0 - checked_level(level)) / 2.0) ** 2
    p = ratio(right, n)
    middle = ratio(right + z2 / 2.0, n + z2)
    # No right is larger than its n, but rounding may make it so: sums of weights are floats.
    half = ratio(np.sqrt(z2 * (p * np.maximum(n - right, 0.0) + z2 / 4.0)), n + z2)
    # Rounding may also push an end past the estimate, where that is 0 or 1.
    low = np.clip(np.minimum(middle - half, p), 0.0, 1.0)
    return low, np.clip(np.maximum(middle + half, p), 0.0, 1.0)


def checked_level(level: float) -> float:
    """A level between 0 and 1."""
    if not 0.0 < share(level, "level") < 1.0:
        raise InputError(f"level={level!r}; expected a number between 0 and 1, such as 0.95")
    return float(level)


def bootstrap(
    how: str,
    cells: tuple[I64, I64, Array],
    n_classes: int,
    *,
    beta: float,
    draws: int,
    seed: int,
) -> F64:
    """The averages of so many tables drawn anew: three columns, a row for each draw."""
    found = [
        np.stack(average(how, *totals, beta), axis=-1)
        for totals in _drawn(cells, n_classes, draws, seed)
    ]
    return np.concatenate(found)


def _drawn(
    cells: tuple[I64, I64, Array], n_classes: int, draws: int, seed: int
) -> Iterator[tuple[Array, Array, Array]]:
    """Right, said and gold of tables drawn anew; only cells above zero are drawn, O(cells) each."""
    said, gold, counts = cells
    random = np.random.default_rng(seed)
    rows = max(1, round(float(counts.sum())))
    step = max(1, CHUNK // (len(counts) + n_classes))
    for start in range(0, draws, step):
        size = min(step, draws - start)
        drawn = random.multinomial(rows, counts / counts.sum(), size)
        right = _summed(drawn[:, said == gold], gold[said == gold], n_classes)
        yield right, _summed(drawn, said, n_classes), _summed(drawn, gold, n_classes)


def _summed(drawn: Array, of: I64, n_classes: int) -> Array:
    """For each draw, the sum of the cells of each class."""
    sums = np.zeros((len(drawn), n_classes), drawn.dtype)
    if not len(of):
        return sums
    order = np.argsort(of, kind="stable")
    classes, starts = np.unique(of[order], return_index=True)
    sums[:, classes] = np.add.reduceat(drawn[:, order], starts, axis=1)
    return sums

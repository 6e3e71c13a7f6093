"""Counts by class: what a batch of rows adds, adding it to a model, and taking it away again."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

Counts = list[NDArray[np.float64]]  # arrays with the classes on axis 0; the first has the rows


class Rows(NamedTuple):
    """The number of each row's class, its weight (None: 1 each), how many classes there are."""

    codes: NDArray[np.intp]
    weights: NDArray[np.float64] | None
    n_classes: int

    def counted(self) -> NDArray[np.float64]:
        """The weight of all rows of each class."""
        found = np.bincount(self.codes, weights=self.weights, minlength=self.n_classes)
        return found.astype(np.float64, copy=False)


class Change(NamedTuple):
    """What a batch adds to an array of counts."""

    where: Any  # an index into the array that names no cell twice
    values: NDArray[np.float64]
    shape: tuple[int, ...]  # of an array that has room for it

    @classmethod
    def whole(cls, values: NDArray[np.float64]) -> "Change":
        """Values for the first rows and columns of an array."""
        return cls(tuple(slice(n) for n in values.shape), values, values.shape)

    def alone(self) -> NDArray[np.float64]:
        """The counts of this batch and nothing else."""
        if self.values.shape == self.shape:
            return self.values
        array: NDArray[np.float64] = sparse.coo_matrix(
            (self.values, self.where), self.shape
        ).toarray()
        return array


class BelowZeroError(Exception):
    """A count would fall below zero: in array `which`, at `cell`, by asking for too much."""

    def __init__(self, which: int, cell: tuple[int, ...], have: float, asked: float) -> None:
        super().__init__(which, cell, have, asked)
        self.which, self.cell, self.have, self.asked = which, cell, have, asked


def sums(X: Any, rows: Rows) -> Change:
    """The weighted sum of the rows of each class.

    By a sparse matrix of one cell a row: n additions for each feature, where a dense indicator of
    the classes takes n multiplications for each feature and class.
    """
    weights = np.ones(len(rows.codes)) if rows.weights is None else rows.weights
    starts = np.arange(len(rows.codes) + 1)
    by_row = sparse.csr_matrix((weights, rows.codes, starts), (len(rows.codes), rows.n_classes))
    total = by_row.T.tocsr() @ X
    if not sparse.issparse(total):
        return Change.whole(np.asarray(total))
    cells = total.tocoo()
    return Change((cells.row, cells.col), cells.data, cells.shape)


def add(counts: Counts, changes: list[Change]) -> Counts:
    """The counts with the changes added, in place where there is room."""
    with_room = [grown(a, c.shape) for a, c in zip(counts, changes, strict=True)]
    for array, change in zip(with_room, changes, strict=True):
        array[change.where] += change.values
    return with_room


def subtract(
    counts: Counts, changes: list[Change], check: Callable[[Counts], None] = lambda _: None
) -> Counts:
    """The counts less the changes, in place.

    If a count would fall below zero (BelowZeroError) or `check` refuses what is left, nothing is
    changed.
    """
    with_room = [grown(a, c.shape) for a, c in zip(counts, changes, strict=True)]
    before = [array[change.where].copy() for array, change in zip(with_room, changes, strict=True)]
    after = [_less(old, change.values) for old, change in zip(before, changes, strict=True)]
    for i, (array, change, left) in enumerate(zip(with_room, changes, after, strict=True)):
        if (left < 0).any():
            raise _below_zero(i, array, change.where, left)
    _put(with_room, changes, after)
    try:
        check(with_room)
    except Exception:
        _put(with_room, changes, before)
        raise
    return with_room


def _put(counts: Counts, changes: list[Change], values: Counts) -> None:
    for array, change, new in zip(counts, changes, values, strict=True):
        array[change.where] = new


def slack(count: NDArray[np.float64]) -> NDArray[np.float64]:
    """What may be left of a count by the rounding of fractions alone; less than 1 always."""
    return np.minimum(1e-9 * count, 0.5)


def _less(old: NDArray[np.float64], values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The difference: exact for whole numbers, and 0 where only rounding of fractions is left."""
    new = old - values
    new[np.abs(new) <= slack(old)] = 0
    return new


def _below_zero(
    which: int, array: NDArray[np.float64], where: Any, left: NDArray[np.float64]
) -> BelowZeroError:
    after = array.copy()
    after[where] = left
    cell = tuple(np.argwhere(after < 0)[0].tolist())
    return BelowZeroError(which, cell, array[cell], array[cell] - after[cell])


def grown(array: NDArray[np.float64], shape: tuple[int, ...]) -> NDArray[np.float64]:
    """The array itself where it has room for `shape`, else a larger one with zeros added."""
    room = [(0, max(0, n - m)) for m, n in zip(array.shape, shape, strict=True)]
    return np.pad(array, room) if any(more for _, more in room) else array


def spread(array: NDArray[np.float64], places: NDArray[np.intp], n: int) -> NDArray[np.float64]:
    """A copy in which row i stands at row places[i] of n."""
    copy = np.zeros((n, *array.shape[1:]))
    copy[places] = array
    return copy

"""Counts by class: count a batch of rows, add it to a model, and subtract it again."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from nabi.base.arrays import F64, Array


class Counts(list[F64]):
    """Arrays with the classes on axis 0; the first has the weight of the rows."""

    def placed(self, indices: Array, n_classes: int) -> "Counts":
        """Return a copy in which row i stands at row indices[i] of n_classes."""
        copies = Counts(np.zeros((n_classes, *array.shape[1:])) for array in self)
        for copy, array in zip(copies, self, strict=True):
            copy[indices] = array
        return copies

    def taken(self, order: Array) -> "Counts":
        """Return a copy with these rows."""
        return Counts(array[order] for array in self)


class Rows(NamedTuple):
    """The class index of each row, its weight (None: 1 each), and the number of classes."""

    codes: Array
    weights: F64 | None
    n_classes: int

    def class_weights(self) -> F64:
        """Return the total weight of the rows of each class."""
        found = np.bincount(self.codes, weights=self.weights, minlength=self.n_classes)
        return found.astype(np.float64, copy=False)


class Change(NamedTuple):
    """The values that a batch adds to an array of counts."""

    where: Any  # an index into the array that names no cell twice
    values: F64
    shape: tuple[int, ...]  # of an array that has room for it

    @classmethod
    def whole(cls, values: F64) -> "Change":
        """Make a change of the first rows and columns of an array."""
        return cls(tuple(slice(n) for n in values.shape), values, values.shape)

    def as_array(self) -> F64:
        """Return the array of counts of this batch."""
        if self.values.shape == self.shape:
            return self.values
        return np.asarray(sparse.coo_matrix((self.values, self.where), self.shape).toarray())


@dataclass
class BelowZeroError(Exception):
    """A count would fall below zero: in array `which`, at `cell`."""

    which: int
    cell: tuple[int, ...]
    have: float
    asked: float


def sums(X: Any, rows: Rows) -> Change:
    """Return the weighted sum of the rows of each class.

    A sparse matrix of one cell a row takes n additions for each feature; a dense indicator of the
    classes would take n multiplications for each feature and class.
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
    """Add the changes to the counts, in place where there is room."""
    with_room = _grown(counts, changes)
    for array, change in zip(with_room, changes, strict=True):
        array[change.where] += change.values
    return with_room


def subtract(
    counts: Counts, changes: list[Change], check: Callable[[Counts], None] = lambda _: None
) -> Counts:
    """Subtract the changes from the counts, in place.

    Nothing is changed if a count would fall below zero (BelowZeroError) or `check` raises.
    """
    with_room = _grown(counts, changes)
    before = [array[change.where].copy() for array, change in zip(with_room, changes, strict=True)]
    after = [_minus(old, change.values) for old, change in zip(before, changes, strict=True)]
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


def _put(counts: Counts, changes: list[Change], values: list[F64]) -> None:
    for array, change, new in zip(counts, changes, values, strict=True):
        array[change.where] = new


def slack(count: F64) -> F64:
    """Return how much of a count the rounding of fractions may leave; always less than 1."""
    return np.minimum(1e-9 * count, 0.5)


def _minus(old: F64, values: F64) -> F64:
    """Return the difference: exact for whole numbers, and 0 where only rounding is left."""
    new = old - values
    new[np.abs(new) <= slack(old)] = 0
    return new


def _below_zero(which: int, array: F64, where: Any, left: F64) -> BelowZeroError:
    after = array.copy()
    after[where] = left
    cell = tuple(np.argwhere(after < 0)[0].tolist())
    return BelowZeroError(which, cell, array[cell], array[cell] - after[cell])


def _grown(counts: Counts, changes: list[Change]) -> Counts:
    """Return the arrays with room for the changes; those too small grow by zeros."""
    arrays = Counts()
    for array, change in zip(counts, changes, strict=True):
        room = [(0, max(0, n - m)) for m, n in zip(array.shape, change.shape, strict=True)]
        arrays.append(np.pad(array, room) if any(more for _, more in room) else array)
    return arrays

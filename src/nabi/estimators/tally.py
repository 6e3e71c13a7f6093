"""Counts by class: count a batch of rows, add it to a model, and subtract it again."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

from nabi.base.arrays import F64, Array

# What a batch adds to counts: an array for their first rows and columns, or a sparse matrix.
Change = Any


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

    def plus(self, changes: list[Change]) -> "Counts":
        """Add the changes, in place where there is room, and return the sums."""
        sums = self._grown(changes)
        for array, change in zip(sums, changes, strict=True):
            where, values = cells(change)
            array[where] += values
        return sums

    @contextmanager
    def subtracted(self, changes: list[Change]) -> Iterator["Counts"]:
        """Subtract the changes, in place; undo it if the block raises an error."""
        left = self._grown(changes)
        before = []
        try:
            for array, change in zip(left, changes, strict=True):
                where, values = cells(change)
                before.append((array, where, array[where].copy()))
                array[where] = _difference(array[where], values)
            yield left
        except Exception:
            for array, where, old in before:
                array[where] = old
            raise

    def _grown(self, changes: list[Change]) -> "Counts":
        """Return the arrays with room for the changes; those too small grow by zeros."""
        arrays = Counts()
        for array, change in zip(self, changes, strict=True):
            room = [(0, max(0, n - m)) for m, n in zip(array.shape, change.shape, strict=True)]
            arrays.append(np.pad(array, room) if any(more for _, more in room) else array)
        return arrays


class Rows(NamedTuple):
    """The class index of each row, its weight (None: 1 each), and the number of classes."""

    codes: Array
    weights: Array | None
    n_classes: int

    def class_weights(self) -> F64:
        """Return the total weight of the rows of each class."""
        found = np.bincount(self.codes, weights=self.weights, minlength=self.n_classes)
        return found.astype(np.float64, copy=False)

    def taken(self, which: Array) -> "Rows":
        """Return some of the rows, perhaps more than once."""
        weights = None if self.weights is None else self.weights[which]
        return self._replace(codes=self.codes[which], weights=weights)


def sums(X: Any, rows: Rows) -> Change:
    """Return the weighted sum of the rows of each class.

    A sparse matrix of one cell a row takes n additions for each feature; a dense indicator of the
    classes would take n multiplications for each feature and class.
    """
    weights = np.ones(len(rows.codes)) if rows.weights is None else rows.weights
    starts = np.arange(len(rows.codes) + 1)
    by_row = sparse.csr_matrix((weights, rows.codes, starts), (len(rows.codes), rows.n_classes))
    total = by_row.T.tocsr() @ X
    return total.tocoo() if sparse.issparse(total) else np.asarray(total)


def as_array(change: Change) -> F64:
    """Return the counts of a batch as an array."""
    return np.asarray(change.toarray()) if sparse.issparse(change) else change


def with_data(X: Any, data: Array, *, drop_zeros: bool = False) -> Any:
    """Return a CSR matrix with other data at the same places; without zeros, one of its own."""
    made = sparse.csr_matrix((data, X.indices, X.indptr), X.shape, copy=drop_zeros)
    if drop_zeros:
        made.eliminate_zeros()  # which changes the indices
    return made


def cells(change: Change) -> tuple[Any, F64]:
    """Return an index of the cells that a batch changes, none of them twice, and what it adds."""
    if sparse.issparse(change):
        return (change.row, change.col), change.data
    return tuple(slice(n) for n in change.shape), change


def slack(count: F64) -> F64:
    """Return how much of a count the rounding of fractions may leave; always less than 1."""
    return np.minimum(1e-9 * count, 0.5)


def _difference(old: F64, values: F64) -> F64:
    """Return the difference: exact for whole numbers, and 0 where only rounding is left."""
    new = old - values
    new[np.abs(new) <= slack(old)] = 0
    return new

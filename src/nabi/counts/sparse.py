"""Sparse counts: only those above zero, as arrays. A cell is one feature in one class."""

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from nabi.base.arrays import I64, U32, U64, Array, offsets_of, part_of_each, run_starts, spans_at

FEW = 2**22  # different counts that are tallied without sorting


@dataclass(frozen=True, eq=False)
class SparseRows:
    """Numbers by feature and class: those of feature f are offsets[f] to offsets[f+1], others 0."""

    offsets: Array
    classes: U32
    values: Array

    @property
    def features(self) -> I64:
        """The feature of each cell."""
        return part_of_each(self.offsets)

    def taken(self, features: I64) -> Self:
        """Return the cells of some features alone."""
        at, offsets = spans_at(self.offsets, features)
        return type(self)(offsets.astype(self.offsets.dtype), self.classes[at], self.values[at])


class SparseCounts(SparseRows):
    """Counts above zero."""

    @property
    def counts(self) -> U64:
        """The count of each cell."""
        return self.values

    @property
    def totals(self) -> U64:
        """T_w, the count of each feature in all classes."""
        running = offsets_of(self.counts, np.uint64)
        totals: U64 = running[self.offsets[1:]] - running[self.offsets[:-1]]
        return totals

    @cached_property
    def tally(self) -> tuple[U64, I64]:
        """(count, number of cells that have it), ascending."""
        return tally(self.counts)

    @cached_property
    def histogram(self) -> tuple[U32, U64, I64]:
        """(class, count, number of features with that count in that class), ascending."""
        order = np.lexsort((self.counts, self.classes))
        classes, counts = self.classes[order], self.counts[order]
        starts = run_starts(classes, counts)
        return classes[starts], counts[starts], np.diff(starts, append=len(order))


def tally(units: U64) -> tuple[U64, I64]:
    """The different numbers, ascending, and how often each is there."""
    whole = units >> np.uint64(24)
    if len(units) and int(whole.max()) < FEW and not (units & np.uint64(2**24 - 1)).any():
        times = np.bincount(whole.astype(np.int64))  # without sorting: a tenth of the time
        there = np.flatnonzero(times)
        return there.astype(np.uint64) << np.uint64(24), times[there]
    return np.unique(units, return_counts=True)

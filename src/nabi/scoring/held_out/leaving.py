"""Rows that are left out of a table, group by group."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nabi.base.arrays import U32, U64, Array

I64 = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Leaving:
    """Some rows of the learned ones; those of a group are left out together."""

    rows: I64  # their places among all
    classes: U32  # the place of each row's label
    groups: I64  # the group of each row, numbered from 0
    units: U64  # what each weighs
    n_groups: int
    n_classes: int

    @classmethod
    def of(cls, rows: I64, groups: U32, classes: U32, units: U64, n_classes: int) -> "Leaving":
        """Rows at these places and of these groups; classes and units are those of all rows."""
        different, numbers = np.unique(groups, return_inverse=True)
        return cls(rows, classes[rows], numbers, units[rows], len(different), n_classes)

    def lost(self, which: Bools) -> U64:
        """What each class loses with each group: the units of some of its rows."""
        gone = np.zeros((self.n_groups, self.n_classes), np.uint64)
        np.add.at(gone, (self.groups[which], self.classes[which]), self.units[which])
        return gone

    def by_row(self, of_groups: Array) -> Array:
        """A row for each row, that of its group."""
        return of_groups[self.groups]

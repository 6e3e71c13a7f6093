"""Rows of a table that are held out, group by group."""

from collections.abc import Callable
from dataclasses import dataclass

from nabi.base.arrays import F64, I64, U32, U64, Bools, sums_at


@dataclass(frozen=True, eq=False)
class HeldOutGroups:
    """Learned rows that are held out; the rows of a group together."""

    rows: I64  # their indexes among all
    classes: U32  # the code of each row's label
    groups: I64  # the group of each row, numbered from 0
    units: U64  # the weight of each in fixed point
    n_groups: int
    n_classes: int

    def lost(self, which: Bools) -> U64:
        """Return the weight that each class loses with each group, of some of its rows."""
        at = self.groups[which], self.classes[which]
        return sums_at((self.n_groups, self.n_classes), at, self.units[which])


# The terms of a column in the log joint of each row and class, by the number of threads; 0 where
# the row has no value.
Term = Callable[[HeldOutGroups, int | None], F64]

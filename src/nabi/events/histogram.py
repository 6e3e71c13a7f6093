"""Histogram: a number of whatever distribution, by the bin it falls into.

    P(bin|c) = (n(bin, c) + a) / (N_c + a B)

What is counted are fine bins, the same for all data, so that counts add up. The B bins of the
formula are a view: neighbours of the fine ones, put together until each has its share of the
numbers. Lower and higher numbers than were seen fall into the first and the last.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from nabi.cells import F64

MOST = 64  # bins
I64 = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Bins:
    """Where bins end, the last fine bin of each, and log P(bin|c)."""

    ends: I64
    logs: F64  # bins, classes

    def log_density(self, fine: I64) -> F64:
        """Log P(bin|c), a row for each number, a column for each class."""
        return self.logs[np.searchsorted(self.ends[:-1], fine)]


def weigh(fine: I64, counts: F64, alpha: float) -> Bins:
    """The bins, from fine ones in ascending order and their counts (a row each, by class)."""
    totals = counts.sum(axis=1)
    share = totals.sum() / bins_for(totals.sum())
    number = np.minimum(np.floor((np.cumsum(totals) - totals / 2) / share), MOST - 1)
    starts = np.flatnonzero(np.diff(number, prepend=-1))
    joined = np.add.reduceat(counts, starts, axis=0)
    ends = fine[np.append(starts[1:], len(fine)) - 1]
    with np.errstate(divide="ignore", invalid="ignore"):
        below = joined.sum(axis=0) + alpha * len(joined)
        shares = np.where(below > 0, (joined + alpha) / below, 1 / len(joined))
        return Bins(ends, np.log(shares))


def bins_for(n: float) -> int:
    """2 n**(1/3), Rice's rule."""
    return int(np.clip(round(2 * n ** (1 / 3)), 1, MOST))

"""Histogram: a number of whatever distribution, by the bin it falls into.

    P(bin|c) = (n(bin, c) + a) / (N_c + a B)

What is counted are fine bins, the same for all data, so that counts add up. The B bins of the
formula are a view: neighbours of the fine ones, put together until each has its share of the
numbers. Lower and higher numbers than were seen fall into the first and the last.
"""

from dataclasses import dataclass

import numpy as np

from nabi.base.arrays import F64, I64

MOST = 64  # bins


@dataclass(frozen=True, eq=False)
class Bins:
    """Bins by the last fine bin of each, and log P(bin|c)."""

    ends: I64
    logs: F64  # bins, classes

    def log_density(self, fine: I64) -> F64:
        """Log P(bin|c), a row for each number, a column for each class."""
        return self.logs[np.searchsorted(self.ends[:-1], fine)]


def weigh(fine: I64, counts: F64, alpha: float) -> Bins:
    """The bins, from fine ones in ascending order and their counts (a row each, by class)."""
    starts = np.flatnonzero(np.diff(numbers(counts.sum(axis=1)), prepend=-1))
    joined = np.add.reduceat(counts, starts, axis=0)
    ends = fine[np.append(starts[1:], len(fine)) - 1]
    return Bins(ends, log_shares(joined, joined.sum(axis=0), len(joined), alpha))


def numbers(totals: F64) -> F64:
    """Return the bin of each fine bin, from their counts; a row is one histogram."""
    n: F64 = totals.sum(axis=-1, keepdims=True)
    share = n / np.clip(np.round(2 * n ** (1 / 3)), 1, MOST)  # Rice's rule
    before = np.cumsum(totals, axis=-1) - totals / 2
    found: F64 = np.minimum(np.floor(before / share), MOST - 1)
    return found


def log_shares(joined: F64, n: F64, bins: F64 | int, alpha: float) -> F64:
    """Log P(bin|c) of bins with such counts, where each class has n numbers in so many bins."""
    with np.errstate(divide="ignore", invalid="ignore"):
        below = n + alpha * bins
        shares = np.where(below > 0, (joined + alpha) / below, 1 / bins)
        return np.log(shares)

"""alpha="auto": the smoothing with the least leave-one-out log loss of the counted words.

Each word that was counted is taken out, one occurrence at a time, and looked up in what is left:
the log loss of all of them says how well alpha foresees words that were not there. The loss is a
function of the counts alone: it costs one pass over them, and is the same for counts that were
added, merged or forgotten in whatever order.
"""

from types import ModuleType

import numpy as np

from nabi.base.arrays import I64, U64
from nabi.counts.sparse import SparseCounts, tally
from nabi.events import Sums

AUTO = "auto"
# From Laplace's 1 down, ten to a power of ten: 1.0, 0.794, 0.631, 0.501, ... 0.001
GRID = np.array([float(f"{10 ** (-i / 10):.3g}") for i in range(31)])
# Losses that differ by less, relatively or for each word, differ by rounding alone.
SAME, ROUNDING = 1e-12, 1e-14


class RunningTally:
    """The tally of counts that change batch by batch: so alpha costs no pass over all of them.

    Only for the event models whose loss depends on the tally alone: multinomial and binary.

    Examples
    --------
    >>> running = RunningTally(np.array([1, 1, 2], np.uint64))
    >>> running.change(np.array([1], np.uint64), np.array([2], np.uint64))
    >>> [column.tolist() for column in running.tally]
    [[1, 2], [1, 2]]
    """

    def __init__(self, counts: U64) -> None:
        self.tally: tuple[U64, I64] = tally(counts)

    @classmethod
    def of(cls, known: tuple[U64, I64]) -> "RunningTally":
        """A tally that is known already."""
        running = cls(np.empty(0, np.uint64))
        running.tally = known
        return running

    def change(self, before: U64, after: U64) -> None:
        """Replace the counts of some cells by others; cells may come and go."""
        lost, gained = tally(before), tally(after)
        counts = np.concatenate([self.tally[0], lost[0], gained[0]])
        times = np.concatenate([self.tally[1], -lost[1], gained[1]])
        found, at = np.unique(counts, return_inverse=True)
        sums = np.zeros(len(found), np.int64)
        np.add.at(sums, at, times)
        self.tally = found[sums > 0], sums[sums > 0]


def best_alpha(event: ModuleType, sums: Sums, cells: SparseCounts | RunningTally) -> float:
    """Return the alpha of the grid with the least log loss; of equal ones the largest."""
    losses = event.leave_one_out_losses(sums, cells, GRID)
    same = SAME * np.abs(losses).max() + ROUNDING * sums.tokens.sum()
    good = losses <= losses.min() + same
    return float(GRID[np.argmax(good)])

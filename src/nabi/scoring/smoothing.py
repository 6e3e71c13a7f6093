"""alpha="auto": the smoothing with the least leave-one-out log loss of the counted words.

Each word that was counted is taken out, one occurrence at a time, and looked up in what is left:
the log loss of all of them says how well alpha foresees words that were not there. The loss is a
function of the counts alone: it costs one pass over them, and is the same for counts that were
added, merged or forgotten in whatever order.
"""

from types import ModuleType

import numpy as np

from nabi.counts.sparse import SparseCounts
from nabi.events import Sums

AUTO = "auto"
# From Laplace's 1 down, ten to a power of ten: 1.0, 0.794, 0.631, 0.501, ... 0.001
GRID = np.array([float(f"{10 ** (-i / 10):.3g}") for i in range(31)])
# Losses that differ by less, relatively or for each word, differ by rounding alone.
SAME, ROUNDING = 1e-12, 1e-14


def best_alpha(event: ModuleType, sums: Sums, cells: SparseCounts) -> float:
    """Return the alpha of the grid with the least log loss; of equal ones the largest."""
    losses = event.leave_one_out_losses(sums, cells, GRID)
    same = SAME * np.abs(losses).max() + ROUNDING * sums.tokens.sum()
    good = losses <= losses.min() + same
    return float(GRID[np.argmax(good)])

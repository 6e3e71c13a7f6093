"""alpha="auto": the smoothing under which the counts are least surprised by their own words.

Each word that was counted is taken out, one occurrence at a time, and looked up in what is left:
the log loss of all of them says how well alpha foresees words that were not there. It is a
function of the counts alone. So it costs one pass over them, holds for counts that were added,
merged or forgotten in whatever order, and is the same wherever they came from.
"""

from types import ModuleType

import numpy as np

from nabi.counts.sparse import Cells
from nabi.events import Sums

AUTO = "auto"
# From Laplace's 1 down, ten to a power of ten: 1.0, 0.794, 0.631, 0.501, ... 0.001
GRID = np.array([float(f"{10 ** (-i / 10):.3g}") for i in range(31)])
# Losses that differ by less, relatively or for each word, differ by rounding alone.
SAME, ROUNDING = 1e-12, 1e-14


def least_surprised(event: ModuleType, sums: Sums, cells: Cells) -> float:
    """The alpha of the grid with the least log loss; of equal ones the largest."""
    losses = event.left_out(sums, cells, GRID)
    same = SAME * np.abs(losses).max() + ROUNDING * sums.tokens.sum()
    good = losses <= losses.min() + same
    return float(GRID[np.argmax(good)])

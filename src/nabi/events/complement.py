"""Complement (Rennie et al. 2003): how badly do all the other classes explain the document?

    weight(w,c) = -log((T_w - count(w,c) + a) / (T - N_c + a |V|))

with T_w and T the sums of count(w,c) and of N_c over all classes.

The prior is left out unless the user gives one, as in the paper's experiments and in scikit-learn.
"""

import numpy as np

from nabi._native import Event, log
from nabi.base.arrays import F64
from nabi.base.fixed_point import as_real
from nabi.counts.sparse import SparseCounts, tally
from nabi.events.weights import Hard, Sums, Weights, repeated

KERNEL = Event.complement
NEEDS_ALL_CELLS = False
BY_TALLY = False
USES_PRIOR = False


def weigh(sums: Sums, cells: SparseCounts, alpha: float) -> Weights:
    """The terms of the score."""
    zero = np.zeros(len(sums.docs))
    elsewhere = sums.tokens_elsewhere + alpha * sums.features
    slope = log(np.where(elsewhere > 0, elsewhere, 1.0))
    totals = cells.totals
    everywhere = log(np.where(totals > 0, as_real(totals) + alpha, 1.0))
    feature = cells.features
    others = as_real(totals[feature] - cells.counts) + alpha
    if alpha > 0:
        return Weights(zero, slope, everywhere[feature] - log(others), -everywhere)
    # A word of one class only makes every other class impossible, and says no more.
    alone = others == 0
    terms = everywhere[feature] - log(np.where(alone, 1.0, others))
    hard = Hard(
        bias=zero.astype(np.int64),
        shared=np.bincount(feature[alone], minlength=len(totals)).astype(np.uint8),
        cells=np.where(alone, -1, 0).astype(np.int8),
    )
    own = everywhere[feature] - slope[cells.classes]
    return Weights(zero, slope, np.where(alone, own, terms), -everywhere, hard)


def leave_one_out_losses(sums: Sums, cells: SparseCounts, alphas: F64) -> F64:
    """For each alpha the log loss of every counted word by each other class's complement.

    The complement of c holds T_w - count(w,c) of a word: all of T_w for the classes without it.
    """
    totals = cells.totals
    others, times = tally(totals[cells.features] - cells.counts)
    seen = repeated(as_real(others), times, alphas)
    without = len(sums.docs) - np.diff(cells.offsets).astype(np.int64)
    order = np.argsort(totals, kind="stable")
    starts = np.flatnonzero(np.diff(totals[order], prepend=np.uint64(0)))
    if len(starts):
        times = np.add.reduceat(without[order], starts)
        seen = seen + repeated(as_real(totals[order][starts]), times, alphas)
    elsewhere = sums.tokens_elsewhere
    return repeated(elsewhere, np.ones(len(elsewhere)), alphas, outcomes=sums.features) - seen

"""Multinomial: a document is a sequence of positions, each a draw from the vocabulary.

    P(w|c) = (count(w,c) + a) / (N_c + a |V|)

log P(w|c) = log(a / (N_c + a |V|)) + log(1 + count(w,c) / a): the first term is that of a word
never seen in c, the second is zero for it, so that only counts above zero need to be stored.
"""

from math import isfinite

import numpy as np

from nabi._native import Event, log, log1p
from nabi.base.arrays import F64
from nabi.base.fixed_point import as_real
from nabi.counts.sparse import SparseCounts
from nabi.events.weights import Hard, Sums, Weights, repeated

KERNEL = Event.multinomial
NEEDS_ALL_CELLS = False
BY_TALLY = True  # the leave-one-out loss depends on the tally of the counts alone
USES_PRIOR = True


def weigh(sums: Sums, cells: SparseCounts, alpha: float) -> Weights:
    """The terms of log P(d|c)."""
    n = as_real(cells.counts)
    zero = np.zeros(len(sums.docs))
    if alpha == 0:
        # A class without a word has no word's probability: its slope is never used.
        slope = -log(np.where(sums.tokens > 0, sums.tokens, 1.0))
        # A word of a document that a class has never seen makes the class impossible.
        hard = Hard(
            bias=zero.astype(np.int64),
            shared=np.ones(len(cells.offsets) - 1, np.uint8),
            cells=np.full(len(n), -1, np.int8),
        )
        return Weights(zero, slope, log(n), hard=hard)
    if not sums.features:
        return Weights(zero, zero, n)
    unseen = log(np.full(len(zero), float(alpha))) - log(sums.tokens + alpha * sums.features)
    return Weights(zero, unseen, log_ratio(n, alpha))


def leave_one_out_losses(sums: Sums, cells: SparseCounts, alphas: F64) -> F64:
    """For each alpha the log loss of every counted word by the class without that one word."""
    counts, times = cells.tally
    seen = repeated(as_real(counts), times, alphas)
    drawn = repeated(sums.tokens, np.ones(len(sums.tokens)), alphas, outcomes=sums.features)
    return drawn - seen


def log_ratio(n: F64, alpha: float) -> F64:
    """log(1 + n / a), also where n / a is beyond the largest number."""
    if isfinite(float(n.max(initial=0)) / alpha):  # as good as always, and half the work
        return log1p(n / alpha)
    with np.errstate(over="ignore"):
        ratio = n / alpha
    return np.where(np.isinf(ratio), log(n) - log(np.full(len(n), alpha)), log1p(ratio))

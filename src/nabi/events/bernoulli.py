"""Bernoulli: each word of the vocabulary is present or absent, and absent words count too.

P(w|c) = (docs of c with w + a) / (D_c + 2a)
score  = sum over V of log(1 - P(w|c)), and for each word present log P(w|c) - log(1 - P(w|c))
"""

import numpy as np

from nabi._native import Event, log, log1p
from nabi.base.arrays import F64, Bools
from nabi.base.fixed_point import as_real
from nabi.counts.sparse import SparseCounts
from nabi.events.weights import Hard, Sums, Weights

KERNEL = Event.bernoulli
NEEDS_ALL_CELLS = True
BY_TALLY = False
USES_PRIOR = True


def weigh(sums: Sums, cells: SparseCounts, alpha: float) -> Weights:
    """The terms of log P(d|c): `bias` for a document without a word, the rest for those it has."""
    assert sums.cells is not None
    docs = sums.docs[cells.classes]
    n = as_real(cells.counts)
    if alpha == 0:
        full = n >= docs
        zero = np.zeros(len(sums.docs))
        odds = log(n) - log(np.where(full, 1.0, docs - n))
        return Weights(
            bias=_absent(sums, sums.cells, alpha),
            slope=zero,
            cells=np.where(full, 0.0, odds),
            hard=_impossible(sums, sums.cells, cells, full),
        )
    unseen = log(np.full(len(sums.docs), float(alpha))) - log(sums.docs + alpha)
    seen = log(n + alpha) - log(np.maximum(docs - n, 0) + alpha)
    return Weights(_absent(sums, sums.cells, alpha), unseen, seen - unseen[cells.classes])


def leave_one_out_losses(sums: Sums, cells: SparseCounts, alphas: F64) -> F64:
    """For each alpha the log loss of every word of V, there or not, by all other documents.

    Words that are nearly always there, or nearly never, lose next to nothing, each document of
    many: so a loss is a logarithm of 1 and more, not a difference of two sums.
    """
    classes, counts, times = cells.histogram
    docs, n = sums.docs[classes], as_real(counts)
    never = sums.features - np.bincount(classes, times, minlength=len(sums.docs))
    part = np.concatenate([n, np.maximum(docs - n, 0), sums.docs])
    whole = np.concatenate([docs, docs, sums.docs])
    times = np.concatenate([times, times, never]) * part
    rest, others = np.maximum(part - 1, 0), np.maximum(whole - 1, 0)
    more = others - rest
    return np.array([(times * log1p((more + a) / (rest + a))).sum() for a in alphas.tolist()])


def _absent(sums: Sums, cells: SparseCounts, alpha: float) -> F64:
    """For each class the sum over V of log(1 - P(w|c)); with a = 0, over the words with P < 1.

    Words of equal counts are summed as one product, counts ascending: so the last bit does not
    depend on the order of the words.
    """
    classes, counts, times = cells.histogram
    docs, n = sums.docs[classes], as_real(counts)
    rest = np.where((alpha == 0) & (n >= docs), docs, np.maximum(docs - n, 0) + alpha)
    terms = times * (log(rest) - log(docs + 2 * alpha))
    seen = np.bincount(classes, times, minlength=len(sums.docs))
    never = (sums.features - seen) * (log(sums.docs + alpha) - log(sums.docs + 2 * alpha))
    return never + np.bincount(classes, terms, minlength=len(sums.docs))


def _impossible(sums: Sums, every: SparseCounts, cells: SparseCounts, full: Bools) -> Hard:
    """With a = 0: a word in all documents of c must be there, one in none of them must not."""
    classes, counts, times = every.histogram
    in_all = np.where(as_real(counts) >= sums.docs[classes], times, 0)
    return Hard(
        bias=np.bincount(classes, in_all, minlength=len(sums.docs)).astype(np.int64),
        shared=np.ones(len(cells.offsets) - 1, np.uint8),
        cells=np.where(full, -2, -1).astype(np.int8),
    )

"""Feature selection: how well each word tells the classes apart, by its counts.

A selection is a view: it is applied when weighing, follows the counts, and changes none of them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from nabi._native import log
from nabi.base.arrays import F64, I64
from nabi.base.checks import check_top
from nabi.base.fixed_point import as_real
from nabi.base.labels import Label
from nabi.counts.sparse import SparseCounts
from nabi.features.names import names_at


def chi2(cells: SparseCounts, docs: F64) -> F64:
    """The chi-squared statistic of each word: how far its counts are from the classes' shares.

    sum over c of (n(w,c) - T_w D_c / D)**2 / (T_w D_c / D), with T_w the word's count in all
    classes and D_c the documents of a class: what scikit-learn's `chi2` makes of the counts.

    >>> one_word = SparseCounts(np.array([0, 2], np.uint64), np.array([0, 1], np.uint32),
    ...                  np.array([3 << 24, 1 << 24], np.uint64))
    >>> chi2(one_word, np.array([2.0, 2.0])).tolist()
    [1.0]
    """
    words, totals = cells.features, as_real(cells.totals)
    expected = totals[words] * (docs / docs.sum())[cells.classes]
    # The classes without the word add what is expected of them: T_w less that of the others.
    seen = np.bincount(words, expected, minlength=len(totals))
    off = (as_real(cells.counts) - expected) ** 2 / expected
    without = np.maximum(totals - seen, 0)
    return without + np.bincount(words, off, minlength=len(totals))


def mutual_info(cells: SparseCounts, totals: F64) -> F64:
    """The mutual information of each word and the class, in nats.

    `totals` are what the counts of a class are out of: its documents, where a word counts once in
    each, and then it is scikit-learn's `mutual_info_classif` of that; else all its words.

    >>> one_word = SparseCounts(np.array([0, 1], np.uint64), np.array([0], np.uint32),
    ...                  np.array([2 << 24], np.uint64))
    >>> mutual_info(one_word, np.array([2.0, 2.0])).round(4).tolist()  # it decides: log 2
    [0.6931]
    """
    words, own, n = cells.features, totals[cells.classes], as_real(cells.counts)
    here, every = as_real(cells.totals), totals.sum()
    rest = np.maximum(every - here, 0)
    present = _share(n, here[words] * own / every)
    absent = _share(np.maximum(own - n, 0), rest[words] * own / every)
    without = np.maximum(every - np.bincount(words, own, minlength=len(here)), 0)
    never = np.where(rest > 0, without * (log(np.full(1, every)) - log(_positive(rest))), 0.0)
    found = np.bincount(words, present + absent, minlength=len(here)) + never
    positive: F64 = np.maximum(found / every, 0)
    return positive


def _share(n: F64, expected: F64) -> F64:
    """Return n log(n / expected), 0 where n is."""
    return n * (log(_positive(n)) - log(_positive(expected)))


def _positive(x: F64) -> F64:
    return np.where(x > 0, x, 1.0)


def evidence(cells: SparseCounts, tokens: F64) -> F64:
    """Return the evidence of each count for its class: n(w,c) log P(w|c) / P(w|all other classes).

    Smoothed by 1, whatever the model's alpha: which may be chosen for the words that are kept.
    """
    n, features = as_real(cells.counts), np.count_nonzero(np.diff(cells.offsets))
    rest = as_real(cells.totals)[cells.features] - n
    own = log(n + 1) - log(tokens + features)[cells.classes]
    others = log(rest + 1) - log(tokens.sum() - tokens + features)[cells.classes]
    carried: F64 = n * (own - others)
    return carried


def per_class(cells: SparseCounts, tokens: F64) -> F64:
    """1 / r for the r-th best word of a class by its evidence, in the class where it is best.

    Of equal ones the first is ahead.

    >>> two = SparseCounts(np.array([0, 1, 3], np.uint64), np.array([0, 0, 1], np.uint32),
    ...             np.array([1 << 24, 4 << 24, 4 << 24], np.uint64))
    >>> per_class(two, np.array([5.0, 4.0])).tolist()
    [1.0, 1.0]
    """
    carried = evidence(cells, tokens)
    order = np.lexsort((-carried, cells.classes))
    starts = np.searchsorted(cells.classes[order], np.arange(len(tokens)))
    rank = np.empty(len(order))
    rank[order] = np.arange(len(order)) - starts[cells.classes[order]] + 1
    scores = np.zeros(len(cells.offsets) - 1)
    np.maximum.at(scores, cells.features, 1 / rank)
    return scores


def best(cells: SparseCounts, found: F64, *, k: int, by: str) -> I64:
    """Return the indexes of the k best words with counts (`per_class`: of each class), best first.

    Of equal ones the first.
    """
    order = np.argsort(-found, kind="stable")
    order = order[np.diff(cells.offsets)[order] > 0]
    return order[found[order] >= 1 / k] if by == "per_class" else order[:k]


@dataclass(frozen=True)
class RankedWord:
    """One row of a ranking: a word, its score, and how often each class saw it."""

    word: str
    score: float
    counts: Mapping[Label, float]


def ranked(scoring: Any, *, by: str, top: int | None) -> list[RankedWord]:
    """Return the words that tell the classes of a `Scoring` apart best, the best first.

    `TextClassifier.ranked_words` says what `by` and `top` are.
    """
    names, offsets, cells = scoring.candidates
    found = scoring.selection_scores(by)
    order = best(cells, found, k=check_top(top) or max(1, len(found)), by=by)
    labels = scoring.counts.labels
    rows = zip(names_at(names, offsets, order), order.tolist(), strict=True)
    return [RankedWord(word, float(found[i]), _counts(cells, labels, i)) for word, i in rows]


def _counts(cells: SparseCounts, labels: list[Label], word: int) -> dict[Label, float]:
    own = slice(int(cells.offsets[word]), int(cells.offsets[word + 1]))
    numbers = as_real(cells.counts[own]).tolist()
    return {labels[c]: n for c, n in zip(cells.classes[own].tolist(), numbers, strict=True)}

"""The table of lambda: the most telling words of each class.

The weight of a word seen twice can be as large as that of a word seen a thousand times. So words
are ranked by what their counts support, the lower end of the 95 % interval of r, the log ratio of a
word's rates:

    score = max(0, |r| - 1.96 s), negative where r is
    r = log((n + 1/2) / (N + 1)) - log((m + 1/2) / (M + 1))
    s = sqrt(1 / (n + 1/2) + 1 / (m + 1/2)), the standard error of r

where n of the N words of the class are the word, and m of the M words of all other classes. Fitted
weights of linear models are multiplied with the part of r that is left, score / r; where weight and
r speak for different sides, with 0. A model without counts ranks by weight.
"""

from collections.abc import Callable
from dataclasses import dataclass
from heapq import nsmallest
from itertools import repeat

import numpy as np

from nabi.base.arrays import F64, I64
from nabi.base.checks import check_top, one_of
from nabi.base.fixed_point import as_real
from nabi.base.labels import Label, shown
from nabi.errors import InputError
from nabi.explain.explanation import WordWeight
from nabi.features.names import names_at
from nabi.scoring.text import Scoring, strongest

ORDERS = ("support", "weight")
CERTAIN = 1.96  # standard errors to the ends of an interval of 95 %


@dataclass(frozen=True, eq=False)
class Candidates:
    """Words of a class: their weights, counts and scores; names of those at some indices."""

    weights: F64
    names: Callable[[I64], list[str]]
    counts: tuple[F64, F64]  # in the class, and in all others; NaN where there are none
    sizes: tuple[float, float]  # what their rates are shares of
    scores: F64 | None = None  # None: there is no support, so the weights


def top_words(
    labels: list[Label],
    of_class: Callable[[int], Candidates],
    top: int | None,
    label: Label | None,
    by: str,
) -> list[WordWeight]:
    """For each class (or one) the most telling words; ties by weight, then by name."""
    if label is not None and label not in labels:
        raise InputError(f"label={label!r}; the classes are {shown(labels)}")
    check_top(top)
    one_of("by", by, ORDERS)
    rows: list[WordWeight] = []
    for c in range(len(labels)) if label is None else [labels.index(label)]:
        words = of_class(c)
        scores = words.weights if words.scores is None else words.scores
        at, names = _first(words, scores if by == "support" else words.weights, top)
        counts = [column[at] for column in words.counts]
        rates = [_rates(n, size) for n, size in zip(counts, words.sizes, strict=True)]
        numbers = (column.tolist() for column in (words.weights[at], scores[at], *counts, *rates))
        rows += map(WordWeight, names, repeat(labels[c]), *numbers)
    return rows


def _first(words: Candidates, order: F64, top: int | None) -> tuple[I64, list[str]]:
    """The indices of the first words, and their names."""
    some = strongest(order, top)
    columns = ((-order[some]).tolist(), (-words.weights[some]).tolist(), words.names(some))
    ranked = zip(*columns, some.tolist(), strict=True)
    # With alpha = 0 hundreds of thousands may tie: too many to sort for the first twenty.
    first = sorted(ranked) if top is None else nsmallest(top, ranked)
    return np.array([each[3] for each in first], np.int64), [each[2] for each in first]


def _rates(counts: F64, size: float) -> F64:
    return counts / size if size else np.zeros_like(counts)


def counted_words(
    scoring: Scoring, top: int | None, label: Label | None, by: str = ORDERS[0]
) -> list[WordWeight]:
    """The words of counts whose P(w|class) differs most clearly from P(w|all other classes)."""
    cells, known = scoring.every_cell
    feature, totals, n_classes = cells.features, as_real(cells.totals), len(scoring.counts.labels)
    order = np.argsort(cells.classes, kind="stable")
    edges = np.searchsorted(cells.classes[order], np.arange(n_classes + 1))
    names = scoring.counts.table.names()
    sums = scoring.sums
    # Bernoulli: documents, of two outcomes.
    by_docs = scoring.event.NEEDS_ALL_CELLS
    sizes, outcomes = (sums.docs, 2) if by_docs else (sums.tokens, sums.features)
    whole = sizes.sum()
    shares = sums.docs if scoring.features.binary else sums.tokens

    def of_class(c: int) -> Candidates:
        own = order[edges[c] : edges[c + 1]]
        # Of two classes each has a weight for every word; of more, for those it has seen.
        if n_classes <= 2:
            n, some = np.zeros(len(totals)), np.flatnonzero(known)
            n[feature[own]] = as_real(cells.counts[own])
            n = n[some]
        else:
            own = own[known[feature[own]] > 0]
            n, some = as_real(cells.counts[own]), feature[own]
        rest, mine, others = totals[some] - n, sizes[c], whole - sizes[c]
        weights = _log_odds(n, mine, rest, others, scoring.alpha, outcomes)
        return Candidates(
            weights,
            lambda at: names_at(*names, some[at]),
            (n, rest),
            (float(shares[c]), float(shares.sum() - shares[c])),
            supported(n, mine, rest, others)[0],
        )

    return top_words(scoring.counts.labels, of_class, top, label, by)


def _log_odds(n: F64, mine: float, rest: F64, others: float, alpha: float, outcomes: int) -> F64:
    """Log P(w|c) - log P(w|all other classes taken as one), from n of mine and rest of others."""
    sides = (n, mine), (rest, others)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = [np.log(seen + alpha) - np.log(all_ + alpha * outcomes) for seen, all_ in sides]
    # With alpha = 0, 0/0 is 0: what was never seen.
    own, other = (np.where(np.isnan(each), -np.inf, each) for each in logs)
    return own - other


def supported(n: F64, mine: float, rest: F64, others: float) -> tuple[F64, F64]:
    """Return the part of a log ratio of rates that counts support: as a number, and as a share.

    >>> score, part = supported(np.array([2.0, 200]), 1000.0, np.array([0.0, 100]), 1000.0)
    >>> score.round(2).tolist(), part.round(2).tolist()
    ([0.0, 0.45], [0.0, 0.65])
    """
    ratio = np.log((n + 0.5) / (mine + 1)) - np.log((rest + 0.5) / (others + 1))
    least = np.maximum(np.abs(ratio) - CERTAIN * np.sqrt(1 / (n + 0.5) + 1 / (rest + 0.5)), 0.0)
    part = np.divide(least, np.abs(ratio), out=np.zeros(len(ratio)), where=ratio != 0)
    return np.sign(ratio) * least, np.sign(ratio) * part

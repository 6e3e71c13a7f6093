"""The table of lambda: the words of the largest weights of each class."""

from collections.abc import Callable
from dataclasses import dataclass
from heapq import nsmallest
from itertools import repeat

import numpy as np

from nabi.base.arrays import F64, I64
from nabi.base.checks import check_top
from nabi.base.fixed_point import as_real
from nabi.base.labels import Label, shown
from nabi.errors import InputError
from nabi.explain.explanation import WordWeight
from nabi.features.names import names_at
from nabi.scoring.text import Scoring, strongest


@dataclass(frozen=True, eq=False)
class Candidates:
    """Words and their weights for a class; names and counts of those at some indices."""

    weights: F64
    names: Callable[[I64], list[str]]
    counts: Callable[[I64], tuple[F64, F64]]  # in the class, and in all others


def top_words(
    labels: list[Label], of_class: Callable[[int], Candidates], top: int | None, label: Label | None
) -> list[WordWeight]:
    """For each class (or one) the words of the largest weights, ties by name."""
    if label is not None and label not in labels:
        raise InputError(f"label={label!r}; the classes are {shown(labels)}")
    check_top(top)
    rows: list[WordWeight] = []
    for c in range(len(labels)) if label is None else [labels.index(label)]:
        words = of_class(c)
        some = strongest(words.weights, top)
        ranked = zip((-words.weights[some]).tolist(), words.names(some), some.tolist(), strict=True)
        # With alpha = 0 hundreds of thousands may tie: too many to sort for the first twenty.
        first = sorted(ranked) if top is None else nsmallest(top, ranked)
        at = np.array([index for _, _, index in first], np.int64)
        numbers = (column.tolist() for column in (words.weights[at], *words.counts(at)))
        rows += map(WordWeight, (word for _, word, _ in first), repeat(labels[c]), *numbers)
    return rows


def counted_words(scoring: Scoring, top: int | None, label: Label | None) -> list[WordWeight]:
    """The words of counts whose P(w|class) is largest against P(w|all other classes)."""
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
        rest = totals[some] - n
        return Candidates(
            _log_odds(n, sizes[c], rest, whole - sizes[c], scoring.alpha, outcomes),
            lambda at: names_at(*names, some[at]),
            lambda at: (n[at], rest[at]),
        )

    return top_words(scoring.counts.labels, of_class, top, label)


def _log_odds(n: F64, mine: float, rest: F64, others: float, alpha: float, outcomes: int) -> F64:
    """Log P(w|c) - log P(w|all other classes taken as one), from n of mine and rest of others."""
    sides = (n, mine), (rest, others)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = [np.log(seen + alpha) - np.log(all_ + alpha * outcomes) for seen, all_ in sides]
    # With alpha = 0, 0/0 is 0: what was never seen.
    own, other = (np.where(np.isnan(each), -np.inf, each) for each in logs)
    return own - other

"""Why a text got its label: every term of its score, down to the counts behind it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from heapq import nsmallest
from itertools import repeat

import numpy as np
import numpy.typing as npt

import nabi._native as _native
from nabi.base.arrays import F64
from nabi.base.fixed_point import as_real
from nabi.base.labels import Label
from nabi.counts.sparse import SparseCounts
from nabi.events.weights import Weights
from nabi.features.names import names_at
from nabi.features.normal_form import given_spans
from nabi.features.recipe import Features
from nabi.scoring.text import Scoring, strongest

I64 = npt.NDArray[np.int64]


@dataclass(frozen=True)
class WordWeight:
    """One row of the table of lambda: how much a word speaks for a class."""

    word: str
    label: Label
    weight: float  # log P(w|label) / P(w|all other classes)
    count: float  # of the word in the class
    elsewhere: float  # of the word in all other classes


@dataclass(frozen=True)
class Term:
    """A word of the text and what it adds to the score."""

    word: str
    times: int  # how often it counts
    evidence: float  # for `of`, against `against`, all times together
    counts: Mapping[Label, float]  # how often each class saw it
    weights: Mapping[
        Label, float
    ]  # what it adds to the log joint of each class, all times together
    spans: tuple[tuple[int, int], ...]  # where it stands: text[begin:end]


@dataclass(frozen=True)
class Explanation:
    """A decision and its evidence.

    The score is the log of how much more probable `of` is than `against`: for two classes these
    are the second and the first (above 0: the second), for more the best and the runner-up.

        score = prior + absent + sum of the terms' evidence

    and for each class c, joint[c] = log_prior[c] + absent_weights[c] + sum of terms' weights[c].
    """

    text: str
    label: Label
    of: Label
    against: Label | None  # None where there is one class only; the score is then its log joint
    score: float
    prior: float
    absent: float  # Bernoulli: what the absence of all other words adds
    terms: tuple[Term, ...]  # strongest first
    unknown: tuple[str, ...]  # words that the model does not know, and ignores
    proba: Mapping[Label, float]
    joint: Mapping[Label, float]
    log_prior: Mapping[Label, float]
    absent_weights: Mapping[Label, float]
    impossible: Mapping[Label, tuple[str, ...]]  # alpha = 0: the classes ruled out, and by what

    def __str__(self) -> str:
        """The sum, written out."""
        sides = f"evidence: above 0 for {self.of}"
        if self.against is not None:
            sides += f", below 0 for {self.against}"
        head = f"{self.label}  ({self.proba[self.label]:.4f})\n\n{sides}\n"
        rows = [("prior", 1, self.prior, "")]
        if self.absent:
            rows.append(("absent words", 1, self.absent, ""))
        for term in self.terms:
            seen = ", ".join(f"{label} {count:g}" for label, count in term.counts.items())
            seen = f"seen: {seen}" if seen else ""  # a pruned model has no counts
            rows.append((_visible(term.word), term.times, term.evidence, seen))
        width = max(len(row[0]) for row in rows)
        lines = [
            f"  {word:<{width}}  {f'x{times}' if times > 1 else '':>4}  {value:+10.4f}  {seen}"
            for word, times, value, seen in rows
        ]
        lines.append(f"  {'score':<{width}}        {self.score:+10.4f}")
        if self.unknown:
            lines.append(f"\nunknown, ignored: {', '.join(self.unknown)}")
        for label, words in self.impossible.items():
            lines.append(f"\n{label} is impossible: {_reason(words)}")
        if len(self.impossible) == len(self.proba):
            lines.append("\nevery class is impossible: only the prior speaks")
        return head + "\n".join(line.rstrip() for line in lines)


def _visible(word: str) -> str:
    """A word for the screen: in quotes where white space is at its edge."""
    return word if word == word.strip() else repr(word.lstrip("\t"))


def _reason(words: tuple[str, ...]) -> str:
    shown = ", ".join(repr(word) for word in words[:5])
    return f"it has probability 0 for {shown} (alpha = 0)" if words else "its prior is 0"


@dataclass(frozen=True, eq=False)
class _Traced:
    """The features of a text, each with its cells, its weights and its places."""

    names: list[str]
    times: I64
    known: npt.NDArray[np.bool_]
    spans: list[list[tuple[int, int]]]
    cells: SparseCounts
    weights: Weights
    matrix: F64  # what one occurrence of each feature adds to each class
    zeros: I64  # above 0 where a feature makes a class impossible


def explain(
    scoring: Scoring, batch: _native.Batch, text: str, log_prior: F64, proba: F64, best: int
) -> Explanation:
    """The evidence for a text, which is the one of the batch and got the best class."""
    traced = _trace(scoring, batch, text)
    labels = scoring.counts.labels
    shares = traced.times[:, None] * traced.matrix
    absent, impossible = _ruled_out(scoring, traced, log_prior)
    joint = log_prior + absent + shares.sum(axis=0)
    of, against = sides(proba, best)
    apart = difference(shares, of, against)
    prior, of_absence, score = (
        float(difference(row[None], of, against)[0]) for row in (log_prior, absent, joint)
    )
    if np.isneginf(joint).all():  # as the label, so the score: the prior's alone
        apart, of_absence, score = np.zeros_like(apart), 0.0, prior
    order: list[int] = sorted(
        np.flatnonzero(traced.known).tolist(), key=lambda i: (-abs(apart[i]), traced.names[i])
    )
    return Explanation(
        text=text,
        label=labels[best],
        of=labels[of],
        against=None if against is None else labels[against],
        score=score,
        prior=prior,
        absent=of_absence,
        terms=tuple(_term(traced, labels, i, shares, apart) for i in order),
        unknown=tuple(traced.names[i] for i in np.flatnonzero(~traced.known)),
        proba=by_label(labels, proba),
        joint=by_label(labels, joint),
        log_prior=by_label(labels, log_prior),
        absent_weights=by_label(labels, absent),
        impossible=impossible,
    )


@dataclass(frozen=True, eq=False)
class Found:
    """The features of a text, each once, with its places."""

    words: list[str]
    names: npt.NDArray[np.uint8]  # the same end to end
    offsets: npt.NDArray[np.uint64]
    times: I64
    spans: list[list[tuple[int, int]]]


def traced(features: Features, batch: _native.Batch, text: str) -> Found:
    """The features of a text, the one of the batch."""
    names, offsets, given, begin, end = _native.trace(batch, features.native)
    if features.normalize and features.tokenizer is None:
        begin, end = given_spans(text, features.normalize, begin, end)
    # Hashed, there are as many names as buckets: keep those of the text.
    used, places = np.unique(given, return_inverse=True)
    words = names_at(names, offsets, used)
    encoded = [word.encode() for word in words]
    own_names = np.frombuffer(b"".join(encoded), np.uint8)
    own_offsets = np.cumsum([0, *map(len, encoded)]).astype(np.uint64)
    times = np.bincount(places, minlength=len(words))
    spans: list[list[tuple[int, int]]] = [[] for _ in words]
    if features.tokenizer is None:  # where a user's own tokens come from, nobody knows
        for f, a, b in zip(places.tolist(), begin.tolist(), end.tolist(), strict=True):
            spans[f].append((a, b))
    return Found(words, own_names, own_offsets, times, spans)


def _trace(scoring: Scoring, batch: _native.Batch, text: str) -> _Traced:
    found = traced(scoring.features, batch, text)
    words, times, spans = found.words, found.times, found.spans
    cells = scoring.counts.find(found.names, found.offsets)
    known = scoring.known(cells, found.names, found.offsets).astype(bool)
    weights = scoring.weigh(cells)
    if scoring.features.binary:
        times = np.minimum(times, 1)
    matrix = np.tile(weights.slope, (len(words), 1))
    if len(weights.shared):
        matrix += weights.shared[:, None]
    matrix[cells.features, cells.classes] += weights.cells
    zeros = _zeros(weights, cells, len(words), len(weights.slope))
    matrix[zeros > 0] = -np.inf
    matrix[~known] = 0
    return _Traced(words, times, known, spans, cells, weights, matrix, zeros)


def _zeros(weights: Weights, cells: SparseCounts, n: int, n_classes: int) -> I64:
    """Above 0 where a feature makes a class impossible."""
    zeros = np.zeros((n, n_classes), np.int64)
    if weights.hard is not None:
        zeros += weights.hard.shared[:, None]
        zeros[cells.features, cells.classes] += weights.hard.cells
    return zeros


def _ruled_out(
    scoring: Scoring, traced: _Traced, log_prior: F64
) -> tuple[F64, dict[Label, tuple[str, ...]]]:
    """What absent words add to each class, and for each impossible class what makes it so."""
    labels = scoring.counts.labels
    absent = traced.weights.bias.copy()
    impossible: dict[Label, tuple[str, ...]] = {
        labels[c]: () for c in np.flatnonzero(np.isneginf(log_prior))
    }
    if traced.weights.hard is None:
        return absent, impossible
    lacking = _lacking(scoring, traced) if traced.weights.hard.bias.any() else {}
    for c in range(len(labels)):
        present = [traced.names[i] for i in np.flatnonzero((traced.zeros[:, c] > 0) & traced.known)]
        if c in lacking:
            absent[c] = -np.inf
        if present or c in lacking:
            words = sorted(lacking.get(c, ()))
            impossible[labels[c]] = (*present, *(f"{word} (absent)" for word in words))
    return absent, impossible


def _lacking(scoring: Scoring, traced: _Traced) -> dict[int, list[str]]:
    """Bernoulli with alpha = 0: words of all documents of a class that the text does not have."""
    cells = scoring.sums.cells
    assert cells is not None
    in_all = as_real(cells.counts) >= scoring.sums.docs[cells.classes]
    names = names_at(*scoring.counts.table.names(), cells.features[in_all])
    here = set(traced.names)
    lacking: dict[int, list[str]] = {}
    for c, name in zip(cells.classes[in_all].tolist(), names, strict=True):
        if name not in here:
            lacking.setdefault(c, []).append(name)
    return lacking


def sides(proba: F64, best: int) -> tuple[int, int | None]:
    """(of, against): second and first of two classes, best and runner-up of more."""
    if len(proba) == 1:
        return 0, None
    if len(proba) == 2:
        return 1, 0
    second = next(c for c in np.argsort(-proba, kind="stable").tolist() if c != best)
    return best, second


def difference(rows: F64, of: int, against: int | None) -> F64:
    """How much each row speaks for one class rather than the other."""
    if against is None:
        return rows[:, of]
    with np.errstate(invalid="ignore"):
        apart = rows[:, of] - rows[:, against]
    return np.where(np.isnan(apart), 0.0, apart)  # -inf both: no evidence between them


def _term(traced: _Traced, labels: list[Label], i: int, shares: F64, apart: F64) -> Term:
    begin, end = int(traced.cells.offsets[i]), int(traced.cells.offsets[i + 1])
    classes = traced.cells.classes[begin:end].tolist()
    counts = as_real(traced.cells.counts[begin:end]).tolist()
    return Term(
        word=traced.names[i],
        times=int(traced.times[i]),
        evidence=float(apart[i]),
        counts={labels[c]: n for c, n in sorted(zip(classes, counts, strict=True))},
        weights=by_label(labels, shares[i]),
        spans=tuple(traced.spans[i]),
    )


def by_label(labels: list[Label], values: F64) -> dict[Label, float]:
    """The values of all classes."""
    return dict(zip(labels, values.tolist(), strict=True))


def word_weights(scoring: Scoring, top: int | None, label: Label | None) -> list[WordWeight]:
    """The table of lambda: for each class its most telling words, the strongest first."""
    labels, names = scoring.counts.labels, scoring.counts.table.names()
    rows: list[WordWeight] = []
    for c, features, n, rest in _seen(scoring, None if label is None else labels.index(label)):
        weight = _log_odds(scoring, c, n, rest)
        some = strongest(weight, top)
        ranked = zip(
            (-weight[some]).tolist(), names_at(*names, features[some]), some.tolist(), strict=True
        )
        # With alpha = 0 hundreds of thousands may tie: too many to sort for the first twenty.
        first = sorted(ranked) if top is None else nsmallest(top, ranked)
        at = [place for _, _, place in first]
        numbers = (column[at].tolist() for column in (weight, n, rest))
        rows += map(WordWeight, (word for _, word, _ in first), repeat(labels[c]), *numbers)
    return rows


def _seen(scoring: Scoring, only: int | None) -> Iterator[tuple[int, I64, F64, F64]]:
    """For each class (or one): features, how often it saw them, how often all others did."""
    cells, known = scoring.every_cell
    feature, totals, n_classes = (
        cells.features,
        as_real(cells.totals),
        len(scoring.counts.labels),
    )
    order = np.argsort(cells.classes, kind="stable")
    edges = np.searchsorted(cells.classes[order], np.arange(n_classes + 1))
    n = np.zeros(len(totals))
    for c in range(n_classes) if only is None else [only]:
        own = order[edges[c] : edges[c + 1]]
        n[feature[own]] = as_real(cells.counts[own])
        # Of two classes each has a weight for every word; of more, for those it has seen.
        shown = np.flatnonzero(known) if n_classes <= 2 else feature[own][known[feature[own]] > 0]
        yield c, shown, n[shown], totals[shown] - n[shown]
        n[feature[own]] = 0


def _log_odds(scoring: Scoring, c: int, n: F64, rest: F64) -> F64:
    """Log P(w|c) - log P(w|all other classes taken as one)."""
    alpha, sums = scoring.alpha, scoring.sums
    if scoring.event.NEEDS_ALL_CELLS:  # Bernoulli: documents, of two outcomes
        mine, others, outcomes = sums.docs[c], sums.docs.sum() - sums.docs[c], 2
    else:
        mine, others = sums.tokens[c], sums.tokens.sum() - sums.tokens[c]
        outcomes = sums.features
    with np.errstate(divide="ignore", invalid="ignore"):
        own = _never_nan(np.log(n + alpha) - np.log(mine + alpha * outcomes))
        other = _never_nan(np.log(rest + alpha) - np.log(others + alpha * outcomes))
    return own - other


def _never_nan(logs: F64) -> F64:
    """With alpha = 0, 0/0 is 0: what was never seen."""
    return np.where(np.isnan(logs), -np.inf, logs)

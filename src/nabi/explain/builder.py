"""Build an explanation: from what each word of a text adds to each class to the sum."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

import nabi._native as _native
from nabi.base.arrays import F64, I64, U8, U64, Bools, exact_sum
from nabi.base.fixed_point import as_real
from nabi.base.labels import Label
from nabi.counts.sparse import SparseCounts
from nabi.counts.text import Counts
from nabi.events.weights import Weights
from nabi.explain.explanation import Explanation, Term
from nabi.explain.parts import Span
from nabi.explain.whole_words import by_words, word_names
from nabi.features.batch import given_spans
from nabi.features.names import names_at
from nabi.features.recipe import Features
from nabi.metrics.thresholds import Decision
from nabi.scoring.text import Scoring


@dataclass(frozen=True, eq=False)
class FoundWords:
    """The features of a text, each once, with the places where it stands."""

    text: str
    words: list[str]
    names: U8  # the words end to end
    offsets: U64
    times: I64  # how often each counts
    spans: list[list[Span]]
    features: Features

    @classmethod
    def of(cls, features: Features, batch: _native.Batch, text: str) -> "FoundWords":
        """The features of a text, the one of the batch."""
        names, offsets, given, begin, end = _native.trace(batch, features.native)
        if features.tokenizer is None:
            begin, end = given_spans(text, features, begin, end)
        # The words of n-grams are names too: keep those that count.
        used, feature = np.unique(given, return_inverse=True)
        words = names_at(names, offsets, used)
        times = np.bincount(feature, minlength=len(words))
        spans: list[list[Span]] = [[] for _ in words]
        if features.tokenizer is None:  # where a user's own tokens come from, nobody knows
            for f, a, b in zip(feature.tolist(), begin.tolist(), end.tolist(), strict=True):
                spans[f].append((a, b))
        times = np.minimum(times, 1) if features.binary else times
        return cls(text, words, *encoded(words), times, spans, features)

    @property
    def _has_ngrams(self) -> bool:
        """Whether character n-grams are among the features: of `chars`, or of Hangul."""
        return self.features.chars is not None or any(word[0] == "\t" for word in self.words)

    def by_words(self, terms: Iterable[Term]) -> tuple[Term, ...]:
        """The terms, with character n-grams summed onto the words in which they stand."""
        if not self._has_ngrams:
            return tuple(terms)
        return by_words(self.text, terms, entities=bool(self.features.entities))

    def unknown_words(self, unknown: tuple[str, ...], words: tuple[Term, ...]) -> tuple[str, ...]:
        """The unknown features; with character n-grams the words that none of them covers."""
        if not self._has_ngrams:
            return unknown
        covered = {term.word for term in words}
        every = word_names(self.text, entities=bool(self.features.entities))
        return tuple(name for name in every if name not in covered)


@dataclass(frozen=True, eq=False)
class ClassSizes:
    """Denominators of rates: the number of words, or texts, of each class."""

    sizes: Mapping[Label, float]
    of: str  # words or texts

    @classmethod
    def of_counts(cls, counts: Counts) -> "ClassSizes":
        """The words of each class; where a word counts once in a text, its texts."""
        by_text = counts.recipe.binary
        sizes = as_real(counts.docs if by_text else counts.tokens)
        return cls(by_label(counts.labels, sizes), "texts" if by_text else "words")

    def rates(self, counts: Mapping[Label, float]) -> dict[Label, float]:
        """Counts as shares."""
        return {label: n / self.sizes[label] for label, n in counts.items() if self.sizes[label]}


def encoded(words: list[str]) -> tuple[U8, U64]:
    """Words as the kernel takes them: their bytes end to end, and where each begins."""
    names = [word.encode() for word in words]
    offsets = np.cumsum([0, *map(len, names)]).astype(np.uint64)
    return np.frombuffer(b"".join(names), np.uint8), offsets


@dataclass(frozen=True, eq=False)
class Verdict:
    """The classes, their log probabilities, and the index of the one that was chosen."""

    labels: list[Label]
    logs: F64
    best: int
    not_sure: Label | None = None  # the label in its place, where a decision is not sure
    decided_by: str | None = None  # why it is not the most probable class

    def by(self, decision: Decision | None) -> "Verdict":
        """Return the verdict by the thresholds of a model, as `predict` has it."""
        if decision is None:
            return self
        label, number, why = decision.one(self.logs, self.labels)
        if number is None:
            return replace(self, not_sure=label, decided_by=why)
        return replace(self, best=number, decided_by=why)

    @property
    def label(self) -> Label:
        """Label that is predicted: the chosen class, or the label of what is not sure."""
        return self.labels[self.best] if self.not_sure is None else self.not_sure

    @cached_property
    def proba(self) -> F64:
        """The probability of each class."""
        return np.exp(self.logs)

    @cached_property
    def sides(self) -> tuple[int, int | None]:
        """(of, against): the class that was chosen and the next best; None where there is one."""
        if len(self.labels) == 1:
            return 0, None
        order = np.argsort(-self.proba, kind="stable").tolist()
        return self.best, next(c for c in order if c != self.best)

    def evidence(self, rows: F64) -> F64:
        """Evidence of each row for the class that was chosen, against the next best."""
        of, against = self.sides
        if against is None:
            return rows[:, of]
        with np.errstate(invalid="ignore"):
            apart = rows[:, of] - rows[:, against]
        return np.where(np.isnan(apart), 0.0, apart)  # -inf both: no evidence between them

    def attributes(self, log_prior: F64, joint: F64) -> dict[str, Any]:
        """Return the attributes that every explanation by a score has."""
        of, against = self.sides
        return {
            "label": self.label,
            "decided_by": self.decided_by,
            "of": self.labels[of],
            "against": None if against is None else self.labels[against],
            "prior": float(self.evidence(log_prior[None])[0]),
            "proba": by_label(self.labels, self.proba),
            "joint": by_label(self.labels, joint),
            "log_prior": by_label(self.labels, log_prior),
        }


def column_sums(rows: Sequence[F64]) -> F64:
    """Return the exact sum of each column, rounded once: large numbers may cancel out."""
    return np.array([exact_sum(column) for column in np.array(rows).T.tolist()])


def by_label(labels: list[Label], values: F64) -> dict[Label, float]:
    """The values of all classes."""
    return dict(zip(labels, values.tolist(), strict=True))


def explanation(
    found: FoundWords,
    verdict: Verdict,
    shares: F64,  # what each word, all its times together, adds to the score of each class
    *,
    known: Bools,  # which of the words the model knows
    start: F64,  # what each class starts from
    absent: F64 | None = None,  # what the absence of other words adds to each class
    cells: SparseCounts | None = None,  # how often each class saw each word
    sizes: ClassSizes | None = None,  # what the counts are shares of
    ruled_out: Mapping[Label, tuple[str, ...]] | None = None,  # impossible classes, and by what
) -> Explanation:
    """The explanation of a text: the sum of what its words add to the score."""
    labels = verdict.labels
    absent = np.zeros(len(labels)) if absent is None else absent
    joint = column_sums([start, absent, *shares])
    evidence: list[float] = verdict.evidence(shares).tolist()
    prior, of_absence = verdict.evidence(np.stack([start, absent])).tolist()
    score = exact_sum([prior, of_absence, *evidence])
    if np.isneginf(joint).all():  # as the label, so the score: the prior's alone
        evidence, of_absence, score = [0.0] * len(evidence), 0.0, prior
    impossible = {labels[c]: () for c in np.flatnonzero(np.isneginf(start))}
    here: list[int] = np.flatnonzero(known).tolist()
    counts, adds = _counts(labels, cells, len(known)), shares.tolist()
    ranked = sorted((-abs(evidence[i]), found.words[i], i) for i in here)
    terms = tuple(
        Term(
            word=found.words[i],
            times=int(found.times[i]),
            evidence=evidence[i],
            counts=counts[i],
            weights=dict(zip(labels, adds[i], strict=True)),
            spans=tuple(found.spans[i]),
            rates={} if sizes is None else sizes.rates(counts[i]),
        )
        for _, _, i in ranked
    )
    words = found.by_words(terms)
    unknown = tuple(found.words[i] for i in np.flatnonzero(~known))
    return Explanation(
        **verdict.attributes(start, joint),
        text=found.text,
        score=score,
        absent=of_absence,
        terms=terms,
        words=words,
        unknown=unknown,
        unknown_words=found.unknown_words(unknown, words),
        absent_weights=by_label(labels, absent),
        impossible={**impossible, **(ruled_out or {})},
        share_of="words" if sizes is None else sizes.of,
    )


def _counts(labels: list[Label], cells: SparseCounts | None, n: int) -> list[dict[Label, float]]:
    """Counts of n words in each class; nothing of a model without counts."""
    found: list[dict[Label, float]] = [{} for _ in range(n)]
    if cells is not None:
        order = np.lexsort((cells.classes, cells.features))
        columns = (cells.features, cells.classes, as_real(cells.counts))
        for word, c, count in zip(*(column[order].tolist() for column in columns), strict=True):
            found[word][labels[c]] = count
    return found


# ---- a text by counts: every term of its score ----


def explain_text(
    scoring: Scoring, batch: _native.Batch, text: str, log_prior: F64, verdict: Verdict
) -> Explanation:
    """The evidence for a text, the one of the batch."""
    found = FoundWords.of(scoring.features, batch, text)
    cells = scoring.counts.find(found.names, found.offsets)
    known = scoring.known(cells, found.names, found.offsets).astype(bool)
    weights = scoring.weigh(cells)
    matrix, zeros = _matrix(weights, cells, known)
    absent, ruled_out = _ruled_out(scoring, found, weights, zeros)
    return explanation(
        found,
        verdict,
        found.times[:, None] * matrix,
        known=known,
        start=log_prior,
        absent=absent,
        cells=cells,
        sizes=ClassSizes.of_counts(scoring.counts),
        ruled_out=ruled_out,
    )


def _matrix(weights: Weights, cells: SparseCounts, known: Bools) -> tuple[F64, Bools]:
    """Return the weight of each feature (0: unknown) for each class, and if it rules it out."""
    matrix = np.tile(weights.slope, (len(known), 1))
    if len(weights.shared):
        matrix += weights.shared[:, None]
    matrix[cells.features, cells.classes] += weights.cells
    hard = np.zeros(matrix.shape, np.int64)
    if weights.hard is not None:
        hard += weights.hard.shared[:, None]
        hard[cells.features, cells.classes] += weights.hard.cells
    zeros = (hard > 0) & known[:, None]
    matrix[zeros] = -np.inf
    matrix[~known] = 0
    return matrix, zeros


def _ruled_out(
    scoring: Scoring, found: FoundWords, weights: Weights, zeros: Bools
) -> tuple[F64, dict[Label, tuple[str, ...]]]:
    """Return the weights of absent words, and the words that rule out each impossible class."""
    hard, absent = weights.hard, weights.bias.copy()
    lacking = _lacking(scoring, found) if hard is not None and hard.bias.any() else {}
    absent[list(lacking)] = -np.inf
    ruled_out: dict[Label, tuple[str, ...]] = {}
    for c in sorted({*np.flatnonzero(zeros.any(axis=0)).tolist(), *lacking}):
        words = [found.words[i] for i in np.flatnonzero(zeros[:, c])]
        words += [f"{word} (absent)" for word in sorted(lacking.get(c, ()))]
        ruled_out[scoring.counts.labels[c]] = tuple(words)
    return absent, ruled_out


def _lacking(scoring: Scoring, found: FoundWords) -> dict[int, list[str]]:
    """Bernoulli with alpha = 0: words of all documents of a class that the text does not have."""
    cells = scoring.sums.cells
    assert cells is not None
    in_all = as_real(cells.counts) >= scoring.sums.docs[cells.classes]
    names = names_at(*scoring.counts.table.names(), cells.features[in_all])
    here = set(found.words)
    lacking: dict[int, list[str]] = {}
    for c, name in zip(cells.classes[in_all].tolist(), names, strict=True):
        if name not in here:
            lacking.setdefault(c, []).append(name)
    return lacking

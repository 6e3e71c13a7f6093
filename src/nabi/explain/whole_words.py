"""The evidence of character n-grams, summed onto the words in which they stand.

An n-gram is made within a word between white space. Its evidence is split equally among its
occurrences, and each occurrence counts for the word around it. Pairs of words stay as they are,
and so do the n-grams of scripts that put no spaces between words.
"""

import math
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from nabi.base.arrays import exact_sum
from nabi.base.labels import Label
from nabi.explain.explanation import Term
from nabi.explain.parts import Span
from nabi.features.entities import decoded

SEEN = ("counts", "rates")
WORD = re.compile(r"\S+")
# Thai, Lao, Burmese, Khmer, kana, Han, and Han beyond the basic plane.
UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]|[\U00020000-\U0003ffff]"
)


@dataclass
class _Sum:
    """Sums over the n-grams of a word."""

    spans: list[Span] = field(default_factory=list)
    evidence: list[float] = field(default_factory=list)
    weights: dict[Label, list[float]] = field(default_factory=dict)
    ngrams: dict[str, Term] = field(default_factory=dict)

    def add(self, term: Term, part: float) -> None:
        """Add this part of a term."""
        self.ngrams[term.word] = term
        self.evidence.append(term.evidence * part)
        for label, weight in term.weights.items():
            self.weights.setdefault(label, []).append(weight * part)

    def seen(self, whole: Term | None) -> dict[str, Any]:
        """Counts and rates: those of the word where it is counted as a whole, else the means."""
        if whole is not None:
            return {"counts": whole.counts, "rates": whole.rates}
        terms = list(self.ngrams.values())
        found = {name: _means([getattr(term, name) for term in terms]) for name in SEEN}
        return {**found, "ngrams": len(terms)} if found["counts"] else found


def _means(each: list[Mapping[Label, float]]) -> dict[Label, float]:
    """The mean of each label's numbers, where a number that is not there is 0."""
    labels = dict.fromkeys(label for numbers in each for label in numbers)
    return {label: math.fsum(n.get(label, 0.0) for n in each) / len(each) for label in labels}


def by_words(text: str, terms: Iterable[Term], *, entities: bool = False) -> tuple[Term, ...]:
    """The terms of a text with those of n-grams summed onto words, strongest first.

    With `entities`, words are named by the characters that HTML entities stand for.

    >>> ab = Term("ab", 1, 0.5, {}, {"x": 0.5}, ((0, 2),))
    >>> bc = Term("bc", 1, 1.0, {}, {"x": 1.0}, ((1, 3),))
    >>> [(word.word, word.evidence, word.spans) for word in by_words("abc d", [ab, bc])]
    [('abc', 1.5, ((0, 3),))]
    """
    words = _Words(text, entities=entities)
    sums: dict[str, _Sum] = {}
    whole: list[Term] = []  # those that no one word covers
    known: dict[str, Term] = {}
    for term in terms:
        known[term.word] = term
        names = [words.covering(*span) for span in term.spans]
        if not names or None in names:
            whole.append(term)
            continue
        for name in filter(None, names):
            sums.setdefault(name, _Sum()).add(term, 1 / len(names))
    for span, own in zip(words.spans, words.names, strict=True):
        if own in sums:
            sums[own].spans.append(span)
    found = [*whole, *_summed(sums, known)]
    return tuple(sorted(found, key=lambda term: (-abs(term.evidence), term.word)))


def word_names(text: str, *, entities: bool) -> list[str]:
    """The different words of a text onto which n-grams are summed, in the order of the text."""
    names = _Words(text, entities=entities).names
    return list(dict.fromkeys(name for name in names if name is not None))


class _Words:
    """The words of a text between white space; None for a name that is no word of its own."""

    def __init__(self, text: str, *, entities: bool) -> None:
        found = list(WORD.finditer(text))
        written = decoded if entities else str
        self.spans = [each.span() for each in found]
        self.names = [
            None if UNSPACED.search(each[0]) else _name(written(each[0])) for each in found
        ]
        self._begins = [begin for begin, _ in self.spans]

    def covering(self, begin: int, end: int) -> str | None:
        """The name of the word in which a span lies."""
        i = bisect_right(self._begins, begin) - 1
        return self.names[i] if i >= 0 and end <= self.spans[i][1] else None


def _name(word: str) -> str:
    """'Film,' -> 'film'; what has no letters stays as it is."""
    return re.sub(r"^\W+|\W+$", "", word.lower()) or word


def _summed(sums: dict[str, _Sum], known: dict[str, Term]) -> Iterator[Term]:
    """Words with their sums and counts."""
    for name, own in sums.items():
        yield Term(
            word=name,
            times=len(own.spans),
            evidence=exact_sum(own.evidence),
            weights={label: exact_sum(parts) for label, parts in own.weights.items()},
            spans=tuple(own.spans),
            **own.seen(known.get(name)),
        )

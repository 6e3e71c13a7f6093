"""Explanations: a decision, and the evidence that sums to its score."""

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from typing import Any, ClassVar, NamedTuple

from nabi.base.labels import Label
from nabi.base.printable import printable
from nabi.explain.parts import (
    STRONG,
    WEAK,
    Legend,
    Part,
    Passage,
    Sheet,
    Span,
    Title,
    percent,
    visible,
)

TOP = 12  # words or neighbours that a notebook shows


class BaseExplanation:
    """An explanation of any kind: as parts of a screen, in JSON's terms, and in a notebook."""

    KEYS: ClassVar[tuple[str, ...]]  # the attributes that JSON has, in this order
    label: Any
    proba: Any  # rules alone have none
    decided_by: str | None  # why thresholds decide on another label than the most probable class

    def parts(self, top: int) -> Iterator[Part]:
        """Yield the parts to show, one below the other, with this many words or neighbours."""
        raise NotImplementedError

    def _title(self, note: str = "") -> Title:
        return Title(str(self.label), f"{self.sureness('probability ')}{note}")

    def sureness(self, name: str = "") -> str:
        """`probability 0.3177: it reaches its threshold 0.3, though ham has 0.6823`"""
        own = f"{name}{self.proba[self.label]:.4f}" if self.label in self.proba else ""
        return ": ".join(filter(None, (own, self.decided_by)))

    def by_ngrams(self) -> "BaseExplanation":
        """The explanation that shows character n-grams one by one, not summed onto words."""
        return self

    def to_dict(self) -> dict[str, Any]:
        """The explanation in JSON's terms, classes by their names; infinite numbers stay so."""
        return {key: as_json(getattr(self, key)) for key in self.KEYS}

    def _repr_html_(self) -> str:
        """The explanation in a notebook."""
        from nabi.explain.notebook import page

        return page(self.parts(TOP))


def as_json(value: Any) -> Any:
    """A value in JSON's terms: mappings by the names of their keys, dataclasses by their fields."""
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if is_dataclass(value):
        return {field.name: as_json(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {str(name): as_json(each) for name, each in value.items()}
    return [as_json(each) for each in value] if isinstance(value, list | tuple) else value


@dataclass(frozen=True)
class WordWeight:
    """One row of the table of lambda: how much a word speaks for a class.

    A rate is a count as a share of all words of the class, or of all other classes (where a word
    counts once in a text: of their texts).
    """

    word: str
    label: Label
    weight: float  # log P(w|label) / P(w|all other classes)
    score: float  # what the counts support of the weight; see `nabi.explain.words`
    count: float  # of the word in the class
    elsewhere: float  # of the word in all other classes
    rate: float  # of the word in the class
    rate_elsewhere: float  # of the word in all other classes


@dataclass(frozen=True)
class Term:
    """A word of the text and what it adds to the score."""

    word: str
    times: int  # how often it counts
    evidence: float  # for the label (`of`), against `against`, all times together
    counts: Mapping[Label, float]  # how often each class saw it
    weights: Mapping[Label, float]  # added to the log joint of each class, all times together
    spans: tuple[Span, ...]  # where it stands: text[begin:end]
    rates: Mapping[Label, float] = field(default_factory=dict)  # counts as shares of the class
    ngrams: int = 0  # of so many character n-grams the counts and rates are the means; 0: its own


@dataclass(frozen=True)
class ColumnTerm:
    """A column of the row and what it adds to the score."""

    column: str
    model: str
    value: Any  # None: missing
    evidence: float  # for the label (`of`), against `against`
    weights: Mapping[Label, float]  # what it adds to the log joint of each class
    seen: Mapping[Label, str]  # what each class has seen there, in a few words
    words: tuple[Term, ...] = ()  # of a text, strongest first
    remark: str = ""  # why it says nothing, where it does


class Line(NamedTuple):
    """A line of a sum."""

    name: str
    value: str
    evidence: float
    why: str = ""
    times: int = 0  # it is coloured by the evidence of one of so many; 0: not coloured

    @property
    def row(self) -> tuple[tuple[str, ...], float]:
        """The cells, and the evidence that they are coloured by."""
        cells = (self.name, self.value, f"{self.evidence:+.4f}", self.why)
        return cells, self.evidence / self.times if self.times else 0.0


@dataclass(frozen=True, kw_only=True)
class ScoreExplanation(BaseExplanation):
    """A decision by a score, and the evidence that sums to it."""

    heads: ClassVar[tuple[str, ...]]
    COLOURED: ClassVar[tuple[float, float]]  # evidence from which names are coloured, and filled

    label: Label  # what `predict` says
    of: Label  # the label, or if that is no class the most probable one: evidence above 0 is for it
    against: Label | None  # None where there is one class only; the score is then its log joint
    score: float
    prior: float
    proba: Mapping[Label, float]
    joint: Mapping[Label, float]
    log_prior: Mapping[Label, float]
    impossible: Mapping[Label, tuple[str, ...]]  # the classes ruled out, and by what
    decided_by: str | None = None

    @property
    def _sides(self) -> tuple[str, ...]:
        of = f"above 0 for {self.of}"
        return (of,) if self.against is None else (of, f"below 0 for {self.against}")

    def _sum(self, lines: Iterable[Line]) -> Iterator[Part]:
        """The sides, and the sum."""
        yield Legend(self._sides)
        every = [Line("(prior)", "", self.prior), *lines, Line("score", "", self.score)]
        *rows, (total, _) = [line.row for line in every]
        weak, strong = self.COLOURED
        yield Sheet(self.heads, rows, total, weak=weak, strong=strong)

    def _written(self, lines: Iterable[Line], align: str, remarks: Iterable[str]) -> str:
        """The sum, written out."""
        every = [Line("prior", "", self.prior), *lines, Line("score", "", self.score)]
        wide = max(len(line.name) for line in every)
        head = f"{self.label}  ({self.sureness()})\n\nevidence: {', '.join(self._sides)}"
        rows = [
            f"  {name:<{wide}}  {value:{align}}  {evidence:+10.4f}  {why}"
            for name, value, evidence, why, _ in every
        ]
        rows += [f"\n{remark}" for remark in remarks]
        return printable("\n".join([head, *(row.rstrip() for row in rows)]), "\n")


@dataclass(frozen=True, kw_only=True)
class Explanation(ScoreExplanation):
    """A decision and its evidence.

    The score is the log of how much more probable the predicted class (`of`) is than the next best
    (`against`). Evidence above 0 speaks for the predicted class.

        score = prior + absent + sum of the terms' evidence

    and for each class c, joint[c] = log_prior[c] + absent_weights[c] + sum of terms' weights[c].
    `words` sum up to the same. Where character n-grams are counted, an n-gram's evidence, split
    equally among its occurrences, is that of the words (between white space) in which it stands.
    """

    KEYS = (
        *(
            "text",
            "label",
            "decided_by",
            "proba",
            "of",
            "against",
            "score",
            "prior",
            "absent",
            "terms",
        ),
        *("unknown", "impossible"),
    )
    COLOURED = (WEAK, STRONG)

    text: str
    absent: float  # Bernoulli: what the absence of all other words adds
    terms: tuple[Term, ...]  # strongest first
    words: tuple[Term, ...]  # the terms, with character n-grams summed onto the words they are of
    unknown: tuple[str, ...]  # words that the model does not know, and ignores
    unknown_words: tuple[str, ...]  # the same; of n-grams, words none of whose n-grams is known
    absent_weights: Mapping[Label, float]
    share_of: str = "words"  # what rates are shares of: the words of a class, or its texts

    @property
    def heads(self) -> tuple[str, ...]:  # type: ignore[override]
        """The heads of the columns."""
        counted = any(term.counts for term in self.words)
        seen = f"seen in (share of its {self.share_of})" if counted else ""
        return ("word", "times", "evidence", seen)

    def by_ngrams(self) -> "Explanation":
        """The explanation that shows character n-grams one by one, not summed onto words."""
        return replace(self, words=self.terms, unknown_words=self.unknown)

    def to_dict(self) -> dict[str, Any]:
        """The explanation in JSON's terms; `words` where character n-grams are summed onto them."""
        own = super().to_dict()
        return own if self.words is self.terms else {**own, "words": as_json(self.words)}

    def parts(self, top: int, most: int = 10) -> Iterator[Part]:
        """The decision, the text with its words coloured, and the sum."""
        yield self._title()
        if self.text.strip():
            yield Passage(self.text, marks(self.words))
        yield from self._sum(self._lines(top))
        if not self.terms:
            yield "no word of it is known: only the prior speaks"
        if self.unknown_words:
            left = len(self.unknown_words) - most
            some = [*map(visible, self.unknown_words[:most]), *[f"and {left} more"] * (left > 0)]
            yield f"unknown, and ignored: {', '.join(some)}"
        for label, words in self.impossible.items():
            why = ", ".join(map(repr, words[:5])) or "its prior, which is 0"
            yield printable(f"{label} is impossible, because of {why}")

    def _lines(self, top: int) -> Iterator[Line]:
        if self.absent:
            yield Line("(absent words)", "", self.absent)
        for term in self.words[:top]:
            yield word_line(term, self._seen(term))
        rest = self.words[top:]
        if rest:
            yield Line(f"({len(rest)} more)", "", math.fsum(term.evidence for term in rest))

    def _seen(self, term: Term, most: int = 4) -> str:
        """`pos 12 (1.2 %), neg 0`: the two classes in question, and others that saw the word."""
        if not term.counts:
            return ""
        asked = [label for label in (self.of, self.against) if label is not None]
        others = sorted(term.counts.keys() - asked, key=lambda label: -term.counts[label])
        order = [*asked, *others]
        more = [f"{len(order) - most} more"] if len(order) > most else []
        return _means(term) + ", ".join([*(counted(term, label) for label in order[:most]), *more])

    def __str__(self) -> str:
        """The sum, written out."""
        lines = [Line("absent words", "", self.absent)] if self.absent else []
        lines += [word_line(term, seen(term)) for term in self.words]
        unknown = ", ".join(self.unknown_words)
        remarks = [f"unknown, ignored: {unknown}"] if unknown else []
        for label, words in self.impossible.items():
            zero = f"it has probability 0 for {', '.join(map(repr, words[:5]))} (alpha = 0)"
            remarks.append(f"{label} is impossible: {zero if words else 'its prior is 0'}")
        if len(self.impossible) == len(self.proba):
            remarks.append("every class is impossible: only the prior speaks")
        return self._written(lines, ">4", remarks)


@dataclass(frozen=True, kw_only=True)
class TableExplanation(ScoreExplanation):
    """A decision on a row and its evidence.

    The score is the log of how much more probable the predicted class (`of`) is than the next best
    (`against`). Evidence above 0 speaks for the predicted class.

        score = prior + sum of the terms' evidence

    and for each class c, joint[c] = log_prior[c] + sum of terms' weights[c].
    """

    KEYS = (
        *("label", "decided_by", "proba", "of", "against", "score", "prior", "terms"),
        "impossible",
    )
    heads = ("column", "value", "evidence", "why")
    COLOURED = (1.0, math.nan)

    terms: tuple[ColumnTerm, ...]  # strongest first

    def parts(self, top: int) -> Iterator[Part]:
        """The decision, the texts (in a notebook), and the sum over columns and words."""
        yield self._title()
        for term in self.terms:
            if term.words:
                yield Passage(term.value, marks(term.words), term.column, on_screen=False)
        yield from self._sum(self._lines(top))
        for label, columns in self.impossible.items():
            why = ", ".join(columns) or "its prior, which is 0"
            yield printable(f"{label} is impossible, because of {why}")

    def _lines(self, top: int, once: str = "") -> Iterator[Line]:
        """Columns, and the words of their texts."""
        for term in self.terms:
            yield Line(term.column, shown(term.value), term.evidence, about(term), 1)
            for word in term.words[:top]:
                line = word_line(word, seen(word, 4) or "seen: never")
                yield line._replace(name=f"  {line.name}", value=line.value or once, times=1)
            rest = term.words[top:]
            if rest:
                total = sum(word.evidence for word in rest)
                yield Line(f"  ({len(rest)} more words)", "", total, times=1)

    def __str__(self) -> str:
        """The sum, written out."""
        lines = list(self._lines(5, "x1"))
        remarks = [
            f"{label} is impossible: {', '.join(why) or 'its prior is 0'}"
            for label, why in self.impossible.items()
        ]
        return self._written(lines, f"<{max(len(line.value) for line in lines)}", remarks)


def marks(terms: Iterable[Term]) -> list[tuple[float, tuple[Span, ...]]]:
    """Return the weight and the spans of each word, the strongest first."""
    found = [(term.evidence / term.times, term.spans) for term in terms]
    return sorted(found, key=lambda mark: -abs(mark[0]))


def word_line(term: Term, why: str) -> Line:
    """The line of a word; 'x2' where it counts twice."""
    times = f"x{term.times}" if term.times > 1 else ""
    return Line(visible(term.word), times, term.evidence, why, term.times)


def seen(term: Term, most: int | None = None) -> str:
    """`seen: pos 12 (1.2 %), neg 3 (0.4 %)`; nothing of a pruned model, which has no counts."""
    shown = ", ".join(counted(term, label) for label in [*term.counts][:most])
    return f"seen: {_means(term)}{shown}" if shown else ""


def _means(term: Term) -> str:
    """Return 'mean of 3 n-grams: ' for a word that was not counted as a whole."""
    if not term.ngrams:
        return ""
    return f"mean of {term.ngrams} n-grams: " if term.ngrams > 1 else "1 n-gram: "


def counted(term: Term, label: Label) -> str:
    """`pos 12 (1.2 %)`: how often a class saw a word, and its share of the words of the class."""
    n = term.counts.get(label, 0.0)
    rate = f" ({percent(term.rates[label])})" if label in term.rates else ""
    is_rounded = n.is_integer() or (term.ngrams and n >= 10)
    return f"{label} {n:,.{0 if is_rounded else 2}f}{rate}"


def shown(value: Any, most: int = 30) -> str:
    """A value in a few letters."""
    if value is None:
        return "(missing)"
    text = f"{value:g}" if isinstance(value, float) else " ".join(str(value).split())
    return text if len(text) <= most else text[: most - 3] + "..."


def about(term: ColumnTerm) -> str:
    """`gaussian: male mean 5.85 sd 0.187; female ...`"""
    some = [f"{label} {what}" for label, what in list(term.seen.items())[:4]]
    more = [f"{len(term.seen) - 4} more"] if len(term.seen) > 4 else []
    return ": ".join(filter(None, (term.model, term.remark or "; ".join(some + more))))

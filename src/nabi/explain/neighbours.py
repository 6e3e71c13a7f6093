"""The explanation of a decision by neighbours: learned texts, and the words shared with each."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from nabi.base.labels import Label
from nabi.base.printable import printable
from nabi.explain.explanation import BaseExplanation, Term, marks, shown
from nabi.explain.parts import Part, Passage, Sheet, visible

LONGEST = 60  # characters of a text that are shown
MOST = 8  # words of a neighbour that are shown, and classes


@dataclass(frozen=True)
class SharedWord:
    """A word of two texts, and what it adds to their similarity."""

    word: str
    part: float


@dataclass(frozen=True)
class Neighbour:
    """A learned text that is near.

    The similarity is the sum of the words' parts.
    """

    number: int  # its place in the model; see NeighboursClassifier.numbers
    text: str | None  # None where the model keeps no texts
    label: Label
    similarity: float  # the cosine: 1 where both have the same words in the same shares
    vote: float  # what it counts for its label
    words: tuple[SharedWord, ...]  # those of both, the largest part first
    covering: tuple[SharedWord, ...]  # the same, character n-grams summed onto the text's words

    @property
    def shown(self) -> str:
        """Return the text of a neighbour in quotes, cut where it is long; or its number."""
        if self.text is None:
            return f"text {self.number}"
        return repr(shown(self.text, LONGEST))

    @property
    def shared(self) -> str:
        """`free 0.2101, entry 0.1100, 3 more 0.0305`"""
        some = [f"{each.word.strip() or repr(each.word)} {each.part:.4f}" for each in self.covering]
        rest = self.covering[MOST:]
        if rest:
            some[MOST:] = [f"{len(rest)} more {sum(each.part for each in rest):.4f}"]
        return ", ".join(some)

    def to_dict(self) -> dict[str, Any]:
        """The neighbour in JSON's terms; its words with their parts."""
        own = {**asdict(self), "words": {each.word: each.part for each in self.words}}
        del own["covering"]
        return own


@dataclass(frozen=True)
class NeighboursExplanation(BaseExplanation):
    """A decision and its evidence: the nearest texts, each with the words it shares.

    P(c) = (votes[c] + prior[c]) / (number of neighbours + 1)

    The vote of a neighbour is shared by the words that it has in common with the text, each by its
    part of the similarity: a term's weights are its shares of the votes for each class, and its
    evidence is that for the label less that for the next best class.
    """

    KEYS = (
        "text",
        "label",
        "decided_by",
        "proba",
        "votes",
        "neighbours",
        "terms",
        "unknown",
        "remark",
    )

    text: str
    label: Label  # what `predict` says
    of: Label  # the label, or if that is no class the most probable one: evidence above 0 is for it
    neighbours: tuple[Neighbour, ...]  # the nearest first
    votes: Mapping[Label, float]  # of all classes; they sum to the number of neighbours
    proba: Mapping[Label, float]
    unknown: tuple[str, ...]  # words that no learned text has, and are ignored
    terms: tuple[Term, ...] = ()  # words that were shared, the strongest evidence first
    words: tuple[Term, ...] = ()  # the terms, with character n-grams summed onto their words
    decided_by: str | None = None

    def by_ngrams(self) -> "NeighboursExplanation":
        """The explanation that shows character n-grams one by one, not summed onto words."""
        near = tuple(replace(each, covering=each.words) for each in self.neighbours)
        return replace(self, neighbours=near, words=self.terms)

    @property
    def against(self) -> Label | None:
        """The next best class: evidence below 0 speaks for it; None where there is one class."""
        ranked = sorted(self.proba, key=lambda label: -self.proba[label])
        return next((label for label in ranked if label != self.of), None)

    @property
    def remark(self) -> str | None:
        """A sentence where there are no neighbours, else None."""
        if self.neighbours:
            return None
        return "no learned text shares a word with it: it gets the class most frequent by the prior"

    @property
    def tally(self) -> str:
        """`votes of 20 neighbours: spam 18.90, ham 1.10`, the most first."""
        n, ranked = len(self.neighbours), sorted(self.votes.items(), key=lambda item: -item[1])
        most = ", ".join(f"{label} {vote:.2f}" for label, vote in ranked[:MOST] if vote)
        return printable(f"votes of {n} neighbour{'s' if n > 1 else ''}: {most}")

    def parts(self, top: int) -> Iterator[Part]:
        """The decision, the votes, and the neighbours."""
        yield self._title()
        yield Passage(self.text, marks(self.words), on_screen=False)
        yield self.remark or self.tally
        if self.neighbours:
            left = len(self.neighbours) - top
            more = f"({left} more)" if left > 0 else ""
            rows = [self._row(each) for each in self.neighbours[:top]]
            yield Sheet(("near", "label", "text", "by the words"), rows, more=more)
        if self.unknown:
            yield f"unknown, and ignored: {', '.join(map(visible, self.unknown[:10]))}"

    def _row(self, near: Neighbour) -> tuple[tuple[str, ...], float]:
        cells = (f"{near.similarity:.4f}", str(near.label), near.shown, near.shared)
        return cells, near.vote if near.label == self.of else -near.vote

    def __str__(self) -> str:
        """The neighbours, written out."""
        lines = [f"{self.label}  ({self.sureness()})", "", self.remark or self.tally]
        for each in self.neighbours:
            lines.append(f"  {each.similarity:.4f}  {each.label}  {each.shown}")
            lines.append(f"          {each.shared}")
        if self.unknown:
            lines += ["", f"unknown, ignored: {', '.join(self.unknown)}"]
        return printable("\n".join(lines), "\n")

"""Words that a text shares with its neighbours, and their parts of similarities and votes."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from nabi.base.arrays import exact_sum
from nabi.base.labels import Label
from nabi.explain.builder import FoundWords, Verdict
from nabi.explain.explanation import Term
from nabi.explain.neighbours import Neighbour, SharedWord


@dataclass(frozen=True, eq=False)
class SharedWords:
    """The words of a text, and the decision that they have a part in."""

    found: FoundWords
    verdict: Verdict

    def ranked(self, parts: dict[str, float]) -> tuple[SharedWord, ...]:
        """Shared words, the largest part of the similarity first."""
        order = sorted(parts.items(), key=lambda item: (-item[1], item[0]))
        return tuple(SharedWord(word, part) for word, part in order)

    def covering(self, parts: dict[str, float]) -> tuple[SharedWord, ...]:
        """Shared words, with character n-grams summed onto the words in which they stand."""
        terms = [self._term(word, part, {}) for word, part in parts.items()]
        return self.ranked({term.word: term.evidence for term in self.found.by_words(terms)})

    def terms(self, neighbours: Iterable[Neighbour]) -> tuple[Term, ...]:
        """Each shared word with its share of the votes, the strongest evidence first."""
        shares: dict[str, dict[Label, list[float]]] = {}
        for near in neighbours:
            for word in near.words:
                own = shares.setdefault(word.word, {label: [] for label in self.verdict.labels})
                own[near.label].append(near.vote * word.part / near.similarity)
        of, against = self.verdict.sides
        labels, found = self.verdict.labels, []
        for name, by_label in shares.items():
            votes = {label: exact_sum(parts) for label, parts in by_label.items()}
            other = 0.0 if against is None else votes[labels[against]]
            found.append(self._term(name, votes[labels[of]] - other, votes))
        return tuple(sorted(found, key=lambda term: (-abs(term.evidence), term.word)))

    def _term(self, word: str, evidence: float, weights: dict[Label, float]) -> Term:
        i = self._index[word]
        spans = tuple(self.found.spans[i])
        return Term(word, int(self.found.times[i]), evidence, {}, weights, spans)

    @cached_property
    def _index(self) -> dict[str, int]:
        return {word: i for i, word in enumerate(self.found.words)}

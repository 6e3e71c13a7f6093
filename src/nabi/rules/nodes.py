"""Nodes of a rule: each says whether it holds, what it found, and how it is written."""

import re
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from typing import Any, ClassVar, NamedTuple

from nabi.errors import RulesError
from nabi.rules import patterns
from nabi.rules.documents import TEXT, Document, Field, Hit, Place

WITHIN = 5  # words between which `near` looks, unless it says
KEYWORDS = ("and", "or", "not", "near", "in", "at")
Found = frozenset[Hit]


class At(NamedTuple):
    """Where something begins in the text of the rules."""

    line: int = 1
    column: int = 1


@dataclass(frozen=True, eq=False)
class Scope:
    """Where to look: a field of a document, and what the names mean."""

    document: Document
    definitions: Mapping[str, "Node"]
    limit: float  # seconds for a regular expression
    file: str | None = None  # of the rules
    name: str = TEXT

    @property
    def field(self) -> Field:
        """The field to look at."""
        return self.document.field(self.name)

    def once(self, method: str, key: str) -> Any:
        """The answer of a method of a definition here, computed once."""
        asked, known = (method, key, self.name), self.document.known
        if asked not in known:
            known[asked] = getattr(self.definitions[key], method)(self)
        return known[asked]

    def hit(self, begin: int, end: int) -> Hit:
        """The hit at text[begin:end]."""
        return Hit(self.name, begin, end, self.field.text[begin:end])

    def hits(self, places: list[Place]) -> Found:
        """A hit for each place."""
        return frozenset(self.hit(*self.field.span(place)) for place in places)


class Node:
    """A condition on a document."""

    LEVEL: ClassVar[int] = 4  # how tightly it binds, where it is written within another
    parts: tuple["Node", ...] = ()

    height: int  # how deep it is nested

    def __post_init__(self) -> None:
        height = 1 + max((part.height for part in self.parts), default=0)
        object.__setattr__(self, "height", height)  # known at once: nothing goes down deep later

    def places(self, scope: Scope) -> list[Place]:
        """From which word to which it stands, in order; only of what has such places."""
        raise NotImplementedError

    def holds(self, scope: Scope) -> bool:
        """Whether it holds for the document: it stands anywhere."""
        return bool(self.places(scope))

    def hits(self, scope: Scope) -> Found:
        """Return the hits of the parts that hold; of a node without parts, its places."""
        if not self.parts:
            return scope.hits(self.places(scope))
        found = (part.hits(scope) for part in self.parts if part.holds(scope))
        return frozenset().union(*found)

    def within(self, level: int) -> str:
        """How it is written inside of something that binds so tightly."""
        return str(self) if level <= self.LEVEL else f"({self})"


def words_of(text: str) -> tuple[str, ...]:
    """The words of a phrase, as those of documents."""
    return Field(text).words


def quoted(text: str) -> str:
    """The text in quotes, as the grammar reads it."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def named(name: str) -> str:
    """A label or a field as it is written: in quotes where it is no plain word."""
    plain = re.fullmatch(r"[^\W\d_]\w*", name) and name.lower() not in KEYWORDS
    return name if plain else quoted(name)


@dataclass(frozen=True)
class Phrase(Node):
    """Words that follow each other."""

    text: str

    @cached_property
    def words(self) -> tuple[str, ...]:
        """Its words."""
        return words_of(self.text)

    def places(self, scope: Scope) -> list[Place]:
        """Wherever the words follow each other."""
        words, n, here = self.words, len(self.words), scope.field
        starts = here.index.get(words[0], ())
        return [(at, at + n - 1) for at in starts if here.words[at : at + n] == words]

    def __str__(self) -> str:
        return quoted(self.text)


@dataclass(frozen=True)
class Listed(Node):
    """Any of the phrases of a file."""

    file: str
    # The words of each phrase, in the order of the file.
    entries: Mapping[tuple[str, ...], None] = field(default_factory=dict, compare=False, repr=False)
    at: At = field(default=At(), compare=False, repr=False)

    def places(self, scope: Scope) -> list[Place]:
        """Wherever one of the phrases stands."""
        words, lengths = scope.field.words, self._lengths
        return [
            (at, at + n - 1)
            for at, word in enumerate(words)
            for n in lengths.get(word, ())
            if words[at : at + n] in self.entries
        ]

    @cached_property
    def _lengths(self) -> dict[str, set[int]]:
        """How long phrases are, by first word: of 50,000 sites all may begin with www."""
        lengths: dict[str, set[int]] = {}
        for entry in self.entries:
            lengths.setdefault(entry[0], set()).add(len(entry))
        return lengths

    def __str__(self) -> str:
        return f"in {quoted(self.file)}"


@dataclass(frozen=True)
class Pattern(Node):
    """A regular expression, searched in the text as it is written."""

    pattern: str
    ignore_case: bool = False
    at: At = field(default=At(), compare=False, repr=False)

    def holds(self, scope: Scope) -> bool:
        """Whether it matches somewhere."""
        return bool(self._spans(scope, 1))

    def hits(self, scope: Scope) -> Found:
        """Wherever it matches."""
        return frozenset(scope.hit(*span) for span in self._spans(scope))

    def _spans(self, scope: Scope, most: int | None = None) -> list[tuple[int, int]]:
        text = scope.field.text
        try:
            compiled = patterns.compiled(self.pattern, self.ignore_case)
            matches = compiled.finditer(text, timeout=scope.limit)
            return [match.span() for match in islice(matches, most)]
        except TimeoutError:
            why = f"took longer than {scope.limit:g} s"
            more = ", or give more time (time_limit, --time-limit)"
        except MemoryError:  # regex has a limit of its own, of about a gigabyte
            why, more = "took too much memory", ""
        raise RulesError(
            f"/{self.pattern[:60]}/ {why} on a text of {len(text):,} characters and was stopped; "
            f"write it without a repeat inside of a repeat, such as (a+)+{more}",
            file=scope.file,
            **self.at._asdict(),
        )

    def __str__(self) -> str:
        return f"/{self.pattern}/{'i' if self.ignore_case else ''}"


@dataclass(frozen=True)
class Name(Node):
    """A definition, used by its name; before names are known, also a plain word."""

    text: str = field(compare=False)
    key: str
    at: At = field(default=At(), compare=False, repr=False)

    def holds(self, scope: Scope) -> bool:
        """Whether the condition that it stands for holds."""
        return bool(scope.once("holds", self.key))

    def hits(self, scope: Scope) -> Found:
        """Hits of the condition that it stands for."""
        return frozenset(scope.once("hits", self.key))

    def places(self, scope: Scope) -> list[Place]:
        """Places of the condition that it stands for."""
        return list(scope.once("places", self.key))

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Or(Node):
    """At least one of the parts."""

    LEVEL = 0
    parts: tuple[Node, ...]

    def holds(self, scope: Scope) -> bool:
        """Whether one holds."""
        return any(part.holds(scope) for part in self.parts)

    def places(self, scope: Scope) -> list[Place]:
        """Where any of them stands."""
        return sorted({place for part in self.parts for place in part.places(scope)})

    def __str__(self) -> str:
        return " or ".join(part.within(2) for part in self.parts)


@dataclass(frozen=True)
class And(Node):
    """All of the parts."""

    LEVEL = 1
    parts: tuple[Node, ...]

    def holds(self, scope: Scope) -> bool:
        """Whether all hold."""
        return all(part.holds(scope) for part in self.parts)

    def __str__(self) -> str:
        return " and ".join(part.within(2) for part in self.parts)


@dataclass(frozen=True)
class Not(Node):
    """Not the one part."""

    LEVEL = 2
    parts: tuple[Node, ...]

    def holds(self, scope: Scope) -> bool:
        """Whether it does not hold."""
        return not self.parts[0].holds(scope)

    def hits(self, scope: Scope) -> Found:
        """Nothing: what is absent stands nowhere."""
        return frozenset()

    def __str__(self) -> str:
        return f"not {self.parts[0].within(2)}"


@dataclass(frozen=True)
class Within(Node):
    """The one part, looked for in a field."""

    LEVEL = 2
    name: str
    parts: tuple[Node, ...]

    def holds(self, scope: Scope) -> bool:
        """Whether it holds there."""
        return self.parts[0].holds(self._there(scope))

    def hits(self, scope: Scope) -> Found:
        """Hits in the field."""
        return self.parts[0].hits(self._there(scope))

    def _there(self, scope: Scope) -> Scope:
        return replace(scope, name=self.name.casefold())

    def __str__(self) -> str:
        return f"{named(self.name)}: {self.parts[0].within(2)}"


@dataclass(frozen=True)
class Enough(Node):
    """So many of the parts."""

    count: int
    parts: tuple[Node, ...]

    def holds(self, scope: Scope) -> bool:
        """Whether enough hold."""
        holding = (part for part in self.parts if part.holds(scope))
        return sum(1 for _ in islice(holding, self.count)) == self.count

    def __str__(self) -> str:
        return f"at least {self.count} of ({', '.join(map(str, self.parts))})"


@dataclass(frozen=True)
class Near(Node):
    """Two things, the first word of one at most so many words after the last of the other."""

    LEVEL = 3
    distance: int
    parts: tuple[Node, ...]
    at: At = field(default=At(), compare=False, repr=False)

    def places(self, scope: Scope) -> list[Place]:
        """The places of each side that have one of the other near."""
        one, other = (part.places(scope) for part in self.parts)
        return self._close(one, other) + self._close(other, one)

    def hits(self, scope: Scope) -> Found:
        """Places of each side that have one of the other near."""
        return scope.hits(self.places(scope))

    def _close(self, places: list[Place], others: list[Place]) -> list[Place]:
        """The places that have one of the others at most `distance` words before or after."""
        begins, ends = sorted(b for b, _ in others), sorted(e for _, e in others)
        return [
            (begin, end)
            for begin, end in places
            if _any_from(begins, end + 1, end + self.distance)
            or _any_from(ends, begin - self.distance, begin - 1)
        ]

    def __str__(self) -> str:
        near = "near" if self.distance == WITHIN else f"near/{self.distance}"
        return f"{self.parts[0].within(4)} {near} {self.parts[1].within(4)}"


def _any_from(numbers: list[int], low: int, high: int) -> bool:
    """Whether one of the sorted numbers is from low to high."""
    at = bisect_left(numbers, low)
    return at < len(numbers) and numbers[at] <= high

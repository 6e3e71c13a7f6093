"""Scope, where a condition looks, and Node, the base of all conditions."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from nabi.rules.documents import TEXT, Document, Field, Place

Found = frozenset["Hit"]


class At(NamedTuple):
    """Where something begins in the text of the rules."""

    line: int = 1
    column: int = 1


@dataclass(frozen=True, order=True)
class Hit:
    """Something that a rule found in a document: fields[field][begin:end] is the text."""

    field: str
    begin: int
    end: int
    text: str


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


class Node(ABC):
    """A condition on a document."""

    LEVEL: ClassVar[int] = 4  # how tightly it binds, where it is written within another
    parts: tuple["Node", ...] = ()

    height: int  # how deep it is nested

    def __post_init__(self) -> None:
        height = 1 + max((part.height for part in self.parts), default=0)
        object.__setattr__(self, "height", height)  # known at once: nothing goes down deep later

    @abstractmethod
    def holds(self, scope: Scope) -> bool:
        """Whether it holds for the document."""

    def hits(self, scope: Scope) -> Found:
        """The places that make it hold: those of the parts that hold."""
        found = (part.hits(scope) for part in self.parts if part.holds(scope))
        return frozenset().union(*found)

    def places(self, scope: Scope) -> list[Place]:
        """From which word to which it stands, in order; of a `Placed` node alone."""
        raise NotImplementedError

    def within(self, level: int) -> str:
        """How it is written inside of something that binds so tightly."""
        return str(self) if level <= self.LEVEL else f"({self})"


class Placed(Node):
    """A condition that stands at certain words, so that `near` can measure from them."""

    def holds(self, scope: Scope) -> bool:
        """Whether it stands anywhere."""
        return bool(self.places(scope))

    def hits(self, scope: Scope) -> Found:
        """A hit for each place."""
        return frozenset(scope.hit(*scope.field.span(place)) for place in self.places(scope))

"""Scope, where a condition looks, and Node, the base of all conditions."""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from nabi.rules.documents import TEXT, Document, Field, Place

Found = frozenset["Hit"]


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

    @cached_property
    def height(self) -> int:
        """How deep it is nested."""
        return 1 + max((part.height for part in self.parts), default=0)

    @abstractmethod
    def holds(self, scope: Scope) -> bool:
        """Whether it holds for the document."""

    @abstractmethod
    def hits(self, scope: Scope) -> Found:
        """The places that make it hold."""

    def within(self, level: int) -> str:
        """How it is written inside of something that binds so tightly."""
        return str(self) if level <= self.LEVEL else f"({self})"


class Placed(Node):
    """What stands at certain words, so that `near` can measure from them."""

    @abstractmethod
    def places(self, scope: Scope) -> list[Place]:
        """From which word to which, in order."""

    def holds(self, scope: Scope) -> bool:
        """Whether it stands anywhere."""
        return bool(self.places(scope))

    def hits(self, scope: Scope) -> Found:
        """A hit for each place."""
        return frozenset(scope.hit(*scope.field.span(place)) for place in self.places(scope))

"""A document as rules see it: fields of text, each with its words and where they stand."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import nabi._native as _native
from nabi.base.checks import check_type
from nabi.errors import InputError
from nabi.features.names import names_at
from nabi.features.recipe import Features

TEXT = "text"  # the field that rules look at where they name none
# Letter by letter where a script has no spaces: a phrase is found inside longer ones.
WORDS = Features(unspaced=(1, 1), hangul=None, entities=False)

Place = tuple[int, int]  # the first and the last word of something that was found


@dataclass(frozen=True, order=True)
class Hit:
    """Something that a rule found in a document: `fields[field][begin:end]` is the text."""

    field: str
    begin: int
    end: int
    text: str


class Field:
    """One text: its words, and how they map back to it."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def _traced(self) -> tuple[tuple[str, ...], list[int], list[int]]:
        batch = _native.Batch.from_sequence([self.text])
        names, offsets, features, begin, end = _native.trace(batch, WORDS.native)
        return tuple(names_at(names, offsets, features)), begin.tolist(), end.tolist()

    @property
    def words(self) -> tuple[str, ...]:
        """The words, as the preset `words` has them."""
        return self._traced[0]

    @cached_property
    def index(self) -> dict[str, list[int]]:
        """At which places each word stands."""
        index: dict[str, list[int]] = {}
        for at, word in enumerate(self.words):
            index.setdefault(word, []).append(at)
        return index

    def span(self, place: Place) -> tuple[int, int]:
        """Where words stand: text[begin:end]."""
        _, begin, end = self._traced
        return begin[place[0]], end[place[1]]


class Document:
    """The fields of a document by their names, in any case; one that is absent is empty.

    `known` keeps what definitions found in it, so that each is looked for once, however often
    others use it.
    """

    def __init__(self, fields: Mapping[str, str]) -> None:
        self._fields = {name.casefold(): Field(text) for name, text in fields.items()}
        self.known: dict[tuple[str, str, str], Any] = {}

    def field(self, name: str) -> Field:
        """A field, empty where the document has none of that name."""
        return self._fields.setdefault(name.casefold(), Field(""))


def documents_of(documents: Any) -> list[Document]:
    """Documents of a list of str, or of dicts of fields."""
    if isinstance(documents, str | bytes | Mapping):
        name = type(documents).__name__
        raise InputError(f"documents is one {name}, expected a list: write [document] for one")
    if isinstance(documents, _native.Batch):
        documents = documents.to_list()
    check_type("documents", documents, Iterable, "a list of str or of dicts")
    return [document_of(each) for each in documents]


def document_of(given: Any) -> Document:
    """The document of a str, or of a dict of fields."""
    if isinstance(given, Mapping):
        if TEXT not in {str(name).casefold() for name in given}:
            known = ", ".join(repr(name) for name in given) or "none"
            raise InputError(f"a document without the field 'text'; its fields are {known}")
        fields = {name: "" if _is_missing(value) else value for name, value in given.items()}
        return Document({str(name): str(value) for name, value in fields.items()})
    text = "" if _is_missing(given) else given
    check_type("a document", text, str, "a str or a dict of fields")
    return Document({TEXT: text})


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and value != value)

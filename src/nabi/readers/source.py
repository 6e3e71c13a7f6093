"""Sources of rows: one file, folder or query each; a subclass for each format."""

from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import nabi._native as _native
from nabi.base.arrays import U64
from nabi.base.labels import CodedLabels
from nabi.errors import DataError
from nabi.readers.columns import choose, joined_columns
from nabi.readers.likely import Values
from nabi.readers.parts import NO_ROWS, Part, Place
from nabi.readers.rejects import Rejects

NO_LABEL = "the label is empty; every text needs one"


@dataclass(frozen=True)
class Wants:
    """Options of what is to be read from a source, as `read` takes them."""

    text: str | None
    label: str | None
    labelled: bool
    keep: bool
    skip_bad: bool
    threads: int | None
    table: bool | None
    delimiter: str | None
    quotes: bool | None
    header: bool
    remembered: Mapping[str, str]  # columns of the text and the label that a model knows


class Source:
    """Rows that come in parts; bad ones raise, or are set aside."""

    TABULAR = True  # whether it has columns of its own
    total = 0  # about how many bytes of text there are
    names: list[str]  # of all columns
    order: list[str]  # of the columns in parts, where they are kept
    types: Mapping[str, str] = {}  # of all columns, where they have types
    given = 0  # rows that parts had so far
    is_table = False  # whether all columns count, not one that holds the text
    text: str  # what is read as the text: a column, or several with commas between them
    texts: list[str]  # those columns
    other_text: str | None = None  # its text, where that is not what the model was trained on
    hint = ""  # what else may be done where no column is the text
    label_hint = ""  # and where none is the label
    file_hint = ""  # and in both cases
    is_live = False  # whether rows come from a stream whose end is not waited for

    def __init__(self, name: str, wants: Wants) -> None:
        self.name, self.wants = name, wants
        self.rejects = Rejects()  # rows that were set aside; a reader's sources share it
        self.aside = array("Q")  # numbers of rows of parts that were set aside later

    def choose(self, names: list[str]) -> None:
        """Decide which columns are the text and the label."""
        self.names = self.order = names
        wants = self.wants
        self.is_table = self._is_table(names) if wants.table is None else wants.table
        wanted = {} if self.is_table or self._may_be_table(names) else {"text": wants.text}
        if wants.labelled:
            wanted["label"] = wants.label
        known, only = wants.remembered, wants.table is False
        hint = {"text": self.hint, "label": self.label_hint, "file": self.file_hint}
        more: dict[str, Any] = {"remembered": known, "only": only, "hints": hint}
        found = choose(wanted, names, self.name, **more, values=self.first_values)
        self.label = found.get("label")
        if "text" in found:
            self.text = found["text"]
            self.texts = joined_columns(self.text, names)
            self.other_text = self.text if self._is_other(self.text) else None
        if self.is_table:
            columns = [name for name in names if name != self.label]
            if not columns:
                raise DataError("no column beside the label", file=self.name)
            self.text = columns[0]  # by whose bytes progress is told
            self.texts = [self.text]
        self.keeps = wants.keep or self.is_table  # whether parts have all columns

    def first_values(self) -> Values:
        """Return the values of the first rows by column, for an error; nothing where none tell."""
        return {}

    @property
    def columns(self) -> dict[str, str]:
        """The columns of the text and of the label, where their names are others than these."""
        found = {"label": self.label} if self.is_table else {"text": self.text, "label": self.label}
        return {role: name for role, name in found.items() if name and _plain(name) != role}

    def _is_other(self, text: str) -> bool:
        """Whether texts come from another column than those that a model was trained on."""
        known = self.wants.remembered.get("text")
        if known is None or self.wants.text is not None or not self.TABULAR:
            return False
        return [*map(_plain, known.split(","))] != [*map(_plain, text.split(","))]

    def _may_be_table(self, names: list[str]) -> bool:
        """Whether it would be a table if its label were not misspelled: no text is asked for."""
        wants = self.wants
        undecided = wants.table is None and wants.text is None and wants.labelled
        named = wants.label is not None and wants.label not in names
        return undecided and named and look_like_table(names)

    def _is_table(self, names: list[str]) -> bool:
        """Whether it looks like a table: no column is the text, several are beside the label."""
        if self.wants.text is not None or not self.TABULAR or not look_like_table(names):
            return False
        return self.wants.label in names or "label" in map(_plain, names)

    def usable(self, part: Part, out: U64) -> Part:
        """Return a part without some rows; where columns are kept, the rows are only marked."""
        if not len(out):
            return part
        labels = part.labels and part.labels.without(out)
        if self.keeps:
            return replace(part, labels=labels, out=out)
        left = np.delete(np.arange(len(part.texts), dtype=np.uint64), out)
        return replace(
            part,
            texts=part.texts.taken(left),
            labels=labels,
            places=lambda rows: part.places(left[rows]),
        )

    def parts(self) -> Iterator[Part]:
        """Yield the rows, some at a time; each call starts anew."""
        raise NotImplementedError

    def text_bytes(self, part: Part) -> int:
        """Return how many bytes of UTF-8 the texts of a part have."""
        return part.texts.bytes

    @property
    def used(self) -> int:
        """The number of rows that were given and not set aside later."""
        return self.given - len(self.aside)

    def place(self, row: int) -> Place:
        """Return file and line (None: no lines) of a row, numbered among those that can be used."""
        raise NotImplementedError

    def close(self) -> None:
        """Let go of what is open."""


def joined_texts(columns: Sequence[_native.Batch]) -> _native.Batch:
    """Return the texts of several columns, each on lines of its own; missing ones are empty."""
    if len(columns) == 1:
        return columns[0]
    rows = zip(*(column.to_list() for column in columns), strict=True)
    return _native.Batch.from_sequence(["\n".join(text or "" for text in row) for row in rows])


def utf8_bytes(texts: _native.Batch) -> int:
    """Return the bytes in UTF-8 of strings of Python, which itself keeps them in other ways."""
    found = (text or "" for text in texts.to_list())
    return sum(len(text if text.isascii() else text.encode("utf-8", "replace")) for text in found)


def look_like_table(names: Sequence[str]) -> bool:
    """Whether columns, with that of the labels, are rather a table than texts."""
    return len(names) >= 3 and "text" not in map(_plain, names)


def _plain(name: str) -> str:
    return name.strip().lower()


def lacking(labels: CodedLabels | None) -> U64:
    """Return the indexes of labels that are empty."""
    names = () if labels is None else labels.names
    empty = [code for code, name in enumerate(names) if name is None or not name.strip()]
    if labels is None or not empty:
        return NO_ROWS
    return np.flatnonzero(np.isin(labels.codes, empty)).astype(np.uint64)

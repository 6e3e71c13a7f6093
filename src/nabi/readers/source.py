"""Sources of rows: one file, folder or query each; a subclass for each format."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from nabi.errors import DataError
from nabi.readers.columns import chosen
from nabi.readers.parts import Part
from nabi.readers.rejects import Reject

NO_LABEL = "the label is empty; every text needs one"


@dataclass(frozen=True)
class Wants:
    """Options of what is to be read from a source."""

    text: str | None = None
    label: str | None = None
    labelled: bool = True
    keep: bool = False
    skip_bad: bool = False
    threads: int | None = None
    table: bool | None = False  # all columns count; None: where it looks like it


class Source:
    """Rows that come in parts; bad ones raise, or are set aside."""

    TABULAR = True  # whether it has columns of its own
    total = 0  # about how many bytes of text there are
    names: list[str]  # of all columns
    order: list[str]  # of the columns in parts, where they are kept
    types: Sequence[str] | None = None  # of all columns, where they have types
    is_table = False  # whether all columns count, not one that holds the text

    def __init__(self, name: str, wants: Wants) -> None:
        self.name, self.wants = name, wants
        self._bad: list[Any] = []  # rows that were set aside, as a subclass knows them

    def choose(self, names: list[str]) -> None:
        """Decide which columns are the text and the label."""
        self.names = self.order = names
        if self.wants.table is None and self.wants.labelled and self.wants.label is not None:
            chosen("label", self.wants.label, names, self.name)  # before a text is asked for
        self.is_table = self._is_table(names)
        if not self.is_table:
            self.text = chosen("text", self.wants.text, names, self.name)
        self.label = (
            chosen("label", self.wants.label, names, self.name) if self.wants.labelled else None
        )
        if self.is_table:
            columns = [name for name in names if name != self.label]
            if not columns:
                raise DataError("no column beside the label", file=self.name)
            self.text = columns[0]  # by whose bytes progress is told

    def _is_table(self, names: list[str]) -> bool:
        """Whether it is a table: no column is the text, and there are several beside the label."""
        if self.wants.table is not None:
            return self.wants.table
        if self.wants.text is not None or not self.TABULAR or not look_like_table(names):
            return False
        return self.wants.label in names or "label" in map(_plain, names)

    @property
    def keeps(self) -> bool:
        """Whether parts have all columns."""
        return self.wants.keep or self.is_table

    def typed(self) -> Iterator[tuple[str, str]]:
        """(name, type) of each column."""
        return zip(self.names, self.types or ["VARCHAR"] * len(self.names), strict=True)

    def parts(self) -> Iterator[Part]:
        """Yield the rows, some at a time; each call starts anew."""
        raise NotImplementedError

    @property
    def rejected(self) -> int:
        """The number of rows that were set aside so far."""
        return len(self._bad)

    def rejects(self) -> list[Reject]:
        """Return the rows that were set aside, in the order of the file."""
        raise NotImplementedError

    def where(self, row: int) -> str:
        """Return `file:line` of a row, numbered from 0 among those that can be used."""
        raise NotImplementedError

    def close(self) -> None:
        """Let go of what is open."""


def look_like_table(names: Sequence[str]) -> bool:
    """Whether columns, with that of the labels, are rather a table than texts."""
    return len(names) >= 3 and "text" not in map(_plain, names)


def _plain(name: str) -> str:
    return name.strip().lower()


def lacking(labels: Iterable[str | None] | None) -> list[int]:
    """Return the indexes of labels that are empty."""
    given = labels or ()
    return [i for i, label in enumerate(given) if label is None or not label.strip()]

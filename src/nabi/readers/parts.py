"""Parts: some rows at a time, as a reader gives them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

import nabi._native as _native
from nabi.base.arrays import U8, U64, Array
from nabi.base.labels import CodedLabels

NO_ROWS: U64 = np.empty(0, np.uint64)
Place = tuple[str, int | None]  # file and line of a row; None where rows have no lines
LinePlace = int | str  # of a row: its line, or its file
Bad = Callable[[LinePlace, str, str], object]  # takes a row that cannot be used: place, reason, row


class Row(NamedTuple):
    """A row of which every column is a string."""

    place: LinePlace
    values: tuple[str | None, ...]
    text: str  # as it stands


@dataclass(frozen=True, eq=False)
class Records:
    """Rows of a CSV file as they stand there, for a writer of the same dialect."""

    delimiter: str
    block: U8
    begins: U64
    ends: U64
    has_bare_returns: bool  # one that is not followed by a newline


@dataclass(frozen=True, eq=False)
class Part:
    """Rows that are read together: texts, labels, and where they are kept, all columns.

    The columns are in one of three forms: as Arrow (`rows`), as strings (`columns`, for CSV also
    `records`), or as JSON (`objects`, with the SQL types of the names in `types`). Of a table all
    rows are there, those in `out` too, which are not to be learned from; `labels` has no label for
    them. Where the columns are Arrow, `typed` tells their indexes as plain numbers and strings.
    `places` returns file and line (None: no lines) of rows, by their indexes, until the next part
    is read.
    """

    texts: _native.Batch
    labels: CodedLabels | None
    names: list[str]  # of all columns
    places: Callable[[Array], list[Place]]
    rows: _native.Rows | None = None
    columns: list[_native.Batch] | None = None
    records: Records | None = None
    objects: list[str] | None = None
    types: Mapping[str, str] | None = None
    out: Array = field(default_factory=lambda: NO_ROWS)
    typed: Mapping[str, "Typed"] | None = None

    def __len__(self) -> int:
        """Return how many rows can be used."""
        return len(self.texts) - len(self.out)


@dataclass(frozen=True)
class Typed:
    """The index of a column of a table among those of Arrow, and its type.

    bool, int, float: as float64. str, category, and large (whole numbers): as strings. Any other
    type (a date, a list) is given by its name, and has no index.
    """

    dtype: str
    place: int | None


def record(part: Part, index: int) -> str | None:
    """Return a row as it stands in its file, where that is known."""
    if part.objects is not None:
        return part.objects[index]
    if part.records is None:
        return None
    begin, end = int(part.records.begins[index]), int(part.records.ends[index])
    return raw_text(part.records.block, begin, end)


def raw_text(block: U8, begin: int, end: int) -> str:
    """Return the bytes of a row as text, without the end of its line."""
    raw: bytes = block[begin:end].tobytes()
    return raw.decode("utf-8", "backslashreplace").rstrip("\r\n")

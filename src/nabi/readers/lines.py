"""Formats of one text a line, and folders of one text a file."""

import os
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import nabi._native as _native
from nabi.errors import DataError
from nabi.readers.files import NOT_UTF8, File
from nabi.readers.parts import Part
from nabi.readers.rejects import Reject
from nabi.readers.source import NO_LABEL, Source, Wants

PREFIX = "__label__"
BLOCK = 2**20  # bytes that are read at a time
LONGEST = 2**24  # bytes of a line
MANY = 2**23  # bytes of text in a part
TOO_LONG = f"a line of more than {LONGEST >> 20} MB"


@dataclass(frozen=True)
class Row:
    """A row of which every column is a string."""

    place: int | str  # its line, or its file
    values: tuple[str | None, ...]
    size: int  # bytes
    json: str = ""  # where it is a JSON object: as it stands


class Rows:
    """Rows that come one by one; those that cannot be used raise, or are set aside."""

    names: tuple[str, ...]

    def __init__(self, file: File, skip_bad: bool) -> None:
        self.file, self.skip_bad = file, skip_bad
        self.rejects: list[Reject] = []

    def __iter__(self) -> Iterator[Row]:
        raise NotImplementedError

    def bad(self, place: int | str, reason: str, row: str) -> None:
        """Set a row aside, or stop at it."""
        file, line = (self.file.name, place) if isinstance(place, int) else (place, None)
        if not self.skip_bad:
            raise DataError(reason, file=file, line=line, skippable=True)
        self.rejects.append(Reject(file, line, reason, row))

    def numbered(self) -> Iterator[tuple[int, str, int]]:
        """(line number, line, its bytes), blank lines left out."""
        for number, raw in enumerate(raw_lines(self.file), 1):
            try:
                line = raw.removeprefix(b"\xef\xbb\xbf" if number == 1 else b"").decode()
            except UnicodeDecodeError:
                self.bad(number, NOT_UTF8, raw.decode("utf-8", "backslashreplace"))
                continue
            if len(raw) > LONGEST:
                self.bad(number, TOO_LONG, line[:1000] + "...")
            elif line.strip():
                yield number, line, len(raw)


def raw_lines(file: File) -> Iterator[bytes]:
    """The lines without their ends; of one that is too long the first bytes, more than it may have.

    A line ends with a newline, a carriage return before it or not; in a file without newlines, with
    a carriage return.
    """
    end = b"\r" if b"\r" in file.start and b"\n" not in file.start else b"\n"
    with file.open() as source:
        rest, skipping = b"", False
        while block := source.read(BLOCK):
            *lines, rest = (rest + block).split(end)
            for line in lines:
                if not skipping:
                    yield line.removesuffix(b"\r")
                skipping = False
            if skipping:
                rest = b""
            elif len(rest) > LONGEST + 1:
                yield rest
                rest, skipping = b"", True
        if rest and not skipping:
            yield rest.removesuffix(b"\r")


class PlainRows(Rows):
    """(text,) of each line."""

    names = ("text",)

    def __iter__(self) -> Iterator[Row]:
        for number, line, size in self.numbered():
            yield Row(number, (line,), size)


class FastTextRows(Rows):
    """(label, text) of each `__label__spam buy now`."""

    names = ("label", "text")

    def __iter__(self) -> Iterator[Row]:
        for number, line, size in self.numbered():
            head, _, text = line.strip().replace("\t", " ", 1).partition(" ")
            label = head.removeprefix(PREFIX)
            if head == label or not label:
                self.bad(number, f"no {PREFIX}... at the start of the line", line)
            elif text.lstrip().startswith(PREFIX):
                self.bad(number, "more than one label; nabi learns one for each text", line)
            else:
                yield Row(number, (label, text.strip()), size)


class FolderRows(Rows):
    """(path, label, text) of each file; the label is the name of the folder's sub-folder."""

    names = ("path", "label", "text")

    def __iter__(self) -> Iterator[Row]:
        root = self.file.path
        labels = sorted(entry.name for entry in os.scandir(root) if _is_folder(entry))
        if not labels:
            raise DataError(
                "a folder without sub-folders; expected one sub-folder for each class, with a file "
                "for each text",
                file=root,
            )
        for label in labels:
            for path in _files_below(os.path.join(root, label)):
                with open(path, "rb") as file:
                    raw = file.read()
                try:
                    text = raw.removeprefix(b"\xef\xbb\xbf").decode()
                except UnicodeDecodeError:
                    self.bad(path, NOT_UTF8, "")
                else:
                    yield Row(path, (path, label, text), len(raw))


def _is_folder(entry: os.DirEntry[str]) -> bool:
    return entry.is_dir() and not entry.name.startswith(".")


def _files_below(folder: str) -> Iterator[str]:
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (os.path.join(place, name) for name in sorted(names) if name[0] != ".")


ROWS: dict[str, type[Rows]] = {"lines": PlainRows, "fasttext": FastTextRows, "folder": FolderRows}


class LineSource(Source):
    """Lines and folders."""

    TABULAR = False

    def __init__(self, file: File, wants: Wants) -> None:
        super().__init__(file.name, wants)
        self.file = file
        if wants.table and not self.TABULAR:
            raise DataError("a text on each line is no table; expected columns", file=file.name)
        self.choose(self._columns())
        self._rows = self.rows(wants.skip_bad)
        self.total = int(file.size * file.expansion)

    def _columns(self) -> list[str]:
        """Return the names of all columns."""
        return list(ROWS[self.file.format].names)

    def rows(self, skip_bad: bool) -> Rows:
        """The rows one by one."""
        return ROWS[self.file.format](self.file, skip_bad)

    def usable(self, rows: Rows) -> Iterator[Row]:
        """Yield the rows that have what they need."""
        label = None if self.label is None else rows.names.index(self.label)
        for row in rows:
            if label is not None and not (row.values[label] or "").strip():
                rows.bad(row.place, NO_LABEL, row.json)
            else:
                yield row

    def parts(self) -> Iterator[Part]:
        """Yield the rows, some megabytes at a time."""
        self._rows = self.rows(self.wants.skip_bad)
        some: list[Row] = []
        size = 0
        for row in self.usable(self._rows):
            some.append(row)
            size += row.size
            if size >= MANY:
                yield self.part(some)
                some, size = [], 0
        if some:
            yield self.part(some)

    def part(self, rows: list[Row]) -> Part:
        """Return the part of some rows."""
        names = self._rows.names
        at = {name: [row.values[i] for row in rows] for i, name in enumerate(names)}
        texts = _native.Batch.from_sequence(at[self.text])
        labels: Any = None if self.label is None else at[self.label]
        columns = None
        if self.wants.keep:
            columns = [_native.Batch.from_sequence(at[name]) for name in self.order]
        return Part(texts, labels, self.order, columns=columns)

    @property
    def rejected(self) -> int:
        """The number of rows that were set aside so far."""
        return len(self._rows.rejects)

    def rejects(self) -> list[Reject]:
        """Return the rows that were set aside."""
        return list(self._rows.rejects)

    def where(self, row: int) -> str:
        """Return `file:line` of a row that can be used, found by reading again."""
        place = next(islice(self.usable(self.rows(True)), row, None)).place
        return f"{self.name}:{place}" if isinstance(place, int) else place

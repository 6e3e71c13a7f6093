"""Formats of one text a line, and folders of one text a file."""

import os
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import nabi._native as _native
from nabi.base.arrays import Array
from nabi.base.labels import CodedLabels, codes_by_coming
from nabi.errors import DataError
from nabi.readers.files import NOT_REGULAR, NOT_UTF8, File
from nabi.readers.parts import Part, Place
from nabi.readers.rejects import Reject
from nabi.readers.source import NO_LABEL, Source, Wants

PREFIX = "__label__"
BLOCK = 2**20  # bytes that are read at a time
LONGEST = 2**24  # bytes of a line
MANY = 2**23  # characters of text in a part
ROWS = 2**18  # rows in a part, however short they are
TOO_LONG = f"a line of more than {LONGEST >> 20} MB"

LinePlace = int | str  # of a row: its line, or its file
Bad = Callable[[LinePlace, str, str], object]  # takes a row that cannot be used: place, reason, row


class Row(NamedTuple):
    """A row of which every column is a string."""

    place: LinePlace
    values: tuple[str | None, ...]
    text: str  # as it stands


def numbered(file: File, bad: Bad) -> Iterator[tuple[int, str]]:
    """(line number, line), blank lines left out."""
    for number, raw in enumerate(_raw_lines(file), 1):
        try:
            line = raw.removeprefix(b"\xef\xbb\xbf" if number == 1 else b"").decode()
        except UnicodeDecodeError:
            bad(number, NOT_UTF8, raw.decode("utf-8", "backslashreplace"))
            continue
        if len(raw) > LONGEST:
            bad(number, TOO_LONG, line[:1000] + "...")
        elif line.strip():
            yield number, line


def _raw_lines(file: File) -> Iterator[bytes]:
    """The lines without their ends; of one that is too long, more bytes than it may have."""
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


def _plain_rows(file: File, bad: Bad) -> Iterator[Row]:
    return (Row(number, (line,), line) for number, line in numbered(file, bad))


def _fasttext_rows(file: File, bad: Bad) -> Iterator[Row]:
    """(label, text) of each `__label__spam buy now`."""
    for number, line in numbered(file, bad):
        head, _, text = line.strip().replace("\t", " ", 1).partition(" ")
        label = head.removeprefix(PREFIX)
        if head == label or not label:
            bad(number, f"no {PREFIX}... at the start of the line", line)
        elif text.lstrip().startswith(PREFIX):
            bad(number, "more than one label; nabi learns one for each text", line)
        else:
            yield Row(number, (label, text.strip()), line)


def _folder_rows(folder: File, bad: Bad) -> Iterator[Row]:
    """(path, label, text) of each file; the label is the name of the folder's sub-folder."""
    root = folder.path
    labels = sorted(e.name for e in os.scandir(root) if e.is_dir() and not e.name.startswith("."))
    if not labels:
        raise DataError(
            "a folder without sub-folders; expected one sub-folder for each class, with a file "
            "for each text",
            file=root,
        )
    for label in labels:
        for path in _files_below(os.path.join(root, label)):
            if not os.path.isfile(path):  # a pipe would be waited for, and /dev/zero has no end
                bad(path, NOT_REGULAR, "")
                continue
            try:
                text = Path(path).read_bytes().decode("utf-8-sig")
            except UnicodeDecodeError:
                bad(path, NOT_UTF8, "")
            else:
                yield Row(path, (path, label, text), text)


def _files_below(folder: str) -> Iterator[str]:
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (os.path.join(place, name) for name in sorted(names) if name[0] != ".")


_FORMATS = {  # the columns of a format, and its rows
    "lines": (["text"], _plain_rows),
    "fasttext": (["label", "text"], _fasttext_rows),
    "folder": (["path", "label", "text"], _folder_rows),
}


class LineSource(Source):
    """Lines and folders."""

    TABULAR = False

    def __init__(self, file: File, wants: Wants) -> None:
        super().__init__(file.name, wants)
        self.file, self.total = file, file.text_bytes
        if wants.table and not self.TABULAR:
            raise DataError("a text on each line is no table; expected columns", file=file.name)
        self.choose(self._columns())
        self._values = self.names  # what the values of a row are called

    def _columns(self) -> list[str]:
        return _FORMATS[self.file.format][0]

    def _rows(self, bad: Bad) -> Iterator[Row]:
        return _FORMATS[self.file.format][1](self.file, bad)

    def _usable(self, bad: Bad) -> Iterator[Row]:
        """Yield the rows that have what they need."""
        label = None if self.label is None else self._values.index(self.label)
        for row in self._rows(bad):
            if label is not None and not (row.values[label] or "").strip():
                bad(row.place, NO_LABEL, row.text)
            else:
                yield row

    def _set_aside(self, place: LinePlace, reason: str, row: str) -> None:
        """Set a row aside, or stop at it."""
        file, line = self._place(place)
        if not self.wants.skip_bad:
            raise DataError(reason, file=file, line=line, skippable=True)
        self.rejects.add(Reject(file, line, reason, row))

    def parts(self) -> Iterator[Part]:
        """Yield the rows, some megabytes at a time."""
        some: list[Row] = []
        size = 0
        for row in self._usable(self._set_aside):
            some.append(row)
            size += len(row.text)
            if size >= MANY or len(some) >= ROWS:
                yield self._part(some)
                some, size = [], 0
        if some:
            yield self._part(some)

    def _part(self, rows: list[Row]) -> Part:
        at = {name: [row.values[i] for row in rows] for i, name in enumerate(self._values)}
        labels = None if self.label is None else CodedLabels(*codes_by_coming(at[self.label]))
        texts, kept = _native.Batch.from_sequence(at[self.text]), {}
        if self.keeps:
            kept = self._kept(at, rows)
        lines = [row.place for row in rows]
        places = partial(self._places, lines)
        return Part(texts, labels, self.order, places, **kept)

    def _place(self, place: LinePlace) -> Place:
        return (self.name, place) if isinstance(place, int) else (place, None)

    def _places(self, lines: list[LinePlace], indexes: Array) -> list[Place]:
        return [self._place(lines[i]) for i in indexes.tolist()]

    def _kept(self, at: dict[str, list[str | None]], rows: list[Row]) -> dict[str, Any]:
        """Return the fields of a part that keep all columns."""
        return {"columns": [_native.Batch.from_sequence(at[name]) for name in self.order]}

    def place(self, row: int) -> Place:
        """Return file and line of a row that can be used, found by reading again."""
        return self._place(next(islice(self._usable(lambda *bad: None), row, None)).place)

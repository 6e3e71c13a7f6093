"""Formats of one text a line, and the source of those and of one text a file."""

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain, islice
from typing import Any

import nabi._native as _native
from nabi.base.arrays import Array
from nabi.base.labels import CodedLabels, codes_by_coming
from nabi.errors import DataError
from nabi.readers.files import File, not_utf8
from nabi.readers.folders import class_rows, classes_in, folder_rows, folders_rows
from nabi.readers.mails.mailboxes import class_mailbox_rows, mail_rows, mailbox_rows
from nabi.readers.parts import Bad, LinePlace, Part, Place, Row
from nabi.readers.rejects import Reject
from nabi.readers.source import NO_LABEL, Source, Wants, joined_texts, utf8_bytes

PREFIX = "__label__"
BLOCK = 2**20  # bytes that are read at a time
LONGEST = 2**24  # bytes of a line
MANY = 2**23  # characters of text in a part
ROWS = 2**18  # rows in a part, however short they are
TOO_LONG = f"a line of more than {LONGEST >> 20} MB"


def numbered(file: File, bad: Bad) -> Iterator[tuple[int, str]]:
    """(line number, line), blank lines left out."""
    lines = _decoded(enumerate(chain.from_iterable(_line_blocks(file)), 1), bad, file.start)
    return ((number, line) for number, line in lines if line.strip())


def _decoded(
    raw_lines: Iterable[tuple[int, bytes]], bad: Bad, start: bytes
) -> Iterator[tuple[int, str]]:
    """(line number, line), without lines that cannot be used."""
    for number, raw in raw_lines:
        try:
            line = raw.removeprefix(b"\xef\xbb\xbf" if number == 1 else b"").decode()
        except UnicodeDecodeError:
            bad(number, not_utf8(raw, start), raw.decode("utf-8", "backslashreplace"))
            continue
        if len(raw) > LONGEST:
            bad(number, TOO_LONG, line[:1000] + "...")
        else:
            yield number, line


def _blocks(file: File) -> Iterator[bytes]:
    """The bytes of a file, some at a time."""
    with file.open() as source:
        yield from iter(lambda: source.read(BLOCK), b"")


def _line_blocks(file: File) -> Iterator[list[bytes]]:
    """The lines that end in each block; of one that is too long, more bytes than it may have."""
    end = b"\r" if b"\r" in file.start and b"\n" not in file.start else b"\n"
    rest, skipping = b"", False
    for block in _blocks(file):
        *lines, rest = (rest + block).split(end)
        lines = [line.removesuffix(b"\r") for line in lines]
        if skipping:
            skipping, lines, rest = not lines, lines[1:], rest if lines else b""
        if len(rest) > LONGEST + 1:
            lines.append(rest)
            rest, skipping = b"", True
        yield lines
    if rest and not skipping:
        yield [rest.removesuffix(b"\r")]


def _plain_rows(file: File, bad: Bad) -> Iterator[Row]:
    """(text) of each line, blank or not."""
    return (row for rows in _plain_blocks(file, bad) for row in rows)


def _plain_blocks(file: File, bad: Bad) -> Iterator[list[Row]]:
    """The rows of the lines that end in each block."""
    done = 0
    for lines in _line_blocks(file):
        found = _decoded(enumerate(lines, done + 1), bad, file.start)
        yield [Row(number, (line,), line) for number, line in found]
        done += len(lines)


def _typed_rows(file: File, bad: Bad) -> Iterator[Row]:
    """(text) of the one text that somebody typed in the place of a path."""
    yield Row(1, (file.path,), file.path)


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


_FORMATS = {  # the columns of a format, and its rows
    "lines": (["text"], _plain_rows),
    "text": (["text"], _typed_rows),
    "fasttext": (["label", "text"], _fasttext_rows),
    "folder": (["path", "text"], folder_rows),
    "folders": (["path", "label", "text"], folders_rows),
    "classes": (["path", "label", "text"], class_rows),
    "eml": (["path", "text"], mail_rows),
    "mbox": (["mail", "text"], mailbox_rows),
    "mailboxes": (["mail", "label", "text"], class_mailbox_rows),
}

_LABELS = {  # where labels come from, if a source has none
    "eml": "; the label of a mail is the name of its folder: put it into a folder such as "
    "mails/spam, and give mails as DATA",
    "mbox": "; the label of a mail is the name of its mailbox: give a mailbox for each class, as "
    "in spam.mbox ham.mbox",
}


class LineSource(Source):
    """Lines and folders."""

    TABULAR = False

    def __init__(self, file: File, wants: Wants) -> None:
        super().__init__(file.name, wants)
        self.file, self.total = file, file.text_bytes
        self.is_live = file.arriving is not None
        if file.format == "folder" and (wants.labelled or classes_in(file.path)):
            file.format = "classes" if wants.labelled else "folders"
        if file.format == "mbox" and file.label is not None:
            file.format = "mailboxes"
        self.label_hint = _LABELS.get(file.format, "")
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
        """Yield the rows, some megabytes at a time; lines of standard input as they come."""
        if self.file.arriving is not None:
            blocks = _plain_blocks(self.file, self._set_aside)
            yield from (self._part(rows) for rows in blocks if rows)
            return
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
        columns = [_native.Batch.from_sequence(at[name]) for name in self.texts]
        texts, kept = joined_texts(columns), {}
        if self.keeps:
            kept = self._kept(at, rows)
        lines = [row.place for row in rows]
        places = partial(self._places, lines)
        return Part(texts, labels, self.order, places, **kept)

    def text_bytes(self, part: Part) -> int:
        """Return how many bytes of UTF-8 the texts of a part have."""
        return utf8_bytes(part.texts)

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

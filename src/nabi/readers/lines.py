"""Formats of one text a line, and of one text a file: folders, mails."""

import os
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple

import nabi._native as _native
from nabi.base.arrays import Array
from nabi.base.labels import CodedLabels, codes_by_coming
from nabi.errors import DataError
from nabi.readers.files import NOT_REGULAR, File, not_utf8
from nabi.readers.parts import Part, Place
from nabi.readers.rejects import Reject
from nabi.readers.source import NO_LABEL, Source, Wants, joined_texts, utf8_bytes

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


def _class_rows(folder: File, bad: Bad) -> Iterator[Row]:
    """(path, label, text) of each file; the label is the name of the folder's sub-folder."""
    labels = _sub_folders(folder.path)
    if not labels:
        raise DataError(
            "a folder without sub-folders; expected one sub-folder for each class, with a file "
            "for each text",
            file=folder.path,
        )
    places = (os.path.join(folder.path, label) for label in labels)
    paths = chain.from_iterable(map(_files_below, places))
    yield from _with_folder(folder.path, _file_rows(paths, folder, bad))


def _folders_rows(folder: File, bad: Bad) -> Iterator[Row]:
    """(path, label, text) of each file, without a label where it lies in no sub-folder."""
    return _with_folder(folder.path, _folder_rows(folder, bad))


def _with_folder(root: str, rows: Iterable[Row]) -> Iterator[Row]:
    for row in rows:
        path, text = row.values
        label, *inside = os.path.relpath(path or "", root).split(os.sep)
        yield row._replace(values=(path, label if inside else None, text))


def _folder_rows(folder: File, bad: Bad) -> Iterator[Row]:
    """(path, text) of each file in a folder and in its sub-folders."""
    root, folders = folder.path, _sub_folders(folder.path)
    names = (e.name for e in os.scandir(root) if e.name not in folders and e.name[0] != ".")
    own = [os.path.join(root, name) for name in sorted(names)]
    below = (path for name in folders for path in _files_below(os.path.join(root, name)))
    return _file_rows(chain(own, below), folder, bad)


def _mail_rows(file: File, bad: Bad) -> Iterator[Row]:
    """(path, text) of one mail."""
    with file.open() as source:
        text = _mail_text(source.read())
    yield Row(file.name, (file.name, text), text)


def _mbox_rows(file: File, bad: Bad) -> Iterator[Row]:
    """(mail, text) of each mail of a mailbox; the line before a mail begins with From."""
    for number, (line, raw) in enumerate(_mails(file), 1):
        text = _mail_text(raw)
        yield Row(line, (str(number), text), text)


def _mails(file: File) -> Iterator[tuple[int, bytes]]:
    """The mails of a mailbox, each with the line before it; `>From ` in a mail was `From `."""
    mail, first, is_blank = list[bytes](), 1, True
    with file.open() as lines:
        for line, raw in enumerate(iter(lines.readline, b""), 1):
            if is_blank and raw.startswith(b"From "):
                yield from [(first, b"".join(mail))] if mail else []
                mail, first = [], line
            else:
                mail.append(raw[1:] if raw.startswith(b">From ") else raw)
            is_blank = not raw.strip(b"\r\n")
    if mail:
        yield first, b"".join(mail)


def _file_rows(paths: Iterable[str], folder: File, bad: Bad) -> Iterator[Row]:
    """(path, text) of each file in a folder."""
    for path in paths:
        if not os.path.isfile(path):  # a pipe would be waited for, and /dev/zero has no end
            bad(path, NOT_REGULAR, "")
            continue
        raw = Path(path).read_bytes()
        try:
            mail = folder.mails or path.lower().endswith(".eml")
            text = _mail_text(raw) if mail else raw.decode(folder.encoding)
        except UnicodeError:
            bad(path, not_utf8(raw), "")
        else:
            yield Row(path, (path, text), text)


def _mail_text(raw: bytes) -> str:
    from nabi.readers.mail import mail_text  # Python's email takes a while to import

    return mail_text(raw)


def _sub_folders(root: str) -> list[str]:
    return sorted(e.name for e in os.scandir(root) if e.is_dir() and not e.name.startswith("."))


def _files_below(folder: str) -> Iterator[str]:
    for place, folders, names in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (os.path.join(place, name) for name in sorted(names) if name[0] != ".")


_FORMATS = {  # the columns of a format, and its rows
    "lines": (["text"], _plain_rows),
    "text": (["text"], _typed_rows),
    "fasttext": (["label", "text"], _fasttext_rows),
    "folder": (["path", "text"], _folder_rows),
    "folders": (["path", "label", "text"], _folders_rows),
    "classes": (["path", "label", "text"], _class_rows),
    "eml": (["path", "text"], _mail_rows),
    "mbox": (["mail", "text"], _mbox_rows),
}


MAIL_LABEL = (
    "; the label of a mail is the name of its folder: put it into a folder such as mails/spam, and "
    "give mails as DATA"
)


class LineSource(Source):
    """Lines and folders."""

    TABULAR = False

    def __init__(self, file: File, wants: Wants) -> None:
        super().__init__(file.name, wants)
        self.file, self.total = file, file.text_bytes
        self.is_live = file.arriving is not None
        if file.format == "folder" and (wants.labelled or _sub_folders(file.path)):
            file.format = "classes" if wants.labelled else "folders"
        if file.format in ("eml", "mbox"):
            self.label_hint = MAIL_LABEL
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

"""Files to read: paths, each with its format, compression and encoding."""

import codecs
import contextlib
import glob
import io
import os
import shutil
import stat
import sys
import tempfile
import weakref
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO, cast

from nabi.base.checks import one_of
from nabi.errors import DataError, InputError
from nabi.readers.compression import (
    EXTENSIONS,
    Compression,
    compression_of,
    is_broken,
    plain,
    unpacked,
)
from nabi.readers.eastern import can_be, eastern_encoding
from nabi.readers.live import Arriving, header_of, is_binary, is_plain

CONTROL = bytes([*range(9), *range(14, 27), *range(28, 32)])  # no tabs, line ends, escapes
FORMATS = (
    *("csv", "tsv", "jsonl", "parquet", "excel", "sqlite", "fasttext", "lines", "folder", "eml"),
    "text",
)
BINARY = ("parquet", "excel", "sqlite")  # formats that are no text
WIDEST = 2**24  # bytes of a header
START = 2**18  # bytes of a file that are looked at before it is read
FEW = 16  # control characters that a text may well hold
STDIN, TYPED = "<stdin>", "<text>"
NOT_REGULAR = "no regular file (a pipe, a device, or a link to one or to nothing)"
NOT_UTF8 = "bytes that are not UTF-8 (--encoding names another)"

_EXTENSIONS = {
    **dict.fromkeys((".csv", ".tsv", ".tab"), "csv"),
    **dict.fromkeys((".jsonl", ".ndjson", ".json"), "jsonl"),
    **dict.fromkeys((".parquet", ".pq"), "parquet"),
    ".eml": "eml",
}
_BINARY_EXTENSIONS = (".xlsx", ".xlsm", ".xlsb", ".xls", ".ods", ".db", ".sqlite", ".sqlite3")
_SQLITE, _ZIP, _OLE = b"SQLite format 3\0", b"PK\x03\x04", b"\xd0\xcf\x11\xe0"
_NOT_CP1252 = {0x81, 0x8D, 0x8F, 0x90, 0x9D}  # bytes that stand for nothing there
_BOMS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}


class Scratch:
    """Folders for copies, removed when it is closed, no longer held, or the program ends."""

    def __init__(self) -> None:
        self._made: list[Callable[[], object]] = []

    def path(self, suffix: str = "") -> str:
        """Return a path for a new file, in a folder of its own."""
        folder = tempfile.mkdtemp(prefix="nabi-")
        self._made.append(weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True))
        return os.path.join(folder, f"copy{suffix}")

    def close(self) -> None:
        """Remove the folders."""
        for remove in self._made:
            remove()


@dataclass
class File:
    """A file or folder to read."""

    name: str  # what the user called it
    path: str  # where it lies, perhaps as a copy
    format: str
    compression: Compression = "none"
    start: bytes = b""  # its first bytes, decompressed
    taken: int = 0  # how many bytes of the file those are
    size: int = 0
    arriving: Arriving | None = None  # standard input that is read as it comes
    mails: bool = False  # of a folder: whether every file is a mail, whatever its name
    encoding: str = "utf-8-sig"  # of a folder: that of its files
    part: str | None = None  # the sheet or table in it that the user named: book.xlsx#Mail

    @property
    def extension(self) -> str:
        """`.csv` of `mail.csv.gz`."""
        path = Path(self.name.removesuffix(f"#{self.part}").lower())
        return Path(path.stem).suffix if path.suffix in EXTENSIONS else path.suffix

    @property
    def is_whole(self) -> bool:
        """Whether the start is all there is."""
        return len(self.start) < START

    @contextlib.contextmanager
    def open(self) -> Iterator[BinaryIO]:
        """The decompressed bytes; what is not well compressed is an error of the data."""
        if self.arriving is not None:
            yield cast(BinaryIO, self.arriving)
            return
        with (
            open(self.path, "rb") as raw,
            _explained(self.name),
            contextlib.closing(unpacked(raw, self.compression)) as file,
        ):
            yield file

    @property
    def text(self) -> str:
        """The start as text, without a character that is cut in two."""
        return self.start.decode("utf-8", "ignore").removeprefix("\ufeff")

    @property
    def text_bytes(self) -> int:
        """About how many bytes there are decompressed, going by the start."""
        return int(self.size * len(self.start) / self.taken) if self.taken else self.size


def find(
    paths: Iterable[str | os.PathLike[str]],
    scratch: Scratch,
    *,
    format: str | None = None,
    encoding: str | None = None,
    live: Collection[str] | None = None,
) -> list[File]:
    """The files that paths and patterns name; `-` is standard input, with "text" a path is a text.

    With `live`, names of columns of texts, standard input without such a header is plain lines.
    """
    if format is not None:
        one_of("format", format, FORMATS)
    try:
        codecs.lookup("utf-8" if encoding is None else encoding)
    except LookupError:
        raise InputError(
            f"encoding={encoding!r} is unknown; expected one such as utf-8, latin-1, cp1252, utf-16"
        ) from None
    given = [os.fspath(path) for path in paths]
    if not given:
        raise InputError("no data; expected a file, a folder, a pattern such as 'mail/*.csv' or -")
    if format == "text":
        return [File(TYPED, text, "text", size=len(text)) for text in given]
    found = [each for path in given for each in _expanded(path)]
    if found == ["-"] and live is not None:
        return [_standard_input(scratch, format, encoding, live)]
    return [_file(path, scratch, format, encoding) for path in found]


def typed_row(file: File, scratch: Scratch) -> File:
    """A row that somebody typed as JSON, as a file."""
    path = scratch.path(".jsonl")
    Path(path).write_text(" ".join(file.path.split("\n")), "utf-8", "surrogateescape")
    return _regular_file(TYPED, path, scratch, "jsonl", None)


def looks_like_file(path: str) -> bool:
    """Whether somebody who typed this meant a file or a text, going by its name if it is absent.

    A slash is of a path only where no blank is: 'good 5/5' is a text, 'some/text' is a path.
    """
    named = (*_EXTENSIONS, *_BINARY_EXTENSIONS, *EXTENSIONS, ".txt", ".nabi")
    known = File(path, path, "").extension in named
    slashed = os.sep in path and len(path.split()) == 1
    return is_there(path) or known or slashed or bool(_close_to(path))


def is_there(path: str) -> bool:
    """Whether a path or pattern names something that can be read."""
    path = _in_parts(path)[0]
    return path == "-" or os.path.exists(path) or bool(glob.glob(path, recursive=True))


def _in_parts(path: str) -> tuple[str, str | None]:
    """'book.xlsx#Mail' -> ('book.xlsx', 'Mail'), where there is a book.xlsx"""
    ends = [] if os.path.exists(path) else [i for i, mark in enumerate(path) if mark == "#"]
    for end in reversed(ends):
        if os.path.isfile(path[:end]) or glob.glob(path[:end], recursive=True):
            return path[:end], path[end + 1 :]
    return path, None


def no_such_file(path: str) -> str:
    """`no such file; did you mean mail.csv?`"""
    return "no such file" + "".join(f"; did you mean {close}?" for close in _close_to(path))


def _standard_input(
    scratch: Scratch, format: str | None, encoding: str | None, live: Collection[str]
) -> File:
    """Standard input, of which plain lines are read as they come."""
    _check_no_device(sys.stdin.buffer, STDIN)
    arriving = Arriving(sys.stdin.buffer)
    start = arriving.look()
    if format is None and is_plain(start, live):
        format = "lines"
    utf8 = codecs.lookup(encoding or "utf-8").name in ("utf-8", "utf-8-sig")
    if format == "lines" and utf8 and arriving.has_lines and not is_binary(start):
        file = File(STDIN, "-", "lines", start=start, arriving=arriving)
        _check_is_text(file)
        return file
    if format in (None, "csv") and utf8 and header_of(start):
        return File(STDIN, "-", "csv", start=header_of(start), arriving=arriving)
    path = scratch.path()
    _copy(arriving, path, STDIN)
    return _regular_file(STDIN, path, scratch, format, encoding)


def _expanded(path: str) -> list[str]:
    if path == "-" or os.path.exists(path):
        return [path]
    whole, part = _in_parts(path)
    if part is not None:
        return [f"{each}#{part}" for each in _expanded(whole)]
    if glob.has_magic(path):
        matches = sorted(glob.glob(path, recursive=True))
        for match in matches:
            if not os.path.isfile(match) and not os.path.isdir(match):
                raise DataError(f"{NOT_REGULAR}; name it by itself to read a pipe", file=match)
        if matches:
            return matches
        raise DataError("no file matches this pattern", file=path)
    raise DataError(no_such_file(path), file=path)


def _close_to(path: str) -> list[str]:
    """The file whose name is nearly that of a path, if there is one."""
    folder, name = os.path.split(path)
    with contextlib.suppress(OSError, ValueError):
        close = get_close_matches(name, os.listdir(folder or "."), 1, 0.7)
        return [os.path.join(folder, each) for each in close]
    return []


def _file(path: str, scratch: Scratch, format: str | None, encoding: str | None) -> File:
    name, (path, part) = STDIN if path == "-" else path, _in_parts(path)
    if path == "-":
        path = _spooled(sys.stdin.buffer, scratch, name)
    elif os.path.isdir(path):
        if format not in (None, "folder", "eml"):
            raise DataError(f"a folder, expected a file of format {format}", file=name)
        folder = File(name, path, "folder", mails=format == "eml")
        return replace(folder, encoding=encoding or folder.encoding)
    elif not os.path.isfile(path):  # a pipe, which can be read once
        with open(path, "rb") as pipe:
            path = _spooled(pipe, scratch, name)
    return _regular_file(name, path, scratch, format, encoding, part)


def _regular_file(
    name: str,
    path: str,
    scratch: Scratch,
    format: str | None,
    encoding: str | None,
    part: str | None = None,
) -> File:
    with open(path, "rb") as raw:
        magic = raw.read(4)
    file = File(name, path, "", compression_of(magic), size=os.path.getsize(path), part=part)
    _look(file)
    file.format = "parquet" if magic == b"PAR1" else _binary_format(file)
    if part is not None and file.format not in ("excel", "sqlite"):
        what = f"no workbook and no SQLite database; it has no sheet or table {part!r}"
        raise DataError(what, file=name)
    file.format = file.format or _text_format(file, scratch, format, encoding)
    other = format != file.format and (format in BINARY or file.format in BINARY)
    if format is not None and (format == "folder" or other):
        raise DataError(f"this is not {format}; it looks like {file.format}", file=name)
    return file


def _text_format(file: File, scratch: Scratch, format: str | None, encoding: str | None) -> str:
    """The format of a file that is no table of bytes; a mail may be in whatever encodings."""
    if format == "eml" or (format is None and file.extension == ".eml"):
        return "eml"
    _make_utf8(file, scratch, encoding)
    return _format(file, None if format in (*BINARY, "folder") else format)


def _spooled(source: BinaryIO, scratch: Scratch, name: str) -> str:
    """A stream as a file: it must be looked at before it is read, and errors name a line."""
    _check_no_device(source, name)
    path = scratch.path()
    read = getattr(source, "read1", source.read)  # comes back between two reads: Ctrl-C is heard
    _copy(iter(lambda: read(START), b""), path, name)
    return path


def _check_no_device(source: BinaryIO, name: str) -> None:
    if _is_device(source):
        raise DataError("a device, expected a file, a folder, a pipe or -", file=name)


def _is_device(source: BinaryIO) -> bool:
    """Whether a stream is a device without an end, such as /dev/zero, or a disk."""
    try:
        status = os.fstat(source.fileno())
    except OSError:  # a stream of Python's own
        return False
    ends = source.isatty() or status.st_rdev == os.stat(os.devnull).st_rdev
    return stat.S_ISBLK(status.st_mode) or (stat.S_ISCHR(status.st_mode) and not ends)


def _copy(blocks: Iterable[bytes], path: str, name: str) -> None:
    """Write a copy; refuse what would take more than half of the free space on the disk."""
    folder = os.path.dirname(path)
    limit = shutil.disk_usage(folder).free // 2
    with open(path, "wb") as copy:
        for block in blocks:
            if copy.tell() + len(block) > limit:
                raise DataError(
                    f"needs a copy of more than {limit / 1e9:.3g} GB, half of what is free in "
                    f"{os.path.dirname(folder)}; give a file in UTF-8 instead, or set TMPDIR to a "
                    f"folder on a larger disk",
                    file=name,
                )
            copy.write(block)


def _look(file: File) -> None:
    with open(file.path, "rb") as raw, _explained(file.name):
        source = plain(raw, file.compression, "rb")
        file.start = source.read(START)
        # A header of very many columns is longer than what is looked at otherwise.
        more = file.start
        while more and len(file.start) < WIDEST and not (b"\n" in more or b"\r" in more):
            more = source.read(START)
            file.start += more
        file.taken = min(raw.tell(), file.size)


@contextlib.contextmanager
def _explained(name: str) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        if not is_broken(error):
            raise
        what = str(error).rstrip(".") or type(error).__name__
        raise DataError(f"cannot be decompressed: {what}", file=name) from None


def _format(file: File, wanted: str | None) -> str:
    """The format that the user names, that the extension says, or that the text looks like."""
    if wanted is not None:
        return "csv" if wanted == "tsv" else wanted
    known = _EXTENSIONS.get(file.extension, "csv")
    text = file.text.lstrip()
    if known == "csv" and text.startswith("__label__"):
        return "fasttext"
    if file.extension not in _EXTENSIONS and text.lstrip("[ \r\n\t").startswith("{"):
        return "jsonl"
    return known


def _binary_format(file: File) -> str:
    """`excel` of a workbook, `sqlite` of a database, by the first bytes; empty for others."""
    if file.start.startswith(_SQLITE):
        return "sqlite"
    inside = b"xl/" in file.start or b"opendocument.spreadsheet" in file.start
    named = file.extension in _BINARY_EXTENSIONS
    zipped = file.start.startswith(_ZIP) and (inside or named)
    return "excel" if zipped or file.start.startswith(_OLE) else ""


def decompressed(file: File, scratch: Scratch) -> str:
    """The path of a file, or of a decompressed copy, for who cannot read a compressed one."""
    if file.compression == "none":
        return file.path
    path = scratch.path()
    with file.open() as source:
        _copy(iter(lambda: source.read(START), b""), path, file.name)
    return path


# ---- encodings ----


def _make_utf8(file: File, scratch: Scratch, encoding: str | None) -> None:
    """Read a copy in UTF-8 instead of a file in another encoding."""
    bom = next((name for mark, name in _BOMS.items() if file.start.startswith(mark)), None)
    encoding = encoding or bom or "utf-8"
    if codecs.lookup(encoding).name in ("utf-8", "utf-8-sig"):
        _check_is_text(file)
        return
    path = scratch.path(file.extension)
    try:
        with file.open() as source, io.TextIOWrapper(source, encoding, newline="") as text:
            _copy((block.encode() for block in iter(lambda: text.read(START), "")), path, file.name)
    except UnicodeError as error:
        what = f"not {encoding}: {error}; try another --encoding"
        raise DataError(what, file=file.name) from None
    file.path, file.compression = path, "none"
    file.size = os.path.getsize(path)
    _look(file)
    _check_is_text(file)


def _check_is_text(file: File) -> None:
    """Refuse a file that is not text at all: a picture, a program, an archive."""
    expected = "expected CSV, TSV, JSONL, Parquet, Excel, SQLite, fastText or a folder"
    if file.start.startswith(_ZIP):
        raise DataError(f"a zip archive; {expected}", file=file.name)
    nul = file.start.count(b"\0")
    control = len(file.start) - len(file.start.translate(None, CONTROL))
    wide = nul > FEW and nul * 4 > len(file.start)  # numbers, or UTF-16 without its mark
    if wide or (
        control > FEW and control * 50 > len(file.start) and not can_be(file.start, "utf-8")
    ):
        raise DataError(f"not text: this looks like a binary file; {expected}", file=file.name)


def not_utf8(raw: bytes, start: bytes = b"") -> str:
    """Return the reason to refuse some bytes, and the encoding that they may have.

    Windows writes curly quotes, dashes and the euro as 0x80 to 0x9f (cp1252), where Latin-1 has
    control characters; other letters are the same in both. Korean, Japanese and Chinese are known
    by their letters. The start of the file is looked at too.
    """
    odd = _odd_bytes(raw) | _odd_bytes(start)
    why, name = "no byte is of cp1252 alone", "latin-1"
    if odd and not odd & _NOT_CP1252:
        mark = bytes([min(odd)]).decode("cp1252")
        why, name = f"0x{min(odd):02x} is {mark} in cp1252", "cp1252"
    eastern = eastern_encoding(start) or eastern_encoding(raw)
    if eastern is not None and can_be(raw, eastern[0]):
        name, letters = eastern
        why = f"the letters are {letters} in {name}"
    return f"bytes that are not UTF-8 ({why}: try --encoding {name} if the whole file is)"


@lru_cache(maxsize=2)
def _odd_bytes(text: bytes) -> frozenset[int]:
    """The bytes from 0x80 to 0x9f in lines that are not UTF-8."""
    lines = (line for line in text.split(b"\n") if not can_be(line, "utf-8"))
    return frozenset(byte for line in lines for byte in line if 0x80 <= byte < 0xA0)

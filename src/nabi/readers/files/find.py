"""Find the files that paths, patterns, `-` and typed texts name."""

import codecs
import contextlib
import glob
import os
import sys
from collections.abc import Collection, Iterable
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path

from nabi.base.checks import one_of
from nabi.errors import DataError, InputError
from nabi.readers.compression import compression_of
from nabi.readers.files.encodings import check_is_text
from nabi.readers.files.file import STDIN, TYPED, File
from nabi.readers.files.formats import BINARY, FORMATS, KNOWN, binary_format, text_format
from nabi.readers.files.scratch import Scratch, check_no_device, copy_blocks, spooled
from nabi.readers.live import Arriving, header_of, is_binary, is_plain

NOT_REGULAR = "no regular file (a pipe, a device, or a link to one or to nothing)"


def find(
    paths: Iterable[str | os.PathLike[str]],
    scratch: Scratch,
    *,
    format: str | None = None,
    encoding: str | None = None,
    live: Collection[str] | None = None,
) -> list[File]:
    """The files that paths and patterns name; `-` is standard input, with "text" a path is a text.

    With `live`, standard input is read as it comes. `live` has the names of columns of texts:
    without such a header it is plain lines. Of a table there are none, and no plain lines.
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
    known = File(path, path, "").extension in KNOWN
    slashed = os.sep in path and len(path.split()) == 1
    return is_there(path) or known or slashed or bool(_close_to(path))


def is_there(path: str) -> bool:
    """Whether a path or pattern names something that can be read."""
    path = _in_parts(path)[0]
    return path == "-" or os.path.exists(path) or bool(glob.glob(path, recursive=True))


def file_path(name: str) -> str:
    """'book.xlsx#Mail' -> 'book.xlsx'"""
    return _in_parts(name)[0]


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
    check_no_device(sys.stdin.buffer, STDIN)
    arriving = Arriving(sys.stdin.buffer)
    start = arriving.look()
    if format is None and live and is_plain(start, live):
        format = "lines"
    utf8 = codecs.lookup(encoding or "utf-8").name in ("utf-8", "utf-8-sig")
    if format == "lines" and utf8 and arriving.has_lines and not is_binary(start):
        file = File(STDIN, "-", "lines", start=start, arriving=arriving)
        check_is_text(file)
        return file
    if format in (None, "csv") and utf8 and header_of(start):
        return File(STDIN, "-", "csv", start=header_of(start), arriving=arriving)
    path = scratch.path()
    copy_blocks(arriving, path, STDIN)
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
        path = spooled(sys.stdin.buffer, scratch, name)
    elif os.path.isdir(path):
        if format not in (None, "folder", "eml"):
            raise DataError(f"a folder, expected a file of format {format}", file=name)
        folder = File(name, path, "folder", mails=format == "eml")
        return replace(folder, encoding=encoding or folder.encoding)
    elif not os.path.isfile(path):  # a pipe, which can be read once
        with open(path, "rb") as pipe:
            path = spooled(pipe, scratch, name)
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
    file.look()
    file.format = "parquet" if magic == b"PAR1" else binary_format(file)
    if part is not None and file.format not in ("excel", "sqlite"):
        what = f"no workbook and no SQLite database; it has no sheet or table {part!r}"
        raise DataError(what, file=name)
    file.format = file.format or text_format(file, scratch, format, encoding)
    other = format != file.format and (format in BINARY or file.format in BINARY)
    if format is not None and (format == "folder" or other):
        raise DataError(f"this is not {format}; it looks like {file.format}", file=name)
    return file

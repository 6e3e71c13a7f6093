"""Standard input as it comes: what a pipe or a terminal has, without waiting for its end."""

import contextlib
import re
import select
from collections.abc import Collection, Iterator
from typing import BinaryIO

LOOKED_AT = 2**18  # bytes in which the first line must end
MANY = 2**22  # bytes that are taken at once where so many have come
_BLOCK = 2**18  # bytes of one read
_STEP = 0.5  # seconds of one wait
# JSON, fastText, and CSV whose first line names the delimiter; [12:00] of a log is none of them.
_MARKED = re.compile(rb'\{\s*(?:"|\}|$)|\[\s*(?:\{|\]|$)|__label__|"?(?i:sep)=.?"?\s*$')
_BINARY = (
    *(b"\x1f\x8b", b"\x28\xb5", b"\xff\xfe", b"\xfe\xff"),  # .gz, .zst, UTF-16
    *(b"PAR1", b"SQLite format 3\0", b"PK\x03\x04", b"\xd0\xcf\x11\xe0"),  # and Excel's
)


class Arriving:
    """The bytes of a stream, block by block: each has all that came since the one before."""

    def __init__(self, source: BinaryIO) -> None:
        # The raw file: what its buffer holds, `select` does not know.
        self._source, self.start, self.ended = getattr(source, "raw", source), b"", False
        self._blocks: Iterator[bytes] | None = None
        self._left = b""  # of the block that came last

    def look(self) -> bytes:
        """Read until the first line is there, and return what has come by then."""
        while b"\n" not in self.start and len(self.start) < LOOKED_AT and not self.ended:
            self.start += self._read()
        return self.start

    @property
    def has_lines(self) -> bool:
        """Whether lines end with a newline, by what was looked at."""
        return b"\n" in self.start or (self.ended and b"\r" not in self.start)

    def __iter__(self) -> Iterator[bytes]:
        """Yield what was looked at, then block by block; once."""
        if self.start:
            yield self.start
        while not self.ended:
            blocks = [self._read()]
            while sum(map(len, blocks)) < MANY and not self.ended and self._has_more():
                blocks.append(self._read())
            if any(blocks):
                yield b"".join(blocks)

    def read(self, size: int) -> bytes:
        """Return so many bytes, or fewer: what came at once."""
        if not self._left:
            self._blocks = self._blocks or iter(self)
            self._left = next(self._blocks, b"")
        taken, self._left = self._left[:size], self._left[size:]
        return taken

    def readinto(self, view: memoryview) -> int:
        """Read into memory; return how many bytes."""
        taken = self.read(len(view))
        view[: len(taken)] = taken
        return len(taken)

    def _read(self) -> bytes:
        """Return what is there, at least a byte; b"" at the end."""
        self._wait()
        while (block := self._source.read(_BLOCK)) is None:  # a stream that does not block
            self._wait()
        self.ended = not block
        return bytes(block)

    def _wait(self) -> None:
        """Wait until something can be read, in steps.

        Python handles a signal that comes just before a step at its end: a read would never end.
        """
        with contextlib.suppress(OSError, ValueError):  # a stream of Python's own
            while not select.select([self._source], [], [], _STEP)[0]:
                pass

    def _has_more(self) -> bool:
        """Whether something can be read at once."""
        with contextlib.suppress(OSError, ValueError):
            return bool(select.select([self._source], [], [], 0)[0])
        return False


def is_binary(start: bytes) -> bool:
    """Whether bytes start as those of a compressed file, of UTF-16, of Parquet, Excel or SQLite."""
    return start.startswith(_BINARY)


def is_plain(start: bytes, texts: Collection[str]) -> bool:
    """Whether bytes start as plain lines: no header with a column of texts, JSON or fastText."""
    line = start.removeprefix(b"\xef\xbb\xbf").split(b"\n", 1)[0].strip().lower()
    if is_binary(start) or _MARKED.match(line):
        return False
    fields = line.replace(b";", b",").replace(b"\t", b",").split(b",")
    wanted = {name.strip().lower().encode("utf-8", "replace") for name in texts}
    return wanted.isdisjoint(field.strip(b'" ') for field in fields)


def header_of(start: bytes) -> bytes:
    """Return the first line of CSV that need not be looked at further; b"" where it must be.

    Its delimiter is certain, and a comma, semicolon or bar: of tabs, later lines tell the quotes.
    """
    line, end, _ = start.partition(b"\n")
    marks = [mark for mark in b",;|" if mark in line]
    unclear = len(marks) > 1 or not line.strip(b"\r") or b'"' in line or b"\t" in line
    odd = is_binary(start) or _MARKED.match(line.removeprefix(b"\xef\xbb\xbf").lstrip())
    return b"" if unclear or odd or not end else line + end

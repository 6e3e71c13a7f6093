"""CSV, cut into records by the kernel: fields lie where they were read, and bad records apart.

The rules are those of RFC 4180. A line ends with a newline, a carriage return before it or not; in
a file without newlines, with a carriage return. A quote at the start of a field opens it, two in it
are one, and what follows the closing one is the delimiter or the end of the line; elsewhere quotes
are plain characters. Blank lines are no records. An empty field is an empty string.

DuckDB reads otherwise: where it cuts a file for its threads within a quoted field, lines of that
field may come out as rows; with one thread, the record of an unclosed quote goes without a word.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np

import nabi._native as _native
from nabi.base.arrays import U8
from nabi.errors import DataError
from nabi.readers.dialect import LONGEST, Dialect
from nabi.readers.files import File
from nabi.readers.parts import Part, Records, left, without
from nabi.readers.rejects import Reject
from nabi.readers.source import NO_LABEL, Source, Wants, lacking

BLOCK = 2**24  # bytes that are read at a time


@dataclass(frozen=True, eq=False)
class Block:
    """A run of records of a file."""

    base: int  # where its bytes start in the file
    bytes: U8
    records: _native.CsvBlock

    def record(self, begin: int, end: int) -> str:
        """The bytes of a record, as text."""
        raw: bytes = self.bytes[begin:end].tobytes()
        return raw.decode("utf-8", "backslashreplace").rstrip("\r\n")


class CsvFile:
    """A CSV file in a dialect that is known."""

    def __init__(self, file: File, dialect: Dialect) -> None:
        self.file, self.dialect = file, dialect
        self._start = self._first()

    def _first(self) -> int:
        """Return where the records start: after a byte order mark and the header."""
        mark = 3 if self.file.start.startswith(b"\xef\xbb\xbf") else 0
        if not self.dialect.header:
            return mark
        start = np.frombuffer(self.file.start[mark:], np.uint8)
        end = int(self.dialect.parsed(start, len(start), self.file.is_whole, [0]).ends[0])
        return mark + end + (2 if start[end : end + 2].tobytes() == b"\r\n" else 1)

    def blocks(self, wanted: Sequence[int]) -> Iterator[Block]:
        """The records, a block at a time; a record that is cut goes into the next."""
        rest, base, final = np.empty(0, np.uint8), self._start, False
        with self.file.open() as source:
            _skip(source, self._start)
            while not final:
                block = np.empty(len(rest) + BLOCK, np.uint8)
                block[: len(rest)] = rest
                size = len(rest) + _fill(source, block[len(rest) :].data)
                final = size < len(block)
                records = self.dialect.parsed(block, size, final, wanted)
                yield Block(base, block, records)
                rest = block[records.consumed : size]
                base += records.consumed
                if len(rest) > 2 * LONGEST:
                    raise DataError(
                        f"a line of more than {2 * LONGEST >> 20} MB; is this a CSV file?",
                        file=self.file.name,
                        line=self.lines([base])[0],
                    )

    def lines(self, offsets: Sequence[int]) -> list[int]:
        """The line at which each of these offsets lies; offsets ascend."""
        lines, line, before = [], 1, 0
        end = self.dialect.line_end.encode()
        with self.file.open() as text:
            for offset in offsets:
                while before < offset and (block := text.read(min(2**20, offset - before))):
                    line += block.count(end)
                    before += len(block)
                lines.append(line)
        return lines


class CsvSource(Source):
    """CSV and TSV."""

    def __init__(self, file: File, dialect: Dialect, wants: Wants) -> None:
        super().__init__(file.name, wants)
        self.choose(list(dialect.names))
        self.csv = CsvFile(file, dialect)
        self.total = int(file.size * file.expansion)

    def parts(self) -> Iterator[Part]:
        """Yield a part for each block."""
        self._bad = []  # (offset, reason, row)
        wanted = self.order if self.keeps else [self.text, self.label or self.text]
        wanted = list(dict.fromkeys(wanted))
        for block in self.csv.blocks([self.names.index(name) for name in wanted]):
            labels: Any = None
            if self.label is not None:
                labels = block.records.column(wanted.index(self.label)).to_list()
            out = lacking(labels)
            self._set_aside(block, out)
            if self.keeps:
                yield self._kept(block, labels, out)
            else:
                yield without(Part(block.records.column(0), labels, self.names), out)

    def _set_aside(self, block: Block, unlabelled: list[int]) -> None:
        records, reason = block.records, self.csv.dialect.reason
        bad = [(each[0], each[1], reason(each)) for each in records.bad]
        if unlabelled:
            begins, ends = records.begins.tolist(), records.ends.tolist()
            bad += [(begins[i], ends[i], NO_LABEL) for i in unlabelled]
        bad.sort()
        if bad and not self.wants.skip_bad:
            line = self.csv.lines([block.base + bad[0][0]])[0]
            raise DataError(bad[0][2], file=self.name, line=line, skippable=True)
        self._bad += [(block.base + a, reason, block.record(a, b)) for a, b, reason in bad]

    def _kept(self, block: Block, labels: list[str] | None, out: list[int]) -> Part:
        found, dialect = block.records, self.csv.dialect
        columns = [found.column(i) for i in range(len(self.order))]
        records = None
        if dialect.quote == '"' and dialect.line_end == "\n" and self.order == self.names:
            records = Records(dialect.delimiter, block.bytes, found.begins, found.ends)
        text = columns[self.order.index(self.text)]
        return Part(text, left(labels, out), self.order, columns=columns, records=records, out=out)

    def rejects(self) -> list[Reject]:
        """Return the records that were set aside, with their lines."""
        lines = self.csv.lines([offset for offset, _, _ in self._bad])
        return [
            Reject(self.name, line, reason, row)
            for line, (_, reason, row) in zip(lines, self._bad, strict=True)
        ]

    def where(self, row: int) -> str:
        """`file:line` of a record that can be used, found by reading again."""
        at = self.names.index(self.label if self.label is not None else self.text)
        for block in self.csv.blocks([at]):
            begins = block.records.begins.tolist()
            if self.label is not None:
                out = set(lacking(block.records.column(0).to_list()))
                begins = [begin for i, begin in enumerate(begins) if i not in out]
            if row < len(begins):
                return f"{self.name}:{self.csv.lines([block.base + begins[row]])[0]}"
            row -= len(begins)
        raise IndexError(row)


def _skip(source: BinaryIO, n: int) -> None:
    while n and (block := source.read(min(n, BLOCK))):
        n -= len(block)


def _fill(source: BinaryIO, room: memoryview) -> int:
    """Read until there is no more room, or nothing more to read; how many bytes."""
    done = 0
    while done < len(room) and (n := source.readinto(room[done:])):  # type: ignore[attr-defined]
        done += n
    return done

"""CSV, cut into records by the kernel: fields lie where they were read, and bad records apart.

The rules are those of RFC 4180. A line ends with a newline, a carriage return before it or not; in
a file without newlines, with a carriage return. A quote at the start of a field opens it, two in it
are one, and what follows the closing one is the delimiter or the end of the line; elsewhere quotes
are plain characters. Blank lines are no records. An empty field is an empty string.

DuckDB reads otherwise: where it cuts a file for its threads within a quoted field, lines of that
field may come out as rows; with one thread, the record of an unclosed quote goes without a word.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

import nabi._native as _native
from nabi.base.arrays import U8
from nabi.errors import DataError
from nabi.readers.dialect import LONGEST, dialect_of
from nabi.readers.files import File
from nabi.readers.parts import Part, Records, raw_text
from nabi.readers.rejects import Reject
from nabi.readers.source import NO_LABEL, Source, Wants, lacking

BLOCK = 2**24  # bytes that are read at a time


class CsvSource(Source):
    """CSV and TSV."""

    def __init__(self, file: File, wants: Wants) -> None:
        super().__init__(file.name, wants)
        self.file, self.total = file, file.text_bytes
        self.dialect = dialect_of(file, wants)
        self.choose(list(self.dialect.names))
        self._start = self._first()

    def _first(self) -> int:
        """Return where the records start: after a byte order mark and the header."""
        mark = 3 if self.file.start.startswith(b"\xef\xbb\xbf") else 0
        if not self.dialect.header:
            return mark
        start = np.frombuffer(self.file.start[mark:], np.uint8)
        end = int(self.dialect.parsed(start, len(start), self.file.is_whole, [0]).ends[0])
        return mark + end + (2 if start[end : end + 2].tobytes() == b"\r\n" else 1)

    def _blocks(self, wanted: Iterable[str]) -> Iterator[tuple[int, U8, _native.CsvBlock]]:
        """(where it starts, bytes, records) of each block; a record that is cut goes on."""
        indexes = [self.names.index(name) for name in wanted]
        rest, base, final = np.empty(0, np.uint8), self._start, False
        with self.file.open() as source:
            source.read(self._start)
            while not final:
                block = np.empty(len(rest) + BLOCK, np.uint8)
                block[: len(rest)] = rest
                size = len(rest) + source.readinto(block[len(rest) :].data)  # type: ignore[attr-defined]
                final = size < len(block)
                records = self.dialect.parsed(block, size, final, indexes)
                yield base, block, records
                rest = block[records.consumed : size]
                base += records.consumed
                if len(rest) > 2 * LONGEST:
                    what = f"a line of more than {2 * LONGEST >> 20} MB; is this a CSV file?"
                    raise DataError(what, file=self.name, line=self._lines([base])[0])

    def _lines(self, offsets: Iterable[int]) -> list[int]:
        """Return the line at which each of these offsets lies; offsets ascend."""
        lines, line, before = [], 1, 0
        end = self.dialect.line_end.encode()
        with self.file.open() as text:
            for offset in offsets:
                while before < offset and (block := text.read(min(2**20, offset - before))):
                    line += block.count(end)
                    before += len(block)
                lines.append(line)
        return lines

    def parts(self) -> Iterator[Part]:
        """Yield a part for each block."""
        self._bad = []  # (offset, reason, row)
        wanted = self.order if self.keeps else [self.text, self.label or self.text]
        wanted = list(dict.fromkeys(wanted))
        for base, block, records in self._blocks(wanted):
            labels: Any = None
            if self.label is not None:
                labels = records.column(wanted.index(self.label)).to_list()
            out = lacking(labels)
            self._set_aside(base, block, records, out)
            part = Part(records.column(wanted.index(self.text)), labels, self.order)
            if self.keeps:
                columns = [records.column(i) for i in range(len(wanted))]
                part = replace(part, columns=columns, records=self._as_read(block, records))
            yield self.usable(part, out)

    def _set_aside(
        self, base: int, block: U8, records: _native.CsvBlock, unlabelled: list[int]
    ) -> None:
        bad = [(each[0], each[1], self.dialect.reason(each)) for each in records.bad]
        if unlabelled:
            begins, ends = records.begins.tolist(), records.ends.tolist()
            bad += [(begins[i], ends[i], NO_LABEL) for i in unlabelled]
        bad.sort()
        if bad and not self.wants.skip_bad:
            line = self._lines([base + bad[0][0]])[0]
            raise DataError(bad[0][2], file=self.name, line=line, skippable=True)
        self._bad += [(base + a, reason, raw_text(block, a, b)) for a, b, reason in bad]

    def _as_read(self, block: U8, found: _native.CsvBlock) -> Records | None:
        """Return the records as they stand, where a writer may take them so."""
        dialect = self.dialect
        if dialect.quote != '"' or dialect.line_end != "\n" or self.order != self.names:
            return None
        return Records(dialect.delimiter, block, found.begins, found.ends)

    def rejects(self) -> list[Reject]:
        """Return the records that were set aside, with their lines."""
        lines = self._lines(offset for offset, _, _ in self._bad)
        return [Reject(self.name, n, *bad[1:]) for n, bad in zip(lines, self._bad, strict=True)]

    def place(self, row: int) -> tuple[str, int | None]:
        """Return file and line of a record that can be used, found by reading again."""
        for base, _, records in self._blocks([self.label or self.text]):
            begins = records.begins
            if self.label is not None:
                begins = np.delete(begins, lacking(records.column(0).to_list()))
            if row < len(begins):
                return self.name, self._lines([base + int(begins[row])])[0]
            row -= len(begins)
        raise IndexError(row)

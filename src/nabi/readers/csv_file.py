"""CSV, cut into records by the kernel: fields lie where they were read, and bad records apart.

The rules are those of RFC 4180. A line ends with a newline, a carriage return before it or not; in
a file without newlines, with a carriage return. A quote at the start of a field opens it, two in it
are one, and what follows the closing one is the delimiter or the end of the line; elsewhere quotes
are plain characters. Blank lines are no records, nor is a first line such as `sep=;`, by which
Excel names the delimiter. An empty field is an empty string.

DuckDB reads otherwise: where it cuts a file for its threads within a quoted field, lines of that
field may come out as rows; with one thread, the record of an unclosed quote goes without a word.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial

import numpy as np

import nabi._native as _native
from nabi.base.arrays import U8, U64, Array
from nabi.base.labels import CodedLabels
from nabi.base.threads import n_threads
from nabi.errors import DataError
from nabi.readers.dialect import LONGEST, dialect_of
from nabi.readers.files import File, likely_encoding
from nabi.readers.likely import LOOKED_AT, Values
from nabi.readers.parts import Part, Place, Records
from nabi.readers.source import NO_LABEL, Source, Wants, joined_texts, lacking, utf8_bytes

BLOCK = 2**22  # bytes that are read at a time
ROWS = 2**18  # records in a part, however short they are
CUTTERS = 4  # threads that cut a block at most
ROWS_OF_TABLE = 2**20  # of which the first part decides what the columns are


class CsvSource(Source):
    """CSV and TSV."""

    def __init__(self, file: File, wants: Wants, *, hint: str = "") -> None:
        super().__init__(file.name, wants)
        self.hint = hint
        self.file, self.total = file, file.text_bytes
        self.is_live = file.arriving is not None
        self._encoding = likely_encoding(file.start)  # for errors; None: UTF-8
        if self._encoding is not None:
            self.file_hint = f"; it is not UTF-8: add --encoding {self._encoding}"
        self.dialect = dialect_of(file, wants)
        self.choose(list(self.dialect.names))
        self._start = self._first()

    def first_values(self) -> Values:
        """Return the values of the first rows by column."""
        text = self.file.start[self._first() :]
        if self._encoding is not None:
            text = text.decode(self._encoding, "replace").encode()
        start = np.frombuffer(text, np.uint8)
        every = range(len(self.names))
        rows = self.dialect.parsed(start, len(start), self.file.is_whole, every, most=LOOKED_AT)
        return {name: rows.column(i).to_list() for i, name in enumerate(self.names)}

    def _first(self) -> int:
        """Return where the records start: after a byte order mark, `sep=;` and the header."""
        mark = 3 if self.file.start.startswith(b"\xef\xbb\xbf") else 0
        mark += self.dialect.before
        if not self.dialect.header:
            return mark
        start = np.frombuffer(self.file.start[mark:], np.uint8)
        end = int(self.dialect.parsed(start, len(start), self.file.is_whole, [0]).ends[0])
        return mark + end + (2 if start[end : end + 2].tobytes() == b"\r\n" else 1)

    def _blocks(self, wanted: Iterable[str]) -> Iterator[tuple[int, U8, _native.CsvBlock]]:
        """(where it starts, bytes, records) of each block; a record that is cut goes on."""
        at = {name: i for i, name in enumerate(self.names)}
        indexes = [at[name] for name in wanted]
        limits = {"most": ROWS_OF_TABLE if self.is_table else ROWS}
        # Beside those that count: one thread cuts as much as four count.
        limits["threads"] = max(1, min(CUTTERS, n_threads(self.wants.threads) // 4))
        if not self.wants.skip_bad:
            limits["bad"] = 1  # which is the one that is named
        block, begin, size, final = np.empty(BLOCK, np.uint8), 0, 0, False
        base = self._start
        with self.file.open() as source:
            source.read(base)
            while not final:
                if begin or len(block) - size < BLOCK:
                    block, base, size = _with_room(block[begin:size]), base + begin, size - begin
                read = source.readinto(block[size : size + BLOCK].data)  # type: ignore[attr-defined]
                final = not read if self.is_live else read < BLOCK
                begin, size, full = 0, size + read, True
                while full:
                    rest = block[begin:size]
                    records = self.dialect.parsed(rest, len(rest), final, indexes, **limits)
                    yield base + begin, rest, records
                    begin, full = begin + records.consumed, records.full
                if size - begin > 2 * LONGEST:
                    what = f"a line of more than {2 * LONGEST >> 20} MB; is this a CSV file?"
                    line = None if self.is_live else self._line_at(base + begin)
                    raise DataError(what, file=self.name, line=line)

    def _line_at(self, offset: int) -> int:
        """Return the line at which an offset lies."""
        line, end = 1, self.dialect.line_end.encode()
        with self.file.open() as text:
            while block := text.read(min(2**20, offset)):
                line += block.count(end)
                offset -= len(block)
        return line

    def text_bytes(self, part: Part) -> int:
        """Return how many bytes of UTF-8 the texts of a part have; joined ones are Python's."""
        return utf8_bytes(part.texts) if len(self.texts) > 1 else part.texts.bytes

    def parts(self) -> Iterator[Part]:
        """Yield a part for each block."""
        # At which the block starts, once somebody asks for a line; a stream is not read again.
        self._line: int | None = 2 if self.is_live else None
        wanted = self.order if self.keeps else [*self.texts, self.label or self.texts[0]]
        wanted = list(dict.fromkeys(wanted))
        for base, block, records in self._blocks(wanted):
            labels = None
            if self.label is not None:
                labels = CodedLabels(*records.column(wanted.index(self.label)).codes())
            out = lacking(labels)
            if records.n_bad or len(out):
                self._set_aside(base, block, records, out)
            places = partial(self._places, base, block, records)
            texts = joined_texts([records.column(wanted.index(name)) for name in self.texts])
            part = Part(texts, labels, self.order, places)
            if self.keeps:
                columns = [records.column(i) for i in range(len(wanted))]
                part = replace(part, columns=columns, records=self._as_read(block, records))
            yield self.usable(part, out)
            if self._line is not None:
                self._line += records.line_ends

    def _set_aside(self, base: int, block: U8, records: _native.CsvBlock, unlabelled: U64) -> None:
        """Set bad records and those without a label aside, or stop at the first."""
        if self.wants.skip_bad:
            line, reasons = self._first_line(base), self.dialect.reasons
            file = self.name.encode("utf-8", "backslashreplace")
            lines = records.rejects(file, line, reasons, unlabelled, NO_LABEL)
            self.rejects.add_lines(lines, records.n_bad + len(unlabelled))
            return
        if len(unlabelled):  # bad ones come behind all others
            at, reason = int(records.begins[unlabelled[0]]), NO_LABEL
        else:
            (bad,) = records.bad
            at, reason = bad[4], self.dialect.reason(bad, block.tobytes(), self.file.start)
        ends = int(np.count_nonzero(block[:at] == ord(self.dialect.line_end)))
        raise DataError(reason, file=self.name, line=self._first_line(base) + ends, skippable=True)

    def _first_line(self, base: int) -> int:
        """Return the line at which the block starts that came last."""
        if self._line is None:
            self._line = self._line_at(base)
        return self._line

    def _places(
        self, base: int, block: U8, records: _native.CsvBlock, indexes: Array
    ) -> list[Place]:
        ends = np.flatnonzero(block[: records.consumed] == ord(self.dialect.line_end))
        lines = self._first_line(base) + np.searchsorted(ends, records.begins[indexes])
        return [(self.name, line) for line in lines.tolist()]

    def _as_read(self, block: U8, found: _native.CsvBlock) -> Records | None:
        """Return the records as they stand, where a writer may take them so."""
        dialect = self.dialect
        if dialect.quote != '"' or dialect.line_end != "\n" or self.order != self.names:
            return None
        bare = found.has_bare_returns
        return Records(dialect.delimiter, block, found.begins, found.ends, bare)

    def place(self, row: int) -> Place:
        """Return file and line of a record that can be used, found by reading again."""
        for base, _, records in self._blocks([self.label or self.texts[0]]):
            begins = records.begins
            if self.label is not None:
                begins = np.delete(begins, lacking(CodedLabels(*records.column(0).codes())))
            if row < len(begins):
                return self.name, self._line_at(base + int(begins[row]))
            row -= len(begins)
        raise IndexError(row)


def _with_room(rest: U8) -> U8:
    """Return a block that starts with the rest of another, and has room for more.

    The record that is longer than a block grows in its place: memory that is not written to costs
    nothing.
    """
    size = len(rest)
    block = np.empty(size + BLOCK if size < BLOCK else 2 * (LONGEST + BLOCK), np.uint8)
    block[:size] = rest
    return block

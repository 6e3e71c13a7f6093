"""The dialect of a CSV file: its delimiter, its quotes, its line ends, its columns."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

import nabi._native as _native
from nabi.base.arrays import U8
from nabi.errors import DataError
from nabi.readers.files import NOT_UTF8, File, not_utf8
from nabi.readers.source import Wants

DELIMITERS = (",", "\t", ";", "|")
LONGEST = 2**27  # bytes of a record; a quote that never closes must not take the file with it
LOOKED_AT = 20  # records that tell the delimiter

_SEP = re.compile(rb'"?sep=([\t !#-~])"?(?:\r?\n|\r)', re.IGNORECASE)

# A record: begin, end, what is wrong with it, fields, and where the fault lies.
Found = tuple[int, int, int, int, int]
_COLUMNS, _JUNK, _UNCLOSED, _NOT_UTF8 = range(4)  # as BadRecord::Kind


@dataclass(frozen=True)
class Dialect:
    """The delimiter, quotes, line ends and columns of a CSV file."""

    delimiter: str
    quote: str  # '"', or '' where quotes are plain characters
    line_end: str  # '\n', before which a '\r' may stand, or '\r'
    header: bool = True
    names: tuple[str, ...] = ()
    before: int = 0  # bytes of a first line such as `sep=;`, as Excel writes it, which is no row

    def parsed(
        self, block: U8, size: int, final: bool, wanted: Sequence[int], **limits: int
    ) -> _native.CsvBlock:
        """Return the records of a block; of one that is not final, the last may be left.

        Limits: at most so many records (`most`) or bad ones (`bad`) are read, on so many `threads`.
        """
        return _native.CsvBlock(
            block,
            size=size,
            final=final,
            delimiter=ord(self.delimiter),
            quote=ord(self.quote or "\0"),
            line_end=ord(self.line_end),
            columns=max(1, len(self.names)),
            wanted=list(wanted),
            longest=LONGEST,
            **limits,
        )

    @property
    def reasons(self) -> list[str]:
        """Faults of records of each kind; for `_COLUMNS`, their number comes last."""
        plain = "(--no-quotes where quotes are plain characters)"
        return [
            f"expected {len(self.names)} columns, found ",
            f"a quote that closes before the field ends {plain}",
            f"a quote that is never closed {plain}",
            NOT_UTF8,
        ]

    def reason(self, bad: Found, block: bytes, start: bytes) -> str:
        """Return what is wrong with a record of a block, in a file that starts so."""
        begin, end, kind, columns, _ = bad
        if kind == _NOT_UTF8:
            return not_utf8(block[begin:end], start)
        return self.reasons[kind] + (str(columns) if kind == _COLUMNS else "")


def dialect_of(file: File, wants: Wants) -> Dialect:
    """Return the dialect of a file, as it is named or going by its start."""
    start, final = file.start.removeprefix(b"\xef\xbb\xbf"), file.is_whole
    named = _SEP.match(start)
    before = named.end() if named else 0
    start = start[before:]
    delimiter, quotes, line_end = wants.delimiter, wants.quotes, _line_end(start)
    if delimiter is None and named:
        delimiter = named[1].decode()
    elif delimiter is None:
        delimiter = "\t" if file.extension in (".tsv", ".tab") else _delimiter(start, line_end)
    if quotes is None:
        quotes = delimiter != "\t" or not _has_bare_quotes(start, line_end, final)
    bare = Dialect(delimiter, '"' if quotes else "", line_end, wants.header, before=before)
    first = _first_record(bare, start, final, file.name)
    names = unique(first) if wants.header else [str(i + 1) for i in range(len(first))]
    return replace(bare, names=tuple(names))


def _line_end(start: bytes) -> str:
    """A carriage return only where no line ends otherwise; those in quotes say nothing."""
    if b"\r" not in start or b"\n" in start.partition(b'"')[0]:
        return "\n"
    plain = re.sub(rb'"(?:[^"]|"")*"', b"", start)
    return "\r" if b"\r" in plain and b"\n" not in plain else "\n"


def _records(dialect: Dialect, start: bytes, final: bool) -> list[Found]:
    """Return all records in order; any number of fields is right here (`_COLUMNS`: no fault)."""
    records = dialect.parsed(np.frombuffer(start, np.uint8), len(start), final, [0])
    ends = zip(records.begins.tolist(), records.ends.tolist(), strict=True)
    return sorted([*((begin, end, _COLUMNS, 1, begin) for begin, end in ends), *records.bad])


def _delimiter(start: bytes, line_end: str) -> str:
    """The delimiter that cuts the first records into the same number of fields, and the most."""

    def steadiness(delimiter: str) -> tuple[bool, int]:
        found = _records(Dialect(delimiter, '"', line_end), start, True)[:LOOKED_AT]
        counts = [fields for _, _, kind, fields, _ in found if kind == _COLUMNS]
        whole = counts[:-1] if len(counts) > 2 else counts  # the last one may be cut short
        steady = bool(whole) and whole[0] > 1 and sum(n == whole[0] for n in whole) * 2 > len(whole)
        return steady, counts[0] if counts else 0

    # Of equal ones the first: a comma before the others.
    return max(DELIMITERS, key=steadiness)


def _has_bare_quotes(start: bytes, line_end: str, final: bool) -> bool:
    """Whether a tab-separated file starts so that its quotes can only be plain characters."""
    quoted = _records(Dialect("\t", '"', line_end), start, final)
    if all(kind == _COLUMNS for _, _, kind, _, _ in quoted):
        return False
    return len({found[3] for found in _records(Dialect("\t", "", line_end), start, False)}) == 1


def _first_record(bare: Dialect, start: bytes, final: bool, file: str) -> list[str]:
    if not start.strip(b"\r\n"):
        raise DataError("the file is empty", file=file)
    found = _records(bare, start, final)
    if not found:
        raise DataError("its first row has no end; is this a CSV file?", file=file, line=1)
    begin, end, kind, n_fields, at = found[0]
    line = start[:at].count(bare.line_end.encode()) + 1 + (bare.before > 0)
    if kind != _COLUMNS:
        raise DataError(bare.reason(found[0], start, start), file=file, line=line)
    whole = replace(bare, names=("",) * n_fields)
    record = np.frombuffer(start[begin:end], np.uint8)
    fields = whole.parsed(record, len(record), True, range(n_fields))
    if not len(fields):
        raise DataError(not_utf8(start[begin:end], start), file=file, line=line)
    return [fields.column(i).to_list()[0] or "" for i in range(n_fields)]


def unique(given: Sequence[str]) -> list[str]:
    """Names that differ, as columns must: ['a', 'a', ''] -> ['a', 'a_2', 'column_3']"""
    names: list[str] = []
    seen: set[str] = set()
    taken = {name.strip().lower() for name in given}
    for i, name in enumerate(given):
        own = name.strip() or f"column_{i + 1}"
        while own.lower() in seen or (own != name.strip() and own.lower() in taken):
            own = f"{own}_{i + 1}"
        names.append(own)
        seen.add(own.lower())
    return names

"""Write rows as CSV, TSV or JSON lines without DuckDB: strings go out as they came in."""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

import nabi._native as _native
from nabi.base.arrays import U64
from nabi.files.formulas import guarded
from nabi.files.predicted import Labelled, PredictedColumn, new_columns
from nabi.readers.json_rows import as_text
from nabi.readers.parts import Part, Records

_DELIMITERS = {".csv": ",", ".tsv": "\t"}
PIECE = np.uint64(2**18)  # bytes of records that are written at a time


def plain_lines(
    rows: Iterable[Labelled], labels: list[str], kind: str, *, safe: bool = False
) -> Iterator[bytes]:
    """Yield the bytes of the file, part by part."""
    if kind not in _DELIMITERS:
        for part, chosen in rows:
            yield _json_lines(part, chosen, labels)
        return
    fields = _Fields(_DELIMITERS[kind], safe)
    for i, (part, chosen) in enumerate(rows):
        if i == 0:
            yield fields.row([*part.names, *(name for name, _ in new_columns(chosen))]).encode()
        same = (
            None if safe else part.records
        )  # may stand as they are; other readers end a line at a bare return
        if same and same.delimiter == fields.delimiter and not same.has_bare_returns:
            yield from _same_records(same, chosen, labels, fields)
        else:
            values = zip(*_values(part), *_new_values(chosen, labels), strict=True)
            yield "".join(map(fields.row, values)).encode()


def plain_values(rows: Iterable[Labelled], labels: list[str]) -> Iterator[tuple[Any, ...]]:
    """Yield the values of each row."""
    for part, chosen in rows:
        yield from zip(*_values(part), *_new_values(chosen, labels), strict=True)


class _Fields:
    """Fields and records of CSV."""

    def __init__(self, delimiter: str, safe: bool) -> None:
        self.delimiter, self._safe = delimiter, safe
        # Python's csv module leaves a carriage return bare where lines end with a newline.
        self._special = re.compile(f'[{delimiter}"\r\n]')

    def field(self, value: Any) -> str:
        """Return a field: 'a, b' -> '"a, b"', None -> ''"""
        text = "" if value is None else str(value)
        text = guarded(text) if self._safe else text
        return '"' + text.replace('"', '""') + '"' if self._special.search(text) else text

    def row(self, values: Any) -> str:
        """Return a record with its end."""
        return self.delimiter.join(map(self.field, values)) + "\n"


def _same_records(
    records: Records, chosen: list[PredictedColumn], labels: list[str], fields: _Fields
) -> Iterator[bytes]:
    """Yield records as they came, to the letter, with new fields behind them, some at a time."""
    mark, names = fields.delimiter, [fields.field(label) for label in labels]
    few = len(chosen) == 1 and chosen[0].proba is None  # endings for many records
    new = [(name,) for name in names] if few else zip(*_new_values(chosen, names), strict=True)
    endings = [f"{mark}{mark.join(map(str, row))}\n".encode() for row in new]
    for some in _pieces(records.begins, records.ends):
        own, codes = endings, chosen[0].numbers[some]
        if not few:
            own = endings[some]
            codes = np.arange(len(own), dtype=np.int32)
        begins, ends = records.begins[some], records.ends[some]
        yield _native.ended_rows(records.block, begins, ends, codes, own)


def _pieces(begins: U64, ends: U64) -> Iterator[slice]:
    """Yield the rows, so many bytes at a time: what was copied is in the cache when it is written.

    >>> list(_pieces(np.array([0, 9], np.uint64), np.array([8, 20], np.uint64)))
    [slice(0, 2, None)]
    """
    start = 0
    while start < len(begins):
        stop = int(np.searchsorted(ends, begins[start] + PIECE, "right"))
        yield slice(start, start := max(stop, start + 1))


def _values(part: Part) -> list[list[Any]]:
    if part.objects is None:
        return [column.to_list() for column in part.columns or []]
    values = [json.loads(text) for text in part.objects]
    return [[as_text(value.get(name)) for value in values] for name in part.names]


def _new_values(chosen: list[PredictedColumn], labels: list[str]) -> Iterator[list[Any]]:
    for _, values in new_columns(chosen):
        new = values.tolist()
        yield [labels[i] for i in new] if values.dtype == np.int32 else new


def _json_lines(part: Part, chosen: list[PredictedColumn], labels: list[str]) -> bytes:
    old = part.objects
    if old is None:
        old = _objects(part.names, _values(part))
    bodies = [text.strip()[:-1].rstrip() for text in old]
    new = _objects([name for name, _ in new_columns(chosen)], _new_values(chosen, labels))
    lines = (
        f"{body}{'' if body == '{' else ', '}{more[1:]}\n"
        for body, more in zip(bodies, new, strict=True)
    )
    return "".join(lines).encode()


def _objects(names: list[str], columns: Iterable[list[Any]]) -> list[str]:
    """Return an object of JSON for each row."""
    rows = (dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True))
    return [json.dumps(row, ensure_ascii=False) for row in rows]

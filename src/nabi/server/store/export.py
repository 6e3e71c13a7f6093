"""Examples as files: CSV, JSON Lines, Parquet."""

import csv
import io
import json
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Any

from nabi.errors import InputError
from nabi.files.formulas import guarded
from nabi.files.replace import replacing
from nabi.server.store.changes import Example

COLUMNS = ("id", "text", "label", "taught", "subject", "source", "who", "time", "position")
KINDS = (".csv", ".jsonl", ".parquet")


def kind_of(path: str) -> str:
    """Return the format by the name of a file: .csv, .jsonl or .parquet."""
    found = Path(path.lower()).suffix
    if found not in KINDS:
        raise InputError(f"{path}: cannot tell the format; expected a name with {', '.join(KINDS)}")
    return found


def lines(examples: Iterable[Example], kind: str, *, safe_csv: bool = False) -> Iterator[bytes]:
    """Examples as lines of .csv or .jsonl; `safe_csv`: no cell is a formula of a spreadsheet."""
    if kind == ".jsonl":
        for example in examples:
            yield f"{json.dumps(_row(example), ensure_ascii=False)}\n".encode()
        return
    for row in chain([dict.fromkeys(COLUMNS)], map(_row, examples)):
        cells = list(COLUMNS) if row["position"] is None else [row[name] for name in COLUMNS]
        if safe_csv:
            cells = [guarded(cell) if isinstance(cell, str) else cell for cell in cells]
        buffer = io.StringIO()
        csv.writer(buffer).writerow(cells)
        yield buffer.getvalue().encode()


def write(target: str, examples: Iterable[Example], *, safe_csv: bool = False) -> int:
    """Write examples to a file, whole or not at all; return how many."""
    kind, counted = kind_of(target), _Counted(examples)
    if kind == ".parquet":
        _write_parquet(target, counted)
    else:
        with replacing(target) as file:
            file.writelines(lines(counted, kind, safe_csv=safe_csv))
    return counted.number


class _Counted:
    """Examples, and how many of them have come."""

    def __init__(self, examples: Iterable[Example]) -> None:
        self._examples, self.number = examples, 0

    def __iter__(self) -> Iterator[Example]:
        for example in self._examples:
            self.number += 1
            yield example


def _row(example: Example) -> dict[str, Any]:
    row = asdict(example)
    when = datetime.fromtimestamp(example.time, UTC)
    row["time"] = when.isoformat(timespec="milliseconds")
    return {name: row[name] for name in COLUMNS}


def _write_parquet(target: str, examples: Iterable[Example]) -> None:
    """Write JSON Lines to a temporary file, of which DuckDB makes Parquet."""
    import duckdb

    types = dict.fromkeys(COLUMNS, "VARCHAR") | {"position": "BIGINT", "time": "TIMESTAMPTZ"}
    with tempfile.NamedTemporaryFile(suffix=".jsonl") as rows, replacing(target) as file:
        rows.writelines(lines(examples, ".jsonl"))
        rows.flush()
        with duckdb.connect() as sql:
            sql.execute(
                "copy (select * from read_json(?, columns = ?, format = 'newline_delimited', "
                "maximum_object_size = 1073741824)) to '" + file.name + "' (format parquet)",
                [rows.name, types],
            )

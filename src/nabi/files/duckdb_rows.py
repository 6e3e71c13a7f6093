"""Write rows by DuckDB: Arrow columns keep their types, and Parquet is made of anything."""

import errno
import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

import nabi._native as _native
from nabi.errors import DataError
from nabi.files.formulas import NUMBER, STARTS, guarded
from nabi.files.predicted import Labelled, PredictedColumn, new_columns
from nabi.files.workbook import write_workbook
from nabi.readers.compression import Compression
from nabi.readers.parts import Part
from nabi.readers.tables import connect, interrupted, named, quoted

WAKING = 0.1  # seconds
ROWS = 1024  # that are fetched at once
_OBJECT = "__nabi_object"
FORMATS = {  # by the name of a file, as DuckDB is told
    ".csv": "FORMAT csv, HEADER",
    ".tsv": "FORMAT csv, HEADER, DELIMITER '\t'",
    ".jsonl": "FORMAT json",
    ".ndjson": "FORMAT json",
    ".parquet": "FORMAT parquet, COMPRESSION zstd",
}
JSON = (".jsonl", ".ndjson")


@dataclass
class WatchedRows:
    """Rows that remember the error that stopped them: it is not one of writing."""

    first: Labelled
    others: Iterator[Labelled]
    failure: BaseException | None = None

    def __iter__(self) -> Iterator[Labelled]:
        try:
            yield self.first
            yield from self.others
        except GeneratorExit:
            raise
        except BaseException as error:
            self.failure = error
            raise


def copy_rows(
    path: str,
    target: str,
    rows: WatchedRows,
    labels: list[str],
    *,
    kind: str,
    compression: Compression,
    safe: bool = False,
) -> None:
    """Write rows to a path, as they come; errors speak of the target."""
    import duckdb

    stopped, given = threading.Event(), {"labels": labels}
    # One thread keeps the order of rows by itself; what keeps it for several is what waits.
    connection = connect(1)
    try:
        connection.execute("SET preserve_insertion_order = false")
        query = _rows_query(connection, rows, labels, stopped, safe=safe, finite=kind in JSON)
        if kind in FORMATS:
            options = f"{FORMATS[kind]}, USE_TMP_FILE false"
            options += f", COMPRESSION {compression}" if compression != "none" else ""
            query = f"COPY ({query}) TO {quoted(path)} ({options})"
            _to_its_end(lambda: connection.execute(query, given).fetchall(), stopped)
        else:
            _to_its_end(lambda: _fill(path, target, connection.execute(query, given)), stopped)
    except (duckdb.Error, RuntimeError) as error:
        raise rows.failure or _refused(error, target) from None
    finally:
        connection.close()
    if rows.failure is not None:
        raise rows.failure


def _fill(path: str, target: str, found: Any) -> None:
    """Write the rows that a query finds to a workbook."""
    blocks = iter(lambda: found.fetchmany(ROWS), [])
    names = [name for name, *_ in found.description]
    write_workbook(path, target, names, chain.from_iterable(blocks))


def _rows_query(
    connection: Any,
    rows: WatchedRows,
    labels: list[str],
    stopped: threading.Event,
    *,
    safe: bool,
    finite: bool,
) -> str:
    """Return a query for all rows, which it pulls until they are stopped.

    Strings are guarded if they are to be `safe`; of numbers that are to be `finite`, others are
    null.
    """
    coming = iter(rows)

    def pull() -> tuple[_native.Rows | None, list[Any]] | None:
        # No error may come from here: DuckDB would stop the copy, and now and then wait for ever
        # until all of it has stopped (one copy of 20). So the rows end, and it is told later.
        try:
            labelled = None if stopped.is_set() else next(coming, None)
        except BaseException:
            return None  # as `rows` know
        if labelled is None:
            return None
        return labelled[0].rows, list(_own_columns(*labelled).values())

    source = _native.Joined(list(_own_columns(*rows.first)), pull)
    connection.from_arrow(source).create_view("labelled")
    query = f"SELECT {_selection(*rows.first)} FROM labelled"
    if not finite and not safe:
        return query
    described = connection.execute(f"DESCRIBE {query}", {"labels": labels}).fetchall()
    types = {name: connection.type(type_) for name, type_, *_ in described}
    if safe:
        columns = [f"{_guarded(named(x), types[x])} AS {named(guarded(x))}" for x in types]
    else:
        columns = [f"{_finite(named(x), types[x])} AS {named(x)}" for x in types]
    return f"SELECT {', '.join(columns)} FROM ({query})"


def _to_its_end(work: Callable[[], object], stopped: threading.Event) -> None:
    """Do some work to its end; at Ctrl-C, which DuckDB is not to see, tell it to stop and wait."""
    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(work)
        try:
            while not wait([done], WAKING).done:  # a signal that another thread took wakes nobody
                pass
        except KeyboardInterrupt:
            stopped.set()
            raise
        done.result()


def _own_columns(part: Part, chosen: list[PredictedColumn]) -> dict[str, Any]:
    """Return the columns beside the rows of Arrow, by their names."""
    columns: dict[str, Any] = {}
    if part.columns is not None:
        columns.update(zip(part.names, part.columns, strict=True))
    if part.objects is not None:
        columns[_OBJECT] = _native.Batch.from_sequence(part.objects)
    for name, values in new_columns(chosen):
        columns[f"__nabi_{name}"] = np.ascontiguousarray(values)
    return columns


def _selection(part: Part, chosen: list[PredictedColumn]) -> str:
    """Return the columns of the output in SQL: those that came, labels and probabilities."""
    columns = [_kept(part, name) for name in part.names]
    for name, values in new_columns(chosen):
        own = named(f"__nabi_{name}")
        value = f"list_extract($labels, {own} + 1)" if values.dtype == np.int32 else own
        columns.append(f"{value} AS {named(name)}")
    return ", ".join(columns)


def _kept(part: Part, name: str) -> str:
    if part.types is None:
        return named(name)
    pointer = "/" + name.replace("~", "~0").replace("/", "~1")
    value = f"json_extract_string({_OBJECT}, {quoted(pointer)})"
    return f"CAST({value} AS {part.types[name]}) AS {named(name)}"


def _guarded(value: str, type_: Any) -> str:
    """Return a string in SQL as `formulas.guarded` returns it; other values as they are."""
    if type_.id not in ("varchar", "enum"):
        return value
    text = f"CAST({value} AS VARCHAR)"
    number = f"regexp_full_match({text}, {quoted(NUMBER)})"
    formula = f"regexp_matches({text}, {quoted('^' + STARTS)}) AND NOT {number}"
    return f"CASE WHEN {formula} THEN chr(39) || {text} ELSE {text} END"


def _finite(value: str, type_: Any, depth: int = 0) -> str:
    """Return a value in SQL, with null for numbers that JSON does not have: NaN, infinities."""
    if type_.id in ("double", "float"):
        return f"CASE WHEN isfinite({value}) THEN {value} END"
    if type_.id not in ("list", "array", "map", "struct"):
        return value
    inner = dict(type_.children)
    if type_.id == "struct":
        old = {name: f"struct_extract({value}, {quoted(name)})" for name in inner}
        new = {name: _finite(old[name], inner[name], depth) for name in inner}
        members = ", ".join(f"{named(name)} := {member}" for name, member in new.items())
        packed = f"CASE WHEN {value} IS NOT NULL THEN struct_pack({members}) END"
        return value if new == old else packed
    x = f"__nabi_{depth}"
    item = _finite(x, inner["value" if type_.id == "map" else "child"], depth + 1)
    if item == x:
        return value
    if type_.id == "map":
        return f"map(map_keys({value}), [{item} FOR {x} IN map_values({value})])"
    return f"[{item} FOR {x} IN {value}]"


def _refused(error: Exception, target: str) -> BaseException:
    """Return an error of DuckDB as the operating system would raise it."""
    if interrupted(error):
        return KeyboardInterrupt()
    message = str(error)
    for code in (errno.ENOSPC, errno.EPIPE, errno.EACCES, errno.EIO):
        if os.strerror(code) in message:
            return OSError(code, os.strerror(code), target)
    return DataError(f"cannot be written: {message.splitlines()[0]}", file=target)

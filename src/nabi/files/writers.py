"""Rows out again, with what was predicted beside what came: CSV, TSV, JSONL, Parquet.

    write("labelled.csv", streaming.predict(model, reader), labels)

Strings go out as they came in, and columns that have types keep them. Arrow columns, and all that
becomes Parquet, are written by DuckDB; the rest needs no more than Python.
"""

import contextlib
import errno
import json
import os
import re
import shutil
import stat
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from itertools import chain
from typing import IO, Any

import numpy as np
import numpy.typing as npt

import nabi._native as _native
from nabi.errors import DataError, InputError
from nabi.files.json_numbers import finite_columns
from nabi.readers.compression import EXTENSIONS, Compression, compressed
from nabi.readers.json_rows import as_text
from nabi.readers.parts import Part, Records
from nabi.readers.tables import connect, interrupted, named, quoted


@dataclass(frozen=True, eq=False)
class Chosen:
    """A column of labels, by number, and perhaps one of their probabilities."""

    name: str
    numbers: npt.NDArray[np.int32]
    proba_name: str | None = None
    proba: npt.NDArray[np.float64] | None = None

    @property
    def names(self) -> list[str]:
        """The names of the columns it becomes."""
        return [self.name] if self.proba_name is None else [self.name, self.proba_name]


Labelled = tuple[Part, list[Chosen]]


class _Watched:
    """Rows, and what kept them from coming: no error of whoever writes them."""

    def __init__(self, rows: Iterator[Labelled]) -> None:
        self._rows = rows
        self.failure: BaseException | None = None

    def __iter__(self) -> Iterator[Labelled]:
        return self

    def __next__(self) -> Labelled:
        try:
            return next(self._rows)
        except StopIteration:
            raise
        except BaseException as error:
            self.failure = error
            raise


def _new_names(chosen: list[Chosen]) -> list[str]:
    """The names of all columns that are new."""
    return [name for column in chosen for name in column.names]


KINDS = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet")


def write(target: str, rows: Iterable[Labelled], labels: list[Any], *, kind: str = ".csv") -> None:
    """Write rows as they come to a file, whole or not at all; `-` is standard output.

    The format is that of the file's name; `kind` is that of standard output.
    """
    compression: Compression = "none"
    if target != "-":
        kind, compression = _kind(target)
    coming = iter(rows)
    first = next(coming, None)
    if first is None:
        raise InputError("no rows to write")
    _check_names(first)
    whole, names = _Watched(chain([first], coming)), [str(label) for label in labels]
    try:
        if first[0].rows is None and kind != ".parquet":
            _write_plain(target, _plain_lines(whole, names, kind), compression)
            return
        with _pipe_to(_standard_output()) if target == "-" else replaced(target) as path:
            _copy(path, target, whole, names, kind=kind, compression=compression)
    except OSError:
        if whole.failure is not None:
            raise whole.failure from None
        raise


def _kind(target: str) -> tuple[str, Compression]:
    stem, extension = os.path.splitext(target.lower())
    compression = EXTENSIONS.get(extension, "none")
    if compression != "none":
        extension = os.path.splitext(stem)[1]
    if extension not in KINDS or (compression != "none" and extension == ".parquet"):
        known = ", ".join(KINDS)
        raise InputError(f"{target}: cannot tell the format; expected a name with {known}")
    return extension, compression


def _check_names(first: Labelled) -> None:
    part, chosen = first
    taken = {name.lower() for name in part.names}
    for name in _new_names(chosen):
        if name.lower() in taken:
            raise InputError(
                f"the data have a column {name!r} already; give the new one another name: "
                f"--column NAME"
            )
        taken.add(name.lower())


def _write_plain(target: str, lines: Iterable[bytes], compression: Compression) -> None:
    """Write bytes as they come, flushed part by part."""
    if target == "-":
        _write_all(_standard_output(), lines)
        return
    with replaced(target) as path, _blamed(target), open(path, "wb") as file:
        if compression == "none":
            _write_all(file, lines)
        else:
            with compressed(file, compression) as small:
                _write_all(small, lines)


def _write_all(file: IO[bytes], lines: Iterable[bytes]) -> None:
    for some in lines:
        file.write(some)
        file.flush()


# ---- where it goes ----


@contextlib.contextmanager
def replaced(target: str) -> Iterator[str]:
    """A path to write to, whose file takes the place of the target in the end, or of nothing."""
    if os.path.exists(target) and not stat.S_ISREG(os.stat(target).st_mode):
        yield target  # a device or a pipe
        return
    real = os.path.realpath(target)
    folder, name = os.path.split(real)
    temporary = os.path.join(folder, f".{os.getpid()}.{name}")
    try:
        with _blamed(target):  # refuse a folder that cannot be written to before all the work
            open(temporary, "wb").close()
            if os.path.exists(real):
                shutil.copymode(real, temporary)
        yield temporary
        with _blamed(target):
            os.replace(temporary, real)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(temporary)


@contextlib.contextmanager
def _blamed(target: str) -> Iterator[None]:
    """Errors of the operating system, which name the file that the user has named."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, target) from None


def _refused(error: Exception, target: str) -> BaseException:
    """What DuckDB says when it cannot write, as the operating system said it."""
    if interrupted(error):
        return KeyboardInterrupt()
    message = str(error)
    for code in (errno.ENOSPC, errno.EPIPE, errno.EACCES, errno.EIO):
        if os.strerror(code) in message:
            return OSError(code, os.strerror(code), target)
    return DataError(f"cannot be written: {message.splitlines()[0]}", file=target)


@contextlib.contextmanager
def _pipe_to(output: IO[bytes]) -> Iterator[str]:
    """A path to write to, whose content goes to an output as it comes."""
    broken: list[BaseException] = []
    with tempfile.TemporaryDirectory(prefix="nabi-") as folder:
        path = os.path.join(folder, "rows")
        os.mkfifo(path)
        # Open at both ends from the start: nobody waits for an end that never comes.
        reading = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        writing = os.open(path, os.O_WRONLY)
        os.set_blocking(reading, True)

        def pump() -> None:
            try:
                with open(reading, "rb", buffering=0) as pipe:
                    shutil.copyfileobj(pipe, output)
                output.flush()
            except BaseException as error:
                broken.append(error)

        thread = threading.Thread(target=pump, daemon=True)
        thread.start()
        try:
            yield path
        except Exception:
            if broken:
                raise broken[0] from None
            raise
        finally:
            os.close(writing)
            thread.join()
        if broken:
            raise broken[0]


def _standard_output() -> IO[bytes]:
    """Standard output, for bytes."""
    return sys.stdout.buffer


# ---- without DuckDB ----


_DELIMITERS = {".csv": ",", ".tsv": "\t"}


def _plain_lines(rows: Iterable[Labelled], labels: list[str], kind: str) -> Iterator[bytes]:
    """The bytes of the file, part by part."""
    if kind not in _DELIMITERS:
        for part, chosen in rows:
            yield _json_lines(part, chosen, labels)
        return
    fields = _Fields(_DELIMITERS[kind])
    for i, (part, chosen) in enumerate(rows):
        if i == 0:
            yield fields.row([*part.names, *_new_names(chosen)]).encode()
        if part.records is not None and fields.can_stand(part.records):
            yield _same_records(part.records, chosen, labels, fields)
        else:
            values = zip(*_values(part), *_new_columns(chosen, labels), strict=True)
            yield "".join(map(fields.row, values)).encode()


class _Fields:
    """Values as fields of CSV."""

    def __init__(self, delimiter: str) -> None:
        self.delimiter = delimiter
        # Python's csv module leaves a carriage return bare where lines end with a newline.
        self._special = re.compile(f'[{delimiter}"\r\n]')

    def field(self, value: Any) -> str:
        """A field: 'a, b' -> '"a, b"', None -> ''"""
        text = "" if value is None else str(value)
        return '"' + text.replace('"', '""') + '"' if self._special.search(text) else text

    def row(self, values: Any) -> str:
        """A record with its end."""
        return self.delimiter.join(map(self.field, values)) + "\n"

    def can_stand(self, records: Records) -> bool:
        """Whether records may go out as they came: other readers end a line at a bare return."""
        return records.delimiter == self.delimiter and not records.has_bare_returns()


def _same_records(
    records: Records, chosen: list[Chosen], labels: list[str], fields: _Fields
) -> bytes:
    """Records as they came, to the letter, with new fields behind them."""
    text, mark = memoryview(records.block.data), fields.delimiter
    ends = zip(records.begins.tolist(), records.ends.tolist(), strict=True)
    whole = [text[begin:end] for begin, end in ends]
    names = [fields.field(label) for label in labels]
    if len(chosen) == 1 and chosen[0].proba is None:  # few ends for many records
        each = [f"{mark}{name}\n".encode() for name in names]
        behind = [each[i] for i in chosen[0].numbers.tolist()]
    else:
        new = zip(*_new_columns(chosen, names), strict=True)
        behind = [f"{mark}{mark.join(map(str, row))}\n".encode() for row in new]
    return b"".join(chain.from_iterable(zip(whole, behind, strict=True)))


def _new_columns(chosen: list[Chosen], labels: list[str]) -> Iterator[list[Any]]:
    for column in chosen:
        yield [labels[i] for i in column.numbers.tolist()]
        if column.proba is not None:
            yield column.proba.tolist()


def _values(part: Part) -> list[list[Any]]:
    if part.objects is None:
        return [column.to_list() for column in part.columns or []]
    values = [json.loads(text) for text in part.objects]
    return [[as_text(value.get(name)) for value in values] for name in part.names]


def _json_lines(part: Part, chosen: list[Chosen], labels: list[str]) -> bytes:
    new = [
        dict(zip(_new_names(chosen), row, strict=True))
        for row in zip(*_new_columns(chosen, labels), strict=True)
    ]
    if part.objects is None:
        rows = zip(*_values(part), strict=True)
        old = [_dumped(dict(zip(part.names, row, strict=True))) for row in rows]
    else:
        old = part.objects
    return "".join(_joined(a, _dumped(b)) for a, b in zip(old, new, strict=True)).encode()


def _dumped(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False)


def _joined(old: str, new: str) -> str:
    """The text of an object with the members of another behind its own: '{"a": 1}', '{"b": 2}'"""
    body = old.strip()[:-1].rstrip()
    return f"{body}{'' if body == '{' else ', '}{new[1:]}\n"


# ---- with DuckDB ----


WAKING = 0.1  # seconds
_OBJECT = "__nabi_object"
_FORMATS = {
    ".csv": "FORMAT csv, HEADER",
    ".tsv": "FORMAT csv, HEADER, DELIMITER '\t'",
    ".jsonl": "FORMAT json",
    ".ndjson": "FORMAT json",
    ".parquet": "FORMAT parquet, COMPRESSION zstd",
}


def _copy(
    path: str,
    target: str,
    rows: _Watched,
    labels: list[str],
    *,
    kind: str,
    compression: Compression,
) -> None:
    """Write rows to a path, as they come; errors speak of the target."""
    import duckdb

    first = next(rows)
    whole = chain([first], rows)
    stopped = threading.Event()

    def pull() -> tuple[_native.Rows | None, list[Any]] | None:
        # No error may come from here: DuckDB would stop the copy, and now and then wait for ever
        # until all of it has stopped (one copy of 20). So the rows end, and it is told later.
        try:
            labelled = None if stopped.is_set() else next(whole, None)
        except BaseException:
            return None  # as `rows` know
        return None if labelled is None else _arrow_columns(*labelled)

    options = _FORMATS[kind] + ", USE_TMP_FILE false"
    options += f", COMPRESSION {compression}" if compression != "none" else ""
    rows_query = f"SELECT {_selection(*first)} FROM labelled"
    # One thread keeps the order of rows by itself; what keeps it for several is what waits.
    connection = connect(1)
    try:
        connection.execute("SET preserve_insertion_order = false")
        source = _native.Joined(_own_names(*first), pull)
        connection.from_arrow(source).create_view("labelled")
        if "json" in options:
            described = connection.execute(f"DESCRIBE {rows_query}", {"labels": labels}).fetchall()
            types = {name: connection.type(type_) for name, type_, *_ in described}
            rows_query = f"SELECT {finite_columns(types)} FROM ({rows_query})"
        query = f"COPY ({rows_query}) TO {quoted(path)} ({options})"
        _to_its_end(lambda: connection.execute(query, {"labels": labels}).fetchall(), stopped)
    except (duckdb.Error, RuntimeError) as error:
        raise rows.failure or _refused(error, target) from None
    finally:
        connection.close()
    if rows.failure is not None:
        raise rows.failure


def _to_its_end(work: Callable[[], object], stopped: threading.Event) -> None:
    """Do a work, of which DuckDB is not to see Ctrl-C: say that it is to stop, and wait for it."""
    with ThreadPoolExecutor(1) as pool:
        done = pool.submit(work)
        try:
            while not wait([done], WAKING).done:  # a signal that another thread took wakes nobody
                pass
        except KeyboardInterrupt:
            stopped.set()
            raise
        done.result()


def _own_names(part: Part, chosen: list[Chosen]) -> list[str]:
    """The names of the columns beside the rows of Arrow."""
    kept = [_OBJECT] if part.objects is not None else part.names if part.rows is None else []
    return [*kept, *(f"__nabi_{name}" for name in _new_names(chosen))]


def _arrow_columns(part: Part, chosen: list[Chosen]) -> tuple[_native.Rows | None, list[Any]]:
    kept: list[Any] = list(part.columns or [])
    if part.objects is not None:
        kept = [_native.Batch.from_sequence(part.objects)]
    for column in chosen:
        kept.append(np.ascontiguousarray(column.numbers, np.int32))
        if column.proba is not None:
            kept.append(np.ascontiguousarray(column.proba))
    return part.rows, kept


def _selection(part: Part, chosen: list[Chosen]) -> str:
    """The columns of the output: those that came, then labels and probabilities."""
    columns = [_kept(part, name) for name in part.names]
    for column in chosen:
        number = named(f"__nabi_{column.name}")
        columns.append(f"list_extract($labels, {number} + 1) AS {named(column.name)}")
        if column.proba_name is not None:
            columns.append(f"{named('__nabi_' + column.proba_name)} AS {named(column.proba_name)}")
    return ", ".join(columns)


def _kept(part: Part, name: str) -> str:
    if part.types is None:
        return named(name)
    pointer = "/" + name.replace("~", "~0").replace("/", "~1")
    value = f"json_extract_string({_OBJECT}, {quoted(pointer)})"
    return f"CAST({value} AS {part.types[name]}) AS {named(name)}"

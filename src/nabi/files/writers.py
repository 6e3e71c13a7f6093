"""Rows out again, with what was predicted beside what came: CSV, TSV, JSONL, Parquet, Excel.

    write("labelled.csv", streaming.predict(model, reader), labels)

Strings go out as they came in, and columns that have types keep them. Arrow columns, and all that
becomes Parquet, are written by DuckDB; the rest needs no more than Python.
"""

import contextlib
import os
import shutil
import stat
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, BinaryIO

from nabi.base.printable import TerminalOutput, standard_output
from nabi.errors import InputError
from nabi.files.duckdb_rows import FORMATS, WatchedRows, copy_rows
from nabi.files.plain_rows import plain_lines, plain_values
from nabi.files.predicted import Labelled, PredictedColumn, new_columns
from nabi.files.replace import errors_name, replacing
from nabi.files.workbook import write_workbook
from nabi.readers.compression import EXTENSIONS, Compression, plain

__all__ = ["Labelled", "PredictedColumn", "replaced", "write"]


def write(
    target: str,
    rows: Iterable[Labelled],
    labels: list[Any],
    *,
    kind: str = ".csv",
    safe_csv: bool = False,
) -> None:
    """Write rows as they come to a file, whole or not at all; `-` is standard output.

    The format is that of the file's name; `kind` is that of standard output. `safe_csv` puts an
    apostrophe before texts that a spreadsheet would run as formulas.
    """
    compression: Compression = "none"
    if target != "-":
        kind, compression = format_of(target)
    if safe_csv and kind not in (".csv", ".tsv"):
        raise InputError(f"--safe-csv is for CSV and TSV, not for {kind}; leave it out")
    coming = iter(rows)
    first = next(coming, None)
    if first is None:
        raise InputError("no rows to write")
    _check_names(first)
    whole, names = WatchedRows(first, coming), [str(label) for label in labels]
    try:
        if first[0].rows is None and kind == ".xlsx":
            heads = [*first[0].names, *(name for name, _ in new_columns(first[1]))]
            with replaced(target) as path, errors_name(target):
                write_workbook(path, target, heads, plain_values(whole, names))
            return
        if first[0].rows is None and kind != ".parquet":
            _write_plain(target, plain_lines(whole, names, kind, safe=safe_csv), compression)
            return
        with _pipe_to(standard_output()) if target == "-" else replaced(target) as path:
            copy_rows(path, target, whole, names, kind=kind, compression=compression, safe=safe_csv)
    except OSError:
        if whole.failure is not None:
            raise whole.failure from None
        raise


def format_of(target: str) -> tuple[str, Compression]:
    """'labelled.csv.gz' -> ('.csv', 'gzip'); a name that no format has is refused."""
    stem, extension = os.path.splitext(target.lower())
    compression = EXTENSIONS.get(extension, "none")
    if compression != "none":
        extension = os.path.splitext(stem)[1]
    whole = extension in (".parquet", ".xlsx")  # which compress by themselves
    if extension not in (*FORMATS, ".xlsx") or (compression != "none" and whole):
        known = ", ".join([*FORMATS, ".xlsx"])
        raise InputError(f"{target}: cannot tell the format; expected a name with {known}")
    return extension, compression


def _check_names(first: Labelled) -> None:
    part, chosen = first
    taken = {name.lower() for name in part.names}
    for name, _ in new_columns(chosen):
        if name.lower() in taken:
            what = f"the data have a column {name!r} already; give the new one another name"
            raise InputError(f"{what}: --column NAME")
        taken.add(name.lower())


def _write_plain(target: str, lines: Iterable[bytes], compression: Compression) -> None:
    """Write bytes as they come, flushed part by part."""
    with contextlib.ExitStack() as opened:
        file: Any = standard_output()
        if target != "-":
            path = opened.enter_context(replaced(target))
            opened.enter_context(errors_name(target))
            file = opened.enter_context(open(path, "wb"))
        if compression != "none":
            file = opened.enter_context(plain(file, compression, "wb"))
        for some in lines:
            file.write(some)
            file.flush()


# ---- where it goes ----


@contextlib.contextmanager
def replaced(target: str) -> Iterator[str]:
    """Yield a path to write to, whose file replaces the target if the block ends well."""
    if os.path.exists(target) and not stat.S_ISREG(os.stat(target).st_mode):
        yield target  # a device or a pipe
        return
    with replacing(target) as file:
        yield file.name


@contextlib.contextmanager
def _pipe_to(output: BinaryIO | TerminalOutput) -> Iterator[str]:
    """Yield a path to write to, whose content goes to an output as it comes."""
    reading, writing = os.pipe()

    def pump() -> None:
        with open(reading, "rb", buffering=0) as pipe:
            shutil.copyfileobj(pipe, output)
        output.flush()

    failure: BaseException | None = None
    with ThreadPoolExecutor(1) as pool, open(writing, "wb"):
        pumped = pool.submit(pump)
        try:
            yield f"/dev/fd/{writing}"
        except Exception as error:
            failure = error
    failure = pumped.exception() or failure  # nobody can write where an output is broken
    if failure is not None:
        raise failure from None

"""Parquet and queries: what DuckDB reads, streamed as Arrow."""

import contextlib
import glob
import os
from array import array
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

import nabi._native as _native
from nabi.base.arrays import Array
from nabi.base.labels import CodedLabels
from nabi.errors import DataError
from nabi.readers.files import File, Scratch
from nabi.readers.likely import LOOKED_AT, Values
from nabi.readers.parts import Part, Place, Typed
from nabi.readers.read_only import run_read_only
from nabi.readers.rejects import Reject
from nabi.readers.source import NO_LABEL, Source, Wants, lacking

if TYPE_CHECKING:
    import duckdb

TEXT = "__nabi_text"  # the text as a string, where its own column is of another type
ROWS = 8192  # rows in a batch


def connect(threads: int | None = None) -> "duckdb.DuckDBPyConnection":
    """A database in memory, which reads files and keeps nothing."""
    import duckdb

    config: dict[str, Any] = {"arrow_large_buffer_size": True}
    if threads is not None:
        config["threads"] = threads
    return duckdb.connect(":memory:", config=config)


def quoted(text: str) -> str:
    """A string in SQL."""
    return "'" + text.replace("'", "''") + "'"


def named(name: str) -> str:
    """The name of a column in SQL."""
    return '"' + name.replace('"', '""') + '"'


_DTYPES = {  # of DuckDB's types: what a column is, and the type it is read as
    "BOOLEAN": ("bool", "DOUBLE"),
    **dict.fromkeys(("TINYINT", "SMALLINT", "INTEGER"), ("int", "DOUBLE")),
    **dict.fromkeys(("UTINYINT", "USMALLINT", "UINTEGER"), ("int", "DOUBLE")),
    **dict.fromkeys(("BIGINT", "UBIGINT", "HUGEINT", "UHUGEINT"), ("large", "VARCHAR")),
    **dict.fromkeys(("FLOAT", "DOUBLE", "DECIMAL"), ("float", "DOUBLE")),
    **dict.fromkeys(("VARCHAR", '"NULL"'), ("str", "VARCHAR")),
    **dict.fromkeys(("ENUM", "UUID"), ("category", "VARCHAR")),
}


@dataclass
class _InBatches:
    """A relation as a stream of small batches."""

    relation: Any

    def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
        # Batches of `relation.__arrow_c_stream__` have 131,072 rows, a gigabyte of long texts; with
        # pyarrow one could say so, and DuckDB's own way to say it is not public yet.
        submit = getattr(self.relation, "_submit", None)
        if submit is None:
            return self.relation.__arrow_c_stream__()
        return submit("stream", ROWS).arrow_capsule()


def interrupted(error: Exception) -> bool:
    """Whether an error of DuckDB is somebody's Ctrl-C."""
    message = str(error)
    return "interrupted" in message.lower() or KeyboardInterrupt.__name__ in message


def failed(file: str, error: Exception) -> BaseException:
    """Return an error of DuckDB, all that it says in one line."""
    if interrupted(error):
        return KeyboardInterrupt()
    lines = [line.strip() for line in str(error).splitlines()]
    said = " ".join(line for line in lines if line.strip("^~ "))  # ^ points into the line above it
    what = said.removeprefix("Invalid Input Error: ").rstrip(". ") or "no reason"
    return DataError(f"cannot be read: {what}", file=file)


class TableSource(Source):
    """Rows that DuckDB reads; they have numbers, but no lines."""

    def __init__(self, name: str, wants: Wants, relation: Callable[[Any], Any]) -> None:
        super().__init__(name, wants)
        self._connection: Any = None
        self._make = relation  # of a connection
        self._bad = array("Q")  # numbers of rows that were set aside
        with self._explained():
            self._relation = self._opened()
            names, types = self._relation.columns, map(str, self._relation.types)
            self.types = dict(zip(names, types, strict=True))
            self.choose(list(names))

    def _opened(self) -> Any:
        self._connection = connect(self.wants.threads)
        return self._make(self._connection)

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        """Translate errors of DuckDB, and close the connection after any error."""
        import duckdb

        try:
            yield
        except BaseException as error:
            self.close()
            if isinstance(error, duckdb.Error | RuntimeError):
                raise failed(self.name, error) from None
            raise

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def first_values(self) -> Values:
        """Return the values of the first rows by column."""
        rows = self._relation.limit(LOOKED_AT).fetchall()
        columns = zip(*rows, strict=True) if rows else ()
        given = ([None if x is None else str(x) for x in column] for column in columns)
        return dict(zip(self.names, given, strict=False))

    def parts(self) -> Iterator[Part]:
        """Yield a part for each batch."""
        self._bad, before = array("Q"), 0
        columns, text, typed = self._selected()
        with self._explained():
            relation = self._relation if self._connection is not None else self._opened()
            stream = _native.Stream(_InBatches(relation.project(", ".join(columns))))
            for rows in iter(stream.next, None):
                labels = None
                if self.label is not None:
                    labels = CodedLabels(*rows.column(len(columns) - 1).codes())
                out = lacking(labels)
                for row in (out + np.uint64(before)).tolist():
                    self._set_aside(row)
                if text is None:
                    texts = _native.Batch.from_sequence([""] * len(rows))
                else:
                    texts = rows.column(text)
                kept, places = rows if self.keeps else None, partial(self._places, before)
                part = Part(texts, labels, self.order, places, rows=kept, typed=typed)
                before += len(rows)
                yield self.usable(part, out)
        self.close()

    def _selected(self) -> tuple[list[str], int | None, dict[str, Typed]]:
        """Return the columns in SQL, the index of the text, and of a table those that count.

        First come the columns to be kept, if any; the label as a string comes last.
        """
        columns = [*map(named, self.order)] if self.wants.keep else []
        text, typed = None, {}
        if self.is_table:
            for i, name in enumerate(self.names):
                kind = self.types[name]
                dtype, cast = _DTYPES.get(kind.partition("(")[0], (kind.lower(), None))
                if name != self.label:
                    typed[name] = Typed(dtype, len(columns) if cast else None)
                if name != self.label and cast:
                    columns.append(f"CAST({named(name)} AS {cast}) AS {named(f'__nabi_{i}')}")
        elif self.wants.keep and self.types.get(self.text) == "VARCHAR":
            text = self.order.index(self.text)
        else:
            text = len(columns)
            strings = [f"CAST({named(name)} AS VARCHAR)" for name in self.texts]
            if len(strings) > 1:  # each on lines of its own, missing ones empty: `joined_texts`
                strings = [" || chr(10) || ".join(f"coalesce({each}, '')" for each in strings)]
            columns.append(f"{strings[0]} AS {named(TEXT)}")
        if self.label is not None:
            name = named(self.label)
            value = f"CAST({name} AS VARCHAR)"
            if self.types[self.label] in ("FLOAT", "DOUBLE"):  # one that is no number is missing
                value = f"CASE WHEN NOT isnan({name}) THEN {value} END"
            columns.append(value)
        return columns, text, typed

    def _set_aside(self, row: int) -> None:
        """Set a row without a label aside, or stop at it."""
        if not self.wants.skip_bad:
            raise DataError(f"row {row + 1}: {NO_LABEL}", file=self.name, skippable=True)
        self.rejects.add(Reject(self.name, None, NO_LABEL, f"row {row + 1}"))
        self._bad.append(row)

    def _places(self, before: int, indexes: Array) -> list[Place]:
        return [(f"{self.name}, row {before + i + 1}", None) for i in indexes.tolist()]

    def place(self, row: int) -> Place:
        """Return `file, row n` of a row that can be used."""
        for bad in self._bad:  # ascending
            row += bad <= row
        return f"{self.name}, row {row + 1}", None


def parquet_source(file: File, wants: Wants, scratch: Scratch) -> TableSource:
    """Return the rows of a Parquet file."""
    path = file.path
    if glob.has_magic(path):  # DuckDB would look for a pattern
        path = scratch.path(file.extension)
        os.symlink(os.path.abspath(file.path), path)

    def relation(connection: Any) -> Any:
        # Otherwise all of a row group is fetched at once: 1,000 MB in place of 560 for a group of
        # 313, in the same time.
        connection.execute("SET disable_parquet_prefetching = true")
        return connection.sql(f"SELECT * FROM read_parquet({quoted(path)})")

    source = TableSource(file.name, wants, relation)
    source.total = file.size
    return source


def query_source(query: str, wants: Wants, *, unsafe: bool) -> TableSource:
    """Return the rows of the last statement of a user's own query; those before it are run.

    Unless it is `unsafe`, a query may read files and change tables in memory, and nothing else.
    """
    if any("\ud800" <= character <= "\udfff" for character in query):
        raise DataError("the query is not valid UTF-8", file="--sql")

    def relation(connection: Any) -> Any:
        found = connection.sql(query) if unsafe else run_read_only(connection, query)
        if found is None or list(found.columns) in (["Count"], ["Success"]):  # of no SELECT
            raise DataError("the query returns no rows; end it with a SELECT", file="--sql")
        return found

    return TableSource("--sql", wants, relation)

"""Parquet and queries: what DuckDB reads, streamed as Arrow."""

import contextlib
import glob
import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import nabi._native as _native
from nabi.errors import DataError
from nabi.readers.files import File, Scratch
from nabi.readers.parts import Part, Typed, left, without
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


@dataclass
class Table:
    """A relation, and what is to be read of it."""

    relation: Any

    @property
    def names(self) -> list[str]:
        """All columns."""
        return list(self.relation.columns)

    @property
    def types(self) -> list[str]:
        """Their types."""
        return [str(kind) for kind in self.relation.types]

    def _label(self, label: str) -> str:
        """The label as a string; a number that is none is as good as missing."""
        name = named(label)
        if self.types[self.names.index(label)] in ("FLOAT", "DOUBLE"):
            return f"CASE WHEN NOT isnan({name}) THEN CAST({name} AS VARCHAR) END AS {name}"
        return f"CAST({name} AS VARCHAR)"

    def select(self, text: str, label: str | None, keep: list[str] | None) -> Any:
        """The relation with the text and the label as strings, or with columns to be kept."""
        columns = [f"CAST({named(text)} AS VARCHAR) AS {named(TEXT)}"]
        if label is not None:
            columns.append(self._label(label))
        if keep is not None:
            is_string = self.types[self.names.index(text)] == "VARCHAR"
            columns = [*map(named, keep), *([] if is_string else columns)]
        return self.relation.project(", ".join(columns))

    def select_table(
        self, label: str | None, keep: list[str] | None
    ) -> tuple[Any, dict[str, Typed]]:
        """The relation with each column as numbers or strings, and where they stand.

        Behind the columns to be kept, if any; the label as a string comes last.
        """
        columns = [*map(named, keep or ())]
        places: dict[str, Typed] = {}
        for i, (name, kind) in enumerate(zip(self.names, self.types, strict=True)):
            dtype, cast = _dtype(kind)
            if name != label:
                places[name] = Typed(dtype, len(columns) if cast else None)
            if name != label and cast:
                columns.append(f"CAST({named(name)} AS {cast}) AS {named(f'__nabi_{i}')}")
        if label is not None:
            columns.append(self._label(label))
        return self.relation.project(", ".join(columns)), places


_WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "UTINYINT", "USMALLINT", "UINTEGER")
_LARGE = ("BIGINT", "UBIGINT", "HUGEINT", "UHUGEINT")


def _dtype(kind: str) -> tuple[str, str | None]:
    """Return what a column of a DuckDB type is, and the type it is read as; None for none."""
    if kind == "BOOLEAN":
        return "bool", "DOUBLE"
    if kind in _WHOLE:
        return "int", "DOUBLE"
    if kind in _LARGE:
        return "large", "VARCHAR"
    if kind in ("FLOAT", "DOUBLE") or kind.startswith("DECIMAL"):
        return "float", "DOUBLE"
    if kind in ("VARCHAR", '"NULL"'):
        return "str", "VARCHAR"
    if kind.startswith("ENUM") or kind == "UUID":
        return "category", "VARCHAR"
    return kind.lower(), None


class _InBatches:
    """A relation as a stream of small batches.

    Those of `relation.__arrow_c_stream__` have 131,072 rows, a gigabyte of long texts; with pyarrow
    one could say so, and DuckDB's own way to say it is not public yet.
    """

    def __init__(self, relation: Any) -> None:
        self._relation = relation

    def __arrow_c_stream__(self, requested_schema: object = None) -> Any:
        submit = getattr(self._relation, "_submit", None)
        if submit is None:
            return self._relation.__arrow_c_stream__()
        return submit("stream", ROWS).arrow_capsule()


def batches(relation: Any) -> Iterator[_native.Rows]:
    """The rows of a relation, some at a time."""
    stream = _native.Stream(_InBatches(relation))
    while (rows := stream.next()) is not None:
        yield rows


def interrupted(error: Exception) -> bool:
    """Whether an error of DuckDB is somebody's Ctrl-C."""
    message = str(error)
    return "interrupted" in message.lower() or KeyboardInterrupt.__name__ in message


def failed(file: str, error: Exception) -> BaseException:
    """Return an error of DuckDB in one line."""
    if interrupted(error):
        return KeyboardInterrupt()
    lines = [line.strip() for line in str(error).strip().splitlines() if line.strip()]
    what = lines[0].removeprefix("Invalid Input Error: ").rstrip(". ") if lines else "no reason"
    return DataError(f"cannot be read: {what}", file=file)


def safe_path(file: File, scratch: Scratch) -> str:
    """A path in which nothing looks like a pattern."""
    if not glob.has_magic(file.path):
        return file.path
    link = scratch.path(file.extension)
    os.symlink(os.path.abspath(file.path), link)
    return link


class TableSource(Source):
    """Rows that DuckDB reads; they have numbers, but no lines."""

    def __init__(self, name: str, wants: Wants) -> None:
        super().__init__(name, wants)
        self._connection: Any = None
        with self._explained():
            self._table = self._opened()
            self.choose(self._table.names)
            self.types = self._table.types

    def table(self, connection: Any) -> Table:
        """The relation."""
        raise NotImplementedError

    def _opened(self) -> Table:
        self._connection = connect(self.wants.threads)
        return self.table(self._connection)

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        """Translate errors of DuckDB, and close the connection after any error."""
        import duckdb

        try:
            yield
        except (duckdb.Error, RuntimeError) as error:
            self.close()
            raise failed(self.name, error) from None
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def parts(self) -> Iterator[Part]:
        """Yield a part for each batch."""
        self._bad, before = [], 0  # row numbers
        with self._explained():
            table = self._table if self._connection is not None else self._opened()
            relation, places = self._selected(table)
            for rows in batches(relation):
                part = self._part(rows, places)
                out = lacking(part.labels)
                if out and not self.wants.skip_bad:
                    what = f"row {before + out[0] + 1}: {NO_LABEL}"
                    raise DataError(what, file=self.name, skippable=True)
                self._bad += [before + i for i in out]
                before += len(part)
                if self.is_table:
                    yield replace(part, labels=left(part.labels, out), out=out)
                else:
                    yield without(part, out)
        self.close()

    def _selected(self, table: Table) -> tuple[Any, dict[str, Typed]]:
        if self.is_table:
            return table.select_table(self.label, self._kept())
        return table.select(self.text, self.label, self._kept()), {}

    def _kept(self) -> list[str] | None:
        return self.order if self.wants.keep else None

    def _part(self, rows: _native.Rows, places: dict[str, Typed]) -> Part:
        if self.is_table:
            labels: Any = None
            if self.label is not None:
                last = len(self._kept() or ()) + sum(t.place is not None for t in places.values())
                labels = rows.column(last).to_list()
            nothing = _native.Batch.from_sequence([""] * len(rows))
            return Part(nothing, labels, self.order, rows=rows, typed=places)
        if not self.wants.keep:
            labels = None if self.label is None else rows.column(1).to_list()
            return Part(rows.column(0), labels, self.names)
        assert self.types is not None
        is_string = self.types[self.names.index(self.text)] == "VARCHAR"
        at = self.order.index(self.text) if is_string else len(self.order)
        return Part(rows.column(at), None, self.order, rows=rows)

    def rejects(self) -> list[Reject]:
        """Return the rows that were set aside, by their numbers."""
        return [Reject(self.name, None, NO_LABEL, f"row {row + 1}") for row in self._bad]

    def where(self, row: int) -> str:
        """Return `file, row n` of a row that can be used."""
        for bad in self._bad:  # ascending
            row += bad <= row
        return f"{self.name}, row {row + 1}"


class ParquetSource(TableSource):
    """A Parquet file."""

    def __init__(self, file: File, wants: Wants, scratch: Scratch) -> None:
        self.path, self.total = safe_path(file, scratch), file.size
        super().__init__(file.name, wants)

    def table(self, connection: Any) -> Table:
        """Return the relation over the file."""
        # Otherwise all of a row group is fetched at once: 1,000 MB in place of 560 for a group of
        # 313, in the same time.
        connection.execute("SET disable_parquet_prefetching = true")
        return Table(connection.sql(f"SELECT * FROM read_parquet({quoted(self.path)})"))


class QuerySource(TableSource):
    """A query of the user's own."""

    def __init__(self, query: str, wants: Wants) -> None:
        self.query = query
        super().__init__("--sql", wants)

    def table(self, connection: Any) -> Table:
        """Return the relation of the last statement; those before it are run."""
        relation = connection.sql(self.query)
        if relation is None or list(relation.columns) in (["Count"], ["Success"]):  # of no SELECT
            raise DataError("the query returns no rows; end it with a SELECT", file="--sql")
        return Table(relation)

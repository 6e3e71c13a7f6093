"""Tables of SQLite databases, opened to be read only."""

import contextlib
import os
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from nabi.errors import DataError
from nabi.readers.cells.source import Cells, CellSource, by_column, shown
from nabi.readers.files import File
from nabi.readers.likely import LOOKED_AT, Values, likely
from nabi.readers.parts import Bad
from nabi.readers.source import Wants

LONGEST = 2**27  # bytes of a value
PROPOSED = 20  # tables of a database that are looked at, or listed, at most
TABLES = "SELECT name FROM sqlite_master WHERE type = ? AND name NOT LIKE 'sqlite~_%' ESCAPE '~'"


class SqliteSource(CellSource):
    """Rows of a table or view; they have numbers, but no lines."""

    def __init__(self, file: File, wants: Wants, path: str) -> None:
        self.name = file.name
        with self._explained(), contextlib.ExitStack() as opened:
            self._connection = sqlite3.connect(_uri(file, path), uri=True, check_same_thread=False)
            opened.callback(self.close)
            self._connection.text_factory = bytes  # which need not be UTF-8
            self._connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST)
            # A view of a hostile file calls no function that could do harm.
            self._connection.execute("PRAGMA trusted_schema = OFF")
            self._table = self._chosen(file)
            super().__init__(file, wants)
            opened.pop_all()

    def close(self) -> None:
        """Close the database."""
        self._connection.close()

    @contextlib.contextmanager
    def _explained(self) -> Iterator[None]:
        """Translate errors of SQLite."""
        try:
            yield
        except (sqlite3.Error, UnicodeDecodeError) as error:  # of the name of a column, too
            raise DataError(f"cannot be read: SQLite says: {error}", file=self.name) from None

    def _chosen(self, file: File) -> str:
        """Return the table that is named, or the only one; an error lists all of them."""
        tables, views = self._names("table"), self._names("view")
        if file.part is not None and file.part in (*tables, *views):
            return _quoted(file.part)
        known = tables or views
        if file.part is None and len(known) == 1:
            return _quoted(known[0])
        if not known:
            raise DataError("a database without a table", file=self.name)
        listed = ", ".join(map(repr, [*tables, *views][:PROPOSED]))
        if file.part is not None:
            raise DataError(f"no table {file.part!r}; the tables are {listed}", file=self.name)
        one = f"'{self.name}#{self._likeliest(known)}'"
        what = f"{len(known)} tables; name one, as in {one}; they are {listed}"
        raise DataError(what, file=self.name)

    def _likeliest(self, tables: Sequence[str]) -> str:
        """Return the first table that has texts, else the first that has rows, else the first."""
        names, with_rows = tables[:PROPOSED], []
        for name in names:
            columns, rows = self._start_of(_quoted(name))
            if likely("text", by_column(columns, rows)):
                return name
            with_rows += [name] if rows else []
        return (*with_rows, *names)[0]

    def _names(self, kind: str) -> list[str]:
        found = self._connection.execute(TABLES, (kind,))
        return [name.decode("utf-8", "replace") for (name,) in found]

    def _columns(self) -> list[str]:
        found = self._connection.execute(f"SELECT * FROM {self._table} LIMIT 0")
        return [column[0] for column in found.description]

    def first_values(self) -> Values:
        """Return the values of the first rows by column."""
        return by_column(self.names, self._start_of(self._table)[1])

    def _start_of(self, table: str) -> tuple[list[str], list[list[str | None]]]:
        """Return the columns of a table and its first rows."""
        found = self._connection.execute(f"SELECT * FROM {table} LIMIT {LOOKED_AT}")
        rows = [[_cell(value) for value in row] for row in found]
        return [column[0] for column in found.description], rows

    def _cells(self, bad: Bad) -> Iterator[Cells]:
        """Yield each row; bytes that are no text are written out, but not in a text or label."""
        columns = ", ".join(map(_quoted, self._values))
        needed = [name in self._roles for name in self._values]
        with self._explained():
            found = self._connection.execute(f"SELECT {columns} FROM {self._table}")
            for number, values in enumerate(found, 1):
                place, cells = f"{self.name}, row {number}", [_cell(value) for value in values]
                if any(map(_is_unreadable, cells, needed)):
                    bad(place, "bytes that are not UTF-8, expected a text", shown(cells))
                else:
                    yield place, cells

    @property
    def _roles(self) -> set[str | None]:
        """The columns that have to be text."""
        return {self.label, *([] if self.is_table else self.texts)}


def _uri(file: File, path: str) -> str:
    """Return the address of a database, to be opened read-only.

    With a write-ahead log that nobody has open, SQLite would make files beside the database, and
    fail where it may not: it is told that the file does not change.
    """
    alone = file.start[18:19] == b"\2" and not os.path.exists(f"{path}-wal")
    return f"{Path(path).absolute().as_uri()}?mode=ro{'&immutable=1' if alone else ''}"


class _Hex(str):
    """Bytes that are not UTF-8, in hexadecimal digits."""

    __slots__ = ()


def _cell(value: Any) -> str | None:
    if not isinstance(value, bytes):
        return None if value is None else str(value)
    try:
        return value.decode()
    except UnicodeDecodeError:
        return _Hex(value.hex())


def _is_unreadable(cell: str | None, needed: bool) -> bool:
    return needed and isinstance(cell, _Hex)


def _quoted(name: str) -> str:
    """Return a name in SQL."""
    return '"' + name.replace('"', '""') + '"'

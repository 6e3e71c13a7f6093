"""Copy a store from a directory to a database or back: every row, with proof that all is equal."""

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nabi.errors import StoreError
from nabi.server.journal.interface import Journal, Sql
from nabi.server.journal.opening import name_of, opened, read_only
from nabi.server.journal.tables import NAMES
from nabi.server.store import receipts
from nabi.server.store.replay.state import restored
from nabi.server.store.settings import settled

AT_ONCE = 2000  # rows that are read and written together
# The columns of each table; those before the bar are its key.
TABLES = {
    "entries": "position | " + " ".join(NAMES[1:]),
    "current": "position | label undone",
    "pool": "number | id text normal copies subject source who head",
    "audits": "number |",
    "skips": "number who |",
    "seconds": "number who | label head",
}


@dataclass(frozen=True)
class Copied:
    """Result of a copy: the position, the rows of each table, and the digest of the counts."""

    position: int
    rows: dict[str, int]
    digest: str


def copy(source: str | Path, target: str | Path) -> Copied:
    """Copy a store to a place that holds none; compare all rows and the counts.

    The servers of the source may run: what they learn meanwhile is not copied.
    """
    with read_only(source) as old, opened(target) as new, old.reading() as sql:
        settled(old, None)  # refuses a store that this nabi cannot count
        _check_empty(new, target)
        told = {table: _Digest() for table in TABLES}
        with new.batch():
            new.set_meta(**old.meta())
            for table in TABLES:
                _copy_table(sql, new, table, told[table])
            new.filled()
        new.read_key()
        receipts.keep(new)
        model, _ = restored(old, sql, settled(old, None))
        head = new.head()
    found = _verified(target, told, model.to_bytes() if model.__sklearn_is_fitted__() else b"")
    return Copied(head, {table: digest.rows for table, digest in told.items()}, found)


def _check_empty(new: Journal, target: str | Path) -> None:
    if "settings" in new.meta() or new.head():
        raise StoreError(f"{name_of(target)} holds a store already; give a place that holds none")


def _copy_table(sql: Sql, new: Journal, table: str, digest: "_Digest") -> None:
    names = _names(table)
    marks = ", ".join("?" * len(names))
    insert = f"insert into {table} ({', '.join(names)}) values ({marks})"
    for rows in _pages(sql, table):
        digest.add(rows)
        for row in rows:
            _check_row(row, table, new)
        new.many(insert, rows)


def _check_row(row: Sequence[Any], table: str, new: Journal) -> None:
    if new.is_shared and any(isinstance(value, str) and "\0" in value for value in row):
        raise StoreError(
            f"the row {row[0]} of {table} holds the character NUL, which PostgreSQL cannot keep; "
            f"forget that text first"
        )


def _names(table: str) -> list[str]:
    return TABLES[table].replace("|", "").split()


def _pages(sql: Sql, table: str) -> Iterator[list[Any]]:
    """Yield the rows of a table by its key, some at a time."""
    key = TABLES[table].split("|")[0].split()
    names, order = ", ".join(_names(table)), ", ".join(key)
    last: list[Any] = [-1, ""][: len(key)]
    marks = ", ".join("?" * len(key))
    query = (
        f"select {names} from {table} where ({order}) > ({marks}) order by {order} limit {AT_ONCE}"
    )
    while rows := sql.execute(query, last).fetchall():
        yield rows
        last = list(rows[-1][: len(key)])


class _Digest:
    """The digest of rows, in whatever order they come."""

    def __init__(self) -> None:
        self.rows, self._sum = 0, 0

    def add(self, rows: Sequence[Sequence[Any]]) -> None:
        """Add rows to it."""
        self.rows += len(rows)
        for row in rows:
            made = hashlib.blake2b(repr(tuple(row)).encode("utf-8", "surrogatepass"))
            self._sum = (self._sum + int.from_bytes(made.digest()[:16], "little")) % 2**128

    @property
    def value(self) -> tuple[int, int]:
        """The number of rows, and the sum of their digests."""
        return self.rows, self._sum


def _verified(target: str | Path, told: dict[str, _Digest], counts: bytes) -> str:
    """Read the copy again; return the digest of its counts, or refuse it."""
    with read_only(target) as new, new.reading() as sql:
        for table, digest in told.items():
            found = _Digest()
            for rows in _pages(sql, table):
                found.add(rows)
            if found.value != digest.value:
                raise StoreError(f"{new.name}: the copy of {table} differs; remove it, copy again")
        model, _ = restored(new, sql, settled(new, None))
        own = model.to_bytes() if model.__sklearn_is_fitted__() else b""
    if own != counts:
        raise StoreError(f"{name_of(target)}: the counts of the copy differ; remove it, copy again")
    return hashlib.blake2b(own, digest_size=16).hexdigest()

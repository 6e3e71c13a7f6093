"""Plain SQL that all journals share, over the tables `entries`, `current`, `pool` and their like.

A query has `?` for a value (`?1` for one that comes twice), and is SQL that SQLite and PostgreSQL
understand alike.
"""

import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import fields
from itertools import takewhile
from operator import attrgetter
from typing import Any

from nabi.server.journal.digests import Digests
from nabi.server.journal.interface import Claimer, Entry, Sql

NAMES = tuple(field.name for field in fields(Entry))
COLUMNS = ", ".join(NAMES)
VALUES = attrgetter(*NAMES)


class Tables:
    """Entries by plain SQL, and the head, for which threads can wait.

    Attributes
    ----------
    sql : Sql
        The writer's connection.
    digests : Digests
        Keyed digests of texts and ids.
    last : int
        The position of the last entry, durable or not.
    last_erased : int
        The position of the last FORGET: a snapshot from before may hold its words.
    """

    sql: Any  # Sql
    digests: Digests
    CONTAINS: str  # whether `text` contains a string, whatever the case of ASCII letters
    is_shared = False  # whether other processes write to it, too
    claims: Claimer | None = None  # what pages of all processes have
    lost: str | None = None  # why the database is away
    removing = False  # whether texts leave the pool in the batch
    checkpoint = 0  # the end of the last batch at which all processes shall tell their digests

    def __init__(self) -> None:
        self._moved = threading.Condition()
        self._head = self.last = self.last_erased = self.noticed = 0

    def reading(self) -> AbstractContextManager[Sql]:
        """Lend a connection that sees one state of the journal, to any thread."""
        raise NotImplementedError

    # ---- what is in it ----

    def meta(self) -> dict[str, str]:
        """Return the facts of the store: recipe, versions, key."""
        return dict(self.rows("select name, value from meta"))

    def set_meta(self, **facts: str) -> None:
        """Keep facts of the store."""
        query = "insert into meta values (?, ?) on conflict (name) do update set value = ?2"
        self.many(query, list(facts.items()))

    def rows(self, query: str, *bound: Any) -> list[Any]:
        """Return the rows of a query by the writer."""
        found: list[Any] = self.sql.execute(query, bound).fetchall()
        return found

    def value(self, query: str, *bound: Any) -> Any:
        """Return the first column of the first row of a query by the writer; None without one."""
        return self.sql.execute(query, bound).get

    def many(self, query: str, bound: Iterable[Sequence[Any]]) -> None:
        """Run a query of the writer for each of several rows of values."""
        self.sql.executemany(query, bound)

    # ---- entries ----

    def read(self, after: int, limit: int = 1000) -> list[Entry]:
        """Return up to `limit` entries after a position, in order."""
        query = f"select {COLUMNS} from entries where position > ? order by position limit ?"
        with self.reading() as sql:
            return [Entry(*row) for row in sql.execute(query, (after, limit))]

    def entries(self, condition: str, *bound: Any) -> list[Entry]:
        """Return the entries that fulfil a condition, as the writer sees them."""
        rows = self.rows(f"select {COLUMNS} from entries where {condition}", *bound)
        return [Entry(*row) for row in rows]

    def submission(self, first: int) -> list[Entry]:
        """Return the entries of the submission that begins at a position."""
        query = f"select {COLUMNS} from entries where position >= ? order by position"
        rows = (Entry(*row) for row in self.sql.execute(query, (first,)))
        return list(takewhile(lambda entry: entry.first == first, rows))

    def erase(self, learned: Sequence[Entry], by: int) -> None:
        """Erase what LEARN entries and those that relabel them hold; `by` is the FORGET."""
        self.last_erased = by
        for entry in learned:
            assert entry.id is not None
            assert entry.text is not None
            self.rows(
                "update entries set id = null, text = null, label = null, subject = null, "
                "source = null, erased = ?, gone = ?, receipt = ? where position = ?",
                by,
                self.digests.number("id", entry.id),
                self.digests.blob("receipt", entry.id, entry.text),
                entry.position,
            )
            self.rows(
                "update entries set id = null, label = null, old = null, erased = ? "
                "where target = ? and what != 'undo'",
                by,
                entry.position,
            )
        self.rows(
            "delete from current where position in (select position from entries where erased = ?)",
            by,
        )

    # ---- other processes: there are none ----

    def follow(self, news: Callable[[], None]) -> None:
        """Call `news` in another thread whenever another process has written something."""

    def reconnect(self) -> None:
        """Try to reach a database that was away; AwayError where it still is."""

    def was_given(self, id: str) -> bool:
        """Whether a text was given as an audit, as far as the journal knows."""
        return False

    def let_go(self, ids: Sequence[str]) -> None:
        """Forget, in a batch, to whom texts were given: they leave the pool."""

    def agreed(self, position: int, digest: bytes) -> bytes:
        """Tell the digest of the counts at a position; return what the first process told."""
        return digest

    def next_checkpoint(self, sql: Sql, after: int) -> int | None:
        """Return the next position at which all processes tell their digests."""
        return None

    # ---- counts ----

    def forget_snapshots(self) -> None:
        """Remove all snapshots that may hold what was erased."""
        raise NotImplementedError

    def filled(self) -> None:
        """Note, in a batch, that the rows of another store were written to the tables."""

    def read_key(self) -> None:
        """Read the key of the digests, and the head: those of another store came."""
        self.digests = Digests(bytes.fromhex(self.meta()["key"]))
        self._head = self.last = self.value("select max(position) from entries") or 0
        self.last_erased = self.value("select max(erased) from entries") or 0

    def forget_counts(self) -> None:
        """Forget all that was told of the counts: they are counted anew, in another way."""
        self.forget_snapshots()

    # ---- the head ----

    def head(self) -> int:
        """Return the position of the last entry that is durable; 0 where there is none."""
        return self._head

    def advance(self, head: int) -> None:
        """Note that entries up to `head` are durable, and wake who waits for them."""
        with self._moved:
            self._head = head
            self._moved.notify_all()

    def wait(self, after: int, timeout: float) -> int:
        """Wait until the head is past a position, or the time is over; return the head."""
        with self._moved:
            self._moved.wait_for(lambda: self._head > after, timeout)
            return self._head

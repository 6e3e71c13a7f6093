"""The journal in PostgreSQL: positions by one row lock a batch, told to all servers by NOTIFY.

A batch takes the lock of the row `head`, adds its entries after the last one, and ends with a
commit. So positions have no gaps and are in the order of the commits, and who holds the lock sees
all that others have written.
"""

import contextlib
import shutil
import socket
import tempfile
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psycopg

from nabi.errors import AwayError, JournalError, ReadOnlyError, StoreError
from nabi.server.journal.digests import Digests
from nabi.server.journal.interface import LEARN, Entry, Journal, Sql
from nabi.server.journal.postgres.address import Address
from nabi.server.journal.postgres.claims import Claims
from nabi.server.journal.postgres.link import Found, Link, Watch
from nabi.server.journal.postgres.listener import TELL, TOKENS, KeptToken, Listener
from nabi.server.journal.postgres.schema import check_schema
from nabi.server.journal.postgres.snapshots import Snapshots
from nabi.server.journal.tables import COLUMNS, NAMES, VALUES, Tables

TYPES = dict.fromkeys(("what", "who", "id", "text", "label", "subject", "source", "old"), "text")
TYPES |= {"time": "float8", "key": "bytea", "body": "bytea", "receipt": "bytea"}
TYPES |= dict.fromkeys(("words", "classes", "moved"), "int4")
_ARRAYS = ", ".join(f"?::{TYPES.get(name, 'int8')}[]" for name in NAMES)
INSERT = (
    f"with new as (insert into entries ({COLUMNS}) select * from unnest({_ARRAYS}) "
    "returning position, what, label) "
    f"insert into current (position, label) select position, label from new where what = '{LEARN}'"
)
Queries = list[tuple[str, Sequence[Any]]]
CHECKED_EVERY = 10_000  # entries, after which every server tells its digest
KEPT_DIGESTS = 1000


class Writing:
    """The writer's connection: entries that wait are written before a query sees the tables."""

    def __init__(self, journal: "PostgresJournal") -> None:
        self._journal = journal

    def execute(self, query: str, bound: Sequence[Any] = ()) -> Found:
        """Run a query, in which `?` stands for each value."""
        self._journal.write_out()
        return self._journal.link.execute(query, bound)

    def executemany(self, query: str, bound: Iterable[Sequence[Any]]) -> None:
        """Run a query for each of several rows of values."""
        self._journal.write_out()
        self._journal.link.executemany(query, bound)


class PostgresJournal(Tables):
    """A journal in a database that several servers share.

    `reads`: change nothing, and make no tables.
    """

    is_shared = True
    CONTAINS = 'strpos(lower(text collate "C"), lower(?::text collate "C")) > 0'

    def __init__(self, address: str, *, reads: bool = False) -> None:
        super().__init__()
        self._address = Address.of(address)
        self.name, self.receipts, self.removals = self._address.name, None, 0
        self.holds_erased = False
        self.process = uuid.uuid4()
        self._watch = Watch(self._address)
        self._listener: Listener | None = None
        self._idle: list[Link] = []
        self._waiting: list[Entry] = []
        self._is_open = False  # whether a batch is
        self._mark: int | None = None  # where the entries of an inner batch begin
        self._is_saved = False  # whether the inner batch has a savepoint
        self._batches = 0
        self.sql: Sql = Writing(self)
        self.folder = Path(tempfile.mkdtemp(prefix="nabi-"))
        self._snapshots = Snapshots(self.folder, self._connected)
        self.claims = Claims(self.process, self._connected)
        try:
            self._open(reads)
        except BaseException:
            self.close()
            raise

    def _open(self, reads: bool) -> None:
        try:
            self.link = self._connected()
            check_schema(self.link, self.name, may_write=not reads)
            self.digests = Digests(bytes.fromhex(self.meta()["key"]))
            self._head, self.last_erased, self.removals = self._found_head()
            self.last = self.noticed = self._head
            if not reads:
                self._register()
        except psycopg.Error as error:
            raise _refused(self.name, error) from None

    def _connected(self) -> Link:
        return Link(self._address, self._watch)

    def _found_head(self) -> tuple[int, int, int]:
        found: tuple[int, int, int] = self.link.execute("select n, erased, removals from head").get
        return found

    def _register(self) -> None:
        self.link.execute("delete from processes where seen < now() - interval '7 days'")
        insert = "insert into processes (id, host, batches) values (?, ?, 0)"
        self.link.execute(insert, (self.process, socket.gethostname()))
        self._snapshots.remove_stale(self.link)

    @property
    def has_pool(self) -> bool:
        """Whether it has the tables of texts without labels."""
        return True

    # ---- others ----

    def follow(self, news: Callable[[], None]) -> None:
        """Call `news` in another thread whenever another server has written something."""

        def heard(head: int, removals: int) -> None:
            self.noticed, self.lost = max(head, self.noticed), None
            self.removals = max(removals, self.removals)
            news()

        def lost(error: psycopg.Error) -> None:
            self.lost = str(_away(self.name, error, ""))

        self._listener = Listener(self._address, self._watch, heard, lost)

    @property
    def tokens(self) -> list[KeptToken]:
        """The tokens: name, role and digest of each."""
        if self._listener is not None:
            return self._listener.tokens
        return [(name, role, bytes(digest)) for name, role, digest in self.link.execute(TOKENS)]

    def add_token(self, name: str, role: str, digest: bytes) -> bool:
        """Add a token, which all servers know at once; False where the name is taken."""
        insert = "insert into tokens values (?, ?, ?) on conflict do nothing returning name"
        return self._change_tokens(insert, (name, role, digest))

    def remove_token(self, name: str) -> bool:
        """Remove a token, which all servers refuse at once; False where there is none."""
        return self._change_tokens("delete from tokens where name = ? returning name", (name,))

    def _change_tokens(self, query: str, bound: Sequence[Any]) -> bool:
        self.link.execute("begin")
        found = self.link.execute(query, bound).get
        self.link.execute("update head set tokens = tokens + 1")
        self.link.execute(TELL)
        self.link.execute("commit")
        return found is not None

    def was_given(self, id: str) -> bool:
        """Whether a text was given as an audit, by whichever server; asked in a batch."""
        return self.value("select 1 from given where id = ?", id) is not None

    def let_go(self, ids: Sequence[str]) -> None:
        """Forget, in a batch, to whom texts were given: they leave the pool."""
        for table in ("leases", "given"):
            self.rows(f"delete from {table} where id = any(?)", list(ids))

    def agreed(self, position: int, digest: bytes) -> bytes:
        """Tell the digest of the counts at a position; return what the first server told."""
        found: bytes = self.link.execute(
            "insert into digests values (?, ?, ?) on conflict (position) do update set "
            "process = coalesce(digests.process, excluded.process), "
            "digest = coalesce(digests.digest, excluded.digest) returning digest",
            (position, digest, self.process),
        ).get
        delete = (
            "delete from digests where position <= "
            f"(select position from digests order by position desc offset {KEPT_DIGESTS} limit 1)"
        )
        self.link.execute(delete)
        return bytes(found)

    def next_checkpoint(self, sql: Sql, after: int) -> int | None:
        """Return the next position at which all servers tell their digests."""
        query = "select min(position) from digests where position > ?"
        found: int | None = sql.execute(query, (after,)).get
        return found

    # ---- reading ----

    @contextlib.contextmanager
    def reading(self) -> Iterator[Sql]:
        """Lend a connection that sees one state of the journal, to any thread."""
        try:
            link = self._begun()
            try:
                yield link
                link.execute("commit")
            except BaseException:
                link.close()
                raise
        except psycopg.Error as error:
            raise self.failure(error) from None
        self._idle.append(link)

    def _begun(self) -> Link:
        """Return a connection in a transaction: one that is idle, unless the database was away."""
        begin = "begin isolation level repeatable read read only"
        with contextlib.suppress(IndexError):
            while True:
                link = self._idle.pop()
                try:
                    link.execute(begin)
                except psycopg.OperationalError:
                    link.close()
                else:
                    return link
        link = self._connected()
        link.execute(begin)
        return link

    # ---- batches ----

    def batch(self) -> contextlib.AbstractContextManager[None]:
        """Hold the turn of the writer: what is appended and erased is durable at the end."""
        return self._inner() if self._is_open else self._outer()

    @contextlib.contextmanager
    def _outer(self) -> Iterator[None]:
        before = self.last, self.last_erased, self.removals
        try:
            self._begin()
            yield
            queries = self._finish()
        except BaseException as error:
            self._undo()
            self.last, self.last_erased, self.removals = before
            if isinstance(error, PASSING):
                raise _away(self.name, error, UNCHANGED) from None
            if isinstance(error, psycopg.Error):
                raise self.failure(error) from None
            raise
        finally:
            self._is_open = False
        self._commit(queries, before)

    def _begin(self) -> None:
        """Begin a batch: wait for the lock, and see what others have written."""
        if self.link.is_lost:
            self.link = self._connected()
        query = "select n, erased, removals from head for update"
        _, found = self.link.together(("begin", ()), (query, ()))
        self._is_open, self._waiting, self.removing = True, [], False
        self._first, self.last_erased, self.removals = found.get
        self.last = self._first

    def _finish(self) -> Queries:
        """Return the queries that end a batch: its head, and who did it; the others are told."""
        self._batches += 1
        head = (
            "update head set n = n + ?, erased = ?, removals = ? returning n",
            (self.last - self._first, self.last_erased, self.removals + self.removing),
        )
        own = (
            "update processes set batches = ?, seen = now() where id = ?",
            (self._batches, self.process),
        )
        assert self._mark is None
        queries: Queries = [head, own, (TELL, ())]
        if self.last // CHECKED_EVERY > self._first // CHECKED_EVERY:
            self.checkpoint = self.last
            insert = "insert into digests (position) values (?) on conflict do nothing"
            queries.append((insert, (self.last,)))
        if self._waiting:
            queries.insert(0, (INSERT, _columns(self._waiting)))
            self._waiting = []  # no query after the batch writes them again
        return [*queries, ("commit", ())]

    def _commit(self, queries: Queries, before: tuple[int, int, int]) -> None:
        """Send what is left of a batch, and its commit."""
        try:
            self.link.together(*queries)
        except PASSING as error:
            self.link.close()
            try:
                is_kept = self._is_kept()
            except psycopg.Error:
                raise _away(self.name, error, UNKNOWN) from None
            if not is_kept:
                self.last, self.last_erased, self.removals = before
                raise _away(self.name, error, UNCHANGED) from None
        self.removals += self.removing

    def _is_kept(self) -> bool:
        """Whether the last batch was kept, by what the database says once it has ended.

        Asked under the lock that the batch held: as long as it may still be kept, this waits.
        """
        if self._watch.is_away:
            raise psycopg.OperationalError("the database does not answer")
        self.link = self._connected()
        self.link.execute("begin")
        self.link.execute("select n from head for update")
        own = self.link.execute("select batches from processes where id = ?", (self.process,)).get
        self.link.execute("rollback")
        return bool(own is not None and own >= self._batches)

    def _undo(self) -> None:
        self._waiting = []
        try:
            self.link.execute("rollback")
        except psycopg.Error:
            self.link.close()

    @contextlib.contextmanager
    def _inner(self) -> Iterator[None]:
        """Undo what is done inside where it fails; without a query where nothing was written."""
        assert self._mark is None, "batches nest once"
        self._mark, self._is_saved = len(self._waiting), False
        before = self.last, self.last_erased, self.removals
        try:
            yield
            if self._is_saved:
                self.write_out()
                self.link.execute("release savepoint submission")
        except psycopg.Error:
            raise
        except BaseException:
            if self._is_saved:
                self._waiting = []
                self.link.execute("rollback to savepoint submission")
            else:
                del self._waiting[self._mark :]
            self.last, self.last_erased, self.removals = before
            raise
        finally:
            self._mark = None

    def append(self, entry: Entry) -> None:
        """Add an entry, whose position is past the last; the example of a LEARN has its label."""
        self._waiting.append(entry)
        self.last = entry.position

    def write_out(self) -> None:
        """Write the entries that wait; those of an inner batch after its savepoint."""
        if self._mark is not None and not self._is_saved:
            self._insert(self._waiting[: self._mark])
            self._waiting = self._waiting[self._mark :]
            self.link.execute("savepoint submission")
            self._is_saved = True
        waiting, self._waiting = self._waiting, []
        self._insert(waiting)

    def _insert(self, entries: Sequence[Entry]) -> None:
        if entries:
            self.link.execute(INSERT, _columns(entries))

    def erase(self, learned: Sequence[Entry], by: int) -> None:
        """Erase what LEARN entries and those that relabel them hold, and all snapshots."""
        super().erase(learned, by)
        self.rows("delete from snapshots")

    # ---- besides ----

    def snapshot(
        self, position: int = 0, write: Callable[[Path], None] | None = None
    ) -> tuple[int, Path] | None:
        """Return the position and the file of the last snapshot; with `write`, keep a new one."""
        try:
            if write is not None:
                self._snapshots.keep(position, write)
                return None
            return self._snapshots.last()
        except psycopg.Error as error:
            raise self.failure(error) from None

    def forget_snapshots(self) -> None:
        """Remove snapshots that may hold what was erased; the batch that did so has begun to."""
        with contextlib.suppress(psycopg.Error):
            self._snapshots.remove_stale(self.link)

    def filled(self) -> None:
        """Note, in a batch, that the rows of another store were written to the tables."""
        self.last = self.value("select max(position) from entries") or 0
        self.last_erased = self.value("select max(erased) from entries") or 0
        self.rows(
            "select setval(pg_get_serial_sequence('pool', 'number'), max(number)) from pool "
            "having max(number) is not null"
        )

    def forget_counts(self) -> None:
        """Forget all that was told of the counts: they are counted anew, in another way."""
        self.link.execute("delete from snapshots")
        self.link.execute("delete from digests")

    def flush(self) -> bool:
        """Leave nothing of what was erased in logs: those of PostgreSQL are its own."""
        return True

    def vacuum(self) -> None:
        """Write the tables with texts anew, from the rows alone."""
        for table in ("entries", "current", "pool", "snapshots"):
            self.link.execute(f"vacuum full {table}")

    def damage(self) -> list[str]:
        """Return what is wrong with the tables, in sentences."""
        query = "select n, coalesce((select max(position) from entries), 0) from head"
        head, last = self.link.execute(query).get
        return [] if head == last else [f"the head is {head}, and the last entry is at {last}"]

    def check_room(self) -> None:
        """Refuse changes where there is no room for them: PostgreSQL does so by itself."""

    def failure(self, error: Exception) -> StoreError:
        """Return what a failed write becomes: with the database away, it may come back."""
        if isinstance(error, AwayError):
            return error
        if isinstance(error, PASSING):
            return _away(self.name, error, "")
        return ReadOnlyError(
            f"{self.name}: a write failed ({type(error).__name__}); nothing of it was kept, and "
            f"this server takes no more changes; start it again"
        )

    def reconnect(self) -> None:
        """Connect again; AwayError where the database is still away."""
        try:
            if self.link.is_lost:
                self.link = self._connected()
            self.link.execute("select 1")
            self.lost = None
        except psycopg.Error as error:
            self.link.close()
            raise _away(self.name, error, UNCHANGED) from None

    def close(self) -> None:
        """Close all connections."""
        if self._listener is not None:
            self._listener.close()
        self._watch.close()
        self._snapshots.close()
        shutil.rmtree(self.folder, ignore_errors=True)


def _columns(entries: Sequence[Entry]) -> list[list[Any]]:
    """Return the values of entries, column by column."""
    return [list(each) for each in zip(*map(VALUES, entries), strict=True)]


# Errors after which the same may come right: no connection, no lock, no room.
PASSING = (
    psycopg.OperationalError,
    psycopg.InterfaceError,
    psycopg.errors.IdleInTransactionSessionTimeout,
)
UNCHANGED = "; nothing was changed"
UNKNOWN = "; what was not answered may or may not be kept: ask again with its idempotency key"


def _away(name: str, error: Exception, then: str) -> AwayError:
    """Return why the database is away, without what a query held."""
    full = isinstance(error, psycopg.errors.DiskFull)
    busy = isinstance(error, psycopg.errors.LockNotAvailable)
    why = "has a full disk" if full else "does not answer"
    why = "is held by another server for too long" if busy else why
    return AwayError(f"{name} {why} ({type(error).__name__}){then}; predictions go on")


def _refused(name: str, error: psycopg.Error) -> JournalError | AwayError:
    """Return why a database cannot be opened; its own words tell no password."""
    if isinstance(error, psycopg.OperationalError):
        lines = str(error).strip().splitlines() or [type(error).__name__]
        return AwayError(f"{name} cannot be reached: {lines[0]}")
    return JournalError(f"{name} cannot be used as a store: {type(error).__name__}")


if TYPE_CHECKING:
    _is_a_journal: type[Journal] = PostgresJournal

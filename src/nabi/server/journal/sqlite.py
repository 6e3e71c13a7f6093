"""The journal in SQLite: WAL, synchronous=FULL, plain SQL.

`entries` is the journal; `current` is derived from it (the label that each example has now, and
which entries are undone), and `nabi store rebuild` makes it anew. `pool` has the texts that wait
for a label. Texts are in these two tables alone.
"""

import contextlib
import errno
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from nabi.errors import DiskFullError, JournalError, MissingExtraError, ReadOnlyError
from nabi.files.replace import remove_leftovers
from nabi.server.journal.directory import JOURNAL, RECEIPTS, SNAPSHOTS, sync
from nabi.server.journal.interface import LEARN, Entry, Journal
from nabi.server.journal.tables import COLUMNS, NAMES, VALUES, Tables

try:
    import apsw
except ImportError:
    raise MissingExtraError("the server's journal needs apsw", "server") from None

SCHEMA = 2
OLDEST = (3, 51, 3)  # older ones can lose a commit when a WAL is reset
ROOM = 8 * 2**20  # bytes that must be free on the disk before anything is written
_PLACES = ", ".join("?" * len(NAMES))
TABLES = """
create table meta (name text primary key, value text not null) strict, without rowid;
create table entries (
    position integer primary key, what text not null, time real not null, who text not null,
    id text, text text, label text, subject text, source text, old text, target integer,
    first integer not null, key blob, body blob, words integer not null, classes integer not null,
    moved integer not null, digest integer, erased integer, gone integer, receipt blob
) strict;
create index entries_id on entries (id) where what = 'learn' and id is not null;
create index entries_digest on entries (digest) where digest is not null;
create index entries_who on entries (who);
create index entries_subject on entries (subject) where subject is not null;
create index entries_target on entries (target) where target is not null;
create index entries_erased on entries (erased) where erased is not null;
create index entries_gone on entries (gone) where gone is not null;
create index entries_classes on entries (position) where what in ('rename', 'join', 'drop');
create unique index entries_key on entries (key) where key is not null;
create table current (position integer primary key, label text, undone integer) strict;
create index current_label on current (label) where label is not null;
"""
# Texts that wait for a label; which of them have one is told by the examples, which have their ids.
POOL_TABLES = """
create table pool (
    number integer primary key autoincrement, id text not null, text text not null,
    normal integer not null, copies integer not null, subject text, source text,
    who text not null, head integer not null
) strict;
create unique index pool_id on pool (id);
create unique index pool_normal on pool (normal);
create index pool_subject on pool (subject) where subject is not null;
create table audits (number integer primary key) strict;
create table skips (number integer, who text, primary key (number, who)) strict, without rowid;
create table seconds (
    number integer, who text, label text not null, head integer not null, primary key (number, who)
) strict, without rowid;
"""
WAITS = 10_000  # milliseconds for a lock that another connection holds


def check_sqlite() -> None:
    """Refuse a SQLite whose write-ahead log can lose a commit."""
    found = apsw.sqlite_lib_version()
    if tuple(map(int, found.split("."))) < OLDEST:
        raise JournalError(
            f"SQLite {found} can lose a commit when its log is reset; expected "
            f"{'.'.join(map(str, OLDEST))} or newer: pip install -U apsw"
        )


class SqliteJournal(Tables):
    """A journal in a directory: `journal.db`, and a folder of snapshots.

    `reads`: change nothing; the server of the directory may be running. `vfs` names another file
    system of SQLite, for tests; it has no shared memory, so that the writer's connection is the
    only one.
    """

    CONTAINS = "instr(lower(text), lower(?)) > 0"
    sql: apsw.Connection

    def __init__(self, directory: Path, *, reads: bool = False, vfs: str | None = None) -> None:
        check_sqlite()
        super().__init__()
        self.directory = self.folder = directory
        self.name, self.receipts = str(directory), directory / RECEIPTS
        self.path = directory / JOURNAL
        self.removals = 0
        self._vfs = vfs
        # The turn of the one connection, where the file system has no shared memory.
        self._only = None if vfs is None else threading.RLock()
        self._idle: list[apsw.Connection] = []
        self._files = threading.Lock()
        self.sql = self._opened(reads=reads)
        self.sql.transaction_mode = "DEFERRED" if reads else "IMMEDIATE"
        try:
            self.sql.pragma("secure_delete", "on")
            self._made()
            self.read_key()
        except BaseException:
            self.close()
            raise

    def _opened(self, *, reads: bool = False) -> apsw.Connection:
        flags = apsw.SQLITE_OPEN_READWRITE | (0 if reads else apsw.SQLITE_OPEN_CREATE)
        sql = apsw.Connection(str(self.path), flags=flags, vfs=self._vfs)
        sql.set_busy_timeout(WAITS)
        try:
            if self._vfs is not None:
                sql.pragma("locking_mode", "exclusive")
            # Until it is a WAL: the rollback journal of its making must not come back after a
            # loss of power, when it would undo all that was written since.
            sql.pragma("synchronous", "extra")
            sql.pragma("journal_mode", "wal")
            sql.pragma("synchronous", "full")
            if reads:
                sql.pragma("query_only", "on")
        except BaseException:
            _close(sql)
            raise
        return sql

    def _made(self) -> None:
        """Make the tables of a new journal; refuse those of another version."""
        version = self.sql.pragma("user_version")
        if version == 0:
            with self.sql:
                self.sql.execute(TABLES + POOL_TABLES)
                self.set_meta(key=os.urandom(32).hex())
                self.sql.pragma("user_version", SCHEMA)
            os.chmod(self.path, 0o600)
            sync(self.directory)
        elif version == 1:
            self._add_pool()
        elif version != SCHEMA:
            raise JournalError(
                f"{self.path} has schema {version}, expected {SCHEMA}; open it with the nabi that "
                f"wrote it"
            )

    def _add_pool(self) -> None:
        """Add the tables of texts without labels to a journal of before; unless it is only read."""
        if not self.sql.pragma("query_only"):
            with self.sql:
                self.sql.execute(POOL_TABLES)
                self.sql.pragma("user_version", SCHEMA)

    @property
    def has_pool(self) -> bool:
        """Whether it has the tables of texts without labels."""
        return int(self.sql.pragma("user_version")) == SCHEMA

    @contextlib.contextmanager
    def reading(self) -> Iterator[apsw.Connection]:
        """Lend a connection that sees one state of the journal, to any thread."""
        if self._only is not None:
            with self._only:
                yield self.sql
            return
        try:
            sql = self._idle.pop()
        except IndexError:
            sql = self._opened(reads=True)
        with sql:
            yield sql
        self._idle.append(sql)

    # ---- the journal ----

    @contextlib.contextmanager
    def batch(self) -> Iterator[None]:
        """Hold the turn of the writer: what is appended and erased is durable at the end."""
        last = self.last
        try:
            with self._only or contextlib.nullcontext(), self.sql:
                yield
        except BaseException:
            self.last = last
            raise
        if self.removing:
            self.removals, self.removing = self.removals + 1, False

    def append(self, entry: Entry) -> None:
        """Add an entry, whose position is past the last; the example of a LEARN has its label."""
        self.sql.execute(f"insert into entries ({COLUMNS}) values ({_PLACES})", VALUES(entry))
        if entry.what == LEARN:
            insert = "insert into current (position, label) values (?, ?)"
            self.sql.execute(insert, (entry.position, entry.label))
        self.last = entry.position

    # ---- files ----

    def snapshot(
        self, position: int = 0, write: Callable[[Path], None] | None = None
    ) -> tuple[int, Path] | None:
        """Return the position and the file of the last snapshot; with `write`, keep a new one."""
        if write is not None:
            path = self.directory / SNAPSHOTS / f"{position:015}.nabi"
            write(path)
            with self._files:
                if position < self.last_erased:
                    path.unlink()
                else:
                    self.remove_snapshots(but=path)
        kept = sorted((self.directory / SNAPSHOTS).glob("*.nabi"))
        return (int(kept[-1].stem), kept[-1]) if kept else None

    def forget_snapshots(self) -> None:
        """Remove all snapshots, also one that is being written."""
        with self._files:
            self.remove_snapshots()

    def remove_snapshots(self, *, but: Path | None = None) -> None:
        """Remove snapshots, and what was left of writing some."""
        folder = self.directory / SNAPSHOTS
        for path in folder.glob("*.nabi"):
            if path != but:
                path.unlink()
        for left in folder.glob(".*.nabi.*.tmp"):
            remove_leftovers(str(folder / left.name[1 : left.name.index(".nabi.") + 5]))
        sync(folder)

    def flush(self) -> bool:
        """Move the log into the database and cut it to nothing; False where a reader is in it."""
        self.sql.set_busy_timeout(100)
        ((busy, *_),) = self.rows("pragma wal_checkpoint(truncate)")
        self.sql.set_busy_timeout(WAITS)
        return not busy

    def vacuum(self) -> None:
        """Write the database anew, from the rows alone."""
        self.sql.execute("vacuum")
        self.set_meta(scrubbed=str(self._head))
        self.flush()

    @property
    def holds_erased(self) -> bool:
        """Whether something was erased since the database was last written anew."""
        return self.last_erased > int(self.meta().get("scrubbed", "0"))

    def damage(self) -> list[str]:
        """Return what is wrong with the file, in sentences."""
        found = [str(row[0]) for row in self.rows("pragma integrity_check(5)")]
        return [] if found == ["ok"] else [f"the database is damaged: {each}" for each in found]

    def check_room(self) -> None:
        """Refuse changes where the disk is nearly full."""
        disk = os.statvfs(self.directory)
        if disk.f_bavail * disk.f_frsize < ROOM:
            raise DiskFullError(
                f"the disk of {self.name} has less than {ROOM // 2**20} MB left; nothing was "
                f"changed; make room and try again"
            )

    def failure(self, error: Exception) -> ReadOnlyError:
        """Return why the store turns read-only: what the disk holds now is known to nobody."""
        full = isinstance(error, apsw.FullError) or getattr(error, "errno", None) == errno.ENOSPC
        kind = DiskFullError if full else ReadOnlyError
        return kind(
            f"{self.name} is read-only since a write failed ({type(error).__name__}: {error}); "
            f"what was not answered may or may not be kept; predictions go on; mend the disk and "
            f"start the server again"
        )

    def close(self) -> None:
        """Close all connections; the last one moves the log into the database."""
        while self._idle:
            _close(self._idle.pop())
        _close(self.sql)


def _close(sql: apsw.Connection) -> None:
    """Close a connection. Where the disk fails now, what is durable stays in the log."""
    with contextlib.suppress(apsw.Error):
        sql.close(True)


if TYPE_CHECKING:
    _is_a_journal: type[Journal] = SqliteJournal

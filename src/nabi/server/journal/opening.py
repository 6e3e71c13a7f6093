"""Opening: the journal of a place, which is a data directory or the address of a database."""

import contextlib
from collections.abc import Iterator
from pathlib import Path

from nabi.errors import InputError, MissingExtraError
from nabi.server.journal.directory import existing, locked, make
from nabi.server.journal.interface import Journal
from nabi.server.journal.sqlite import SqliteJournal

SQLITE, DATABASES = "sqlite:", ("postgresql://", "postgres://")


def is_address(place: str | Path) -> bool:
    """Whether a place is a database, and no directory."""
    return str(place).startswith(DATABASES)


def directory_of(place: str | Path) -> Path:
    """Return the directory that a place is: `sqlite:DIR`, or a path."""
    given = str(place)
    if is_address(place):
        raise InputError("a database has no directory; give a data directory")
    return Path(given.removeprefix(SQLITE))


@contextlib.contextmanager
def opened(place: str | Path, *, vfs: str | None = None) -> Iterator[Journal]:
    """Open a journal to write to, and close it at the end; it is made where it is not there."""
    if is_address(place):
        with contextlib.closing(_postgres(str(place), reads=False)) as database:
            yield database
        return
    directory = make(directory_of(place))
    with locked(directory), contextlib.closing(SqliteJournal(directory, vfs=vfs)) as journal:
        yield journal


@contextlib.contextmanager
def read_only(place: str | Path) -> Iterator[Journal]:
    """Open a journal that is there, to read alone; its servers may be running."""
    if is_address(place):
        with contextlib.closing(_postgres(str(place), reads=True)) as database:
            yield database
        return
    with contextlib.closing(SqliteJournal(existing(directory_of(place)), reads=True)) as journal:
        yield journal


def _postgres(address: str, *, reads: bool) -> Journal:
    try:
        import psycopg  # noqa: F401
    except ImportError:
        raise MissingExtraError("a store in PostgreSQL needs psycopg", "postgres") from None
    from nabi.server.journal.postgres.journal import PostgresJournal

    return PostgresJournal(address, reads=reads)

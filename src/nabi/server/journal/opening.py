"""Opening: the journal of a place, which is a data directory or the address of a database."""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from nabi.errors import InputError, MissingExtraError
from nabi.server.journal.directory import existing, locked, make
from nabi.server.journal.interface import Journal
from nabi.server.journal.sqlite import SqliteJournal

if TYPE_CHECKING:
    from nabi.server.journal.postgres.journal import PostgresJournal

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


def has_password(place: str) -> bool:
    """Whether a place is the address of a database, with a password in it."""
    if not is_address(place):
        return False
    _check_psycopg()
    from nabi.server.journal.postgres.address import Address

    return Address.has_password(place)


def name_of(place: str | Path) -> str:
    """Return what messages call a place: an address without its password."""
    if not is_address(place):
        return str(place)
    _check_psycopg()
    from nabi.server.journal.postgres.address import Address

    return Address.of(str(place)).name


@contextlib.contextmanager
def opened(place: str | Path, *, vfs: str | None = None) -> Iterator[Journal]:
    """Open a journal to write to, and close it at the end; it is made where it is not there."""
    if is_address(place):
        with database(str(place)) as journal:
            yield journal
        return
    directory = make(directory_of(place))
    with locked(directory), contextlib.closing(SqliteJournal(directory, vfs=vfs)) as file:
        yield file


@contextlib.contextmanager
def read_only(place: str | Path) -> Iterator[Journal]:
    """Open a journal that is there, to read alone; its servers may be running."""
    if is_address(place):
        with database(str(place), reads=True) as journal:
            yield journal
        return
    with contextlib.closing(SqliteJournal(existing(directory_of(place)), reads=True)) as file:
        yield file


@contextlib.contextmanager
def database(address: str, *, reads: bool = False) -> "Iterator[PostgresJournal]":
    """Open the journal in a database."""
    _check_psycopg()
    from nabi.server.journal.postgres.journal import PostgresJournal

    with contextlib.closing(PostgresJournal(address, reads=reads)) as journal:
        yield journal


def _check_psycopg() -> None:
    try:
        import psycopg  # noqa: F401
    except ImportError:
        raise MissingExtraError("a store in PostgreSQL needs psycopg", "postgres") from None

"""Link: a connection that gives up on a database that does not answer."""

import contextlib
import os
import re
import socket
import threading
import time
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Any

import psycopg

from nabi.server.journal.postgres.address import Address

SECONDS = 1.5  # for one query; then the database is asked whether it is at it
PROBE = 2.0  # seconds for that answer; without it the connection is cut
LOOK = 0.2  # seconds between two looks at all connections
AT_WORK = (
    "select pid from pg_stat_activity where pid = any(%s) "
    "and (state = 'active' or state_change > now() - interval '1 second')"
)
# The server ends a transaction of ours that stands still, so that it does not hold others up; and
# a commit is on its disk before it is answered.
SESSION = """
set search_path = nabi;
set lock_timeout = '2500ms';
set idle_in_transaction_session_timeout = '5s';
set timezone = 'UTC';
select set_config('synchronous_commit', 'on', false)
    where current_setting('synchronous_commit') = 'off';
"""


@lru_cache(512)
def numbered(query: str) -> str:
    """Return a query with `$1` for `?1` and, one after the other, for each `?`.

    >>> numbered("select ? where a = ?2"), numbered("select ?, ?")
    ('select $1 where a = $2', 'select $1, $2')
    """
    parts = re.split(r"\?(\d*)", query)
    made = [parts[0]]
    for n, (number, rest) in enumerate(zip(parts[1::2], parts[2::2], strict=True), 1):
        made += [f"${number or n}", rest]
    return "".join(made)


class Found:
    """The rows of a query."""

    __slots__ = ("_cursor",)

    def __init__(self, cursor: "psycopg.Cursor[Any]") -> None:
        self._cursor = cursor

    def __iter__(self) -> Iterator[Any]:
        return iter(self.fetchall())

    def fetchall(self) -> list[Any]:
        """Return all rows."""
        return [] if self._cursor.description is None else self._cursor.fetchall()

    @property
    def get(self) -> Any:
        """The first row, or its value where it has one; None without a row."""
        row = None if self._cursor.description is None else self._cursor.fetchone()
        return row[0] if row is not None and len(row) == 1 else row


class Link:
    """A connection. A query that is not answered in time ends it with OperationalError."""

    def __init__(self, address: Address, watch: "Watch") -> None:
        self._watch = watch
        self.due: float | None = None  # when it is cut
        self._link: psycopg.Connection[Any] = psycopg.connect(
            address.given, autocommit=True, cursor_factory=psycopg.RawCursor
        )
        self.pid = self._link.info.backend_pid
        watch.links.add(self)
        try:
            self.execute(SESSION)
        except BaseException:
            self.close()
            raise

    @property
    def is_lost(self) -> bool:
        """Whether the connection has ended."""
        return self._link.closed

    @contextlib.contextmanager
    def _timed(self) -> Iterator[None]:
        self.due = time.monotonic() + SECONDS
        try:
            yield
        finally:
            self.due = None

    def execute(self, query: str, bound: Sequence[Any] = ()) -> Found:
        """Run a query, in which `?` stands for each value."""
        with self._timed():
            return Found(self._link.execute(numbered(query), bound or None))

    def executemany(self, query: str, bound: Iterable[Sequence[Any]]) -> None:
        """Run a query for each of several rows of values."""
        with self._timed():
            self._link.cursor().executemany(numbered(query), bound)

    def together(self, *queries: tuple[str, Sequence[Any]]) -> list[Found]:
        """Run some queries in one round trip."""
        with self._timed(), self._link.pipeline():
            made = [self._link.execute(numbered(q), bound or None) for q, bound in queries]
        return [Found(cursor) for cursor in made]

    def notices(self, seconds: float) -> list[str]:
        """Return what others have told, as soon as something is, or the time is over."""
        return [one.payload for one in self._link.notifies(timeout=seconds, stop_after=1)]

    def cut(self) -> None:
        """End the connection from another thread: whoever waits for it gets an error."""
        self.due = None
        with contextlib.suppress(OSError, psycopg.Error):
            descriptor = os.dup(self._link.fileno())
            with socket.socket(fileno=descriptor) as ends:
                ends.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Close the connection."""
        self._watch.links.discard(self)
        with contextlib.suppress(psycopg.Error):
            self._link.close()


class Watch:
    """A thread that cuts links whose database does not answer in time."""

    def __init__(self, address: Address) -> None:
        self._address = address
        self.links: set[Link] = set()
        self.is_away = False  # whether the database did not answer when it was asked last
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._run, name="nabi-watch", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while not self._end.wait(LOOK):
            now = time.monotonic()
            due = {link: link.due for link in list(self.links)}
            overdue = [link for link, at in due.items() if at is not None and now > at]
            if overdue:
                self._look_at(overdue)

    def _look_at(self, overdue: list[Link]) -> None:
        """Give those queries more time that the database is at, and cut the others."""
        asked = [link.due for link in overdue]
        active = self._active([link.pid for link in overdue])
        self.is_away = active is None
        for link, due in zip(overdue, asked, strict=True):
            if link.due != due:
                continue  # it was answered meanwhile
            if active is not None and link.pid in active:
                link.due = time.monotonic() + SECONDS
            else:
                link.cut()

    def _active(self, pids: list[int]) -> set[int] | None:
        """Return which of our sessions the database is at work for; None: it does not answer."""
        found: list[set[int]] = []

        def ask() -> None:
            with contextlib.suppress(psycopg.Error), psycopg.connect(self._address.given) as link:
                found.append({pid for (pid,) in link.execute(AT_WORK, (pids,))})

        asking = threading.Thread(target=ask, name="nabi-probe", daemon=True)
        asking.start()
        asking.join(PROBE)
        return found[0] if found else None

    def close(self) -> None:
        """End the thread, and all links."""
        self._end.set()
        self._thread.join()
        for link in list(self.links):
            link.close()

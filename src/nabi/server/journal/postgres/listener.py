"""Listener: hears of every batch on a connection of its own, and asks where nothing is heard."""

import contextlib
import threading
from collections.abc import Callable

import psycopg

from nabi.server.journal.postgres.address import Address
from nabi.server.journal.postgres.link import Link, Watch

CHANNEL = "nabi"
POLL = 1.0  # seconds without a word, after which it asks
AGAIN = 0.5  # seconds until it connects again
HEAD = "select n || ' ' || removals || ' ' || tokens from head"
TELL = f"select pg_notify('{CHANNEL}', n || ' ' || removals || ' ' || tokens) from head"
TOKENS = "select name, role, digest from tokens order by made, name"

KeptToken = tuple[str, str, bytes]  # name, role, digest


class Listener:
    """Calls `heard(head, removals)` in a thread, and `lost(error)` where the database is away.

    `tokens` are those of the database; while it is away, those of before.
    """

    def __init__(
        self,
        address: Address,
        watch: Watch,
        heard: Callable[[int, int], None],
        lost: Callable[[psycopg.Error], None],
    ) -> None:
        self._address, self._watch, self._heard, self._lost = address, watch, heard, lost
        self._end = threading.Event()
        self._version = -1  # of the tokens
        self.tokens: list[KeptToken] = []
        self._link: Link | None = None
        self._thread = threading.Thread(target=self._run, name="nabi-listen", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while not self._end.is_set():
            try:
                with contextlib.closing(Link(self._address, self._watch)) as self._link:
                    self._listen(self._link)
            except psycopg.Error as error:
                if not self._end.is_set():
                    self._lost(error)
                    self._end.wait(AGAIN)

    def _listen(self, link: Link) -> None:
        link.execute(f"listen {CHANNEL}")
        self._tell(link, link.execute(HEAD).get)
        while not self._end.is_set():
            told = link.notices(POLL)
            if not self._end.is_set():
                self._tell(link, told[-1] if told else link.execute(HEAD).get)

    def _tell(self, link: Link, told: str) -> None:
        head, removals, version = map(int, told.split())
        if version != self._version:
            self.tokens = [(name, role, bytes(d)) for name, role, d in link.execute(TOKENS)]
            self._version = version
        self._heard(head, removals)

    def close(self) -> None:
        """End the thread."""
        self._end.set()
        if self._link is not None:
            self._link.cut()
        self._thread.join()

"""Claims: which page has which text of the pool, in a table that all servers share."""

import threading
from collections.abc import Callable, Iterable
from typing import Any
from uuid import UUID

from nabi.server.journal.postgres.link import Link

Page = tuple[str, str]  # the name of the token, and the tab
OVER = "heard < now() - interval '60 seconds'"
CLAIM = (
    "insert into leases (id, who, tab, process) values (?, ?, ?, ?) on conflict (id) do update set "
    "who = excluded.who, tab = excluded.tab, process = excluded.process, heard = now() "
    f"where leases.{OVER} or (leases.who, leases.tab) = (excluded.who, excluded.tab) "
    "and (? or leases.process = excluded.process) returning id"
)
LABELS = (
    "select (select count(*) from entries join current using (position) "
    "where entries.id = ?1 and what = 'learn' and current.label is not null) "
    "+ (select count(*) from seconds join pool using (number) where pool.id = ?1)"
)


class Claims:
    """The claims of one server, on a connection of its own; for several threads."""

    def __init__(self, process: UUID, connected: Callable[[], Link]) -> None:
        self._process, self._connected = process, connected
        self._lock = threading.Lock()
        self._link: Link | None = None

    def _run(self, query: str, *bound: object) -> list[Any]:
        with self._lock:
            if self._link is None or self._link.is_lost:
                self._link = self._connected()
            return self._link.execute(query, bound).fetchall()

    def claim(self, id: str, page: Page, *, audit: bool, has_it: bool) -> bool:
        """Take a text for a page, unless another page or another server has it.

        With `has_it` the page says that it has the text: which server gave it is all the same.
        """
        if audit:
            self._run("insert into given values (?) on conflict do nothing", id)
        return bool(self._run(CLAIM, id, *page, self._process, has_it))

    def of_all(self) -> tuple[set[str], set[str]]:
        """Return the texts that pages of this server have, and those of other servers."""
        query = f"select id, process = ? from leases where not {OVER} or process = ?1"
        found: tuple[set[str], set[str]] = set(), set()
        for id, is_own in self._run(query, self._process):
            found[not is_own].add(id)
        return found

    def end(self, who: str, ids: Iterable[str]) -> None:
        """Give texts of a person back, whichever page and server has them."""
        self._run("delete from leases where who = ? and id = any(?)", who, list(ids))

    def release(self, page: Page, ids: Iterable[str]) -> None:
        """Give texts of a page back."""
        query = "delete from leases where who = ? and tab = ? and id = any(?)"
        self._run(query, *page, list(ids))

    def labels(self, id: str) -> int:
        """Return how many people have labelled a text by now, at whichever server."""
        ((found,),) = self._run(LABELS, id)
        return int(found)

    def beat(self, pages: Iterable[tuple[Page, float]]) -> None:
        """Tell how many seconds ago each page was heard of; end what is over."""
        query = (
            "update leases set heard = now() - make_interval(secs => ?) "
            "where who = ? and tab = ? and process = ?"
        )
        for page, seconds in pages:
            self._run(query, seconds, *page, self._process)
        self._run(f"delete from leases where {OVER}")

"""Leases that several servers share: what a server gives to a page it claims in the database."""

import time
from collections.abc import Callable, Iterable

from nabi.server.journal.interface import Claimer
from nabi.server.labelling.leases import HELD, Leases, Page

FRESH = 0.5  # seconds for which the claims of others are taken as they were
BEAT = 10.0  # seconds between two words to the others


class SharedLeases(Leases):
    """The leases of one server, and what it knows of those of others."""

    def __init__(self, claims: Claimer, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(clock)
        self._claims = claims
        self._others: set[str] = set()
        self._asked = self._told = float("-inf")

    def take(self, page: Page, id: str, why: str, *, audit: bool = False) -> bool:
        """Give a text to a page, unless another one has it, at whichever server."""
        if not super().take(page, id, why, audit=audit):
            return False
        if self._claims.claim(id, page, audit=audit, has_it=why == HELD):
            return True
        super().release(page, [id])
        self._others.add(id)
        return False

    def held(self) -> set[str]:
        """Return all texts that pages have, those of other servers too."""
        if self._clock() - self._asked > FRESH:
            own, self._others = self._claims.of_all()
            self._asked = self._clock()
            self._drop(super().held() - own)
        return super().held() | self._others

    def _drop(self, ids: set[str]) -> None:
        """Let go of texts that were labelled at another server."""
        for id in ids:
            super().release(self._held[id].page, [id])

    def end(self, who: str, ids: Iterable[str]) -> None:
        """End the leases that a person has of some texts, whichever server gave them."""
        given = list(ids)
        super().end(who, given)
        self._claims.end(who, given)

    def release(self, page: Page, ids: Iterable[str]) -> int:
        """End the leases of some texts of a page; return how many it had."""
        given = list(ids)
        self._claims.release(page, given)
        return super().release(page, given)

    def labels(self, id: str) -> int | None:
        """Return how many people have labelled a text by now, at whichever server."""
        return self._claims.labels(id)

    def beat(self) -> None:
        """Tell the others, now and then, which pages are there."""
        if self._clock() - self._told > BEAT:
            self._told = self._clock()
            now = self._clock()
            self._claims.beat([(page, now - at) for page, at in list(self._heard.items())])

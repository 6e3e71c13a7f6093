"""Leases: which texts a page has, so that no text is given to two."""

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

SECONDS = 60.0  # without a call of the page
MOST = 500  # texts that a page has
PAGES = 200  # of one person
HELD = "held"  # why: the page had the text before

Page = tuple[str, str]  # the name of the token, and the tab


@dataclass(slots=True)
class Lease:
    """A text that a page has, and why it was given."""

    page: Page
    why: str
    audit: bool


class Leases:
    """Texts by their ids, and the pages that have them. One thread at a time.

    Whether a text was given as an audit is known until the server ends: a label that comes after
    the lease is over, as from a page that was offline, still counts as one.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._held: dict[str, Lease] = {}
        self._pages: dict[Page, set[str]] = {}
        self._heard: dict[Page, float] = {}
        self._audits: set[str] = set()

    def hear(self, page: Page) -> None:
        """Note that a page is there: its leases begin anew. From any thread."""
        if page in self._pages:
            self._heard[page] = self._clock()

    def take(self, page: Page, id: str, why: str, *, audit: bool = False) -> bool:
        """Give a text to a page, unless another has it, or the page has as many as it may."""
        own = self._pages.get(page, ())
        if not self.is_free(id, page) or (len(own) >= MOST and id not in own):
            return False
        if page not in self._pages:
            self._make_room(page[0])
        self._heard[page] = self._clock()
        self._held[id] = Lease(page, why, audit)
        self._pages.setdefault(page, set()).add(id)
        if audit:
            self._audits.add(id)
        return True

    def is_free(self, id: str, page: Page) -> bool:
        """Whether no other page has a text."""
        lease = self._held.get(id)
        if lease is None or lease.page == page:
            return True
        if self._is_over(lease.page):
            self.forget(lease.page)
            return True
        return False

    def _make_room(self, who: str) -> None:
        """End the leases of a person's page that was heard of longest ago, where there are many."""
        pages = [page for page in self._pages if page[0] == who]
        if len(pages) >= PAGES:
            self.forget(min(pages, key=lambda page: self._heard[page]))

    def _is_over(self, page: Page) -> bool:
        return self._clock() - self._heard.get(page, -SECONDS) > SECONDS

    def held(self) -> set[str]:
        """Return all texts that pages have; leases that are over end."""
        for page in [page for page in self._pages if self._is_over(page)]:
            self.forget(page)
        return set(self._held)

    def beat(self) -> None:
        """Tell other servers, now and then, which pages are there; here there are none."""

    def labels(self, id: str) -> int | None:
        """Return how many people have labelled a text by now; None where no other server writes."""
        return None

    def is_audit(self, id: str) -> bool:
        """Whether a text was given as an audit."""
        return id in self._audits

    def release(self, page: Page, ids: Iterable[str]) -> int:
        """End the leases of some texts of a page; return how many it had."""
        own = self._pages.get(page, set())
        found = own.intersection(ids)
        for id in found:
            del self._held[id]
        own -= found
        return len(found)

    def end(self, who: str, ids: Iterable[str]) -> None:
        """End the leases that a person has of some texts, in whichever tab."""
        given = set(ids)
        leases = [self._held[id] for id in given if id in self._held]
        for page in {lease.page for lease in leases if lease.page[0] == who}:
            self.release(page, given)

    def forget(self, page: Page) -> None:
        """End all leases of a page."""
        self.release(page, list(self._pages.get(page, ())))
        self._pages.pop(page, None)
        self._heard.pop(page, None)

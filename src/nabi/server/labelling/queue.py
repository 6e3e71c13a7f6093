"""Queue: which texts come next, and to whom."""

import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nabi.server.labelling import doubt
from nabi.server.labelling.index import OPEN, Index
from nabi.server.labelling.leases import HELD, Leases, Page
from nabi.server.labelling.project import AUDIT_EVERY, OVERLAP
from nabi.server.labelling.ranking import CANDIDATES, RANKED, Ranking
from nabi.server.labelling.seconds import Seconds
from nabi.server.labelling.shared_leases import SharedLeases
from nabi.server.people.agreement import unsettled
from nabi.server.store.store import Store

MATCHES = 200  # texts that a search finds at a time
TRIES = 200  # to find an open text by chance
MARKS = 500  # ids of one query

Suspected = tuple[str, str, str]  # id, text, label


@dataclass(frozen=True)
class Wanted:
    """Request of a page for texts."""

    page: Page
    by: str = "doubt"
    count: int = 5
    contains: str | None = None
    label: str | None = None
    holding: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Item:
    """A text to be asked, and why. `second`: another person has labelled it already.

    `labels`: what people said of a text on which they disagree.
    """

    number: int
    id: str
    text: str
    near: int
    why: str
    label: str | None = None
    second: bool = False
    labels: tuple[tuple[str, str], ...] = ()


class Queue:
    """The next texts of a pool. Its calls are for several threads.

    Parameters
    ----------
    store : Store
        The store of the pool.
    candidates : int
        How many texts are scored, of a pool that has more: a part of them is drawn anew each time.
    audit_every : int
        Every so many texts, one that is drawn by chance.
    overlap : float
        The share of texts that go to two people.
    seed : int, optional
        For tests and measurements (default: by chance).
    """

    def __init__(
        self,
        store: Store,
        *,
        candidates: int = CANDIDATES,
        audit_every: int = AUDIT_EVERY,
        overlap: float = OVERLAP,
        seed: int | None = None,
    ) -> None:
        self.store, self.index = store, Index(store)
        claims = store.journal.claims
        self.leases = Leases() if claims is None else SharedLeases(claims)
        self.audit_every, self.seconds = audit_every, Seconds(overlap, audit_every)
        self._random = np.random.default_rng(seed)
        self._lock = threading.Lock()
        self.ranking = Ranking(
            store,
            self.index,
            self._lock,
            self._held_numbers,
            candidates=candidates,
            random=self._random,
        )
        self._given: dict[str, int] = {}  # texts by person
        self._sources: tuple[int, int, dict[str, int]] = (0, -1, {})
        self._skips: dict[str, set[int]] = {}
        self._numbers: dict[str, int] = {}  # of texts that pages have

    @property
    def left(self) -> int:
        """How many texts have no label."""
        return self.index.left

    def counts(self, who: str) -> tuple[int, int, int]:
        """Return how many texts there are, have a label, and were skipped by a person."""
        with self._lock, self.store.journal.reading() as sql:
            self.index.refresh()
            return self.index.texts, self.index.labelled, len(self.skipped(who, sql))

    def sources(self) -> dict[str, int]:
        """Return how many texts came from each source; kept until texts come or go."""
        last, removals = self.index.stamp
        seen, before, found = self._sources
        if before != removals:
            seen, found = 0, {}
        if seen != last:
            query = (
                "select coalesce(source, ''), count(*) from pool where number > ? and number <= ? "
                "group by 1"
            )
            with self.store.journal.reading() as sql:
                more = dict(sql.execute(query, (seen, last)))
            found = {name: found.get(name, 0) + more.get(name, 0) for name in {**found, **more}}
            self._sources = last, removals, found
        return found

    def hear(self, page: Page) -> None:
        """Note that a page is there: it keeps the texts that it has."""
        self.leases.hear(page)

    def beat(self) -> None:
        """Tell other servers, now and then, which pages are there."""
        with self._lock:
            self.leases.beat()

    def release(self, page: Page, ids: Sequence[str]) -> int:
        """Let others have texts of a page; return how many it had."""
        with self._lock:
            return self.leases.release(page, ids)

    def labelled(self, who: str, ids: Iterable[str]) -> None:
        """Note that a person has labelled some texts, which are theirs no more."""
        with self._lock:
            self.leases.end(who, ids)

    def keep(self, page: Page, position: int) -> None:
        """Let a page have a text again whose label it takes back."""
        query = "select id from entries where position = ? and what = 'learn'"
        with self.store.journal.reading() as sql:
            id = sql.execute(query, (position,)).get
        if id is not None:
            with self._lock:
                self.leases.take(page, id, HELD)

    # ---- what is next ----

    def next(self, wanted: Wanted, suspects: Iterable[Suspected] = ()) -> list[Item]:
        """Return the next texts for a page, which it has from now on.

        `suspects` are examples whose labels look wrong, where those are asked for.
        """
        matches = self._matches(wanted.contains or "") if wanted.by == "search" else []
        with self._lock:
            self.index.refresh()
            self.leases.hear(wanted.page)
            for id in wanted.holding:
                self.leases.take(wanted.page, id, HELD)
            found: list[Item] = []
            with self.store.journal.reading() as sql:
                for item in self._offered(wanted, suspects, matches, sql):
                    # What others have is asked anew: with what was known before the loop, a text
                    # that was given back meanwhile would be offered and passed over for ever.
                    if item.id in self.leases.held():
                        continue
                    is_audit = _is_audit(item.why)
                    if not self.leases.take(wanted.page, item.id, item.why, audit=is_audit):
                        if item.id in self.leases.held():
                            continue  # a page of another server was first
                        break  # the page has as many as it may
                    if self._was_labelled(item):
                        self.leases.release(wanted.page, [item.id])
                        continue
                    found.append(item)
                    self.ranking.taken += 1
                    if len(found) == wanted.count:
                        break
            return found

    def _was_labelled(self, item: Item) -> bool:
        """Whether another server has taken its label since this one looked: asked with the lease.

        Who labels a text gives it back only then.
        """
        if item.label is not None or self.leases.labels(item.id) in (None, int(item.second)):
            return False
        if item.second:
            self.seconds.done.add(item.id)
        else:
            self.index.note_label(item.number)
        return True

    def _offered(
        self, wanted: Wanted, suspects: Iterable[Suspected], matches: Sequence[int], sql: Any
    ) -> Iterator[Item]:
        """Yield texts for a page, the best first; whether another page has one is not seen yet."""
        who = wanted.page[0]
        if wanted.by == "suspects":
            for id, text, label in suspects:
                yield Item(0, id, text, 0, "suspect", label)
            return
        if wanted.by == "search":
            yield from self._found(matches, who, sql)
            return
        skipped = self.skipped(who, sql)
        if wanted.by == "disagreements":
            yield from self._disagreements(skipped, sql)
            return
        ranked = self._in_order(wanted)
        while True:
            item = self._second(who, skipped, sql)
            if item is not None:
                yield item
                continue
            n = self._given.get(who, 0) + 1
            why = self._due(n)
            number, kind = (None, "") if why else next(ranked, (None, ""))
            if number is None:
                number, kind = self._by_chance(skipped, sql), why or "random"
            if number is None:
                self.seconds.hurry(who)  # nothing else is left
                item = self._second(who, skipped, sql)
                if item is None:
                    return
                yield item
                continue
            if self.index.state[number] != OPEN or number in skipped:
                continue
            item = self._item(number, kind, sql)
            if item is None:
                self.index.drop(number)
            elif item.id not in self.leases.held():
                self._given[who] = n
                yield item

    def _due(self, n: int) -> str | None:
        """Return why the n-th text of a person is drawn by chance; None where it is not."""
        if self.ranking.last.classes < 2:
            return "first"
        return "audit" if n % self.audit_every == 0 else None

    def _second(self, who: str, skipped: set[int], sql: Any) -> Item | None:
        """Return a text for a second label, if one is due."""
        n, held = self._given.get(who, 0), self.leases.held()
        found = self.seconds.next(who, n, held, skipped, self.index.labelled, sql)
        return None if found is None else Item(*found, "audit", second=True)

    def _disagreements(self, skipped: set[int], sql: Any) -> Iterator[Item]:
        """Yield texts on which people disagree, for somebody to decide."""
        for one in unsettled(self.store):
            row = sql.execute("select number, copies - 1 from pool where id = ?", (one.id,)).get
            if row is not None and row[0] not in skipped:
                yield Item(row[0], one.id, one.text, row[1], "disagree", one.now, labels=one.labels)

    def _in_order(self, wanted: Wanted) -> Iterator[tuple[int, str]]:
        ranked = self.ranking.last
        if wanted.by == "doubt":
            return ((number, "doubt") for number in ranked.doubts)
        if wanted.by == "few" and ranked.labels:
            label = wanted.label if wanted.label in ranked.labels else next(iter(ranked.labels))
            best = doubt.of_class(ranked.proba, ranked.labels[label], RANKED)
            return ((ranked.numbers[at], "few") for at in best)
        return iter(())

    def _by_chance(self, skipped: set[int], sql: Any) -> int | None:
        """Draw a text without a label that no page has."""
        state = self.index.state
        if len(state) < 2:
            return None
        held = self._held_numbers(sql)
        for _ in range(TRIES):
            number = int(self._random.integers(1, len(state)))
            if state[number] == OPEN and number not in skipped and number not in held:
                return number
        left = np.setdiff1d(self.index.open_numbers(), np.array([*skipped, *held], np.int64))
        return int(self._random.choice(left)) if len(left) else None

    def _held_numbers(self, sql: Any) -> set[int]:
        """Return the numbers of texts that pages have; they are read once for each."""
        held = self.leases.held()
        self._numbers = {id: number for id, number in self._numbers.items() if id in held}
        new = sorted(held - self._numbers.keys())
        for at in range(0, len(new), MARKS):
            some = new[at : at + MARKS]
            marks = ", ".join("?" * len(some))
            query = f"select id, number from pool where id in ({marks})"
            self._numbers |= dict(sql.execute(query, some))
        return set(self._numbers.values())

    def _matches(self, contains: str) -> list[int]:
        """Return the numbers of some open texts that contain these words."""
        query = f"select number from pool where {self.store.journal.CONTAINS} order by number"
        found: list[int] = []
        with self.store.journal.reading() as sql:
            for (number,) in sql.execute(query, (contains,)):
                state = self.index.state
                if number >= len(state) or state[number] == OPEN:
                    found.append(number)
                if len(found) == MATCHES:
                    break
        return found

    def _found(self, matches: Sequence[int], who: str, sql: Any) -> Iterator[Item]:
        skipped, state = self.skipped(who, sql), self.index.state
        for number in matches:
            if number < len(state) and state[number] == OPEN and number not in skipped:
                item = self._item(number, "search", sql)
                if item is not None:
                    yield item

    @staticmethod
    def _item(number: int, why: str, sql: Any) -> Item | None:
        query = "select id, text, copies - 1 from pool where number = ?"
        for id, text, near in sql.execute(query, (number,)):
            return Item(number, id, text, near, why)
        return None

    def skipped(self, who: str, sql: Any) -> set[int]:
        """Return the texts that a person has skipped."""
        if who not in self._skips:
            rows = sql.execute("select number from skips where who = ?", (who,))
            self._skips[who] = {number for (number,) in rows}
        return self._skips[who]

    def skips_changed(self, who: str) -> None:
        """Forget what was known of a person's skips."""
        with self._lock:
            self._skips.pop(who, None)

    def clear(self) -> None:
        """Let go of all texts in memory: one of them was forgotten."""
        self.ranking.clear()
        self._numbers = {}


def _is_audit(why: str) -> bool:
    """Whether a text was drawn by chance and the model's guess was not shown with it."""
    return why in ("audit", "first")

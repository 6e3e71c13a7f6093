"""Queue: which texts come next, and to whom."""

import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from nabi.base.arrays import F64, I64
from nabi.judging.duplicate_texts import duplicates
from nabi.judging.learned import leave_one_out
from nabi.server.labelling import coverage, doubt
from nabi.server.labelling.index import OPEN, Index
from nabi.server.labelling.leases import HELD, Leases, Page
from nabi.server.labelling.project import AUDIT_EVERY, OVERLAP
from nabi.server.labelling.seconds import Seconds
from nabi.server.labelling.shared_leases import SharedLeases
from nabi.server.people.agreement import unsettled
from nabi.server.store.store import Store

CANDIDATES = 2000  # texts that are scored
ROTATED = 8  # a part of them is others each time: one of so many
RANKED = 100  # texts that are ready to be asked
CHARACTERS = 20_000  # of a text that is scored
MATCHES = 200  # texts that a search finds at a time
COMPARED = 40  # of them, which are compared with each other and with what was asked
REMEMBERED = 300  # texts that were asked
LEARNED = 1000  # texts with labels, which stand for those that are like them
STANDING = 400  # candidates by which is told how much a text stands for
JUDGED = 200  # audit texts by which the model's skill is told
TRUST = 2.0  # times the skill: how far doubt counts
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


@dataclass
class Ranked:
    """Texts in the order in which they are worth asking, by one state of the model."""

    position: int = -1
    doubts: list[int] = field(default_factory=list)
    numbers: list[int] = field(default_factory=list)
    proba: F64 = field(default_factory=lambda: np.empty((0, 0)))
    labels: dict[str, int] = field(default_factory=dict)  # the one with the fewest examples first
    classes: int = 0
    skill: float = 0.0


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
        self._candidates = candidates
        self._random = np.random.default_rng(seed)
        self._lock, self._refreshing = threading.Lock(), threading.Lock()
        self._known: dict[int, str] = {}  # candidates and their texts
        self._ranked = Ranked()
        self._given: dict[str, int] = {}  # texts by person
        self._sources: tuple[int, int, dict[str, int]] = (0, -1, {})
        self._taken = 0  # of the texts that are ready
        self._skips: dict[str, set[int]] = {}
        self._numbers: dict[str, int] = {}  # of texts that pages have

    @property
    def is_new(self) -> bool:
        """Whether nothing was scored yet."""
        return self._ranked.position < 0

    @property
    def runs_dry(self) -> bool:
        """Whether few of the texts that are ready are left."""
        return self._taken > RANKED // 4

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
                    self._taken += 1
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
        if self._ranked.classes < 2:
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
        ranked = self._ranked
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
        self._known = {}
        self._numbers = {}

    # ---- what is asked first ----

    def refresh(self) -> None:
        """Score some texts by the model as it is now.

        Doubt counts as far as the model is better than chance: before, it tells little, and what
        a text stands for decides.
        """
        with self._refreshing:
            numbers, texts = self._sample()
            with self.store.view() as view:
                ranked = Ranked(view.position)
                if view.model.__sklearn_is_fitted__():
                    model = view.model.reader()
                    model.threads = 1  # the other cores are for those who wait
                    self._rank(model, numbers, texts, ranked)
            self._ranked, self._taken = ranked, 0

    def _rank(self, model: Any, numbers: list[int], texts: list[str], ranked: Ranked) -> None:
        labels = model.classes_.tolist()
        ranked.classes = len(labels)
        if len(labels) < 2 or not texts:
            return
        ranked.skill = self._skill(model, ranked.position)
        trusted = min(1.0, TRUST * ranked.skill)
        proba, ranked.numbers = model.predict_proba(texts), numbers
        asked = self._asked_texts()
        worth = doubt.worth(proba, model.class_count_) ** trusted
        found = self._covering(worth, numbers, texts, asked)
        ranked.doubts = self._apart(found, numbers, texts, asked[:REMEMBERED])
        order = np.argsort(model.class_count_, kind="stable").tolist()
        ranked.proba, ranked.labels = proba, {labels[code]: code for code in order}

    def _skill(self, model: Any, position: int) -> float:
        """Return how much better than chance the model is on audit texts, without each of them."""
        query = (
            "select entries.text, current.label from audits join pool using (number) "
            "join entries on entries.id = pool.id "
            "join current on current.position = entries.position "
            "where what = 'learn' and current.label is not null "
            f"order by entries.position desc limit {JUDGED}"
        )
        with self.store.journal.reading() as sql:
            rows: list[Any] = sql.execute(query).fetchall()
            head = sql.execute("select max(position) from entries").get
        if head != position or not rows:  # the model is another: it learned more, or less
            return self._ranked.skill
        texts, labels = map(list, zip(*rows, strict=True))
        judged = leave_one_out(model, texts, labels)
        return doubt.skill(labels, [judged.labels[i] for i in judged.predicted.tolist()])

    def _covering(
        self, worth: F64, numbers: list[int], texts: list[str], asked: list[str]
    ) -> list[int]:
        """Return the candidates that are worth most and stand for many that no asked text is like.

        Texts that pages have are asked already, though they have no label.
        """
        some = self._random.permutation(len(texts))[:STANDING].tolist()
        like = coverage.likeness([*texts, *asked], some)
        with self._lock, self.store.journal.reading() as sql:
            held = np.flatnonzero(np.isin(numbers, list(self._held_numbers(sql))))
        known = np.concatenate([like[held], like[len(texts) :]])
        covered = known.max(axis=0, initial=0.0)
        return coverage.in_order(worth, like[: len(texts)], covered, RANKED)

    def _apart(
        self, found: Sequence[int], numbers: list[int], texts: list[str], asked: list[str]
    ) -> list[int]:
        """Return texts without those that are nearly the same as one before or one that was asked.

        Some at a time: of the others the last time's model knows enough.
        """
        some = [*asked, *(texts[at] for at in found[:COMPARED])]
        again = {
            at - len(asked) for group in duplicates(some) for at in group.at[1:] if at >= len(asked)
        }
        return [numbers[at] for n, at in enumerate(found) if n not in again]

    def _asked_texts(self) -> list[str]:
        """Return the texts that were learned last."""
        query = (
            f"select substr(text, 1, {CHARACTERS}) from entries where what = 'learn' and "
            f"text is not null order by position desc limit {LEARNED}"
        )
        with self.store.journal.reading() as sql:
            return [text for (text,) in sql.execute(query)]

    def _sample(self) -> tuple[list[int], list[str]]:
        """Return candidates: those of the last time that are still open, and some new ones."""
        with self._lock:
            self.index.refresh()
            state = self.index.state
            known = [n for n in self._known if n < len(state) and state[n] == OPEN]
            opened = self.index.open_numbers()
        if len(opened) <= self._candidates:
            wanted = opened
        else:
            keep = min(len(known), self._candidates - self._candidates // ROTATED)
            kept = self._random.permutation(np.array(known, np.int64))[:keep]
            others = np.isin(opened, kept, invert=True, kind="table")
            fresh = self._random.choice(opened[others], self._candidates - keep, replace=False)
            wanted = np.unique(np.concatenate([kept, fresh]))
        self._known = self._texts(wanted)
        return list(self._known), list(self._known.values())

    def _texts(self, numbers: I64) -> dict[int, str]:
        """Return the texts of numbers: those that are known are not read again."""
        found: dict[int, str] = {}
        query = f"select substr(text, 1, {CHARACTERS}) from pool where number = ?"
        with self.store.journal.reading() as sql:
            for number in numbers.tolist():
                text = self._known.get(number)
                text = sql.execute(query, (number,)).get if text is None else text
                if text is not None:
                    found[number] = text
        return found


def _is_audit(why: str) -> bool:
    """Whether a text was drawn by chance and the model's guess was not shown with it."""
    return why in ("audit", "first")

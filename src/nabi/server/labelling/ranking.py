"""Ranking: scores candidates of a pool by the model as it is, the texts worth asking first."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from nabi.base.arrays import F64, I64
from nabi.judging.duplicate_texts import duplicates
from nabi.judging.learned import leave_one_out
from nabi.server.labelling import coverage, doubt
from nabi.server.labelling.index import OPEN, Index
from nabi.server.store.store import Store

CANDIDATES = 2000  # texts that are scored
ROTATED = 8  # a part of them is others each time: one of so many
RANKED = 100  # texts that are ready to be asked
CHARACTERS = 20_000  # of a text that is scored
COMPARED = 40  # texts that are compared with each other and with what was asked
REMEMBERED = 300  # texts that were asked
LEARNED = 1000  # texts with labels, which stand for those that are like them
STANDING = 400  # candidates by which is told how much a text stands for
JUDGED = 200  # audit texts by which the model's skill is told
TRUST = 2.0  # times the skill: how far doubt counts


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


class Ranking:
    """Ranks candidates of a pool, some at a time.

    Parameters
    ----------
    store : Store
        The store of the pool.
    index : Index
        Which texts have labels.
    lock : threading.Lock
        The lock of the queue, under which the index is read.
    held : callable
        The numbers of the texts that pages have, by a reader of the journal.
    candidates : int
        How many texts are scored, of a pool that has more.
    random : numpy.random.Generator
        By which candidates are drawn.
    """

    def __init__(
        self,
        store: Store,
        index: Index,
        lock: threading.Lock,
        held: Callable[[Any], set[int]],
        *,
        candidates: int,
        random: np.random.Generator,
    ) -> None:
        self._store, self._index, self._lock, self._held = store, index, lock, held
        self._candidates, self._random = candidates, random
        self._refreshing = threading.Lock()
        self._known: dict[int, str] = {}  # candidates and their texts
        self.last = Ranked()
        self.taken = 0  # of the texts that are ready

    @property
    def is_new(self) -> bool:
        """Whether nothing was scored yet."""
        return self.last.position < 0

    @property
    def runs_dry(self) -> bool:
        """Whether few of the texts that are ready are left."""
        return self.taken > RANKED // 4

    @property
    def candidates(self) -> set[int]:
        """The numbers of the texts that were scored last."""
        return set(self._known)

    def clear(self) -> None:
        """Let go of all texts in memory: one of them was forgotten."""
        self._known = {}

    def refresh(self) -> None:
        """Score some texts by the model as it is now.

        Doubt counts as far as the model is better than chance: before, it tells little, and what
        a text stands for decides.
        """
        with self._refreshing:
            numbers, texts = self._sample()
            with self._store.view() as view:
                ranked = Ranked(view.position)
                if view.model.__sklearn_is_fitted__():
                    model = view.model.reader()
                    model.threads = 1  # the other cores are for those who wait
                    self._rank(model, numbers, texts, ranked)
            self.last, self.taken = ranked, 0

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
        with self._store.journal.reading() as sql:
            rows: list[Any] = sql.execute(query).fetchall()
            head = sql.execute("select max(position) from entries").get
        if head != position or not rows:  # the model is another: it learned more, or less
            return self.last.skill
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
        with self._lock, self._store.journal.reading() as sql:
            held = np.flatnonzero(np.isin(numbers, list(self._held(sql))))
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
        with self._store.journal.reading() as sql:
            return [text for (text,) in sql.execute(query)]

    def _sample(self) -> tuple[list[int], list[str]]:
        """Return candidates: those of the last time that are still open, and some new ones."""
        with self._lock:
            self._index.refresh()
            state = self._index.state
            known = [n for n in self._known if n < len(state) and state[n] == OPEN]
            opened = self._index.open_numbers()
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
        with self._store.journal.reading() as sql:
            for number in numbers.tolist():
                text = self._known.get(number)
                text = sql.execute(query, (number,)).get if text is None else text
                if text is not None:
                    found[number] = text
        return found

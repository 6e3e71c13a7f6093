"""Guesses: what the model said of each audit text before it learned it.

Each audit is judged by the model of its time, as a replay of the journal gives it: so accuracy by
day tells how good the model was on that day. Texts that were forgotten since are in no model.
"""

import threading
from collections.abc import Sequence
from typing import NamedTuple

from nabi.models.text import TextClassifier
from nabi.server.journal.interface import LEARN, OF_CLASSES, Journal, Sql
from nabi.server.store.class_names import moved
from nabi.server.store.counting import blank
from nabi.server.store.replay.state import Written, deltas, erased_at, head_of, moved_by, written
from nabi.server.store.settings import empty_model

# A model judges the next entries, one for each so many that it has learned: of a million entries
# a thousand models.
PART = 100

AUDITS = (
    "select entries.position from audits join pool using (number) "
    "join entries on entries.id = pool.id where what = 'learn' and entries.position > ?"
)


class Guess(NamedTuple):
    """A label that a model gave, and the position of that model."""

    label: str
    head: int


class Judged(NamedTuple):
    """An audit: when it was labelled, and whether the model of then had said its label."""

    time: float
    right: bool


class Guesses:
    """Follows a journal, and guesses each audit text before it is learned. For several threads."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._lock = threading.Lock()
        self._start(0)

    def _start(self, erased: int) -> None:
        self._erased = erased  # the position of the last FORGET
        self._model: TextClassifier | None = None
        self._at = self._seen = 0  # the position of the model, and of the last entry judged
        self._found: dict[int, Guess] = {}

    def clear(self) -> None:
        """Let go of the counts: they hold words of what was forgotten."""
        with self._lock:
            self._start(0)

    def judged(self) -> list[Judged]:
        """Return the audits that were guessed and are counted now, in the order of the journal."""
        with self._lock, self._journal.reading() as sql:
            self._follow(sql)
            moves = _classes_moved(sql)
            rows = [row for at in sorted(self._found) for row in _now(sql, at)]
        return [
            Judged(time, _later(self._found[at], moves) == label)
            for at, time, label in rows
            if label is not None
        ]

    def _follow(self, sql: Sql) -> None:
        if not self._journal.has_pool:
            return
        erased, head = erased_at(sql), head_of(sql)
        if erased > self._erased or head < self._seen:
            self._start(erased)
        if self._model is None:
            self._model = blank(empty_model(self._journal, sql)).set_params(ledger=False)
            self._model.threads = 1  # the other cores are for those who wait
        audits = {position for (position,) in sql.execute(AUDITS, (self._seen,))}
        while audits and self._seen < head:
            end = self._at + max(1, self._at // PART)
            entries = written(sql, self._at, min(end, head))
            self._guess([e for e in entries if e.position > self._seen and e.position in audits])
            self._seen = entries[-1].position
            if self._seen == end:
                self._learn(sql, entries)

    def _guess(self, entries: Sequence[Written]) -> None:
        """Note what the model says of some texts; with fewer than two classes it says nothing."""
        given = [e for e in entries if e.what == LEARN and e.text is not None]
        model = self._model
        assert model is not None
        if not given or not model.__sklearn_is_fitted__() or len(model.classes_) < 2:
            return
        labels = model.predict([e.text for e in given]).tolist()
        for entry, label in zip(given, labels, strict=True):
            self._found[entry.position] = Guess(str(label), self._at)

    def _learn(self, sql: Sql, entries: Sequence[Written]) -> None:
        for delta in deltas(moved_by(sql, entries, self._at)):
            assert self._model is not None
            self._model, _ = delta.applied(self._model)
        self._at = entries[-1].position


def _now(sql: Sql, position: int) -> list[tuple[int, float, str | None]]:
    """Return the position, time and label of an example as it is now."""
    query = (
        "select position, time, current.label from entries join current using (position) "
        "where position = ?"
    )
    return list(sql.execute(query, (position,)))


def _classes_moved(sql: Sql) -> list[tuple[int, str, str | None]]:
    """Return when which classes got which other names, as far as that is in force."""
    query = (
        "select position, old, entries.label from entries left join current using (position) "
        f"where what in {OF_CLASSES} and undone is null and old is not null order by position"
    )
    return list(sql.execute(query))


def _later(guess: Guess, moves: Sequence[tuple[int, str, str | None]]) -> str | None:
    """Return what the class of a guess is called now."""
    name: str | None = moved(guess.label, [(old, new) for at, old, new in moves if at > guess.head])
    return name

"""Index: which texts of the pool have a label, in a byte each. It follows the journal."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from nabi.base.arrays import I64, U8
from nabi.server.journal.interface import FORGET, JOIN, LEARN, RELABEL, RENAME, UNDO
from nabi.server.store.store import Store

GONE, OPEN, LABELLED = 0, 1, 2
GROWTH = 1 << 16
MANY = 1000  # entries, after which all labels are read anew
LABELS = (
    "select pool.number from current join entries using (position) join pool on "
    "pool.id = entries.id where current.label is not null and entries.what = 'learn'"
)
IS_LABELLED = (
    "select pool.number, exists (select 1 from entries as e join current using (position) "
    "where e.id = pool.id and e.what = 'learn' and current.label is not null) "
    "from entries join pool on pool.id = entries.id where entries.position = ?"
)


class Index:
    """The state of each text of the pool, by its number: gone, open, or labelled.

    One thread at a time. A million texts take a megabyte.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._state: U8 = np.zeros(GROWTH, np.uint8)
        self._last = 0  # the last number
        self._position = 0  # of the journal
        self._removals = -1

    @property
    def state(self) -> U8:
        """The state of each text; the first one is that of number 0, which no text has."""
        return self._state[: self._last + 1]

    @property
    def stamp(self) -> tuple[int, int]:
        """The last number, and how often texts have left."""
        return self._last, self._removals

    @property
    def texts(self) -> int:
        """How many texts there are."""
        return int(np.count_nonzero(self.state))

    @property
    def labelled(self) -> int:
        """How many of them have a label."""
        return int(np.count_nonzero(self.state == LABELLED))

    @property
    def left(self) -> int:
        """How many of them have none."""
        return self.texts - self.labelled

    def open_numbers(self) -> I64:
        """Return the numbers of all texts without a label."""
        return np.flatnonzero(self.state == OPEN)

    def drop(self, number: int) -> None:
        """Note that a text is gone."""
        self._state[number] = GONE

    def note_label(self, number: int) -> None:
        """Note that a text has a label, before the journal is read again."""
        self._state[number] = LABELLED

    def refresh(self) -> None:
        """Follow the pool and the journal."""
        removals = self._store.removals
        if removals != self._removals:
            self._state[:] = GONE
            self._last, self._position = 0, 0
        with self._store.journal.reading() as sql:
            self._add(sql)
            self._follow(sql)
        self._removals = removals

    def _add(self, sql: Any) -> None:
        query = "select number from pool where number > ? order by number"
        numbers = _numbers(sql.execute(query, (self._last,)))
        if not len(numbers):
            return
        last = int(numbers[-1])
        if last >= len(self._state):
            grown = np.zeros(max(last + GROWTH, 2 * len(self._state)), np.uint8)
            grown[: len(self._state)] = self._state
            self._state = grown
        self._state[numbers] = OPEN
        self._last = last

    def _follow(self, sql: Any) -> None:
        query = (
            "select position, what, target from entries where position > ? order by position "
            f"limit {MANY + 1}"
        )
        rows = sql.execute(query, (self._position,)).fetchall()
        learned = None if self._position == 0 or len(rows) > MANY else _examples(sql, rows)
        if learned is None:
            self._state[self._state == LABELLED] = OPEN
            self._state[_numbers(sql.execute(LABELS))] = LABELLED
            self._position = sql.execute("select max(position) from entries").get or 0
            return
        for position in learned:
            for number, has in sql.execute(IS_LABELLED, (position,)):
                self._state[number] = LABELLED if has else OPEN
        if rows:
            self._position = rows[-1][0]


def _numbers(rows: Iterable[Any]) -> I64:
    """Return the first column of rows, which are not all in memory at a time."""
    return np.fromiter((row[0] for row in rows), np.int64)


def _examples(sql: Any, rows: Iterable[Any]) -> list[int] | None:
    """Return the LEARN entries that these entries may give or take a label; None: any."""
    found: list[int] = []
    for position, what, target in rows:
        while what == UNDO:
            at = target
            row = sql.execute("select what, target from entries where position = ?", (at,)).get
            what, target = row
            position = at
        if what == LEARN:
            found.append(position)
        elif what == RELABEL and target is not None:
            found.append(target)
        elif what not in (FORGET, RENAME, JOIN, RELABEL):
            return None
    return found

"""Follower: brings the counts up to what other processes wrote, and compares digests with theirs.

Counts are a function of the journal: two processes at the same position have the same bytes.
"""

import time
from collections.abc import Callable
from typing import NamedTuple

from nabi.errors import DivergedError
from nabi.models.text import TextClassifier
from nabi.server.journal.interface import Journal, Sql
from nabi.server.store.changes import Usage
from nabi.server.store.counting import Delta, Sides
from nabi.server.store.replay.state import CHUNK, deltas, head_of, moved_by, restored, written

SHARE = 20  # a digest may take this part of the time
LATE = 5.0  # seconds behind the journal, after which a server says so

Missed = list[Delta] | None  # what others did to the counts; None: all is to be counted anew


class _State(NamedTuple):
    """Facts about a journal before it is followed.

    `has_lost`: a text that is counted here was erased, and nobody can tell which words to take.
    `until`: the next position to stop at: the head, or where all tell their digests, unless a
    text that was counted there is gone.
    """

    head: int
    erased: int
    has_lost: bool
    until: int


class Follower:
    """Follows a journal that others write to, in the writer's thread.

    `empty` makes a model that has learned nothing; `usage` is kept up to date: the new words and
    classes that each token has brought.
    """

    def __init__(
        self,
        journal: Journal,
        sides: Sides,
        empty: Callable[[], TextClassifier],
        usage: dict[str, Usage],
    ) -> None:
        self._journal, self._sides, self._empty, self._usage = journal, sides, empty, usage
        self._charged = sides.position  # up to which `usage` knows what was brought
        self._late_since: float | None = None
        self._next_digest = 0.0  # the time
        self._told = -1  # the position of the last digest
        self.diverged: DivergedError | None = None

    @property
    def is_behind(self) -> bool:
        """Whether others have told of entries that are not counted here."""
        return self._journal.noticed > self._sides.position

    @property
    def late(self) -> str | None:
        """Why the server is behind, in a sentence, where it has been for a while."""
        if not self.is_behind:
            self._late_since = None
            return None
        now = time.monotonic()
        if self._late_since is None:
            self._late_since = now
        seconds = now - self._late_since
        if seconds < LATE:
            return None
        return (
            f"this server is at position {self._sides.position}, the journal at "
            f"{self._journal.noticed}, since {seconds:.0f} s; it predicts by what it has"
        )

    # ---- what others wrote ----

    def missed(self, sql: Sql, head: int) -> Missed:
        """Return what others did up to the head that `sql` sees, read inside of a batch."""
        at = self._sides.position
        if head == at:
            return []
        if self._state(sql, at).has_lost:
            return None
        return self._read(sql, at, head)

    def catch_up(self, wanted: int = 0) -> None:
        """Count what others wrote; at positions where all tell their digests, tell one.

        `wanted`: the head is at least there.
        """
        self._journal.noticed = max(self._journal.noticed, wanted)
        while self.is_behind and self._step():
            pass

    def _step(self) -> bool:
        at = self._sides.position
        with self._journal.reading() as sql:
            state = self._state(sql, at)
            if state.head <= at:
                return False
            self._journal.last_erased = max(self._journal.last_erased, state.erased)
            if state.has_lost:
                self._count_anew(sql)
                return True
            until = min(state.until, at + CHUNK)
            found = self._read(sql, at, until)
        self.publish(found, until)
        if until < state.head and until == state.until:
            self.compare()
        return True

    def _state(self, sql: Sql, at: int) -> "_State":
        """Return what is to know of a journal, by one query."""
        query = (
            "select (select max(position) from entries), (select max(erased) from entries), "
            "exists (select 1 from entries where erased > ?1 and position <= ?1 "
            "and what = 'learn')"
        )
        head, erased, has_lost = sql.execute(query, (at,)).get
        stop = self._journal.next_checkpoint(sql, at)
        if stop is None or stop > head or (erased or 0) > stop:
            stop = head or 0
        return _State(head or 0, erased or 0, bool(has_lost), stop)

    def _read(self, sql: Sql, at: int, until: int) -> list[Delta]:
        """Return what entries do to the counts, and charge who wrote them."""
        entries = written(sql, at, until)
        for entry in entries:
            if entry.position > self._charged and (entry.words or entry.classes):
                before = self._usage.get(entry.who, Usage())
                words, classes = before.words + entry.words, before.classes + entry.classes
                self._usage[entry.who] = Usage(words, classes)
        self._charged = max(self._charged, until)
        return list(deltas(moved_by(sql, entries, at)))

    def charge_anew(self) -> None:
        """Ask what each token has brought in all, after a write that may not have been kept."""
        with self._journal.reading() as sql:
            self._usage.clear()
            self._charged = 0
            self._charge(sql, head_of(sql))

    def _charge(self, sql: Sql, until: int) -> None:
        """Note the new words and classes that others' submissions brought."""
        query = (
            "select who, cast(sum(words) as bigint), cast(sum(classes) as bigint) from entries "
            "where position > ? and position <= ? group by who"
        )
        for who, words, classes in sql.execute(query, (self._charged, until)):
            before = self._usage.get(who, Usage())
            self._usage[who] = Usage(before.words + words, before.classes + classes)
        self._charged = max(self._charged, until)

    def publish(self, found: Missed, head: int) -> None:
        """Let readers see the counts after changes that were read up to a position."""
        self._charged = max(self._charged, head)
        if found is None:
            with self._journal.reading() as sql:
                self._count_anew(sql)
            return
        whole = found[0] if found else Delta()
        for more in found[1:]:
            whole.extend(more)
        self._sides.publish(whole, head)
        self._journal.advance(head)

    def _count_anew(self, sql: Sql) -> None:
        model, _ = restored(self._journal, sql, self._empty())
        head = head_of(sql)
        self._charge(sql, head)
        self._sides.replace(model, head)
        self._journal.advance(head)

    # ---- digests ----

    def compare_at_rest(self) -> None:
        """Tell the digest of the counts as they are, unless that takes too much of the time."""
        if self._told != self._sides.position and time.monotonic() > self._next_digest:
            self.compare()

    def compare(self) -> None:
        """Tell the digest of the counts; where another process has another, answer no more."""
        started = time.monotonic()
        position, own = self._sides.position, self._sides.digest()
        other = self._journal.agreed(position, own)
        self._told = position
        self._next_digest = time.monotonic() + SHARE * (time.monotonic() - started)
        if other != own:
            self.diverged = DivergedError(
                f"at position {position} the counts of this server have the digest {own.hex()}, "
                f"and those of another server {other.hex()}; it answers no more: start it again, "
                f"and where that does not help, nabi store check --store {self._journal.name}"
            )

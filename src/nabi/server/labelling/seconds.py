"""Second labels: a share of the texts goes to two people, by which agreement is measured."""

from collections.abc import Set
from typing import Any

from nabi.server.journal.interface import Sql

AUDITS = "audits join pool using (number)"
FIRST_BY_OTHERS = (
    "select pool.number, pool.id, pool.text, copies - 1 from {} "
    "join entries on entries.id = pool.id join current on current.position = entries.position "
    "where entries.what = 'learn' and current.label is not null and entries.who != ?1 "
    "and not exists (select 1 from seconds where seconds.number = pool.number) "
    "order by entries.position"
)
HASTE = 2  # times as often as it must be, where too few texts have gone to two people


class Seconds:
    """Chooses the texts that go to a second person. One thread at a time.

    `overlap` is the share of texts that shall. They are audit texts, unless more texts shall go to
    two people than there are audits: agreement is to be known of texts that were drawn by chance.
    """

    def __init__(self, overlap: float, audit_every: int) -> None:
        self.overlap, self.audit_every = overlap, audit_every
        self._given: set[str] = set()  # that pages have, or had
        self.done: set[str] = set()  # that another server gave, seen when it was too late
        self._from: dict[str, int] = {}  # how many texts each person has before the next one

    def next(
        self, who: str, n: int, held: Set[str], skipped: Set[int], labelled: int, sql: Sql
    ) -> tuple[int, str, str, int] | None:
        """Return number, id, text and copies of a text for a person; None where none is due.

        `n` are the texts that the person was given for a first label.
        """
        if n < self._from.get(who, 0) or not self._is_due(held, labelled, sql):
            return None
        source = "pool" if self.overlap * self.audit_every > 1.0 else AUDITS
        rows: Any = sql.execute(FIRST_BY_OTHERS.format(source), (who,))
        for number, id, text, near in rows:
            if id not in held and id not in self.done and number not in skipped:
                self._given.add(id)
                self._from[who] = n + round(1.0 / self.overlap / HASTE)
                return number, id, text, near
        self._from[who] = n + 2 * self.audit_every  # nobody else is there: ask seldom
        return None

    def hurry(self, who: str) -> None:
        """Look for one at once: there are no other texts."""
        self._from.pop(who, None)

    def _is_due(self, held: Set[str], labelled: int, sql: Sql) -> bool:
        """Whether too few texts have gone to two people, with those that pages have."""
        self._given &= held
        if not self.overlap:
            return False
        twice: int = sql.execute("select count(distinct number) from seconds").get
        return twice + len(self._given) < self.overlap * labelled

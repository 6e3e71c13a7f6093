"""Changer: makes the entries of submissions, charges allowances, and knows idempotency keys."""

from collections.abc import Callable, Sequence
from typing import Any

from nabi.errors import AllowanceError, KeyReusedError
from nabi.server.journal import interface as j
from nabi.server.journal.interface import Journal
from nabi.server.store import pool, teaching
from nabi.server.store.changes import (
    AddTexts,
    Allowance,
    Drop,
    Forget,
    Join,
    Learn,
    Outcome,
    Receipt,
    Relabel,
    RemoveTexts,
    Rename,
    Second,
    SetProject,
    Skip,
    Undo,
    Usage,
)
from nabi.server.store.counting import Delta
from nabi.server.store.undoing import undo
from nabi.server.store.work import Submission, Work

MAKING: dict[type, Callable[[Work, Any], None]] = {
    Learn: teaching.learn,
    Relabel: teaching.relabel,
    Forget: teaching.forget,
    Undo: undo,
    Rename: teaching.rename,
    Join: teaching.join,
    Drop: teaching.drop,
    AddTexts: teaching.add_texts,
    RemoveTexts: pool.remove,
    Skip: pool.skip,
    Second: pool.second,
    SetProject: pool.set_project,
}
LABELS = (Learn, Relabel)
AT_ONCE = 50  # classes that are asked for in one query


class Changer:
    """Makes the entries of submissions, in the writer's thread, inside a batch of the journal.

    `new_words` says of groups of texts how many words of each are not counted yet.
    """

    def __init__(self, journal: Journal, new_words: Callable[[list[list[str]]], list[int]]) -> None:
        self._journal = journal
        self._new_words = new_words
        self.classes: set[str] = set()  # some that have examples, as the batch has them
        self._keys: set[bytes] = set()  # of submissions in the journal
        self.erased = False  # whether texts left the pool since the writer last looked
        rows = journal.rows(
            "select who, cast(sum(words) as bigint), cast(sum(classes) as bigint) from entries "
            "group by who"
        )
        self.usage = {who: Usage(words, classes) for who, words, classes in rows}

    def count_new_words(self, given: Sequence[Submission]) -> None:
        """Count the new words that submissions bring, all at once, where somebody limits them."""
        limited = [one for one in given if one.allowance and one.allowance.words is not None]
        groups = [[c.text for c in one.changes if isinstance(c, Learn)] for one in limited]
        for one, words in zip(limited, self._new_words(groups), strict=True):
            one.new_words = words

    def begin(self, given: Sequence[Submission]) -> None:
        """Ask at once which idempotency keys of a batch came before, and which classes are there.

        Asked for one by one, each new label of a batch costs four round trips to a database, under
        the lock of all who write.
        """
        self._find_classes({c.label for one in given for c in one.changes if isinstance(c, LABELS)})
        keys = [key[0] for one in given if (key := self._key(one)) is not None]
        marks = ", ".join("?" * len(keys))
        query = f"select key from entries where key in ({marks})"
        self._keys = {bytes(key) for (key,) in self._journal.rows(query, *keys)} if keys else set()

    def _find_classes(self, labels: set[str]) -> None:
        """Note which of some labels have examples."""
        self.classes.clear()
        some = sorted(labels)[:AT_ONCE]
        one = "select ?{0} where exists (select 1 from current where label = ?{0})"
        query = " union all ".join(one.format(at + 1) for at in range(len(some)))
        self.classes |= {label for (label,) in self._journal.rows(query, *some)} if some else set()

    def make(self, given: Submission, delta: Delta) -> Outcome:
        """Append the entries of a submission, and add to the delta what is to be counted."""
        key = self._key(given)
        if key is not None and key[0] in self._keys:
            before = self._asked_before(*key)
            if before is not None:
                return before
        work = Work(self._journal, given, self._journal.last + 1, key, self.classes)
        for change in given.changes:
            MAKING[type(change)](work, change)
        self._charge(work, given.allowance)
        outcome = Outcome(
            position=work.position - 1,
            ids=tuple(work.ids),
            forgotten=work.forgotten,
            undone=work.undone,
            moved=work.moved,
            receipt=self._receipt(work.forgets, work.time),
            added=work.added,
            duplicates=work.duplicates,
            removed=work.removed,
        )
        self.erased = self.erased or work.erased
        if key is not None:
            self._keys.add(key[0])
        delta.extend(work.delta)
        return outcome

    # ---- allowances ----

    def _charge(self, work: Work, allowance: Allowance | None) -> None:
        """Note the new words and classes that somebody brings; refuse what is too much."""
        words, classes = work.new_words, len(work.new_classes)
        if classes or work.moved:
            update = "update entries set classes = ?, moved = ? where position = ?"
            self._journal.rows(update, classes, work.moved, work.first)
        if words or classes:
            before = self.usage.get(work.who, Usage())
            after = Usage(before.words + words, before.classes + classes)
            _check_allowance(work.who, after, allowance)
            self.usage[work.who] = after

    # ---- idempotency keys ----

    def _key(self, given: Submission) -> tuple[bytes, bytes] | None:
        if given.key is None:
            return None
        blob = self._journal.digests.blob
        return blob("key", given.who, given.key.key), blob("body", given.key.body)

    def _asked_before(self, key: bytes, body: bytes) -> Outcome | None:
        """Return the outcome of an earlier submission with the same idempotency key."""
        found = self._journal.entries("key = ?", key)
        if not found:
            return None
        if found[0].body != body:
            raise KeyReusedError(
                "this idempotency key came before with another body; use a new key for a new "
                "request"
            )
        own = self._journal.submission(found[0].position)
        forgets = [entry.position for entry in own if entry.what == j.FORGET]
        erased = [e for at in forgets for e in self._journal.entries("erased = ?", at)]
        return Outcome(
            position=own[-1].position,
            ids=tuple(entry.id for entry in own if entry.what in (j.LEARN, j.RELABEL)),
            forgotten=sum(entry.what in (j.LEARN, j.FORGET) for entry in erased),
            undone=sum(entry.what == j.UNDO for entry in own),
            moved=own[0].moved,
            receipt=self._receipt(forgets, own[-1].time),
        )

    def _receipt(self, forgets: list[int], when: float) -> Receipt | None:
        if not forgets:
            return None
        blobs = [
            entry.receipt
            for at in forgets
            for entry in self._journal.entries("erased = ? order by position", at)
            if entry.receipt is not None
        ]
        return Receipt(self._journal.digests.blob("receipts", *blobs).hex(), forgets[-1], when)


def _check_allowance(who: str, after: Usage, allowance: Allowance | None) -> None:
    for kind in ("words", "classes"):
        brought = getattr(after, kind)
        most = None if allowance is None else getattr(allowance, kind)
        if most is not None and brought > most:
            raise AllowanceError(
                f"{who!r} would have brought {brought} new {kind}, and may bring {most}; an admin "
                f"can raise the limit"
            )

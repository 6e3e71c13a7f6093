"""Changes to entries: checks each change against the journal, appends it, and says what to count.

All of it runs in the writer's thread, inside a batch of the journal.
"""

import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from nabi.errors import (
    AllowanceError,
    ConflictError,
    ForgottenError,
    InputError,
    KeyReusedError,
    UnknownClassError,
    UnknownExampleError,
)
from nabi.server.journal import interface as j
from nabi.server.journal.interface import Entry
from nabi.server.journal.sqlite import SqliteJournal
from nabi.server.store.changes import (
    Allowance,
    Change,
    Drop,
    Forget,
    Join,
    Key,
    Learn,
    Outcome,
    Receipt,
    Relabel,
    Rename,
    Undo,
    Usage,
)
from nabi.server.store.counting import Delta
from nabi.server.store.replay import all_steps, labels, steps_of_example


@dataclass(slots=True)
class Submission:
    """Changes that are made together, or not at all."""

    changes: Sequence[Change]
    who: str
    key: Key | None = None
    allowance: Allowance | None = None


@dataclass(slots=True)
class _Work:
    """A submission while it is made: where it is, and what it has done so far."""

    who: str
    time: float
    first: int
    position: int  # of the next entry
    delta: Delta = field(default_factory=Delta)
    key: bytes | None = None
    body: bytes | None = None
    done: dict[str, Any] = field(default_factory=lambda: {"ids": [], "undone": 0, "moved": 0})
    forgotten: int = 0
    forgets: list[int] = field(default_factory=list)  # positions of FORGET entries
    learned: list[str] = field(default_factory=list)  # texts
    new_classes: set[str] = field(default_factory=set)


class Changer:
    """Makes entries of changes.

    `new_words` says how many words of some texts are not counted yet.
    """

    def __init__(self, journal: SqliteJournal, new_words: Callable[[list[str]], int]) -> None:
        self._journal = journal
        self._new_words = new_words
        self.head = journal.head()  # of the batch, durable or not
        rows = journal.rows("select who, sum(words), sum(classes) from entries group by who")
        self.usage = {who: Usage(words, classes) for who, words, classes in rows}
        self._making = {
            Learn: self._learn,
            Relabel: self._relabel,
            Forget: self._forget,
            Undo: self._undo,
            Rename: self._rename,
            Join: self._join,
            Drop: self._drop,
        }

    def make(self, given: Submission, delta: Delta) -> Outcome:
        """Append the entries of a submission, and add to the delta what is to be counted."""
        key, body = self._digests(given)
        if key is not None:
            before = self._asked_before(key, body)
            if before is not None:
                return before
        first = self.head + 1
        work = _Work(given.who, time.time(), first, first, key=key, body=body)
        for change in given.changes:
            making: Any = self._making[type(change)]
            making(work, change)
        self._charge(work, given.allowance)
        outcome = self._outcome(work)
        self.head = work.position - 1
        delta.extend(work.delta)
        return outcome

    def _append(self, work: _Work, what: str, **given: Any) -> Entry:
        is_first = work.position == work.first
        key, body = (work.key, work.body) if is_first else (None, None)
        entry = Entry(
            work.position, what, work.time, work.who, first=work.first, key=key, body=body, **given
        )
        self._journal.append(entry)
        work.position += 1
        return entry

    # ---- learn, relabel ----

    def _learn(self, work: _Work, change: Learn) -> None:
        id = secrets.token_urlsafe(12) if change.id is None else change.id
        if change.id is not None:
            self._check_free(change.id)
        new = work.new_classes
        if change.label not in new and not self._has_class(change.label):
            new.add(change.label)
        entry = self._append(
            work,
            j.LEARN,
            id=id,
            text=change.text,
            label=change.label,
            subject=change.subject,
            source=change.source,
            digest=self._journal.digests.number("text", change.text),
        )
        insert = "insert into current (position, label) values (?, ?)"
        self._journal.rows(insert, entry.position, change.label)
        work.delta.move(change.text, None, change.label)
        work.done["ids"].append(id)
        work.learned.append(change.text)

    def _check_free(self, id: str, but: int = 0) -> None:
        taken = self._journal.value(
            "select position from entries join current using (position) "
            "where id = ? and what = 'learn' and undone is null and position != ?",
            id,
            but,
        )
        if taken is not None:
            raise ConflictError(
                f"the id {id!r} is taken by the example learned at position {taken}; relabel or "
                f"forget that one, or leave the id out"
            )

    def _relabel(self, work: _Work, change: Relabel) -> None:
        entry, old = self._example(change.id)
        if not self._has_class(change.label):
            work.new_classes.add(change.label)
        self._append(
            work, j.RELABEL, id=change.id, label=change.label, old=old, target=entry.position
        )
        self._set(work, entry, old, change.label)
        work.done["ids"].append(change.id)

    def _example(self, id: str) -> tuple[Entry, str | None]:
        """Return the LEARN of an id, and the label that it has now."""
        found = self._journal.entries(
            "id = ? and what = 'learn' and position in "
            "(select position from current where undone is null)",
            id,
        )
        if not found:
            raise self._no_example("id", id)
        entry = found[-1]
        at = "select label from current where position = ?"
        return entry, self._journal.value(at, entry.position)

    def _set(self, work: _Work, entry: Entry, old: str | None, new: str | None) -> None:
        """Give an example another label."""
        assert entry.text is not None
        update = "update current set label = ? where position = ?"
        self._journal.rows(update, new, entry.position)
        work.delta.move(entry.text, old, new)
        work.done["moved"] += old != new

    def _no_example(self, kind: str, given: str) -> UnknownExampleError:
        column = {"id": "gone", "text": "digest"}.get(kind)
        if column is not None:
            gone = self._journal.value(
                f"select max(erased) from entries where {column} = ?",
                self._journal.digests.number(kind, given),
            )
            if gone is not None:
                return ForgottenError(
                    f"the example of this {kind} was forgotten at position {gone}; nothing of it "
                    f"is left"
                )
        return UnknownExampleError(f"no example has the {kind} {_short(given)}")

    # ---- forget ----

    def _forget(self, work: _Work, change: Forget) -> None:
        found = self._to_forget(change)
        entry = self._append(work, j.FORGET)
        for learned in found:
            now = "select label from current where position = ?"
            label = self._journal.value(now, learned.position)
            assert learned.text is not None
            work.delta.move(learned.text, label, None)
        self._journal.erase(found, by=entry.position)
        work.forgotten += len(found)
        work.forgets.append(entry.position)

    def _to_forget(self, change: Forget) -> list[Entry]:
        """Return the LEARN entries to erase, those that are undone included."""
        kind, given = next(
            (kind, value)
            for kind in ("id", "subject", "text")
            if (value := getattr(change, kind)) is not None
        )
        condition, bound = f"{kind} = ? and what = 'learn'", [given]
        if kind == "text":
            condition, bound = f"digest = ? and {condition}", [self._digest(given), given]
        found = self._journal.entries(f"{condition} order by position", *bound)
        if change.label is not None:
            found = [entry for entry in found if self._label(entry) == change.label]
        if change.copies == "one":
            counted = [entry for entry in found if self._label(entry) is not None]
            found = (counted or found)[-1:]
        if not found:
            raise self._no_example(kind, given)
        return found

    def _digest(self, text: str) -> int:
        return self._journal.digests.number("text", text)

    def _label(self, entry: Entry) -> str | None:
        found: str | None = self._journal.value(
            "select label from current where position = ?", entry.position
        )
        return found

    # ---- undo ----

    def _undo(self, work: _Work, change: Undo) -> None:
        if change.position is not None:
            self._undo_entry(work, change.position)
            return
        last = self._journal.value(
            "select first from entries left join current using (position) where who = ? "
            "and what not in ('undo', 'forget', 'restore') and erased is null and undone is null "
            "order by position desc limit 1",
            work.who,
        )
        if last is None:
            raise ConflictError(f"{work.who!r} has nothing to undo")
        for entry in reversed(self._journal.submission(last)):
            if entry.what not in (j.UNDO, j.FORGET) and entry.erased is None:
                is_undone = "select undone from current where position = ?"
                if self._journal.value(is_undone, entry.position) is None:
                    self._undo_entry(work, entry.position)

    def _undo_entry(self, work: _Work, position: int) -> None:
        chain = self._chain(position)
        root = chain[-1]
        undo = self._append(work, j.UNDO, target=position)
        work.done["undone"] += 1
        for step, entry in enumerate(chain):  # an undo in force, one that is undone, and so on
            self._mark(entry, undo.position if step == 0 else chain[step - 1].position, step % 2)
        if root.what in j.OF_CLASSES:
            self._follow_classes(work)
        else:
            at = root.position if root.what == j.LEARN else root.target
            assert at is not None
            self._follow(work, at)

    def _chain(self, position: int) -> list[Entry]:
        """Return the entry to undo, what it undoes, and so on down to one that is no undo."""
        chain: list[Entry] = []
        while not chain or chain[-1].what == j.UNDO:
            at = chain[-1].target if chain else position
            found = self._journal.entries("position = ?", at)
            if not found:
                raise UnknownExampleError(f"the journal has no entry at position {position}")
            chain.append(found[0])
        root = chain[-1]
        is_undone = "select undone from current where position = ?"
        if root.what not in j.UNDOABLE or root.erased is not None:
            raise ConflictError(
                f"position {position} cannot be undone: what was forgotten is gone for good"
                if root.what != j.RESTORE
                else f"position {position} cannot be undone: it is where a backup was restored"
            )
        if self._journal.value(is_undone, position) is not None:
            raise ConflictError(f"position {position} is undone already")
        if root.what == j.LEARN and len(chain) % 2 == 0 and root.id is not None:
            self._check_free(root.id, but=root.position)
        return chain

    def _mark(self, entry: Entry, by: int, lifted: int) -> None:
        """Note that an entry is undone, or that its undo is lifted."""
        self._journal.rows(
            "insert into current (position, undone) values (?, ?) "
            "on conflict (position) do update set undone = excluded.undone",
            entry.position,
            None if lifted else by,
        )

    def _follow(self, work: _Work, learned: int) -> None:
        """Give an example the label that its entries say."""
        (entry,) = self._journal.entries("position = ?", learned)
        if entry.erased is None:
            new = labels(steps_of_example(self._journal, learned))[learned]
            self._set(work, entry, self._label(entry), new)

    def _follow_classes(self, work: _Work) -> None:
        """Give all examples the labels that a replay gives them."""
        now = dict(self._journal.rows("select position, label from current"))
        for position, label in labels(all_steps(self._journal)).items():
            if now[position] != label:
                (entry,) = self._journal.entries("position = ?", position)
                self._set(work, entry, now[position], label)

    # ---- classes ----

    def _rename(self, work: _Work, change: Rename) -> None:
        self._check_class(change.old)
        if self._has_class(change.new):
            raise ConflictError(
                f"there is a class {change.new!r} already; join the two, or choose another name"
            )
        self._move_class(work, j.RENAME, change.old, change.new)

    def _join(self, work: _Work, change: Join) -> None:
        moving = [label for label in dict.fromkeys(change.labels) if label != change.into]
        for label in moving:
            self._check_class(label)
        if not moving:
            raise InputError(f"nothing to join: name classes other than {change.into!r}")
        for label in moving:
            self._move_class(work, j.JOIN, label, change.into)

    def _drop(self, work: _Work, change: Drop) -> None:
        self._check_class(change.label)
        self._move_class(work, j.DROP, change.label, None)

    def _move_class(self, work: _Work, what: str, old: str, new: str | None) -> None:
        moved = self._journal.value("select count(*) from current where label = ?", old)
        self._append(work, what, old=old, label=new)
        self._journal.rows("update current set label = ? where label = ?", new, old)
        work.delta.rename({old: new})
        work.done["moved"] += moved

    def _has_class(self, label: str) -> bool:
        some = "select 1 from current where label = ? limit 1"
        return self._journal.value(some, label) is not None

    def _check_class(self, label: str) -> None:
        if not self._has_class(label):
            raise UnknownClassError(f"no class is called {_short(label)}")

    # ---- allowances, idempotency, outcomes ----

    def _charge(self, work: _Work, allowance: Allowance | None) -> None:
        """Note the new words and classes that somebody brings; refuse what is too much."""
        words = 0
        if work.learned and allowance is not None and allowance.words is not None:
            words = self._new_words(work.learned)
        classes, moved = len(work.new_classes), work.done["moved"]
        if not words and not classes and not moved:
            return
        before = self.usage.get(work.who, Usage())
        after = Usage(before.words + words, before.classes + classes)
        for kind in ("words", "classes"):
            most = None if allowance is None else getattr(allowance, kind)
            if most is not None and getattr(after, kind) > most:
                raise AllowanceError(
                    f"{work.who!r} would have brought {getattr(after, kind)} new {kind}, and may "
                    f"bring {most}; an admin can raise the limit"
                )
        update = "update entries set words = ?, classes = ?, moved = ? where position = ?"
        self._journal.rows(update, words, classes, moved, work.first)
        self.usage[work.who] = after

    def _digests(self, given: Submission) -> tuple[bytes | None, bytes | None]:
        if given.key is None:
            return None, None
        blob = self._journal.digests.blob
        return blob("key", given.who, given.key.key), blob("body", given.key.body)

    def _asked_before(self, key: bytes, body: bytes | None) -> Outcome | None:
        """Return the outcome of an earlier submission with the same idempotency key."""
        found = self._journal.entries("key = ?", key)
        if not found:
            return None
        if found[0].body != body:
            raise KeyReusedError(
                "this idempotency key came before with another body; use a new key for a new "
                "request"
            )
        first = found[0].position
        own = self._journal.submission(first)
        forgets = [entry.position for entry in own if entry.what == j.FORGET]
        erased = [e for at in forgets for e in self._journal.entries("erased = ?", at)]
        named = [entry for entry in own if entry.what in (j.LEARN, j.RELABEL)]
        return Outcome(
            position=own[-1].position,
            ids=tuple(entry.id for entry in named),
            forgotten=sum(entry.what == j.LEARN for entry in erased),
            undone=sum(entry.what == j.UNDO for entry in own),
            moved=sum(entry.moved for entry in own),
            receipt=self._receipt(forgets, own[-1].time) if forgets else None,
        )

    def _outcome(self, work: _Work) -> Outcome:
        last = work.position - 1
        receipt = self._receipt(work.forgets, work.time) if work.forgets else None
        made = {**work.done, "ids": tuple(work.done["ids"])}
        return Outcome(last, forgotten=work.forgotten, receipt=receipt, **made)

    def _receipt(self, forgets: list[int], when: float) -> Receipt:
        blobs = [
            entry.receipt
            for at in forgets
            for entry in self._journal.entries("erased = ? order by position", at)
            if entry.receipt is not None
        ]
        return Receipt(self._journal.digests.blob("receipts", *blobs).hex(), forgets[-1], when)


def checked(change: Change) -> Change:
    """Return a change whose texts and names can be kept; refuse others."""
    if isinstance(change, Forget):
        given = [change.id, change.text, change.subject]
        if sum(value is not None for value in given) != 1 or change.copies not in ("one", "all"):
            raise InputError(
                "forget takes one of id, text and subject; copies is 'one' or 'all' of a text"
            )
    for name in type(change).__slots__:
        value = getattr(change, name)
        for text in value if isinstance(value, tuple) else (value,):
            if isinstance(text, str):
                _check_text(name, text)
    return change


def _check_text(name: str, text: str) -> None:
    if not text and name != "text":
        raise InputError(f"{name} is empty; expected at least one character")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InputError(
            f"{name} holds half of a surrogate pair, which is no character; send valid Unicode"
        ) from None


def _short(text: str) -> str:
    return repr(text if len(text) <= 80 else f"{text[:80]}...")

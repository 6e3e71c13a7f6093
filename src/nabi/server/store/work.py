"""A submission while it is made: the entries that it appends, and what they do to the counts."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from nabi.errors import ForgottenError, InputError, UnknownExampleError
from nabi.server.journal.interface import Entry, Journal
from nabi.server.store.changes import AddTexts, Allowance, Change, Forget, Key
from nabi.server.store.counting import Delta


@dataclass(slots=True)
class Submission:
    """Changes that are made together, or not at all."""

    changes: Sequence[Change]
    who: str
    key: Key | None = None
    allowance: Allowance | None = None
    new_words: int = 0  # that it brings; counted where the allowance limits them


class Work:
    """Appends the entries of one submission, in the writer's thread, inside a batch."""

    def __init__(
        self,
        journal: Journal,
        given: Submission,
        first: int,
        key: tuple[bytes, bytes] | None,
        classes: set[str],
    ) -> None:
        self.journal, self.who, self.time = journal, given.who, time.time()
        self.new_words = given.new_words
        self.classes = classes  # some that have examples
        self.first = self.position = first  # that of the next entry
        self._key = key
        self.delta = Delta()
        self.ids: list[str] = []
        self.new_classes: set[str] = set()
        self.forgets: list[int] = []  # positions of FORGET entries
        self.forgotten = self.undone = self.moved = 0  # examples, changes, examples
        self.added = self.duplicates = self.removed = 0  # texts of the pool
        self.erased = False  # whether texts of the pool were

    def append(self, what: str, **given: Any) -> Entry:
        """Append an entry; the first one of a submission has its idempotency key and new words."""
        if self.position == self.first:
            given["key"], given["body"] = self._key or (None, None)
            given["words"] = self.new_words
        entry = Entry(self.position, what, self.time, self.who, first=self.first, **given)
        self.journal.append(entry)
        self.position += 1
        return entry

    # ---- examples ----

    def example(self, id: str) -> Entry:
        """Return the LEARN of an id that is not undone."""
        found = self.journal.entries(
            "id = ? and what = 'learn' and position in "
            "(select position from current where undone is null)",
            id,
        )
        if not found:
            raise self.no_example("id", id)
        return found[-1]

    def label(self, position: int) -> str | None:
        """Return the label that an example has now."""
        found: str | None = self.journal.value(
            "select label from current where position = ?", position
        )
        return found

    def is_undone(self, position: int) -> bool:
        """Whether an entry is undone."""
        found = self.journal.value("select undone from current where position = ?", position)
        return found is not None

    def set_label(self, entry: Entry, label: str | None) -> None:
        """Give an example another label; None: it is not counted."""
        old = self.label(entry.position)
        update = "update current set label = ? where position = ?"
        self.journal.rows(update, label, entry.position)
        self.classes.clear()
        assert entry.text is not None
        self.delta.move(entry.text, old, label)
        self.moved += old != label

    def has_class(self, label: str) -> bool:
        """Whether an example of this class is counted."""
        some = "select 1 from current where label = ? limit 1"
        return self.journal.value(some, label) is not None

    def note_class(self, label: str) -> None:
        """Note a class that was not there before the submission."""
        if label in self.classes or label in self.new_classes:
            return
        if not self.has_class(label):
            self.new_classes.add(label)
        self.classes.add(label)

    def no_example(self, kind: str, given: str) -> UnknownExampleError:
        """Return the error for an id, text or subject that no example has, or has no more."""
        column = {"id": "gone", "text": "digest"}.get(kind)
        if column is not None:
            digest = self.journal.digests.number(kind, given)
            last = f"select max(erased) from entries where {column} = ?"
            gone = self.journal.value(last, digest)
            if gone is not None:
                return ForgottenError(
                    f"the example of this {kind} was forgotten at position {gone}; nothing of it "
                    f"is left"
                )
        return UnknownExampleError(f"no example has the {kind} {short(given)}")


def checked(change: Change, *, nul: bool = True) -> Change:
    """Return a change whose texts and names can be kept; refuse others, without `nul` those too."""
    if isinstance(change, Forget):
        given = [change.id, change.text, change.subject]
        if sum(value is not None for value in given) != 1 or change.copies not in ("one", "all"):
            raise InputError(
                "forget takes one of id, text and subject; copies is 'one' or 'all' of a text"
            )
    if isinstance(change, AddTexts):
        for one in change.texts:
            _check_fields(one, nul)
    _check_fields(change, nul)
    return change


def _check_fields(given: object, nul: bool) -> None:
    for name in type(given).__slots__:  # type: ignore[attr-defined]
        value = getattr(given, name)
        for text in value if isinstance(value, tuple) else (value,):
            if isinstance(text, str):
                _check_text(name, text, nul)


def _check_text(name: str, text: str, nul: bool) -> None:
    if "\0" in text and not nul:
        raise InputError(f"{name} holds the character NUL, which PostgreSQL cannot keep; remove it")
    if not text and name != "text":
        raise InputError(f"{name} is empty; expected at least one character")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise InputError(
            f"{name} holds half of a surrogate pair, which is no character; send valid Unicode"
        ) from None


def short(text: str) -> str:
    """Return a text in quotes, cut where it is long."""
    return repr(text if len(text) <= 80 else f"{text[:80]}...")

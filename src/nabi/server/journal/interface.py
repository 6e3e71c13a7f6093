"""The journal: what was taught, corrected and forgotten, in the order in which it was.

The counts of a store are a replay of its journal. What a `batch` has appended is durable when the
batch ends. SQLite carries it in a directory (`nabi.server.journal.sqlite`); the interface is small
so that a database server can as well.
"""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

# What an entry does.
LEARN, RELABEL, FORGET, UNDO = "learn", "relabel", "forget", "undo"
RENAME, JOIN, DROP, RESTORE = "rename", "join", "drop", "restore"
OF_CLASSES = (RENAME, JOIN, DROP)
UNDOABLE = (LEARN, RELABEL, *OF_CLASSES, UNDO)


@dataclass(slots=True)
class Entry:
    """One line of the journal.

    Attributes
    ----------
    position : int
        Its number, from 1 on; positions ascend, and the last is the head.
    what : str
        LEARN, RELABEL, FORGET, UNDO, RENAME, JOIN, DROP or RESTORE.
    time : float
        Seconds since 1970.
    who : str
        The name of the token.
    id, text, label, subject, source : str, optional
        Of LEARN. RELABEL has the id and the new label; RENAME and JOIN the new name as label.
        None where they were erased.
    old : str, optional
        The label before (RELABEL), or the class that is renamed, joined or dropped.
    target : int, optional
        The position of the LEARN that is relabelled, or of the entry that is undone.
    first : int
        The position of the first entry of the same submission.
    key, body : bytes, optional
        The keyed digests of an idempotency key and of what was asked with it.
    words, classes : int
        How many new words and classes it brought.
    moved : int
        How many examples changed class.
    digest : int, optional
        The keyed digest of the text of a LEARN, by which a text is found; it stays.
    erased : int, optional
        The position of the FORGET that erased the entry.
    gone : int, optional
        The keyed digest of an erased id.
    receipt : bytes, optional
        The keyed digest of an erased id with its text.
    """

    position: int
    what: str
    time: float
    who: str
    id: str | None = None
    text: str | None = None
    label: str | None = None
    subject: str | None = None
    source: str | None = None
    old: str | None = None
    target: int | None = None
    first: int = 0
    key: bytes | None = None
    body: bytes | None = None
    words: int = 0
    classes: int = 0
    moved: int = 0
    digest: int | None = None
    erased: int | None = None
    gone: int | None = None
    receipt: bytes | None = None


class Journal(Protocol):
    """An append-only list of entries, and the snapshots of the counts that they add up to.

    Beside it, an implementation answers plain SQL over the tables `entries` and `current`: see
    `rows`, `value` and `reading` of SqliteJournal.
    """

    def batch(self) -> AbstractContextManager[object]:
        """Hold the turn of the writer: what is appended and erased is durable at the end.

        An error undoes it. Batches nest: an inner one is undone by itself.
        """
        ...

    def append(self, entry: Entry) -> None:
        """Add an entry, whose position is past the head."""
        ...

    def read(self, after: int, limit: int = 1000) -> list[Entry]:
        """Return up to `limit` entries after a position, in order."""
        ...

    def erase(self, learned: Sequence[Entry], by: int) -> None:
        """Erase what LEARN entries and those that relabel them hold; `by` is the FORGET."""
        ...

    def head(self) -> int:
        """Return the position of the last entry; 0 where there is none."""
        ...

    def wait(self, after: int, timeout: float) -> int:
        """Wait until the head is past a position, or the time is over; return the head."""
        ...

    def snapshot(
        self, position: int = 0, write: Callable[[Path], None] | None = None
    ) -> tuple[int, Path] | None:
        """Return the position and the file of the last snapshot that may be used.

        With `write`, keep a new one of this position, which `write` writes to a path.
        """
        ...

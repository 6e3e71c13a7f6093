"""The journal: what was taught, corrected and forgotten, in the order in which it was.

The counts of a store are a replay of its journal. An implementation keeps entries durably: what
`append` returned for survives a loss of power. SQLite carries it in a directory
(`nabi.server.sqlite_journal`); the interface is small so that a database server can as well.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

# What an entry does.
LEARN, RELABEL, FORGET, UNDO = "learn", "relabel", "forget", "undo"
RENAME, JOIN, DROP, RESTORE = "rename", "join", "drop", "restore"


@dataclass(frozen=True, slots=True)
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
        The position of what is relabelled, forgotten or undone.
    first : int
        The position of the first entry of the same submission.
    key, body : bytes, optional
        The keyed digests of an idempotency key and of what was asked with it.
    words, classes : int
        How many new words and classes it brought.
    erased : int, optional
        The position of the FORGET that erased it.
    gone_id, gone_text : bytes, optional
        The keyed digests of what was erased.
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
    erased: int | None = None
    gone_id: bytes | None = None
    gone_text: bytes | None = None


@dataclass(frozen=True, slots=True)
class Tombstone:
    """What is left of an erased example: the position of its LEARN, and keyed digests."""

    position: int
    gone_id: bytes
    gone_text: bytes


class Journal(Protocol):
    """An append-only list of entries, and the snapshots of the counts that they add up to."""

    def append(
        self, entries: Sequence[Entry], *, after: int, erase: Sequence[Tombstone] = ()
    ) -> None:
        """Add entries and erase examples, all durably or nothing.

        `after` is the head that the entries were made for; another head raises `MovedError`.
        """
        ...

    def read(self, after: int, limit: int = 1000) -> list[Entry]:
        """Return up to `limit` entries after a position, in order."""
        ...

    def erase(self) -> None:
        """Remove what erased texts left behind: in the log, in free pages, in old snapshots."""
        ...

    def head(self) -> int:
        """Return the position of the last entry; 0 where there is none."""
        ...

    def wait(self, after: int, timeout: float) -> int:
        """Wait until the head is past a position, or the time is over; return the head."""
        ...

    def snapshot(
        self, position: int | None = None, write: Callable[[Path], None] | None = None
    ) -> tuple[int, Path] | None:
        """Return the last snapshot that may be used, and its position.

        With `write`, keep a new one of this position, which `write` writes to a path.
        """
        ...

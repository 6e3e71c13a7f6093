"""The journal: what was taught, corrected and forgotten, in the order in which it was.

The counts of a store are a replay of its journal. What a `batch` has appended is durable when the
batch ends. SQLite carries it in a directory, for one process (`nabi.server.journal.sqlite`), and
PostgreSQL for several (`nabi.server.journal.postgres`).
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from nabi.errors import StoreError
from nabi.server.journal.digests import Digests

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


class Rows(Protocol):
    """The rows of a query."""

    def __iter__(self) -> Iterator[Any]: ...

    def fetchall(self) -> list[Any]:
        """Return all rows."""

    @property
    def get(self) -> Any:
        """The first row, or its value where it has one; None without a row."""


class Sql(Protocol):
    """A connection to the tables of a journal."""

    def execute(self, query: str, bound: Sequence[Any] = ()) -> Rows:
        """Run a query, in which `?` stands for each value."""

    def executemany(self, query: str, bound: Iterable[Sequence[Any]]) -> Any:
        """Run a query for each of several rows of values."""


class Claimer(Protocol):
    """Table of the texts of the pool that pages of all processes have."""

    def claim(self, id: str, page: tuple[str, str], *, audit: bool, has_it: bool) -> bool:
        """Take a text for a page, unless another page has it, or another process gave it.

        With `has_it` the page says that it has the text: which process gave it is all the same.
        """

    def of_all(self) -> tuple[set[str], set[str]]:
        """Return the texts that pages of this process have, and those of other processes."""

    def end(self, who: str, ids: Iterable[str]) -> None:
        """Give texts of a person back, whichever page and process has them."""

    def release(self, page: tuple[str, str], ids: Iterable[str]) -> None:
        """Give texts of a page back."""

    def labels(self, id: str) -> int:
        """Return how many people have labelled a text by now."""

    def beat(self, pages: Iterable[tuple[tuple[str, str], float]]) -> None:
        """Tell how many seconds ago each page was heard of."""


class Journal(Protocol):
    """An append-only list of entries, and the snapshots of the counts that they add up to.

    Beside it, an implementation answers plain SQL over its tables.

    Attributes
    ----------
    name : str
        What messages call it: a directory, or an address without its password.
    folder : Path
        For files that come and go, as those that are uploaded.
    digests : Digests
        Keyed digests of texts and ids.
    last : int
        The position of the last entry, durable or not.
    last_erased : int
        The position of the last FORGET: a snapshot from before may hold its words.
    removing : bool
        Whether texts leave the pool in the batch; then `removals` grows with its end.
    removals : int
        How often texts have left the pool.
    is_shared : bool
        Whether other processes write to it, too.
    noticed : int
        The head, as far as others have told.
    lost : str or None
        Why the database is away.
    claims : Claimer or None
        What pages of all processes have; None where there is one process.
    checkpoint : int
        The end of the last batch at which all processes shall tell their digests.
    CONTAINS : str
        SQL: whether `text` contains a string, whatever the case of ASCII letters.
    """

    name: str
    folder: Path
    digests: Digests
    last: int
    last_erased: int
    removing: bool
    removals: int
    CONTAINS: str
    is_shared: bool
    noticed: int
    lost: str | None
    claims: Claimer | None
    checkpoint: int

    @property
    def receipts(self) -> Path | None:
        """The file of receipts, where there is one."""

    @property
    def sql(self) -> Sql:
        """The writer's connection."""

    @property
    def has_pool(self) -> bool:
        """Whether it has the tables of texts without labels."""

    @property
    def holds_erased(self) -> bool:
        """Whether files may hold bytes of what was erased."""

    def batch(self) -> AbstractContextManager[object]:
        """Hold the turn of the writer: what is appended and erased is durable at the end.

        An error undoes it. Batches nest: an inner one is undone by itself.
        """
        ...

    def append(self, entry: Entry) -> None:
        """Add an entry, whose position is past the last; the example of a LEARN has its label."""
        ...

    def read(self, after: int, limit: int = 1000) -> list[Entry]:
        """Return up to `limit` entries after a position, in order."""
        ...

    def entries(self, condition: str, *bound: Any) -> list[Entry]:
        """Return the entries that fulfil a condition, as the writer sees them."""
        ...

    def submission(self, first: int) -> list[Entry]:
        """Return the entries of the submission that begins at a position."""
        ...

    def erase(self, learned: Sequence[Entry], by: int) -> None:
        """Erase what LEARN entries and those that relabel them hold; `by` is the FORGET."""
        ...

    def meta(self) -> dict[str, str]:
        """Return the facts of the store: recipe, versions, key."""
        ...

    def set_meta(self, **facts: str) -> None:
        """Keep facts of the store."""
        ...

    def rows(self, query: str, *bound: Any) -> list[Any]:
        """Return the rows of a query by the writer."""
        ...

    def value(self, query: str, *bound: Any) -> Any:
        """Return the first column of the first row of a query by the writer; None without one."""
        ...

    def many(self, query: str, bound: Iterable[Sequence[Any]]) -> None:
        """Run a query of the writer for each of several rows of values."""
        ...

    def reading(self) -> AbstractContextManager[Sql]:
        """Lend a connection that sees one state of the journal, to any thread."""
        ...

    def head(self) -> int:
        """Return the position of the last entry; 0 where there is none."""
        ...

    def advance(self, head: int) -> None:
        """Note that entries up to `head` are durable, and wake who waits for them."""
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

    def forget_snapshots(self) -> None:
        """Remove all snapshots, also one that is being written."""
        ...

    def forget_counts(self) -> None:
        """Forget all that was told of the counts: they are counted anew, in another way."""
        ...

    def flush(self) -> bool:
        """Leave nothing of what was erased in logs; False where that must be tried again."""
        ...

    def vacuum(self) -> None:
        """Write the tables anew, from the rows alone."""
        ...

    def filled(self) -> None:
        """Note, in a batch, that the rows of another store were written to the tables."""
        ...

    def read_key(self) -> None:
        """Read the key of the digests, and the head: those of another store came."""
        ...

    def damage(self) -> list[str]:
        """Return what is wrong with the files of the tables, in sentences."""
        ...

    def check_room(self) -> None:
        """Refuse changes where there is no room for them."""
        ...

    def failure(self, error: Exception) -> StoreError:
        """Return what a failed write becomes; AwayError where it may come right by itself."""
        ...

    def follow(self, news: Callable[[], None]) -> None:
        """Call `news` in another thread whenever another process has written something."""
        ...

    def reconnect(self) -> None:
        """Try to reach a database that was away; AwayError where it still is."""
        ...

    def was_given(self, id: str) -> bool:
        """Whether a text was given as an audit, as far as the journal knows."""
        ...

    def let_go(self, ids: Sequence[str]) -> None:
        """Forget, in a batch, to whom texts were given: they leave the pool."""
        ...

    def agreed(self, position: int, digest: bytes) -> bytes:
        """Tell the digest of the counts at a position; return what the first process told."""
        ...

    def next_checkpoint(self, sql: Sql, after: int) -> int | None:
        """Return the next position at which all processes tell their digests."""
        ...

    def close(self) -> None:
        """Let go of the journal."""
        ...

"""Store: a data directory that learns, corrects and forgets durably, and predicts meanwhile."""

import contextlib
from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Self

import numpy as np

from nabi.counts.text import Counts
from nabi.errors import (
    AwayError,
    BehindError,
    DivergedError,
    InputError,
    StoreError,
    UnknownExampleError,
)
from nabi.models.text import TextClassifier
from nabi.server.journal.opening import opened
from nabi.server.store import receipts
from nabi.server.store.changes import (
    Allowance,
    Change,
    Example,
    Key,
    Outcome,
    Status,
    Undo,
    Usage,
    Where,
)
from nabi.server.store.changing import Changer
from nabi.server.store.counting import Sides, View, blank
from nabi.server.store.examples import Examples
from nabi.server.store.replay.follower import Follower
from nabi.server.store.replay.state import head_of, restored
from nabi.server.store.settings import settled
from nabi.server.store.work import Submission, checked
from nabi.server.store.writer import Writer

ANY = Where()


class Store:
    """A data directory or a database: journal, counts, examples.

    Parameters
    ----------
    place : str or Path
        A directory, created where it is missing: one process at a time, others get `LockedError`.
        Or the address of a PostgreSQL, `postgresql://...`, which any number of processes share.
    model : TextClassifier, optional
        The recipe, event and smoothing of a new store (default: words, multinomial, "auto", with a
        strong ledger). A store that exists has its own, and refuses another.
    queue : int
        The most submissions that wait; then `submit` raises `QueueFullError`.
    vfs : str, optional
        Another file system of SQLite, for tests.

    Examples
    --------
    >>> import tempfile
    >>> from nabi.server import Learn, Store
    >>> with Store(tempfile.mkdtemp()) as store:
    ...     _ = store.submit([Learn("good film", "+"), Learn("bad film", "-")], who="me").result()
    ...     with store.view() as view:
    ...         print(view.position, view.model.predict(["so good"]).tolist())
    2 ['+']
    """

    def __init__(
        self,
        place: str | Path,
        model: TextClassifier | None = None,
        *,
        queue: int = 10_000,
        vfs: str | None = None,
    ) -> None:
        with contextlib.ExitStack() as stack:
            self.journal = stack.enter_context(opened(place, vfs=vfs))
            self.directory = self.journal.folder
            self._open(model, queue)
            self._held = stack.pop_all()

    def _open(self, wanted: TextClassifier | None, queue: int) -> None:
        empty = settled(self.journal, wanted)
        empty_one = partial(blank, empty)
        receipts.keep(self.journal)
        with self.journal.reading() as sql:
            model, snapshot_at = restored(self.journal, sql, empty)
            head = head_of(sql)
        self.journal.advance(head)
        if not snapshot_at:
            self.journal.forget_snapshots()
        self._recipe = empty.recipe
        self._sides = Sides(model, head)
        self._examples = Examples(self.journal)
        self._changer = Changer(self.journal, self._new_words)
        self._follower = Follower(self.journal, self._sides, empty_one, self._changer.usage)
        self._writer = Writer(self.journal, self._sides, self._changer, self._follower, queue)
        self._writer.start(snapshot_at)

    # ---- changing ----

    def submit(
        self,
        changes: Sequence[Change],
        *,
        who: str,
        key: Key | None = None,
        allowance: Allowance | None = None,
    ) -> "Future[Outcome]":
        """Queue changes, from any thread; all of them are made, or none.

        The future has the outcome once it is durable and the view holds it. Its errors: see
        `nabi.errors.StoreError`. QueueFullError, DiskFullError and ReadOnlyError are raised at
        once.
        """
        if not changes:
            raise InputError("no changes; expected at least one")
        given = [checked(change, nul=not self.journal.is_shared) for change in changes]
        self.journal.check_room()
        return self._writer.put(Submission(given, who, key, allowance))

    def undo_by(self, who: str, *, by: str) -> "Future[Outcome]":
        """Queue the undoing of all that a token has taught and changed; `by` is who asks.

        What it has forgotten stays so.
        """
        with self.journal.reading() as sql:
            rows = sql.execute(
                "select position from entries left join current using (position) where who = ? and "
                "what not in ('undo', 'forget', 'restore') and erased is null and undone is null "
                "order by position desc",
                (who,),
            ).fetchall()
        if not rows:
            raise UnknownExampleError(f"nothing that {who!r} has taught is counted")
        return self.submit([Undo(position) for (position,) in rows], who=by)

    def usage(self, who: str) -> Usage:
        """Return how many new words and classes a token has brought."""
        return self._changer.usage.get(who, Usage())

    def _new_words(self, groups: list[list[str]]) -> list[int]:
        """Return of each group of texts how many of its words are not counted yet."""
        with self.view() as view:
            model = view.model
            is_empty = not model.__sklearn_is_fitted__()
            counts = Counts(self._recipe, ledger=False) if is_empty else model.counts
            return counts.new_words(groups, self._recipe)

    # ---- predicting ----

    def view(self) -> View:
        """Return the model as it is now, for a `with` block; costs a microsecond.

        Raises DivergedError where another server has other counts at the same position.
        """
        if self._follower.diverged is not None:
            raise DivergedError(*self._follower.diverged.args)
        return self._sides.view()

    @property
    def position(self) -> int:
        """The position of the view."""
        return self._sides.position

    def reached(self, position: int) -> "Future[int]":
        """Return a future of the view's position, done when it is at least this one."""
        return self._sides.reached(position)

    def wait(self, position: int, timeout: float | None = None) -> bool:
        """Block until the view has reached a position; False where the time was over."""
        try:
            self.reached(position).result(timeout)
        except TimeoutError:
            return False
        return True

    # ---- examples ----

    def example(self, id: str) -> Example:
        """Return the example of an id; UnknownExampleError or ForgottenError where there is none.

        An example that is not counted has the label None.
        """
        return self._examples.of(id)

    def page(
        self, where: Where = ANY, *, after: int | None = None, limit: int = 50, newest: bool = False
    ) -> list[Example]:
        """Return some examples in the order of their positions; `after` is the last one seen."""
        return self._examples.page(where, after=after, limit=limit, newest=newest)

    def walk(self, where: Where = ANY) -> Iterator[Example]:
        """All examples, page by page, as each is when its page is read."""
        return self._examples.walk(where)

    def count(self, where: Where = ANY) -> int:
        """Return how many examples fulfil the conditions."""
        return self._examples.count(where)

    # ---- running ----

    def status(self) -> Status:
        """Return position, queue length, classes, and whether the store is read-only."""
        with self._sides.view() as view:
            counts = view.model.counts if view.model.__sklearn_is_fitted__() else None
            docs = [] if counts is None else (counts.docs >> np.uint64(24)).tolist()
            classes = {} if counts is None else dict(zip(counts.labels, docs, strict=True))
            position = view.position
        failure = self.trouble
        return Status(
            position=position,
            head=max(self.journal.head(), self.journal.noticed),
            queued=self._writer.waiting,
            examples=sum(classes.values()),
            classes=classes,
            read_only=None if failure is None else str(failure),
            snapshot=self._writer.snapshot_at,
            scrub_due=self._writer.holds_erased,
        )

    @property
    def trouble(self) -> StoreError | None:
        """Why not all is well: no change is taken, nothing is answered, or what is, is old."""
        late = self._follower.late
        lost = self.journal.lost
        return (
            self._writer.trouble
            or (None if lost is None else AwayError(lost))
            or (None if late is None else BehindError(late))
        )

    @property
    def forgets(self) -> int:
        """How often something was forgotten: whoever keeps texts lets go of them."""
        return self._writer.forgets

    @property
    def removals(self) -> int:
        """How often texts have left the pool: whoever knows its numbers looks again."""
        return self.journal.removals

    def scrub(self) -> "Future[int]":
        """Queue a scrub: rewrite the files without what was erased; the position it covers."""
        return self._writer.put(self._writer.scrub)

    def close(self) -> None:
        """Make what is queued durable, write a snapshot, and release the directory."""
        self._writer.stop()
        self._held.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

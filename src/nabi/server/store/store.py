"""Store: a data directory that learns, corrects and forgets durably, and predicts meanwhile."""

import contextlib
import logging
import os
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import apsw
import numpy as np

from nabi.counts.batch import CountedBatch
from nabi.errors import (
    DiskFullError,
    InputError,
    NabiError,
    QueueFullError,
    ReadOnlyError,
    UnknownExampleError,
)
from nabi.models.text import TextClassifier
from nabi.server.journal.directory import locked, make
from nabi.server.journal.sqlite import SqliteJournal
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
from nabi.server.store.changing import Changer, Submission, checked
from nabi.server.store.counting import Delta, Sides, View
from nabi.server.store.examples import Examples
from nabi.server.store.settings import settled
from nabi.server.store.state import restored

ANY = Where()
ROOM = 8 * 2**20  # bytes that must be free on the disk before anything is written
AT_ONCE = 1000  # submissions in one commit
IDLE = 0.1  # seconds without a submission, after which there is time for other work
SNAPSHOT_EVERY = 20_000  # entries; to replay so many takes less than a second

log = logging.getLogger("nabi.server")


@dataclass(slots=True)
class _Job:
    """What waits for the writer: a submission, or a call."""

    work: Submission | Callable[[], Any]
    future: "Future[Any]"


class Store:
    """A data directory: journal, counts, examples.

    Parameters
    ----------
    directory : str or Path
        Created where it is missing. One process at a time; others get `LockedError`.
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
        directory: str | Path,
        model: TextClassifier | None = None,
        *,
        queue: int = 10_000,
        vfs: str | None = None,
    ) -> None:
        self.directory = make(directory)
        self._most = queue
        self._queue: deque[_Job] = deque()
        self._turn = threading.Condition()
        self._closing = False
        self._failure: ReadOnlyError | None = None
        self._saver: threading.Thread | None = None
        with contextlib.ExitStack() as stack:
            stack.enter_context(locked(self.directory))
            self.journal = SqliteJournal(self.directory, vfs=vfs)
            stack.callback(self.journal.close)
            self._open(model)
            self._held = stack.pop_all()
        self._writer = threading.Thread(target=self._run, name="nabi-writer", daemon=True)
        self._writer.start()

    def _open(self, wanted: TextClassifier | None) -> None:
        empty = settled(self.journal, wanted)
        receipts.keep(self.journal)
        model, self._snapshot_at = restored(self.journal, empty)
        if not self._snapshot_at:
            self.journal.forget_snapshots()
        self._recipe = empty.recipe
        self._sides = Sides(model, self.journal.head())
        self._examples = Examples(self.journal)
        self._changer = Changer(self.journal, self._new_words)
        self._log_is_cut = self.journal.flush()
        self._scrub_due = False
        self._derived = False

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
        checked_changes = [checked(change) for change in changes]
        self._check_room()
        return self._put(Submission(checked_changes, who, key, allowance))

    def _check_room(self) -> None:
        disk = os.statvfs(self.directory)
        if disk.f_bavail * disk.f_frsize < ROOM:
            raise DiskFullError(
                f"the disk of {self.directory} has less than {ROOM // 2**20} MB left; nothing was "
                f"changed; make room and try again"
            )

    def _put(self, work: Submission | Callable[[], Any]) -> "Future[Any]":
        job = _Job(work, Future())
        with self._turn:
            if self._failure is not None:
                raise self._failure
            if self._closing:
                raise ReadOnlyError("the store is closing, and takes no more changes")
            if len(self._queue) >= self._most:
                raise QueueFullError(f"{self._most} submissions wait already; try again soon")
            self._queue.append(job)
            self._turn.notify()
        return job.future

    def undo_by(self, who: str, *, by: str) -> "Future[Outcome]":
        """Queue the undoing of all that a token has taught and changed; `by` is who asks.

        What it has forgotten stays so.
        """
        with self.journal.reading() as sql:
            rows: list[Any] = sql.execute(
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

    def _new_words(self, texts: list[str]) -> int:
        """Return how many words of some texts are not counted yet."""
        batch = CountedBatch(texts, ["-"] * len(texts), self._recipe, threads=1)
        with self.view() as view:
            if not view.model.__sklearn_is_fitted__():
                return int(batch.table.features)
            cells = view.model.counts.find(*batch.table.names())
        return int((np.diff(cells.offsets) == 0).sum())

    # ---- predicting ----

    def view(self) -> View:
        """Return the model as it is now, for a `with` block; costs a microsecond."""
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
        with self.view() as view:
            counts = view.model.counts if view.model.__sklearn_is_fitted__() else None
            docs = [] if counts is None else (counts.docs >> np.uint64(24)).tolist()
            classes = {} if counts is None else dict(zip(counts.labels, docs, strict=True))
            position = view.position
        return Status(
            position=position,
            head=self.journal.head(),
            queued=len(self._queue),
            examples=sum(classes.values()),
            classes=classes,
            read_only=None if self._failure is None else str(self._failure),
            snapshot=self._snapshot_at,
            scrub_due=self._scrub_due or not self._log_is_cut,
        )

    def scrub(self) -> "Future[int]":
        """Queue a scrub: rewrite the files without what was erased; the position it covers."""
        return self._put(self._scrub)

    def close(self) -> None:
        """Make what is queued durable, write a snapshot, and release the directory."""
        with self._turn:
            self._closing = True
            self._turn.notify()
        self._writer.join()
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

    # ---- the writer's thread ----

    def _run(self) -> None:
        while True:
            jobs = self._take()
            if jobs is None:
                break
            try:
                self._work(jobs)
            except Exception as error:  # whatever it is, nothing may be written after it
                self._fail(error, jobs)
        if self._failure is None and self.journal.head() > self._snapshot_at:
            self._save_or_say(*self._sides.copy())

    def _take(self) -> "list[_Job] | None":
        """Return the jobs that wait; none after a pause; None at the end."""
        with self._turn:
            pause = None if self._rested() else IDLE
            self._turn.wait_for(lambda: self._queue or self._closing, pause)
            if self._closing and not self._queue:
                return None
            jobs = [self._queue.popleft() for _ in range(min(len(self._queue), AT_ONCE))]
        return [job for job in jobs if job.future.set_running_or_notify_cancel()]

    def _rested(self) -> bool:
        return self._failure is not None or (self._derived and self._log_is_cut)

    def _work(self, jobs: list[_Job]) -> None:
        if self._failure is not None:
            self._fail(self._failure, jobs)
            return
        submitted = [job for job in jobs if isinstance(job.work, Submission)]
        if submitted:
            self._commit(submitted)
        for job in jobs:
            if not isinstance(job.work, Submission):
                job.future.set_result(job.work())
        if not jobs:
            self._rest()
        if self.journal.head() - self._snapshot_at >= SNAPSHOT_EVERY:
            self._save_soon()

    def _commit(self, jobs: list[_Job]) -> None:
        """Make the changes of all jobs durable by one sync, then answer them."""
        delta, before = Delta(), self.journal.head()
        answers: list[tuple[_Job, Outcome | NabiError]] = []
        with self.journal.batch():
            for job in jobs:
                answers.append((job, self._made(job, delta)))
        head = self._changer.head
        if head > before:
            self.journal.advance(head)
            if any(isinstance(answer, Outcome) and answer.forgotten for _, answer in answers):
                self._clean(before)
            self._sides.publish(delta, head)
            self._derived = False
        for job, answer in answers:
            if isinstance(answer, Outcome):
                job.future.set_result(answer)
            else:
                job.future.set_exception(answer)

    def _made(self, job: _Job, delta: Delta) -> Outcome | NabiError:
        """Append the entries of a job, or return why it is refused: then none of them are left."""
        assert isinstance(job.work, Submission)
        try:
            with self.journal.batch():
                outcome = self._changer.make(job.work, delta)
        except NabiError as refused:
            return refused
        return outcome

    def _clean(self, before: int) -> None:
        """Remove what was erased from snapshots and the log; write its receipts."""
        self.journal.forget_snapshots()
        self._snapshot_at = 0
        receipts.keep(self.journal, before)
        self._log_is_cut = self.journal.flush()
        self._scrub_due = True

    def _rest(self) -> None:
        """Do what can wait until nobody else does."""
        if not self._derived:
            self._sides.prepare()
            self._derived = True
        if not self._log_is_cut:
            self._log_is_cut = self.journal.flush()

    def _scrub(self) -> int:
        self.journal.forget_snapshots()
        self.journal.vacuum()
        position, model = self._sides.copy()
        self._save(position, model)
        self._scrub_due = False
        return position

    def _save_soon(self) -> None:
        """Write a snapshot in a thread of its own, from a copy of the counts."""
        if self._saver is not None and self._saver.is_alive():
            return
        position, model = self._sides.copy()
        self._saver = threading.Thread(target=self._save_or_say, args=(position, model))
        self._saver.start()
        self._snapshot_at = position

    def _save_or_say(self, position: int, model: TextClassifier) -> None:
        try:
            self._save(position, model)
        except OSError as error:
            log.warning("no snapshot at position %d: %s", position, error)

    def _save(self, position: int, model: TextClassifier) -> None:
        if model.__sklearn_is_fitted__():
            self.journal.snapshot(position, model.save)
            self._snapshot_at = position

    def _fail(self, error: Exception, jobs: list[_Job]) -> None:
        """Turn read-only: what the disk holds after a failed write is known to nobody."""
        if self._failure is None:
            self._failure = _failure(self.directory, error)
            log.error("read-only from now on: %s", self._failure, exc_info=error)
        for job in jobs:
            if not job.future.done():
                job.future.set_exception(self._failure)


def _failure(directory: Path, error: Exception) -> ReadOnlyError:
    """Return why a store turns read-only."""
    full = isinstance(error, apsw.FullError) or getattr(error, "errno", None) == 28
    kind = DiskFullError if full else ReadOnlyError
    return kind(
        f"{directory} is read-only since a write failed ({type(error).__name__}: {error}); what "
        f"was not answered may or may not be kept; predictions go on; mend the disk and start the "
        f"server again"
    )

"""Writer: one thread that makes all changes. It drains its queue into one commit and one sync.

After a failed write or sync nobody knows what the disk holds: the writer never tries again, and
refuses all that comes after.
"""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

from nabi.errors import AwayError, NabiError, QueueFullError, ReadOnlyError, StoreError
from nabi.models.text import TextClassifier
from nabi.server.journal.interface import Journal
from nabi.server.store import receipts
from nabi.server.store.changes import Forget, Outcome
from nabi.server.store.changing import Changer
from nabi.server.store.counting import Delta, Sides
from nabi.server.store.replay.follower import Follower
from nabi.server.store.work import Submission

AT_ONCE = 1000  # submissions in one commit
AGAIN = 0.3  # seconds until it looks for a database that is away
IDLE = 0.1  # seconds without a submission, after which there is time for other work
SNAPSHOT_EVERY = 20_000  # entries; to replay so many takes less than a second

log = logging.getLogger("nabi.server")


@dataclass(slots=True)
class Job:
    """Job that waits for the writer: a submission, or a call."""

    work: Submission | Callable[[], Any]
    future: "Future[Any]" = field(default_factory=Future)


class Writer:
    """Makes changes durable, brings the counts up to date, and then answers.

    `most` is the number of jobs that may wait.
    """

    def __init__(
        self, journal: Journal, sides: Sides, changer: Changer, follower: Follower, most: int
    ) -> None:
        self._journal, self._sides, self._changer = journal, sides, changer
        self._follower = follower
        self._most = most
        self._queue: deque[Job] = deque()
        self._turn = threading.Condition()
        self._closing = False
        self._derived = False  # whether all weights of the front are there
        self._log_is_cut = journal.flush()
        self._cut_again = 0.0  # the time
        self._saver: threading.Thread | None = None
        self.failure: StoreError | None = None  # for good
        self.away: AwayError | None = None  # until the database answers again
        self.forgets = 0  # how often something was erased
        self._cleaned = journal.last_erased  # what is erased from snapshots
        self._scrub_due = journal.holds_erased
        self.snapshot_at = 0
        self._thread = threading.Thread(target=self._run, name="nabi-writer", daemon=True)

    def start(self, snapshot_at: int) -> None:
        """Begin to work; `snapshot_at` is the position of the last snapshot."""
        self.snapshot_at = snapshot_at
        self._thread.start()
        self._journal.follow(self._wake)

    def _wake(self) -> None:
        _ = self._follower.late  # notes since when
        with self._turn:
            self._turn.notify()

    def put(self, work: Submission | Callable[[], Any]) -> "Future[Any]":
        """Queue work, from any thread; refuse it where too much waits, or after a failure."""
        job = Job(work)
        with self._turn:
            failure = self.trouble
            if failure is not None:
                raise _again(failure)
            if self._closing:
                raise ReadOnlyError("the store is closing, and takes no more changes")
            if len(self._queue) >= self._most:
                raise QueueFullError(f"{self._most} submissions wait already; try again soon")
            self._queue.append(job)
            self._turn.notify()
        return job.future

    @property
    def trouble(self) -> StoreError | None:
        """Why no change is taken."""
        return self.failure or self._follower.diverged or self.away

    @property
    def waiting(self) -> int:
        """How many jobs wait."""
        return len(self._queue)

    @property
    def holds_erased(self) -> bool:
        """Whether files may hold bytes of what was forgotten, until a scrub."""
        return self._scrub_due or not self._log_is_cut

    def stop(self) -> None:
        """Do what waits, write a snapshot, and end."""
        with self._turn:
            self._closing = True
            self._turn.notify()
        self._thread.join()

    # ---- the thread ----

    def _run(self) -> None:
        ended = False
        while not ended:
            jobs: list[Job] = []
            try:
                ended = not self._take(jobs)
                if not ended:
                    self._do(jobs)
            except Exception as error:  # whatever it is, nothing may be written after it
                self._fail(error, jobs)
        if self._saver is not None:
            self._saver.join()
        if self.trouble is None and self._journal.head() > self.snapshot_at:
            self._save_or_say(self._sides.copy)

    def _take(self, jobs: list[Job]) -> bool:
        """Take the jobs that wait, none after a pause; whether there may be more."""
        with self._turn:
            rested = self.failure is not None or (self._derived and self._log_is_cut)
            pause = AGAIN if self.away else None if rested else IDLE
            self._turn.wait_for(self._is_called, pause)
            if self._closing and not self._queue:
                return False
            jobs += [self._queue.popleft() for _ in range(min(len(self._queue), AT_ONCE))]
        jobs[:] = [job for job in jobs if job.future.set_running_or_notify_cancel()]
        return True

    def _is_called(self) -> bool:
        """Whether there is something to do at once."""
        news = self.trouble is None and self._follower.is_behind
        return bool(self._queue) or self._closing or news

    def _do(self, jobs: list[Job]) -> None:
        if self.failure is not None or self._follower.diverged is not None:
            raise _again(self.trouble)
        if self.away is not None:
            self._journal.reconnect()
            self._follower.charge_anew()
            self.away = None
            log.warning("%s answers again", self._journal.name)
        if self._follower.is_behind:
            self._catch_up()
        submitted = [job for job in jobs if isinstance(job.work, Submission)]
        if submitted:
            self.commit(submitted, jobs)
        for job in jobs:
            if not isinstance(job.work, Submission):
                job.future.set_result(job.work())
        if not jobs:
            self._rest()
        if not self._log_is_cut and time.monotonic() > self._cut_again:
            self._cut_log()
        if self._journal.head() - self.snapshot_at >= SNAPSHOT_EVERY:
            self._save_soon()

    def commit(self, jobs: list[Job], taken: list[Job]) -> None:
        """Make the changes of all jobs durable by one sync, then answer them.

        Where others write too, those that came while it waited for its turn join them; they are
        added to `taken`.
        """
        delta, before = Delta(), self._sides.position
        with self._journal.batch():
            first, joined = self._journal.last, self._joining()
            jobs, taken[len(taken) :] = [*jobs, *joined], joined
            # What others wrote is read later, unless this batch erases texts of theirs.
            erases = any(isinstance(c, Forget) for job in jobs for c in job.work.changes)  # type: ignore[union-attr]
            missed = self._follower.missed(self._journal.sql, first) if erases else []
            self._changer.count_new_words([job.work for job in jobs])  # type: ignore[misc]
            self._changer.begin([job.work for job in jobs])  # type: ignore[misc]
            answers = [self._made(job, delta) for job in jobs]
            self._journal.removing = self._changer.erased
        head = self._journal.last
        if head > before:
            if self._journal.last_erased > before:
                self._clean(before)
            if first == before or erases:
                self._follower.publish(None if missed is None else [*missed, delta], head)
            else:
                self._follower.catch_up(head)
            self._derived = False
            if self._journal.checkpoint == self._sides.position:
                self._follower.compare()
        if self._changer.erased:
            self._changer.erased = False
            self._cut_log()
        for job, answer in zip(jobs, answers, strict=True):
            if isinstance(answer, Outcome):
                job.future.set_result(answer)
            else:
                job.future.set_exception(answer)

    def _joining(self) -> list[Job]:
        """Take the submissions that came meanwhile, if the journal is shared."""
        joined: list[Job] = []
        if self._journal.is_shared:
            with self._turn:
                while self._queue and isinstance(self._queue[0].work, Submission):
                    joined.append(self._queue.popleft())
        return [job for job in joined if job.future.set_running_or_notify_cancel()]

    def _made(self, job: Job, delta: Delta) -> Outcome | NabiError:
        """Append the entries of a job, or return why it is refused: then none of them are left."""
        assert isinstance(job.work, Submission)
        try:
            with self._journal.batch():
                return self._changer.make(job.work, delta)
        except NabiError as refused:
            self._changer.classes.clear()
            return refused

    def _fail(self, error: Exception, jobs: list[Job]) -> None:
        """Refuse changes: until the database answers again, or for good.

        What a disk holds after a failed write is known to nobody.
        """
        failure = self.trouble or self._journal.failure(error)
        if isinstance(failure, AwayError):
            if self.away is None:
                log.warning("%s", failure)
            self.away = failure
            with self._turn:
                jobs = [*jobs, *self._queue]
                self._queue.clear()
        elif self.trouble is None:
            self.failure = failure
            # What a database says of an error may hold texts.
            seen = None if self._journal.is_shared else error
            log.error("read-only from now on: %s", failure, exc_info=seen)
        for job in jobs:
            if not job.future.done():
                job.future.set_exception(_again(failure))

    # ---- besides changes ----

    def _catch_up(self) -> None:
        """Count what other processes wrote."""
        self._follower.catch_up()
        self._derived = False
        if self._journal.last_erased > self._cleaned:
            self._clean(self._cleaned)

    def _clean(self, before: int) -> None:
        """Remove what was erased from snapshots and the log; write its receipts."""
        if self._saver is not None:
            self._saver.join()  # what it writes may hold words of what was erased
        self._journal.forget_snapshots()
        self._cleaned = self._journal.last_erased
        self.forgets += 1
        self.snapshot_at = 0
        receipts.keep(self._journal, before)
        self._cut_log()
        self._scrub_due = True

    def _cut_log(self) -> None:
        """Cut the log to nothing; where somebody reads it, try again in a second."""
        self._log_is_cut = self._journal.flush()
        self._cut_again = time.monotonic() + 1

    def _rest(self) -> None:
        """Do what can wait until nobody else does."""
        if not self._derived:
            self._sides.prepare()
            self._derived = True
            if self._journal.is_shared:
                self._follower.compare_at_rest()

    def scrub(self) -> int:
        """Write the database and the snapshot anew; return the position they cover."""
        self._journal.forget_snapshots()
        self._journal.vacuum()
        position, model = self._sides.copy()
        self._save(position, model)
        self._scrub_due = False
        return position

    def _save_soon(self) -> None:
        """Write a snapshot in a thread of its own, from a copy of the counts."""
        if self._saver is not None and self._saver.is_alive():
            return
        position, model = self._sides.copy()
        made = lambda: (position, model)  # noqa: E731
        self._saver = threading.Thread(target=self._save_or_say, args=(made,))
        self._saver.start()
        self.snapshot_at = position

    def _save_or_say(self, copied: Callable[[], tuple[int, TextClassifier]]) -> None:
        """Write a snapshot. Where that fails, nothing is lost: the next start replays more."""
        try:
            self._save(*copied())
        except (OSError, AwayError) as error:
            log.warning("no snapshot: %s", error)
        except Exception as error:
            log.error("no snapshot: a mistake of the server", exc_info=error)

    def _save(self, position: int, model: TextClassifier) -> None:
        if model.__sklearn_is_fitted__():
            self._journal.snapshot(position, model.save)
            self.snapshot_at = position


def _again(failure: StoreError | None) -> StoreError:
    """Return the failure for one more caller: an error keeps the frames of all who raised it."""
    assert failure is not None
    return type(failure)(*failure.args)

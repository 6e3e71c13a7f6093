"""Labelling: pool, queue and figures of a server, and the thread that keeps them up to date."""

import contextlib
import logging
import math
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from nabi.errors import NotFittedError
from nabi.server.history.drift import Alert, Drift, alert, drift
from nabi.server.history.guesses import Guesses
from nabi.server.labelling.honest import Honest, honest
from nabi.server.labelling.judging import Judgement, judged, suspected
from nabi.server.labelling.project import shares
from nabi.server.labelling.queue import Item, Queue, Wanted
from nabi.server.labelling.sureness import Sureness, sureness
from nabi.server.store.store import Store

UPLOADS = "uploads"  # a folder of the data directory; what is in it is removed at the start
SUSPECTS = 500  # examples that are asked about
IDLE = 300.0  # seconds without a page, after which nothing is scored
PAUSE = 0.02  # seconds between two scorings, at least; and as long as one takes
FIRST_LOOK, LOOK = 10.0, 30.0  # seconds until drift is looked for, and between two times
SETTINGS = 2.0  # seconds after which they are read again
LOOK_SHARE = 20  # of the time, one of so many parts

log = logging.getLogger("nabi.server")


class Labelling:
    """State that the routes of the labelling page share.

    Examples
    --------
    >>> import tempfile
    >>> from nabi.server import AddTexts, PoolText, Store
    >>> with Store(tempfile.mkdtemp()) as store:
    ...     _ = store.submit([AddTexts((PoolText("good film"),))], who="me").result()
    ...     labelling = Labelling(store)
    ...     print([item.text for item in labelling.next(Wanted(("me", "tab")))])
    ...     labelling.close()
    ['good film']
    """

    def __init__(self, store: Store, **options: Any) -> None:
        self.store = store
        self.queue = Queue(store, **options)
        self._next_settings = -math.inf  # the time
        self.read_settings()
        self.stopping = False  # whether the server ends, and nobody waits for news any more
        self.loading = 0  # files that are being read
        self._sureness: Sureness | None = None
        self._calls = ThreadPoolExecutor(2, thread_name_prefix="nabi-label")
        self._kept: dict[str, tuple[int, Any]] = {}
        self._forgets = store.forgets
        self._judging: dict[str, threading.Lock] = {}
        self._asked = -math.inf  # when a page asked last
        self.guesses = Guesses(store.journal)
        self.alert: Alert | None = None
        self._next_look = time.monotonic() + FIRST_LOOK
        self._looked_at = -1  # a position
        self._work, self._ended = threading.Event(), False
        shutil.rmtree(store.journal.folder / UPLOADS, ignore_errors=True)
        self._thread = threading.Thread(target=self._run, name="nabi-queue", daemon=True)
        self._thread.start()

    def read_settings(self) -> None:
        """Read how often audits and second labels come: another server may have changed it."""
        if time.monotonic() > self._next_settings:
            self.set_shares(*shares(self.store))
            self._next_settings = time.monotonic() + SETTINGS

    def set_shares(self, audit_every: int, overlap: float) -> None:
        """Note how often audits and second labels come from now on."""
        self.queue.audit_every = self.queue.seconds.audit_every = audit_every
        self.queue.seconds.overlap = overlap

    @property
    def calls(self) -> ThreadPoolExecutor:
        """The threads of short calls, for which no long one makes a page wait."""
        return self._calls

    def next(self, wanted: Wanted) -> list[Item]:
        """Return the next texts of a page."""
        self._asked = time.monotonic()
        self._let_go()
        if self.queue.ranking.is_new:
            self.queue.ranking.refresh()
        found = self.queue.next(wanted, self._suspects() if wanted.by == "suspects" else ())
        self._work.set()
        return found

    @property
    def sureness(self) -> Sureness | None:
        """How probabilities are told that mean what they say; None while nobody knows."""
        self._asked = time.monotonic()
        return self._sureness

    def calibrate(self) -> None:
        """Calibrate probabilities by the examples as they are now, where they have changed."""
        self._sureness = sureness(self.store, self._sureness)

    def _suspects(self) -> list[tuple[str, str, str]]:
        try:
            return suspected(self.judged(), SUSPECTS)
        except NotFittedError:  # of one class nothing is suspect
            return []

    def judged(self) -> Judgement:
        """Return leave-one-out results of all examples; kept until something changes."""
        return self.kept("judged", lambda: judged(self.store))  # type: ignore[no-any-return]

    def changed(self) -> None:
        """Let the thread look at the model again: it has learned something."""
        self._work.set()

    def honest(self) -> Honest:
        """Return the honest figures; kept until something changes."""
        return self.kept("honest", lambda: honest(self.store))  # type: ignore[no-any-return]

    def drift(self, by: str, since: float | None, until: float | None, top: int) -> Drift:
        """Return how accuracy and words have moved, up to now where `until` is None."""

        def made() -> Drift:
            end = time.time() if until is None else until
            judged = self.guesses.judged()
            return drift(self.store.journal, judged, by, since=since, until=end, top=top)

        if since is None and until is None:
            return self.kept(f"drift by {by}, {top}", made)  # type: ignore[no-any-return]
        return made()

    def look(self) -> None:
        """Judge the audits that came, for the figures of `/metrics`."""
        position = self.store.journal.head()
        if position != self._looked_at:
            self._let_go()
            self.alert = alert(self.guesses.judged())
            self._looked_at = position

    def gauges(self) -> dict[str, tuple[str, float]]:
        """Return the accuracy on audits, recent and before, as figures for `/metrics`."""
        found = self.alert
        if found is None:
            return {}
        return {
            "nabi_audit_accuracy_recent": ("Accuracy on the last 100 audits.", found.recent),
            "nabi_audit_accuracy_before": ("On up to 400 audits before these.", found.before),
            "nabi_audit_accuracy_fall": ("By how many standard errors it is lower.", found.z),
        }

    def kept(self, name: str, make: Callable[[], Any]) -> Any:
        """Return what was made at this position of the journal, or make it, once."""
        with self._judging.setdefault(name, threading.Lock()):
            self._let_go()
            head = self.store.journal.head()
            position, found = self._kept.get(name, (-1, None))
            if position != head:
                found = make()
                self._kept[name] = head, found
            return found

    @contextlib.contextmanager
    def loads(self) -> Iterator[None]:
        """Tell others meanwhile that a file is being read."""
        self.loading += 1
        try:
            yield
        finally:
            self.loading -= 1

    def _let_go(self) -> None:
        """Let go of texts where something was forgotten, by whichever server."""
        if self.store.forgets != self._forgets:
            self._forgets = self.store.forgets
            self.clear()

    def clear(self) -> None:
        """Let go of results, which hold texts: one of them was forgotten."""
        self._kept.clear()
        self.queue.clear()
        self.guesses.clear()

    def upload_folder(self) -> Path:
        """Return a new folder for a file that comes; whoever asks removes it."""
        parent = self.store.journal.folder / UPLOADS
        parent.mkdir(mode=0o700, exist_ok=True)
        return Path(tempfile.mkdtemp(dir=parent))

    def close(self) -> None:
        """End the threads."""
        self._ended = True
        self._work.set()
        self._thread.join()
        self._calls.shutdown()

    # ---- the thread ----

    def _run(self) -> None:
        done = -1
        self._try(self.calibrate)
        while not self._ended:
            self._work.wait(0.5)
            self._work.clear()
            self._try(self.queue.beat)
            self._try(self.read_settings)
            self._try(self._look_in_time)
            if self._ended or time.monotonic() - self._asked > IDLE:
                continue
            if self.store.position == done and not self.queue.ranking.runs_dry:
                continue
            started = time.monotonic()
            done = self.store.position
            self._try(self.queue.ranking.refresh)
            self._try(self.calibrate)
            time.sleep(max(PAUSE, time.monotonic() - started))

    def _look_in_time(self) -> None:
        started = time.monotonic()
        if not self._ended and started > self._next_look:
            self.look()
            spent = time.monotonic() - started
            self._next_look = time.monotonic() + max(LOOK, LOOK_SHARE * spent)

    @staticmethod
    def _try(work: Callable[[], None]) -> None:
        """Do some work; the thread goes on where it fails."""
        try:
            work()
        except Exception:
            log.exception("%s failed", work.__name__)

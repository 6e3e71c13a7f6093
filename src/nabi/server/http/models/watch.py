"""A model file that is served, and read again when it changes: no request waits for it."""

import logging
import os
import shutil
import tempfile
import threading
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Self

from nabi.errors import ModelFileError, NabiError
from nabi.models.load import load

QUICK = ("nb", "linear", "pruned")
log = logging.getLogger("nabi.server")


@dataclass(frozen=True)
class Loaded:
    """The model of a file, and how often the file was read before."""

    model: Any
    position: int
    one_text: None = None  # the counts of a file stay in it

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        pass  # whoever holds it keeps the model


class WatchedModel:
    """The model of a file; `watch` reads it again when the file changes.

    A request keeps the model that it began with. A file that cannot be read leaves the model as
    it is, and `problem` says why.
    """

    def __init__(self, path: str, *, seconds: float = 0.5) -> None:
        self.path, self._seconds = path, seconds
        self._end, self._lock = threading.Event(), threading.Lock()
        self._waiting: list[tuple[int, Future[int]]] = []
        self._stamp = _stamp(path)
        self._view = Loaded(loaded(path), 0)
        self._thread: threading.Thread | None = None
        self.problem: str | None = None
        self.problem_code = "read_only"

    def view(self) -> Loaded:
        """Return the newest model."""
        return self._view

    @property
    def quick(self) -> bool:
        """Whether the model scores a character in some nanoseconds; rules and neighbours do not."""
        return self._view.model.kind in QUICK

    @property
    def position(self) -> int:
        """How often the file was read again."""
        return self._view.position

    def reached(self, position: int) -> "Future[int]":
        """Return a future that is done when the file was read again as often."""
        future: Future[int] = Future()
        with self._lock:
            self._waiting.append((position, future))
        self._tell()
        return future

    def _tell(self) -> None:
        """Wake those that wait for the position that is reached, and drop who gave up."""
        with self._lock:
            now, waiting = self._view.position, self._waiting
            done = [future for at, future in waiting if at <= now or future.cancelled()]
            self._waiting = [one for one in waiting if one[1] not in done]
        for future in done:
            if future.set_running_or_notify_cancel():
                future.set_result(now)

    def watch(self) -> None:
        """Look for changes of the file in a thread, until `close`."""
        self._thread = threading.Thread(target=self._run, name="nabi-watch", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the thread."""
        self._end.set()
        if self._thread is not None:
            self._thread.join()

    def gauges(self) -> dict[str, tuple[str, float]]:
        """Return figures for `/metrics`."""
        return {"nabi_position": ("Times that the file was read again.", self._view.position)}

    def _run(self) -> None:
        while not self._end.wait(self._seconds):
            self.refresh()

    def refresh(self) -> None:
        """Read the file again if it is another than before."""
        try:
            stamp = _stamp(self.path)
            if stamp == self._stamp:
                return
            self._stamp, model = stamp, loaded(self.path)
        except (NabiError, OSError) as error:
            if self.problem is None:
                log.warning("the model stays as it was: %s", error)
            self.problem = f"the model is an old one, since its file cannot be read: {error}"
            return
        self._view, self.problem = Loaded(model, self._view.position + 1), None
        self._tell()
        log.warning("%s was read again", self.path)


def _stamp(path: str) -> tuple[int, int, int]:
    found = os.stat(path)
    return found.st_ino, found.st_mtime_ns, found.st_size


def loaded(path: str) -> Any:
    """Return the model of a file, after a first prediction, which computes what all others use.

    The file is copied first: a model maps its file, and somebody may write over it in place.
    """
    with tempfile.TemporaryDirectory(prefix="nabi-") as folder:
        copy = shutil.copyfile(path, os.path.join(folder, os.path.basename(path)))
        try:
            model = load(copy)
        except ModelFileError as error:
            raise type(error)(str(error).replace(copy, path)) from None
    if not model.is_table:
        model.predict([""])
    return model

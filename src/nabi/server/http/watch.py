"""A model file that is served, and read again when it changes: no request waits for it."""

import logging
import os
import threading
from dataclasses import dataclass
from typing import Any

from nabi.errors import NabiError
from nabi.models.load import load

log = logging.getLogger("nabi.server")


@dataclass(frozen=True)
class Loaded:
    """The model of a file, and how often the file was read before."""

    model: Any
    position: int


class WatchedModel:
    """The model of a file; `watch` reads it again when the file changes.

    A request keeps the model that it began with. A file that cannot be read leaves the model as
    it is, and `problem` says why.
    """

    def __init__(self, path: str, *, seconds: float = 0.5) -> None:
        self.path, self._seconds = path, seconds
        self._changed, self._end = threading.Condition(), threading.Event()
        self._stamp = _stamp(path)
        self._view = Loaded(warmed(load(path)), 0)
        self._thread: threading.Thread | None = None
        self.problem: str | None = None

    def view(self) -> Loaded:
        """Return the newest model."""
        return self._view

    def wait(self, position: int, timeout: float) -> bool:
        """Wait until the file was read again as often; return whether it was."""
        with self._changed:
            return self._changed.wait_for(lambda: self._view.position >= position, timeout)

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
            self._stamp, model = stamp, warmed(load(self.path))
        except (NabiError, OSError) as error:
            if self.problem is None:
                log.warning("the model stays as it was: %s", error)
            self.problem = f"the model is an old one, since its file cannot be read: {error}"
            return
        with self._changed:
            self._view, self.problem = Loaded(model, self._view.position + 1), None
            self._changed.notify_all()
        log.warning("%s was read again", self.path)


def _stamp(path: str) -> tuple[int, int, int]:
    found = os.stat(path)
    return found.st_ino, found.st_mtime_ns, found.st_size


def warmed(model: Any) -> Any:
    """Return the model after a first prediction, which computes what all later ones use."""
    if not model.is_table:
        model.predict([""])
    return model

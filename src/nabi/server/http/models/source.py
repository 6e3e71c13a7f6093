"""Where the models of answers come from: a store, or a file (`watch.py`)."""

from concurrent.futures import Future
from typing import Any, Protocol

from nabi.errors import AwayError, BehindError, DivergedError
from nabi.models.one_text import OneText
from nabi.server import Store
from nabi.server.http.refusal import refusal_of

Gauges = dict[str, tuple[str, float]]


class View(Protocol):
    """A model that does not change, for a `with` block, and the position it is at."""

    @property
    def model(self) -> Any:
        """The model."""

    @property
    def position(self) -> int:
        """Position of the journal up to which the model has learned."""

    @property
    def one_text(self) -> OneText | None:
        """Function that predicts one short text at a time, where the model allows that."""

    def __enter__(self) -> Any: ...

    def __exit__(self, *error: Any) -> None: ...


class Source(Protocol):
    """The newest model, and how its origin is."""

    def view(self) -> View:
        """Return the newest model."""

    @property
    def position(self) -> int:
        """The position of the newest model."""

    def reached(self, position: int) -> "Future[int]":
        """Return a future that is done when the newest model is at a position."""

    @property
    def quick(self) -> bool:
        """Whether the model scores a character in some nanoseconds."""

    @property
    def problem(self) -> str | None:
        """Why not all is well, in a sentence."""

    @property
    def problem_code(self) -> str:
        """A word for programs that says what kind of problem it is."""

    def gauges(self) -> Gauges:
        """Return figures for `/metrics`: what each tells, and its value."""


class StoreSource:
    """The models of a store."""

    quick = True

    def __init__(self, store: Store) -> None:
        self.store = store
        self.view, self.reached = store.view, store.reached

    @property
    def position(self) -> int:
        """The position of the newest model."""
        return self.store.position

    @property
    def problem(self) -> str | None:
        """Why the store is read-only."""
        trouble = self.store.trouble
        return None if trouble is None else str(trouble)

    @property
    def problem_code(self) -> str:
        """A word for programs that says what kind of problem it is."""
        trouble = self.store.trouble
        if isinstance(trouble, AwayError | BehindError | DivergedError):
            return refusal_of(trouble).code
        return "read_only"

    def gauges(self) -> Gauges:
        """Return the figures of the store."""
        now = self.store.status()
        return {
            "nabi_position": ("Position of the model that predicts.", now.position),
            "nabi_head": ("Position of the journal, on disk.", now.head),
            "nabi_queue": ("Submissions that wait for the disk.", now.queued),
            "nabi_examples": ("Examples that are counted.", now.examples),
            "nabi_classes": ("Classes.", len(now.classes)),
            "nabi_snapshot": ("Position of the last snapshot.", now.snapshot),
            "nabi_read_only": ("1 after a failed write.", float(now.read_only is not None)),
            "nabi_scrub_due": ("1 until what was forgotten is scrubbed.", float(now.scrub_due)),
        }

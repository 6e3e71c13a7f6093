"""Store: a data directory that learns, corrects and forgets durably, and predicts meanwhile."""

from collections.abc import Iterator, Sequence
from concurrent.futures import Future
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from nabi.models.text import TextClassifier
from nabi.server.changes import Allowance, Change, Example, Key, Outcome, Status, Usage, Where


class View:
    """The model at one position: it does not change while the view is held.

    A context manager: `with store.view() as view: view.model.predict(texts)`. To hold a view for
    long costs memory (a copy of the counts is made for the writer), never correctness.

    Attributes
    ----------
    position : int
        All changes up to here are counted, and none after.
    model : TextClassifier
        For reading only. Raises NotFittedError where nothing is learned.
    """

    position: int
    model: TextClassifier

    def __enter__(self) -> Self:
        raise NotImplementedError

    def __exit__(self, *error: Any) -> None:
        raise NotImplementedError


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
        self, directory: str | Path, model: TextClassifier | None = None, *, queue: int = 10_000
    ) -> None:
        raise NotImplementedError

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
        raise NotImplementedError

    def usage(self, who: str) -> Usage:
        """Return how many new words and classes a token has brought."""
        raise NotImplementedError

    # ---- predicting ----

    def view(self) -> View:
        """Return the model as it is now, for a `with` block; costs a microsecond."""
        raise NotImplementedError

    @property
    def position(self) -> int:
        """The position of the view."""
        raise NotImplementedError

    def reached(self, position: int) -> "Future[int]":
        """Return a future of the view's position, done when it is at least this one."""
        raise NotImplementedError

    def wait(self, position: int, timeout: float | None = None) -> bool:
        """Block until the view has reached a position; False where the time was over."""
        raise NotImplementedError

    # ---- examples ----

    def example(self, id: str) -> Example:
        """Return the example of an id; UnknownExampleError or ForgottenError where there is none.

        An example that is not counted has the label None.
        """
        raise NotImplementedError

    def page(
        self,
        where: Where = Where(),  # noqa: B008  (frozen)
        *,
        after: int | None = None,
        limit: int = 50,
        newest: bool = False,
    ) -> list[Example]:
        """Return some examples in the order of their positions; `after` is the last one seen."""
        raise NotImplementedError

    def walk(self, where: Where = Where()) -> Iterator[Example]:  # noqa: B008
        """All examples, page by page, as each is when its page is read."""
        raise NotImplementedError

    def count(self, where: Where = Where()) -> int:  # noqa: B008
        """Return how many examples fulfil the conditions."""
        raise NotImplementedError

    # ---- running ----

    def status(self) -> Status:
        """Return position, queue length, classes, and whether the store is read-only."""
        raise NotImplementedError

    def scrub(self) -> "Future[int]":
        """Queue a scrub: rewrite the files without what was erased; the position it covers."""
        raise NotImplementedError

    def close(self) -> None:
        """Make what is queued durable, write a snapshot, and release the directory."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

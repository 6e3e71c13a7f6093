"""Take the items of an iterator in a thread of its own, a few ahead of whoever asks for them."""

import threading
from collections.abc import Generator, Iterable
from queue import Full, Queue
from typing import Any, TypeVar

Item = TypeVar("Item")
PATIENCE = 0.1  # seconds after which the thread looks whether anybody still wants its items
LAST = object()


class _Failure:
    def __init__(self, error: BaseException) -> None:
        self.error = error


def ahead(items: Iterable[Item], most: int = 2) -> Generator[Item, None, None]:
    """Yield items that a thread takes meanwhile, at most so many ahead; its errors are raised here.

    The thread ends when the last item has come, or when this iterator is closed.

    >>> list(ahead(x * x for x in range(4)))
    [0, 1, 4, 9]
    """
    waiting: Queue[Any] = Queue(most)
    closed = threading.Event()
    thread = threading.Thread(target=_take, args=(items, waiting, closed), daemon=True)
    thread.start()
    try:
        while (item := waiting.get()) is not LAST:
            if isinstance(item, _Failure):
                raise item.error
            yield item
    finally:
        closed.set()
        # A thread that waits for a pipe may do so for ever: it ends with the process then.
        thread.join(timeout=1)


def _take(items: Iterable[Any], waiting: "Queue[Any]", closed: threading.Event) -> None:
    try:
        for item in items:
            if not _put(item, waiting, closed):
                return
            del item  # which may be large
        _put(LAST, waiting, closed)
    except BaseException as error:
        _put(_Failure(error), waiting, closed)
    finally:
        close = getattr(items, "close", None)
        if close is not None:
            close()


def _put(item: Any, waiting: "Queue[Any]", closed: threading.Event) -> bool:
    """Put an item in, once there is room; return False where nobody wants it any more."""
    while not closed.is_set():
        try:
            waiting.put(item, timeout=PATIENCE)
            return True
        except Full:
            continue
    return False

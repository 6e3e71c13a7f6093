"""Delay signals such as Ctrl-C until a change is complete."""

import contextlib
import signal
import threading
from collections.abc import Iterator
from typing import Any

# Signals that may raise an exception: Ctrl-C, a time limit, a request to end.
NAMES = ("SIGINT", "SIGALRM", "SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2")
SIGNALS = [getattr(signal, name) for name in NAMES if hasattr(signal, name)]


@contextlib.contextmanager
def delay_signals() -> Iterator[None]:
    """Run the block to its end; a signal that comes meanwhile is handled after it.

    Counts are changed in several steps: the kernel's table, the classes, the ledger. Between two of
    them a KeyboardInterrupt would leave a model that has half learned.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # signals reach the main thread only
        return
    heard: list[tuple[Any, ...]] = []
    before = {number: signal.getsignal(number) for number in SIGNALS}
    before = {number: handler for number, handler in before.items() if callable(handler)}
    try:
        for number in before:
            signal.signal(number, lambda *received: heard.append(received))
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for number, frame in heard:
            before[number](number, frame)  # type: ignore[operator, misc]

"""Delay signals such as Ctrl-C, and forks of other threads, until a change is complete."""

import contextlib
import os
import signal
import threading
import time
from collections.abc import Iterator
from typing import Any

# Signals that may raise an exception: Ctrl-C, a time limit, a request to end.
NAMES = ("SIGINT", "SIGALRM", "SIGTERM", "SIGHUP", "SIGUSR1", "SIGUSR2")
SIGNALS = [getattr(signal, name) for name in NAMES if hasattr(signal, name)]
_changing: list[int] = []  # threads that are in a change


@contextlib.contextmanager
def delay_signals() -> Iterator[None]:
    """Run the block to its end; a signal that comes meanwhile is handled after it.

    Counts are changed in several steps: the kernel's table, the classes, the ledger. Between two of
    them a KeyboardInterrupt would leave a model that has half learned, and a fork would give such a
    model to the child: it waits for the end of the block, if it is another thread's.
    """
    is_main = threading.current_thread() is threading.main_thread()
    with _handled_later() if is_main else contextlib.nullcontext():
        thread = threading.get_ident()
        _changing.append(thread)
        try:
            yield
        finally:
            _changing.remove(thread)


@contextlib.contextmanager
def _handled_later() -> Iterator[None]:
    """Handle signals after the block; they reach the main thread only."""
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


def _before_fork() -> None:
    """Wait for the changes of the other threads."""
    while {*_changing} - {threading.get_ident()}:
        time.sleep(0.0005)


def _in_child() -> None:
    """Forget the threads that the child does not have."""
    thread = threading.get_ident()
    _changing[:] = [each for each in _changing if each == thread]


if hasattr(os, "register_at_fork"):  # not on Windows, which has no fork
    os.register_at_fork(before=_before_fork, after_in_child=_in_child)

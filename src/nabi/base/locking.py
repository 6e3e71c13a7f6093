"""Locks of models: one thread at a time, and no fork in the middle of a call.

A fork waits until the calls that hold a lock in other threads have ended. So the child gets each
model as it is between two calls, and no lock that is held by a thread it does not have.
"""

import functools
import os
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, TypeVar, cast
from weakref import WeakSet

Method = TypeVar("Method", bound=Callable[..., Any])

_locks: WeakSet[Any] = WeakSet()  # of all models
_adding = threading.Lock()  # held while the set changes
_forking = threading.Lock()  # held during a fork
_held: dict[Any, None] = {}  # by the thread that forks


def new_lock() -> AbstractContextManager[Any]:
    """Return a re-entrant lock that a fork waits for."""
    lock = threading.RLock()
    if _forking.locked():
        _let_fork_pass()
    with _adding:
        _locks.add(lock)
    return lock


def locked(method: Method) -> Method:
    """Decorate a method: hold the object's lock during the call."""

    @functools.wraps(method)
    def run(self: Any, *args: Any, **options: Any) -> Any:
        if _forking.locked():
            _let_fork_pass()
        with self._lock:
            return method(self, *args, **options)

    return cast(Method, run)


def _let_fork_pass() -> None:
    """Wait a moment, so that a thread that calls again and again does not keep a fork waiting."""
    # No longer: this thread may hold a lock that the fork waits for.
    if _forking.acquire(timeout=0.05):
        _forking.release()


def _before_fork() -> None:
    """Hold every lock: all at once or none, since two threads that wait for each other would."""
    _forking.acquire()
    while True:
        _adding.acquire()
        for lock in _locks:
            if not lock.acquire(blocking=False):
                break
            _held[lock] = None
        else:
            return
        _release()
        _adding.release()
        time.sleep(0.001)


def _release() -> None:
    for lock in _held:
        lock.release()
    _held.clear()


def _after_fork() -> None:
    _release()
    _adding.release()
    _forking.release()


if hasattr(os, "register_at_fork"):  # not on Windows, which has no fork
    os.register_at_fork(
        before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork
    )

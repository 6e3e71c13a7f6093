"""Locks of models: one thread at a time, and no fork in the middle of a call.

A fork waits until the calls of other threads have ended, and calls that begin meanwhile wait for
the fork. So the child gets each model as it is between two calls, and no lock that is held by a
thread it does not have. A call that still waits for its model's lock has not begun: the thread that
forks may be the one that holds the lock. A call may also wait for something that the thread is to
do after the fork, such as the next text of a queue: so the fork waits for calls a second at most.
For a change of counts, which waits for nobody, it waits without limit (`nabi.base.interrupts`).
A call waits ten times as long for a fork, so that they never give up at the same moment.
"""

import contextlib
import functools
import os
import time
from collections.abc import Callable, Iterator
from threading import RLock, get_ident
from typing import Any, TypeVar, cast
from weakref import WeakSet

import nabi.base.interrupts  # noqa: F401  # its hook comes first, and so runs last before a fork

Method = TypeVar("Method", bound=Callable[..., Any])

_LONGEST_WAIT = 1.0  # seconds of a fork; a call that is under way may need the one that forks
# Seconds of a call: much longer, since one that gives up while a fork begins is cut in two by it.
_LONGEST_STOP = 10.0
_locks: WeakSet[Any] = WeakSet()  # of all models
# Of each thread, a lock that it holds in its calls. No Ctrl-C comes between its being held and its
# being released, as it would with numbers that Python counts.
_busy: dict[int, Any] = {}
_forking: set[int] = set()  # threads that fork, or wait until they can


def model_lock() -> Any:
    """Return a new lock, which is free in the child of a fork by another thread than its holder."""
    lock = RLock()
    _locks.add(lock)
    return lock


def _own() -> Any:
    """Return the lock that this thread holds in its calls."""
    thread = get_ident()
    return _busy.get(thread) or _busy.setdefault(thread, RLock())


def _let_fork_pass(own: Any) -> None:
    """Wait for the forks of other threads before a call begins; a call within another goes on."""
    thread, end = get_ident(), time.monotonic() + _LONGEST_STOP
    while _forking - {thread} and time.monotonic() < end:
        own.release()
        try:
            if own._is_owned():
                return
            time.sleep(0.001)
        finally:
            own.acquire()  # before the fork is looked for again


@contextlib.contextmanager
def holding(*locks: contextlib.AbstractContextManager[Any]) -> Iterator[None]:
    """Hold the locks; no fork of another thread comes between."""
    own = _own()
    with contextlib.ExitStack() as stack:
        for lock in (*locks, own):
            stack.enter_context(lock)
        if _forking:
            _let_fork_pass(own)
        yield


def locked(method: Method) -> Method:
    """Decorate a method: hold the object's lock during the call."""

    @functools.wraps(method)
    def run(self: Any, *args: Any, **options: Any) -> Any:
        own = _own()
        with self._lock, own:
            if _forking:
                _let_fork_pass(own)
            return method(self, *args, **options)

    return cast(Method, run)


def _others_call(thread: int) -> bool:
    """Whether another thread is in a call, and does not wait to fork."""
    return any(
        not _is_free(lock)
        for other, lock in list(_busy.items())
        if other != thread and other not in _forking
    )


def _is_free(lock: Any) -> bool:
    """Whether a lock is held by nobody, or by this thread."""
    free: bool = lock.acquire(blocking=False)
    if free:
        lock.release()
    return free


def _before_fork() -> None:
    """Wait for the calls of the other threads, which may wait for this one in turn."""
    thread, end = get_ident(), time.monotonic() + _LONGEST_WAIT
    _forking.add(thread)
    while _others_call(thread) and time.monotonic() < end:
        time.sleep(0.0005)


def _in_parent() -> None:
    _forking.discard(get_ident())


def _in_child() -> None:
    """Forget the threads that the child does not have, and free what they hold."""
    thread, own = get_ident(), _own()
    _busy.clear()
    _busy[thread] = own
    _forking.clear()
    for lock in list(_locks):
        if not _is_free(lock):
            lock._at_fork_reinit()


if hasattr(os, "register_at_fork"):  # not on Windows, which has no fork
    os.register_at_fork(before=_before_fork, after_in_parent=_in_parent, after_in_child=_in_child)

"""Locks of models: one thread at a time, and no fork in the middle of a call.

A fork waits until the calls of other threads have ended, and calls that begin meanwhile wait for
the fork. So the child gets each model as it is between two calls, and no lock that is held by a
thread it does not have.
"""

import contextlib
import functools
import os
import time
from collections.abc import Callable, Iterator
from threading import get_ident
from typing import Any, TypeVar, cast

Method = TypeVar("Method", bound=Callable[..., Any])

_LONGEST_WAIT = 1.0  # seconds; a call that is under way may need the one that waits
_depths: dict[int, int] = {}  # of threads in a call: how many calls are inside of each other
_forking: set[int] = set()  # threads that fork, or wait until they can


class _Call:
    """A call of this thread, which a fork in another thread waits for."""

    def __enter__(self) -> None:
        thread = get_ident()
        depth = _depths.get(thread, 0)
        try:
            _depths[thread] = depth + 1
            if not depth and _forking:
                _let_fork_pass(thread)
        except BaseException:  # Ctrl-C, say
            _set_depth(thread, depth)
            raise

    def __exit__(self, *error: object) -> None:
        thread = get_ident()
        _set_depth(thread, _depths[thread] - 1)


_call = _Call()


def _set_depth(thread: int, depth: int) -> None:
    if depth:
        _depths[thread] = depth
    else:
        _depths.pop(thread, None)


def _let_fork_pass(thread: int) -> None:
    """Wait for the forks of other threads, outside of the call that is about to begin."""
    end = time.monotonic() + _LONGEST_WAIT
    while _forking - {thread} and time.monotonic() < end:
        _set_depth(thread, 0)
        time.sleep(0.001)
        _depths[thread] = 1  # before the fork is looked for again


@contextlib.contextmanager
def holding(*locks: contextlib.AbstractContextManager[Any]) -> Iterator[None]:
    """Hold the locks; no fork of another thread comes between."""
    with _call, contextlib.ExitStack() as stack:
        for lock in locks:
            stack.enter_context(lock)
        yield


def locked(method: Method) -> Method:
    """Decorate a method: hold the object's lock during the call."""

    @functools.wraps(method)
    def run(self: Any, *args: Any, **options: Any) -> Any:
        with _call, self._lock:
            return method(self, *args, **options)

    return cast(Method, run)


def _before_fork() -> None:
    """Wait for the calls of the other threads, but not for those that wait to fork."""
    _forking.add(get_ident())
    while not set(_depths) <= _forking:
        time.sleep(0.0005)


def _in_parent() -> None:
    _forking.discard(get_ident())


def _in_child() -> None:
    """Forget the threads that the child does not have."""
    thread = get_ident()
    depth = _depths.get(thread, 0)
    _depths.clear()
    _forking.clear()
    _set_depth(thread, depth)


if hasattr(os, "register_at_fork"):  # not on Windows, which has no fork
    os.register_at_fork(before=_before_fork, after_in_parent=_in_parent, after_in_child=_in_child)

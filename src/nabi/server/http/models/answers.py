"""Answers: outcomes of changes, brought to the event loop from the writer, a few at a time.

A commit answers many changes at once, whose clients then all send the next one at once. Answered in
one go, they would hold predictions up for milliseconds, and each would wake the loop on its own.
"""

import asyncio
from collections import deque
from concurrent.futures import Future
from typing import Any

AT_ONCE = 4  # answers between two looks at what has come


class Answers:
    """Futures of the event loop for those of another thread."""

    def __init__(self) -> None:
        self._done: deque[tuple[Future[Any], asyncio.Future[Any]]] = deque()
        self._is_called = False  # whether the loop will look at them

    def of(self, future: "Future[Any]") -> "asyncio.Future[Any]":
        """Return a future of the running loop that gets the outcome of another."""
        loop = asyncio.get_running_loop()
        answer = loop.create_future()
        future.add_done_callback(lambda done: self._put(loop, done, answer))
        return answer

    def _put(
        self, loop: asyncio.AbstractEventLoop, done: "Future[Any]", answer: "asyncio.Future[Any]"
    ) -> None:
        """Leave an outcome for the loop, in the thread that has it."""
        if loop.is_closed():
            return
        self._done.append((done, answer))
        if not self._is_called:
            self._is_called = True
            loop.call_soon_threadsafe(self._give, loop)

    def _give(self, loop: asyncio.AbstractEventLoop) -> None:
        """Answer a few; the loop looks at its sockets before the next ones."""
        for _ in range(min(AT_ONCE, len(self._done))):
            _pass_on(*self._done.popleft())
        self._is_called = False
        # Only after that: what another thread leaves now is seen here, or calls by itself.
        if self._done and not self._is_called:
            self._is_called = True
            loop.call_soon(self._give, loop)


def _pass_on(done: "Future[Any]", answer: "asyncio.Future[Any]") -> None:
    if answer.done():  # whoever asked has gone
        return
    if done.cancelled():
        answer.cancel()
    elif (error := done.exception()) is not None:
        answer.set_exception(error)
    else:
        answer.set_result(done.result())

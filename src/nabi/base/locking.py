"""One thread at a time."""

import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

Method = TypeVar("Method", bound=Callable[..., Any])


def alone(method: Method) -> Method:
    """The method, one thread at a time: what it sees is a model before or after a change."""

    @functools.wraps(method)
    def run(self: Any, *given: Any, **named: Any) -> Any:
        with self._lock:
            return method(self, *given, **named)

    return cast(Method, run)

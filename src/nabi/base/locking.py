"""Hold a model's lock: one thread at a time."""

import functools
from collections.abc import Callable
from typing import Any, TypeVar, cast

Method = TypeVar("Method", bound=Callable[..., Any])


def locked(method: Method) -> Method:
    """Decorate a method: hold the object's lock during the call."""

    @functools.wraps(method)
    def run(self: Any, *args: Any, **options: Any) -> Any:
        with self._lock:
            return method(self, *args, **options)

    return cast(Method, run)

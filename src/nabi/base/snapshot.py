"""Snapshot: whether the values of parameters have changed since they were last seen."""

import operator
from functools import cached_property
from typing import Any

import numpy as np

# Types whose objects never change.
FIXED = {object, type(None), bool, int, float, str, np.float64, np.int64}


class Snapshot:
    """Values of parameters at one time: while they are the same objects, nothing has changed.

    Lists and the like are compared by their items. An object of an unknown type may change unseen,
    and is never the same.
    """

    def __init__(self, *values: Any) -> None:
        self._parts: list[Any] = []
        for value in values:
            if type(value) in (list, tuple, set, frozenset):
                self._parts += [*value, type(value)]
            else:
                self._parts.append(value)

    def same_as(self, before: "Snapshot | None") -> bool:
        """Whether these are the very objects of an earlier snapshot, and none can have changed."""
        if before is None or len(self._parts) != len(before._parts):
            return False
        return all(map(operator.is_, self._parts, before._parts)) and self._fixed

    @cached_property
    def _fixed(self) -> bool:
        return all(type(part) in FIXED or callable(part) or _frozen(part) for part in self._parts)


def _frozen(value: Any) -> bool:
    params = getattr(type(value), "__dataclass_params__", None)
    return params is not None and bool(params.frozen)

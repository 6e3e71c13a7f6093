"""Parameters of a model by scikit-learn's conventions, without importing scikit-learn."""

import inspect
import operator
from functools import cached_property
from typing import Any, Self

import numpy as np

from nabi.errors import InputError

# Types whose objects never change.
FIXED = {object, type(None), bool, int, float, str, np.float64, np.int64}


class Params:
    """Base of classes whose parameters are the arguments of `__init__`, kept as they were given."""

    @classmethod
    def _param_names(cls) -> list[str]:
        return [name for name in inspect.signature(cls).parameters if name != "self"]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return all parameters by name."""
        return {name: getattr(self, name) for name in self._param_names()}

    def set_params(self, **params: Any) -> Self:
        """Change some parameters."""
        known = self._param_names()
        for name in params:
            if name not in known:
                raise InputError(
                    f"{type(self).__name__} has no parameter {name!r}; it has {', '.join(known)}"
                )
        for name, value in params.items():
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        """Return the call that makes the object, parameters at their defaults left out."""
        signature = inspect.signature(type(self)).parameters
        changed = [
            f"{name}={value!r}"
            for name, value in self.get_params().items()
            if repr(value) != repr(signature[name].default)
        ]
        return f"{type(self).__name__}({', '.join(changed)})"


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

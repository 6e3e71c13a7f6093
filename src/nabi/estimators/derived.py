"""Attributes derived from counts and parameters when they are read."""

from collections.abc import Callable
from typing import Any


class Derived:
    """Decorator: an attribute that the function computes when it is first read.

    The value, also one that a user assigns, is kept until a count or a parameter is set. It is not
    among the model's own attributes, so that predicting changes none of them.
    """

    def __init__(self, compute: Callable[[Any], Any]) -> None:
        self._compute = compute
        self.__doc__ = compute.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, model: Any, owner: type | None = None) -> Any:
        """Return the value, computed at first use."""
        if model is None:
            return self
        if self._name not in _kept(model):
            # An AttributeError, so that hasattr answers as it does for any unfitted estimator.
            if "classes_" not in vars(model):
                raise AttributeError(f"{type(model).__name__} has no {self._name!r} before fit")
            _kept(model)[self._name] = self._compute(model)
        return _kept(model)[self._name]

    def __set__(self, model: Any, value: object) -> None:
        _kept(model)[self._name] = value


def _kept(model: object) -> dict[str, Any]:
    kept: dict[str, Any] = vars(model).setdefault("_derived", {})
    return kept


class Deriving:
    """Mixin: drop all derived attributes when any other attribute is set."""

    _derived: dict[str, Any]

    def __setattr__(self, name: str, value: object) -> None:
        super().__setattr__(name, value)
        if not isinstance(getattr(type(self), name, None), Derived):
            self.__dict__["_derived"] = {}

    def __getstate__(self) -> dict[str, Any]:
        """Return the attributes, with the public derived ones, which a user may have assigned.

        These are in a new dictionary: a copy does not share the original's.
        """
        state: Any = super().__getstate__()
        public = {name: it for name, it in _kept(self).items() if not name.startswith("_")}
        return {**state, "_derived": public}

"""scikit-learn's conventions for parameters, without importing scikit-learn."""

import inspect
from typing import Any, Self

from nabi.errors import InputError


class Params:
    """Parameters are what `__init__` takes, kept under their names and otherwise untouched."""

    @classmethod
    def _param_names(cls) -> list[str]:
        return [name for name in inspect.signature(cls).parameters if name != "self"]

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """All parameters by name."""
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
        """The call that makes it, parameters at their defaults left out."""
        signature = inspect.signature(type(self)).parameters
        given = [
            f"{name}={value!r}"
            for name, value in self.get_params().items()
            if repr(value) != repr(signature[name].default)
        ]
        return f"{type(self).__name__}({', '.join(given)})"

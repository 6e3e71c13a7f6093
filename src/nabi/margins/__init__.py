"""Hyperplanes between two classes, and their margins.

Margins need NumPy alone; the classifiers need scikit-learn, whose solvers they use:
`pip install 'nabi[sklearn]'`.

>>> from nabi.margins import OptimalMargin, geometric_margin
>>> X, y = [[0.0, 0.0], [3.0, 4.0]], ["near", "far"]
>>> model = OptimalMargin().fit(X, y)
>>> geometric_margin(model.coef_, model.intercept_, X, y).tolist()
[2.5, 2.5]
"""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from nabi.errors import MissingExtraError
from nabi.margins.hyperplanes import functional_margin, geometric_margin, normalised
from nabi.margins.optimality import kkt

if TYPE_CHECKING:
    from nabi.margins.optimal import OptimalMargin
    from nabi.margins.soft import SoftMargin

# These import scikit-learn, which takes over a second.
_CLASSIFIERS = {"OptimalMargin": "optimal", "SoftMargin": "soft"}


def __getattr__(name: str) -> Any:
    if name not in _CLASSIFIERS:
        raise AttributeError(f"module 'nabi.margins' has no attribute {name!r}")
    if find_spec("sklearn") is None:
        raise MissingExtraError(f"nabi.margins.{name} needs scikit-learn", "sklearn")
    return getattr(import_module(f"nabi.margins.{_CLASSIFIERS[name]}"), name)


__all__ = [
    "OptimalMargin",
    "SoftMargin",
    "functional_margin",
    "geometric_margin",
    "kkt",
    "normalised",
]

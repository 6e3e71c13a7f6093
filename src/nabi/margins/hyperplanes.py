"""Functional and geometric margins of samples at a hyperplane w.x + b = 0."""

from typing import Any

import numpy as np

from nabi.base.arrays import F64, Array, real_array
from nabi.base.labels import shown
from nabi.errors import InputError


def functional_margin(w: Any, b: Any, X: Any, y: Any, *, classes: Any = None) -> F64:
    """The functional margin y (w.x + b) of each sample: above 0 on the right side of the plane.

    The margin of a set of samples is the smallest: `functional_margin(w, b, X, y).min()`.

    Parameters
    ----------
    w : array-like of shape (n_features,)
        The normal of the plane; `coef_` of a model works too.
    b : float
        The offset of the plane; `intercept_` of a model works too.
    X : array-like of shape (n_samples, n_features)
        The samples.
    y : array-like of shape (n_samples,)
        Their labels: -1 and +1, or any two, of which the second in order counts as +1.
    classes : two labels, optional
        Which labels are -1 and +1, where `y` may lack one of them: `classes_` of a model.

    Examples
    --------
    >>> functional_margin([1, 1], -3, [[1, 1], [3, 2]], [-1, 1]).tolist()
    [1.0, 2.0]
    >>> functional_margin([1, 1], -3, [[1, 1], [3, 2]], ["ham", "spam"]).min()
    np.float64(1.0)
    """
    normal, offset = _plane(w, b)
    samples = _numbers("X", X)
    if samples.ndim != 2 or samples.shape[1] != len(normal):
        raise InputError(
            f"X has shape {samples.shape}, and w {len(normal)} features; expected X of shape "
            f"(samples, {len(normal)})"
        )
    return signs(y, len(samples), classes) * (samples @ normal + offset)


def geometric_margin(w: Any, b: Any, X: Any, y: Any, *, classes: Any = None) -> F64:
    """The geometric margin y (w.x + b) / ||w|| of each sample: its distance from the plane.

    The distance is below 0 on the wrong side. The margin of a set of samples is the smallest.
    Parameters are those of `functional_margin`.

    Examples
    --------
    >>> geometric_margin([3, 4], -5, [[3, 4], [0, 0]], [1, -1]).tolist()
    [4.0, 1.0]
    >>> geometric_margin([30, 40], -50, [[3, 4], [0, 0]], [1, -1]).tolist()
    [4.0, 1.0]
    """
    return functional_margin(*normalised(w, b), X, y, classes=classes)


def normalised(w: Any, b: Any) -> tuple[F64, float]:
    """Return (w / ||w||, b / ||w||): functional margins of this plane are the geometric ones.

    Examples
    --------
    >>> w, b = normalised([3, 4], -5)
    >>> w.tolist(), b
    ([0.6, 0.8], -1.0)
    """
    normal, offset = _plane(w, b)
    largest = float(np.abs(normal).max(initial=0.0))
    if largest == 0.0:
        raise InputError("w is 0 everywhere, which is no plane; expected a number that is not 0")
    # In two steps, since the squares of 1e-200 are 0 and those of 1e200 infinite.
    scaled = normal / largest
    length = float(np.linalg.norm(scaled))
    return scaled / length, offset / largest / length


def norm(w: F64) -> float:
    """Return ||w||, also where the squares of its values overflow or underflow."""
    largest = float(np.abs(w).max(initial=0.0))
    return largest * float(np.linalg.norm(w / largest)) if largest else 0.0


def dense(values: Any) -> F64:
    """Return a dense array of a dense or sparse one."""
    return np.asarray(values.toarray() if hasattr(values, "toarray") else values, np.float64)


def signs(y: Any, number: int, classes: Any = None) -> F64:
    """-1.0 or +1.0 for each label: ["ham", "spam"] -> [-1.0, 1.0]"""
    labels = np.asarray(y)
    if labels.ndim != 1 or len(labels) != number:
        raise InputError(f"{number} samples, and labels of shape {labels.shape}; expected one each")
    known = _two(labels, classes)
    strange = ~np.isin(labels, known)
    if strange.any():
        at = int(np.flatnonzero(strange)[0])
        raise InputError(f"y[{at}] is {labels[at]!r}; expected one of {known.tolist()}")
    return np.where(labels == known[1], 1.0, -1.0)


def _two(labels: Array, classes: Any) -> Array:
    """Return the labels that count as -1 and +1."""
    if classes is not None:
        two = np.asarray(classes)
        if two.shape != (2,) or two[0] == two[1]:
            raise InputError(f"classes={classes!r}; expected two labels, such as [-1, 1]")
        return two
    found = np.unique(labels)
    if set(found.tolist()) <= {-1, 1}:
        return np.array([-1, 1])
    if len(found) != 2:
        raise InputError(
            f"y holds {len(found)} different labels ({shown(found.tolist())}); expected two, or "
            f"-1 and 1; classes=[first, second] says which they are"
        )
    return found


def _plane(w: Any, b: Any) -> tuple[F64, float]:
    """Return normal and offset as numbers; `coef_` has one row, and `intercept_` one number."""
    normal, offset = _numbers("w", w), _numbers("b", b)
    if normal.ndim == 2 and len(normal) == 1:
        normal = normal[0]
    if normal.ndim != 1 or offset.size != 1:
        raise InputError(
            f"w of shape {normal.shape} and b of shape {offset.shape}; expected one number of w "
            f"for each feature, and one b"
        )
    return normal, float(offset.reshape(()))


def _numbers(name: str, values: Any) -> F64:
    numbers = real_array(values, name).astype(np.float64)
    bad = ~np.isfinite(numbers)
    if bad.any():
        at = np.argwhere(bad)[0].tolist()
        where = f"{name}{at}" if at else name
        raise InputError(f"{where} is {numbers[bad][0]}; expected finite numbers")
    return numbers

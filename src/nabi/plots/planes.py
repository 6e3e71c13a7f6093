"""Planes of two features: points in a table of the model's type, and points drawn."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from nabi.base.arrays import F64, Array
from nabi.errors import InputError, InputTypeError, NotFittedError
from nabi.plots import drawing
from nabi.plots.drawing import colour

STEPS = 240  # points of the plane in each direction
ROOM = 0.08  # free space around the points, as a share of their range


def classes_of(model: Any, method: str, expected: str) -> list[Any]:
    """Return the classes of a fitted classifier that has this method."""
    if not hasattr(model, method):
        raise InputTypeError(f"model is {type(model).__name__}, expected {expected}")
    if not hasattr(model, "classes_"):
        raise NotFittedError(f"this {type(model).__name__} has no classes yet; call fit first")
    return list(np.asarray(model.classes_).tolist())


def limits(name: str, values: F64) -> tuple[float, float]:
    """Return the least and the largest value; refuse a range that no axis can show."""
    low, high = float(values.min()), float(values.max())
    if low < high and not drawing.drawable(low, high):
        raise InputError(f"{name} goes from {low:g} to {high:g}, beyond what can be drawn")
    return low, high


def grid(xs: F64, ys: F64) -> F64:
    """Return all points of a plane, a row each."""
    return np.column_stack([values.ravel() for values in np.meshgrid(xs, ys)])


def table_like(X: Any, points: F64, names: Sequence[str] | None = None) -> Any:
    """Return points in a table of the type of X; `names` are those of their columns."""
    if isinstance(X, np.ndarray | list | tuple):
        return points
    import narwhals.stable.v1 as nw

    like = nw.from_native(X, eager_only=True)
    columns = dict(zip(names or like.columns, points.T, strict=True))
    ordered = {name: columns[name] for name in like.columns if name in columns}
    return nw.from_dict(ordered, backend=nw.get_native_namespace(like)).to_native()


def draw_points(
    ax: Axes, points: F64, classes: Array, *, mark: str = "o", size: float = 38
) -> None:
    """Draw points in the colours of their classes."""
    x, y = points.T
    colours = [colour(i) for i in classes.tolist()]
    ax.scatter(x, y, s=size, c=colours, marker=mark, edgecolors="white", linewidths=0.8, zorder=3)


def draw_rings(ax: Axes, points: F64, size: float, width: float) -> None:
    """Draw black rings around points."""
    look: dict[str, Any] = {"facecolors": "none", "edgecolors": "black", "linewidths": width}
    if len(points):
        x, y = points.T
        ax.scatter(x, y, s=size, marker="o", zorder=4, **look)


def finish(ax: Axes, labels: list[Any], marks: list[tuple[Any, str]], names: Sequence[str]) -> None:
    """Draw a legend of the classes and of other marks, and name the axes."""
    classes = [(drawing.mark("o", 8, colour(i)), label) for i, label in enumerate(labels)]
    drawing.legend(ax, [*classes, *marks])
    drawing.name_axes(ax, *names)
    drawing.keep_edges(ax, "left", "bottom")

"""The plane between two classes, its margin, and the samples that hold it where it is."""

from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from nabi.base.arrays import F64
from nabi.errors import InputError, InputTypeError, NotFittedError
from nabi.margins.hyperplanes import norm, signs
from nabi.plots.paper import INK, bare, colour, drawable, legend, paper, plain, written

STEPS = 240  # points of the plane in each direction, where the lines are no straight ones
ROOM = 0.08  # of the range of the samples, left free around them
FLAT = 10  # times as wide as high, or as high as wide: no longer true to scale
SHORT = 1e-6  # a functional margin below 1 by less is that of rounding
LEVELS = ((-1.0, "--", 0.9), (0.0, "-", 1.4), (1.0, "--", 0.9))  # f(x), line style, line width
Chosen = npt.NDArray[np.bool_]


def margins(model: Any, X: Any, y: Any, *, ax: Axes | None = None) -> Axes:
    """Samples of two features, the line between their classes, and its margin on either side.

    Parameters
    ----------
    model : classifier
        A fitted :class:`nabi.margins.OptimalMargin` or :class:`nabi.margins.SoftMargin` of two
        features, or any classifier of two classes with a `decision_function`.
    X, y : samples and labels
        What to draw. Rings are around the support vectors, where the model has some and they are
        among the samples; a cross is on each sample within the margin or on the wrong side.
    ax : Axes, optional
        Where to draw; by default on a figure of its own.
    """
    _check(model)
    points = _points(X)
    own = signs(np.asarray(y), len(points), model.classes_)
    ax = paper(ax, 5.2)
    short = own * np.asarray(model.decision_function(X)) < 1 - SHORT
    held = _held(model, points)
    _draw_samples(ax, points, own, held, short)
    _draw_lines(ax, model, X, points)
    _explain(ax, model, bool(held.any()), bool(short.any()))
    names = getattr(model, "feature_names_in_", ("x0", "x1"))
    ax.set_xlabel(written(names[0], 60))
    ax.set_ylabel(written(names[1], 60))
    plain([ax.xaxis.label, ax.yaxis.label])
    bare(ax, "left", "bottom")
    return ax


# ---- what is given ----


def _check(model: Any) -> None:
    if not hasattr(model, "decision_function"):
        raise InputTypeError(
            f"model is {type(model).__name__}, expected one with a decision_function, such as "
            f"nabi.margins.OptimalMargin"
        )
    if not hasattr(model, "classes_"):
        raise NotFittedError(f"this {type(model).__name__} has no classes yet; call fit first")
    if len(model.classes_) != 2:
        raise InputError(f"the model has {len(model.classes_)} classes; a margin is between two")


def _points(X: Any) -> F64:
    points = np.asarray(X, np.float64)
    if points.ndim != 2 or points.shape[1] != 2 or not len(points):
        raise InputError(f"X has shape {points.shape}; expected samples of two features to draw")
    for low, high in zip(points.min(axis=0), points.max(axis=0), strict=True):
        if low < high and not drawable(low, high):
            raise InputError(f"X goes from {low:g} to {high:g}, beyond what can be drawn")
    return points


def _held(model: Any, points: F64) -> Chosen:
    """Which samples are support vectors."""
    vectors = np.asarray(getattr(model, "support_vectors_", np.empty((0, 2))))
    found: Chosen = (points[:, None, :] == vectors[None, :, :]).all(axis=2).any(axis=1)
    return found


# ---- the picture ----


def _draw_samples(ax: Axes, points: F64, own: F64, held: Chosen, short: Chosen) -> None:
    x, y = points.T
    colours = [colour(i) for i in (own > 0).astype(int).tolist()]
    ax.scatter(x, y, s=38, c=colours, edgecolors="white", linewidths=0.8, zorder=3)
    ring: dict[str, Any] = {"facecolors": "none", "edgecolors": "black", "linewidths": 1.1}
    if held.any():
        ax.scatter(x[held], y[held], s=105, marker="o", zorder=4, **ring)
    if short.any():
        ax.scatter(x[short], y[short], s=34, marker="x", c="black", linewidths=1.1, zorder=5)


def _draw_lines(ax: Axes, model: Any, X: Any, points: F64) -> None:
    """Where f(x) is -1, 0 and 1."""
    low, high = points.min(axis=0), points.max(axis=0)
    spans = np.where(high > low, high - low, 1.0)
    room = ROOM * spans
    w = _normal(model)
    if w is None:
        _draw_curves(ax, model, X, low - room, high + room)
    elif norm(w) > 0:
        # Of straight lines, the margin is a distance: it is true to scale where that can be seen.
        if spans.max() <= FLAT * spans.min():
            ax.set_aspect("equal", adjustable="datalim")
        ax.margins(ROOM)
        _draw_straight(ax, w, float(model.intercept_[0]), (low + high) / 2)


def _normal(model: Any) -> F64 | None:
    """The normal w of a linear model; None of others."""
    try:
        return np.asarray(model.coef_[0], np.float64)
    except AttributeError:  # a kernel has none
        return None


def _draw_straight(ax: Axes, w: F64, b: float, near: F64) -> None:
    """Lines w.x + b = level, through the point of each that is near to the samples' middle."""
    size = norm(w)
    unit = w / size
    for level, style, width in LEVELS:
        foot = near + unit * ((level - b) / size - unit @ near)
        along = (foot[0] - unit[1], foot[1] + unit[0])
        ax.axline((foot[0], foot[1]), along, color=INK, linestyle=style, linewidth=width, zorder=2)


def _draw_curves(ax: Axes, model: Any, X: Any, low: F64, high: F64) -> None:
    xs, ys = (np.linspace(low[i], high[i], STEPS) for i in (0, 1))
    grid = np.column_stack([values.ravel() for values in np.meshgrid(xs, ys)])
    f = np.asarray(model.decision_function(_alike(grid, X))).reshape(STEPS, STEPS)
    for level, style, width in LEVELS:
        if f.min() < level < f.max():
            ax.contour(
                xs, ys, f, levels=[level], colors=INK, linestyles=style, linewidths=width, zorder=2
            )


def _alike(grid: F64, X: Any) -> Any:
    """Points in a table of the kind that the model takes."""
    if isinstance(X, np.ndarray | list | tuple):
        return grid
    import narwhals.stable.v1 as nw

    like = nw.from_native(X, eager_only=True)
    columns = dict(zip(like.columns, grid.T, strict=True))
    return nw.from_dict(columns, backend=nw.get_native_namespace(like)).to_native()


def _explain(ax: Axes, model: Any, held: bool, short: bool) -> None:
    def mark(shape: str, size: float, fill: str, edge: str = "white") -> Line2D:
        look: dict[str, Any] = {"markerfacecolor": fill, "markeredgecolor": edge}
        return Line2D([], [], marker=shape, linestyle="none", markersize=size, **look)

    handles = [mark("o", 8, colour(i)) for i in (0, 1)]
    names = [written(label) for label in np.asarray(model.classes_).tolist()]
    handles.append(Line2D([], [], color=INK, linestyle="--", linewidth=0.9))
    width = getattr(model, "margin_", None)
    names.append("margin" if width is None else f"margin {width:.3g}")
    if held:
        handles.append(mark("o", 10, "none", "black"))
        names.append("support vector")
    if short:
        handles.append(mark("x", 6, "black", "black"))
        names.append("short of the margin")
    legend(ax, handles, names)

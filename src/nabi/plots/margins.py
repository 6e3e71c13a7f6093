"""The plane between two classes, its margin, and its support vectors."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from nabi.base.arrays import F64
from nabi.errors import InputError
from nabi.margins.hyperplanes import norm, signs
from nabi.plots import drawing, planes
from nabi.plots.drawing import INK
from nabi.plots.planes import ROOM, STEPS, classes_of, draw_points, draw_rings, grid, table_like

FLAT = 10  # ratio of width and height beyond which the picture is not true to scale
SHORT = 1e-6  # a functional margin less than this below 1 is a rounding error
LEVELS = ((-1.0, "--", 0.9), (0.0, "-", 1.4), (1.0, "--", 0.9))  # f(x), line style, line width


def margins(model: Any, X: Any, y: Any, *, ax: Axes | None = None) -> Axes:
    """Samples of two features, the line between their classes, and its margin on either side.

    Parameters
    ----------
    model : classifier
        A fitted `nabi.margins.OptimalMargin` or `nabi.margins.SoftMargin` of two
        features, or any classifier of two classes with a `decision_function`.
    X, y : samples and labels
        The points to draw. Rings are around support vectors of the model that are among the
        samples; a cross is on each sample within the margin or on the wrong side.
    ax : Axes, optional
        Where to draw; default: a new figure.
    """
    expected = "one with a decision_function, such as nabi.margins.OptimalMargin"
    labels = classes_of(model, "decision_function", expected)
    if len(labels) != 2:
        raise InputError(f"the model has {len(labels)} classes; a margin is between two")
    points = _points(X)
    sign = signs(np.asarray(y), len(points), model.classes_)
    ax = drawing.axes_for(ax, 5.2)
    short = sign * np.asarray(model.decision_function(X)) < 1 - SHORT
    vectors = np.asarray(getattr(model, "support_vectors_", np.empty((0, 2))))
    support = (points[:, None, :] == vectors[None, :, :]).all(axis=2).any(axis=1)
    draw_points(ax, points, (sign > 0).astype(int))
    draw_rings(ax, points[support], 105, 1.1)
    if short.any():
        x, y = points[short].T
        ax.scatter(x, y, s=34, marker="x", c="black", linewidths=1.1, zorder=5)
    _draw_lines(ax, model, X, points)
    width = getattr(model, "margin_", None)
    dashed = Line2D([], [], color=INK, linestyle="--", linewidth=0.9)
    marks: list[tuple[Any, str]] = [(dashed, "margin" if width is None else f"margin {width:.3g}")]
    if support.any():
        marks.append((drawing.mark("o", 10, "none", "black"), "support vector"))
    if short.any():
        marks.append((drawing.mark("x", 6, "black", "black"), "short of the margin"))
    planes.finish(ax, labels, marks, getattr(model, "feature_names_in_", ("x0", "x1")))
    return ax


def _points(X: Any) -> F64:
    points = np.asarray(X, np.float64)
    if points.ndim != 2 or points.shape[1] != 2 or not len(points):
        raise InputError(f"X has shape {points.shape}; expected samples of two features to draw")
    for values in points.T:
        planes.limits("X", values)
    return points


def _draw_lines(ax: Axes, model: Any, X: Any, points: F64) -> None:
    """Draw the lines where f(x) is -1, 0 and 1."""
    low, high = points.min(axis=0), points.max(axis=0)
    spans = np.where(high > low, high - low, 1.0)
    room = ROOM * spans
    coefficients = getattr(model, "coef_", None)
    if coefficients is None:  # a kernel has none
        _draw_curves(ax, model, X, low - room, high + room)
    elif norm(w := np.asarray(coefficients[0], np.float64)) > 0:
        # The margin of a straight line is a distance: it is true to scale where that can be seen.
        if spans.max() <= FLAT * spans.min():
            ax.set_aspect("equal", adjustable="datalim")
        ax.margins(ROOM)
        _draw_straight(ax, w, float(model.intercept_[0]), (low + high) / 2)


def _draw_straight(ax: Axes, w: F64, b: float, near: F64) -> None:
    """Draw lines w.x + b = level, each through its point nearest to the samples' middle."""
    size = norm(w)
    unit = w / size
    for level, style, width in LEVELS:
        foot = near + unit * ((level - b) / size - unit @ near)
        along = (foot[0] - unit[1], foot[1] + unit[0])
        ax.axline((foot[0], foot[1]), along, color=INK, linestyle=style, linewidth=width, zorder=2)


def _draw_curves(ax: Axes, model: Any, X: Any, low: F64, high: F64) -> None:
    xs, ys = (np.linspace(low[i], high[i], STEPS) for i in (0, 1))
    f = np.asarray(model.decision_function(table_like(X, grid(xs, ys)))).reshape(STEPS, STEPS)
    for level, style, width in LEVELS:
        if f.min() < level < f.max():
            ax.contour(
                xs, ys, f, levels=[level], colors=INK, linestyles=style, linewidths=width, zorder=2
            )

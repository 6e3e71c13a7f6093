"""Decision regions: the class that a model predicts at each point of a plane."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb

from nabi.base.arrays import F64, I64, Bools
from nabi.base.labels import Label, label_codes, shown
from nabi.errors import InputError, InputTypeError
from nabi.features.frame import Column, Frame, Table, frame_of
from nabi.models.table import TableClassifier
from nabi.plots import drawing, planes
from nabi.plots.drawing import FAINT, INK, colour
from nabi.plots.planes import ROOM, STEPS, classes_of, draw_points, draw_rings, grid, table_like

NUMBERS = ("gaussian", "lognormal", "poisson", "histogram")
# The shape, the size of a point, of its ring by that size, and of its mark in the legend.
MARKS = {"learned": ("o", 38, 2.6, 8), "test": ("*", 170, 1.5, 13)}


def decision_regions(
    model: Any,
    X: Table,
    y: Any,
    *,
    test: tuple[Table, Any] | None = None,
    features: Sequence[str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """The plane of two features, coloured by the class that a model gives, with points on it.

    Parameters
    ----------
    model : classifier
        A `nabi.TableClassifier`, or any fitted scikit-learn classifier of two features. The
        more probable a class, the stronger its colour.
    X, y : table and labels
        The points learned, drawn as circles; mistakes of the model are ringed. `y` may be the name
        of a column.
    test : (table, labels), optional
        More points, drawn as stars.
    features : two names, optional
        Which columns to draw, across and up. A TableClassifier takes all others as missing.
    ax : Axes, optional
        Where to draw; default: a new figure.
    """
    labels = classes_of(model, "predict", "a classifier")
    given = {"learned": _read(X, y)}
    if test is not None:
        if not isinstance(test, tuple | list) or len(test) != 2:
            raise InputTypeError("test: expected a pair, (X_test, y_test)")
        given["test"] = _read(*test)
    plane = _Plane(model, X, _two(model, given["learned"][0], features))
    located = {role: _located(plane, *rows, labels) for role, rows in given.items()}
    ax = drawing.axes_for(ax, 5.2)
    _colour(ax, plane, labels, np.vstack([xy for xy, _, _ in located.values()]))
    marks = []
    for role, (xy, classes, wrong) in located.items():
        shape, size, ring, small = MARKS[role]
        draw_points(ax, xy, classes, mark=shape, size=size)
        draw_rings(ax, xy[wrong], ring * size, 1.3)
        if test is not None:
            marks.append((drawing.mark(shape, small, FAINT), role))
    if any(wrong.any() for _, _, wrong in located.values()):
        marks.append((drawing.mark("o", 11, "none", "black"), "misclassified"))
    planes.finish(ax, labels, marks, plane.names)
    return ax


# ---- input ----


def _read(X: Table, y: Any) -> tuple[Frame, list[Label]]:
    """Return the columns of a table, and the labels of its rows."""
    rows = isinstance(X, list | tuple) and bool(X) and isinstance(X[0], list | tuple)
    frame = frame_of(np.asarray(X, np.float64) if rows else X)
    if isinstance(y, str):
        if y not in frame.columns:
            raise InputError(f"y={y!r}; the columns are {shown(list(frame.columns))}")
        column = frame.columns[y]
        return frame.without(y), [column.value(i) for i in range(len(column))]
    labels = list(np.asarray(y).tolist())
    if len(labels) != len(frame):
        raise InputError(f"{len(frame)} rows but {len(labels)} labels; expected one label for each")
    if not labels:
        raise InputError("no rows at all; expected points to draw")
    return frame, labels


def _two(model: Any, frame: Frame, features: Sequence[str] | None) -> tuple[str, str]:
    """Return the columns to draw: those named, or the only two."""
    known = list(frame.columns)
    table = isinstance(model, TableClassifier)
    if table:
        known = [name for name in known if name in model.columns_]
    names = known if features is None else [str(name) for name in features]
    for name in names:
        if name not in known:
            raise InputError(f"features hold {name!r}; the columns are {shown(known)}")
        if table and model.columns_[name] not in NUMBERS:
            raise InputError(
                f"column {name!r} is {model.columns_[name]}; only numbers have a place in a plane: "
                f"name two such columns in features"
            )
    if len(names) != 2 or names[0] == names[1] or (not table and len(known) != 2):
        raise InputError(
            f"{len(known)} features ({shown(known)}), expected two: "
            + ("name them in features" if table else "fit the model on two columns")
        )
    return names[0], names[1]


@dataclass(frozen=True, eq=False)
class _Plane:
    """Two columns, and a model that predicts from their values."""

    model: Any
    like: Table  # the kind of table that the model takes
    names: tuple[str, str]

    def table(self, xy: F64) -> Any:
        """Return points as the model takes them."""
        if isinstance(self.model, TableClassifier):
            columns = {}
            for name, values in zip(self.names, xy.T, strict=True):
                if self.model.columns_[name] == "poisson":  # the nearest counts
                    values = np.maximum(np.round(values), 0.0)
                columns[name] = Column("float", np.ascontiguousarray(values))
            return Frame(columns, len(xy), ragged=True)
        if isinstance(self.like, np.ndarray | list | tuple) and self.names != ("x0", "x1"):
            xy = xy[:, ::-1]
        return table_like(self.like, xy, self.names)

    def limits(self, i: int, values: F64) -> tuple[float, float]:
        """Return the ends of an axis: around all values, and above 0 for log-normal columns."""
        low, high = planes.limits(repr(self.names[i]), values)
        room = ROOM * (high - low) or 1.0
        positive = isinstance(self.model, TableClassifier) and low > 0
        if positive and self.model.columns_[self.names[i]] == "lognormal":
            return max(low - room, low / 2), high + room
        return low - room, high + room


def _located(
    plane: _Plane, frame: Frame, labels: list[Label], classes: list[Label]
) -> tuple[F64, I64, Bools]:
    """Return where each point lies, the index of its class, and whether the model is wrong."""
    numbers: list[F64] = []
    for name in plane.names:
        column = frame.columns.get(name)
        if column is None or column.numbers is None:
            raise InputError(
                f"no column {name!r} of numbers; there are {shown(list(frame.columns))}"
            )
        numbers.append(column.numbers)
    xy = np.column_stack(numbers)
    strange = [label for label in labels if label not in classes]
    if strange:
        raise InputError(f"labels hold {strange[0]!r}; the model's classes are {shown(classes)}")
    complete = np.isfinite(xy).all(axis=1)
    if not complete.any():
        raise InputError(f"no row has numbers in both {plane.names[0]!r} and {plane.names[1]!r}")
    xy, actual = xy[complete], label_codes(labels, classes)[complete]
    predicted = np.asarray(plane.model.predict(plane.table(xy))).tolist()
    return xy, actual, label_codes(predicted, classes) != actual


# ---- the picture ----


def _colour(ax: Axes, plane: _Plane, labels: list[Label], points: F64) -> None:
    """Colour the plane behind the points, and draw lines where the class changes."""
    (left, right), (low, high) = (plane.limits(i, points[:, i]) for i in (0, 1))
    xs, ys = np.linspace(left, right, STEPS), np.linspace(low, high, STEPS)
    shares = _shares(plane.model, plane.table(grid(xs, ys)), labels)
    shares = shares.reshape(STEPS, STEPS, len(labels))
    best, most = shares.argmax(axis=2), shares.max(axis=2)
    k = max(len(labels), 2)
    strength = 0.06 + 0.34 * np.clip((most - 1 / k) / (1 - 1 / k), 0, 1)
    tints = np.array([to_rgb(colour(i)) for i in range(len(labels))])[best]
    image = 1 - strength[:, :, None] * (1 - tints)
    extent = (left, right, low, high)
    ax.imshow(image, extent=extent, origin="lower", aspect="auto", interpolation="bilinear")
    for c in np.unique(best).tolist() if len(np.unique(best)) > 1 else []:
        others = np.delete(shares, c, axis=2).max(axis=2)
        ax.contour(xs, ys, shares[:, :, c] - others, levels=[0], colors=INK, linewidths=0.8)


def _shares(model: Any, points: Any, labels: list[Label]) -> F64:
    """Return the probability of each class at each point; without any, 1 for the predicted one."""
    if hasattr(model, "predict_proba"):
        return np.asarray(model.predict_proba(points), np.float64)
    return np.eye(len(labels))[label_codes(np.asarray(model.predict(points)).tolist(), labels)]

"""Which class a model gives to each point of a plane, and the points it learned from."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.lines import Line2D

from nabi.base.arrays import F64
from nabi.base.labels import Label, label_codes, label_index, shown
from nabi.errors import InputError, InputTypeError, NotFittedError
from nabi.features.frame import (
    Column,
    Frame,
    Table,
    frame_of,
)
from nabi.models.table import TableClassifier
from nabi.plots.paper import FAINT, INK, bare, colour, drawable, legend, paper, plain, written

STEPS = 240  # points of the plane in each direction
MARGIN = 0.08  # of the range of the points, left free around them
NUMBERS = ("gaussian", "lognormal", "poisson", "histogram")
MARKS = {"learned": ("o", 38), "test": ("*", 170)}


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
        A :class:`nabi.TableClassifier`, or any fitted scikit-learn classifier of two features. The
        more probable a class, the stronger its colour.
    X, y : table and labels
        The points learned, drawn as circles; those that the model gets wrong are ringed. `y` may be
        the name of a column.
    test : (table, labels), optional
        More points, drawn as stars.
    features : two names, optional
        Which columns to draw, across and up. A TableClassifier takes all others as missing.
    ax : Axes, optional
        Where to draw; by default on a figure of its own.
    """
    labels = _classes(model)
    points = {"learned": _read(X, y)}
    if test is not None:
        points["test"] = _read(*_pair(test))
    plane = _Plane(model, X, _two(model, points["learned"][0], features))
    placed = {role: _placed(plane, *given, labels) for role, given in points.items()}
    ax = paper(ax, 5.2)
    _colour(ax, plane, labels, np.vstack([xy for xy, _, _ in placed.values()]))
    wrong = [_scatter(ax, *found, *MARKS[role]) for role, found in placed.items()]
    _explain_marks(ax, labels, list(placed), any(wrong))
    ax.set_xlabel(written(plane.names[0], 60))
    ax.set_ylabel(written(plane.names[1], 60))
    plain([ax.xaxis.label, ax.yaxis.label])
    bare(ax, "left", "bottom")
    return ax


# ---- what is given ----


def _classes(model: Any) -> list[Label]:
    if not hasattr(model, "predict"):
        raise InputTypeError(f"model is {type(model).__name__}, expected a classifier")
    if not hasattr(model, "classes_"):
        raise NotFittedError(f"this {type(model).__name__} has no classes yet; call fit first")
    return list(np.asarray(model.classes_).tolist())


def _pair(test: Any) -> tuple[Any, Any]:
    if not isinstance(test, tuple | list) or len(test) != 2:
        raise InputTypeError("test: expected a pair, (X_test, y_test)")
    return test[0], test[1]


def _read(X: Table, y: Any) -> tuple[Frame, list[Label]]:
    """The columns of a table, and the labels of its rows."""
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
    """The columns to draw: those named, or the only two."""
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
    """Two columns, and what a model says of their values."""

    model: Any
    like: Table  # the kind of table that the model takes
    names: tuple[str, str]

    def table(self, xy: F64) -> Any:
        """Points as the model takes them."""
        if isinstance(self.model, TableClassifier):
            columns = {
                name: Column("float", self._whole(name, xy[:, i]))
                for i, name in enumerate(self.names)
            }
            return Frame(columns, len(xy), ragged=True)
        if isinstance(self.like, np.ndarray | list | tuple):
            return xy if self.names == ("x0", "x1") else xy[:, ::-1]
        import narwhals.stable.v1 as nw

        like = nw.from_native(self.like, eager_only=True)
        given = dict(zip(self.names, xy.T, strict=True))
        ordered = {name: given[name] for name in like.columns if name in given}
        return nw.from_dict(ordered, backend=nw.get_native_namespace(like)).to_native()

    def _whole(self, name: str, values: F64) -> F64:
        """Numbers that the column can have: of counts, the next whole ones."""
        counts = self.model.columns_[name] == "poisson"
        return np.maximum(np.round(values), 0.0) if counts else np.ascontiguousarray(values)

    def limits(self, i: int, values: F64) -> tuple[float, float]:
        """From where to where an axis goes: around all values, and above 0 where logs are taken."""
        low, high = float(values.min()), float(values.max())
        if low < high and not drawable(low, high):
            raise InputError(
                f"{self.names[i]!r} goes from {low:g} to {high:g}, beyond what can be drawn"
            )
        room = MARGIN * (high - low) or 1.0
        positive = isinstance(self.model, TableClassifier) and low > 0
        if positive and self.model.columns_[self.names[i]] == "lognormal":
            return max(low - room, low / 2), high + room
        return low - room, high + room


def _placed(
    plane: _Plane, frame: Frame, labels: list[Label], classes: list[Label]
) -> tuple[F64, npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """Where each point lies, its class, and whether the model gets it wrong."""
    numbers: list[F64] = []
    for name in plane.names:
        column = frame.columns.get(name)
        if column is None or column.numbers is None:
            raise InputError(
                f"no column {name!r} of numbers; there are {shown(list(frame.columns))}"
            )
        numbers.append(column.numbers)
    xy = np.column_stack(numbers)
    number = label_index(classes)
    strange = [label for label in labels if label not in number]
    if strange:
        raise InputError(f"labels hold {strange[0]!r}; the model's classes are {shown(classes)}")
    own = np.array([number[label] for label in labels], np.int64)
    there = np.isfinite(xy).all(axis=1)
    if not there.any():
        raise InputError(f"no row has numbers in both {plane.names[0]!r} and {plane.names[1]!r}")
    xy, own = xy[there], own[there]
    said = np.asarray(plane.model.predict(plane.table(xy))).tolist()
    return xy, own, np.array([number[label] for label in said], np.int64) != own


# ---- the picture ----


def _colour(ax: Axes, plane: _Plane, labels: list[Label], points: F64) -> None:
    """The plane behind the points, and lines where the class changes."""
    (left, right), (low, high) = (plane.limits(i, points[:, i]) for i in (0, 1))
    xs, ys = np.linspace(left, right, STEPS), np.linspace(low, high, STEPS)
    grid = plane.table(np.column_stack([a.ravel() for a in np.meshgrid(xs, ys)]))
    shares = _shares(plane.model, grid, labels).reshape(STEPS, STEPS, len(labels))
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


def _shares(model: Any, grid: Any, labels: list[Label]) -> F64:
    """The probability of each class at each point; 1 for the predicted one where there is none."""
    if hasattr(model, "predict_proba"):
        return np.asarray(model.predict_proba(grid), np.float64)
    said = np.asarray(model.predict(grid)).tolist()
    return np.eye(len(labels))[label_codes(said, labels)]


def _scatter(
    ax: Axes,
    xy: F64,
    own: npt.NDArray[np.int64],
    wrong: npt.NDArray[np.bool_],
    mark: str,
    size: float,
) -> bool:
    """Draw points in the colours of their classes; whether some are wrong, and ringed."""
    colours = [colour(i) for i in own.tolist()]
    x, y = xy.T
    ax.scatter(x, y, s=size, c=colours, marker=mark, edgecolors="white", linewidths=0.8, zorder=3)
    if wrong.any():
        ring: dict[str, Any] = {"facecolors": "none", "edgecolors": "black", "linewidths": 1.3}
        around = 2.6 * size if mark == "o" else 1.5 * size
        ax.scatter(x[wrong], y[wrong], s=around, marker="o", zorder=4, **ring)
    return bool(wrong.any())


def _explain_marks(ax: Axes, labels: list[Label], roles: list[str], wrong: bool) -> None:
    def mark(shape: str, size: float, fill: str, edge: str = "white") -> Line2D:
        look: dict[str, Any] = {
            "markerfacecolor": fill,
            "markeredgecolor": edge,
            "markersize": size,
        }
        return Line2D([], [], marker=shape, linestyle="none", **look)

    handles = [mark("o", 8, colour(i)) for i in range(len(labels))]
    names = [written(label) for label in labels]
    if len(roles) > 1:
        handles += [mark("o", 8, FAINT), mark("*", 13, FAINT)]
        names += roles
    if wrong:
        handles.append(mark("o", 11, "none", "black"))
        names.append("misclassified")
    legend(ax, handles, names)

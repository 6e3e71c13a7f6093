"""Distributions of each class in each column of a table."""

from collections.abc import Callable, Sequence
from typing import Any, overload

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

from nabi.base.arrays import F64, I64, Array
from nabi.base.checks import check_type
from nabi.base.labels import Label, shown
from nabi.errors import InputError, InputTypeError
from nabi.features.frame import Column
from nabi.features.values import FINE, category, values_of
from nabi.models.table import TableClassifier
from nabi.plots import drawing
from nabi.plots.drawing import FAINT, colour, shortened
from nabi.plots.weights import check_fitted, strongest_words
from nabi.plots.weights import draw as draw_words
from nabi.scoring.table import TableScoring

MOST_PANELS = 60
MOST_VALUES = 12  # of a categorical column
MOST_BARS = 40  # beyond it, counts are drawn as steps
WORDS = 4  # of each class
AROUND = 3.5  # deviations to both sides of a mean
MOST_LOG = 600.0  # of what a log axis shows
BEYOND = "numbers beyond what can be drawn"
NO_VALUE = "no value at all: says nothing"
HAIR = 1 / 50  # of the width: a bin that is thinner is drawn no higher
HEIGHT = {"gaussian": "density", "lognormal": "density of the log", "histogram": "density"}


@overload
def densities(model: TableClassifier, column: str, *, ax: Axes | None = None) -> Axes: ...
@overload
def densities(
    model: TableClassifier,
    column: list[str] | tuple[str, ...] | None = None,
    *,
    figure: Figure | None = None,
) -> Figure: ...
def densities(
    model: TableClassifier,
    column: str | list[str] | tuple[str, ...] | None = None,
    *,
    ax: Axes | None = None,
    figure: Figure | None = None,
) -> Axes | Figure:
    """The distribution of each class in a column: curves, bars, or weights of words.

    Parameters
    ----------
    model : TableClassifier
        A model that has learned something.
    column : str or list of str, optional
        One column gives Axes; several, or by default all, give a Figure.
    ax : Axes, optional
        Where to draw one column.
    figure : Figure, optional
        Where to draw several columns.
    """
    check_type("model", model, TableClassifier, "a TableClassifier")
    check_fitted(model)
    if isinstance(column, str):
        if figure is not None:
            raise InputTypeError("figure is for several columns; give ax for one")
        ax = drawing.axes_for(ax, 3.6)
        (name,) = _known(model, [column])
        _panel(ax, model, model.scoring_snapshot(missing="skip"), name)
        return ax
    if ax is not None:
        raise InputTypeError("ax is for one column: name it in column, or give a figure for all")
    return _grid(model, _known(model, column), figure)


def _known(model: TableClassifier, names: Sequence[str] | None) -> list[str]:
    known = list(model.columns_)
    chosen = known if names is None else list(names)
    for name in chosen:
        if name not in known:
            raise InputError(f"column={name!r}; the columns are {shown(known)}")
    if not 0 < len(chosen) <= MOST_PANELS:
        raise InputError(f"{len(chosen)} columns, expected 1 to {MOST_PANELS}: name some in column")
    return chosen


def _grid(model: TableClassifier, names: list[str], sheet: Figure | None) -> Figure:
    """Draw a picture for each column, and one legend for all."""
    across = min(len(names), 2 if len(names) in (2, 4) else 3)
    down = -(-len(names) // across)
    sheet = drawing.new_figure(0.5 + 2.3 * down) if sheet is None else sheet
    scoring = model.scoring_snapshot(missing="skip")  # that a value is missing is not drawn
    for i, name in enumerate(names):
        _panel(sheet.add_subplot(down, across, i + 1), model, scoring, name, alone=False)
    _legend(sheet, scoring.counts.labels)
    return sheet


def _legend(where: Axes | Figure, labels: Sequence[Label]) -> None:
    drawing.legend(where, [(Patch(facecolor=colour(i)), name) for i, name in enumerate(labels)])


def _panel(
    ax: Axes, model: TableClassifier, scoring: TableScoring, name: str, *, alone: bool = True
) -> None:
    """Draw one column; alone it has a legend and names of its axes."""
    kind, labels = scoring.counts.kinds[name].model, scoring.counts.labels
    if kind == "text":
        draw_words(ax, *strongest_words(model, WORDS if len(labels) < 4 else 2, None, name))
        ax.set_title("", loc="left")
        ax.set_title("", loc="right")
        ax.set_xlabel("")
    else:
        why_not = DRAW[kind](ax, scoring, name)
        if why_not:
            ax.text(0.5, 0.5, why_not, transform=ax.transAxes, ha="center", color=FAINT, fontsize=9)
            ax.set_xticks([])
        drawing.keep_edges(ax, "bottom", *(["left"] if alone else []))
        if alone:
            ax.set_ylabel(HEIGHT.get(kind, "probability"), fontsize=9)
        else:  # on small pictures the shapes are enough
            ax.set_yticks([])
    if alone:
        _legend(ax, labels)
        drawing.name_axes(ax, name)
    else:
        drawing.title(ax, shortened(name, 40), fontsize=10.5, loc="left")


def _probabilities(scoring: TableScoring, name: str, column: Column) -> F64:
    """P(value|c), a row for each value, a column for each class."""
    values = values_of(name, column, scoring.counts.kinds[name])
    return np.exp(np.minimum(scoring.term(name, values, 1), 700.0))


# ---- one function for each event model; it returns why there is nothing to draw ----


def _normal(ax: Axes, scoring: TableScoring, name: str) -> str | None:
    """Draw curves; of a log-normal column over the logs of its values."""
    weights, place = scoring.measured[name]
    mean, deviation = weights.mean[:, place], weights.deviation[:, place]
    if not deviation.all():
        return "always the same value: says nothing"
    steps = np.linspace(-AROUND, AROUND, 121)
    with np.errstate(over="ignore"):
        x = np.unique(mean[:, None] + deviation[:, None] * steps)
    logs = scoring.counts.kinds[name].model == "lognormal"
    if not drawing.drawable(x[0], x[-1]) or (logs and max(-x[0], x[-1]) > MOST_LOG):
        return BEYOND
    values = np.exp(x) if logs else x
    y = weights.log_density(x, place)
    for c in range(y.shape[1]):
        curve = np.exp(np.minimum(y[:, c], 700.0))
        ax.plot(values, curve, color=colour(c), linestyle=drawing.line(c), linewidth=1.8)
        ax.fill_between(values, curve, color=colour(c), alpha=0.15, linewidth=0)
    if logs:
        ax.set_xscale("log")
        wide = x[-1] - x[0] > np.log(100)
        ax.xaxis.set_major_locator(LogLocator(subs=(1,) if wide else (1, 2, 5), numticks=6))
        ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        ax.xaxis.set_minor_formatter(NullFormatter())
    ax.set_ylim(bottom=0)
    return None


def _poisson(ax: Axes, scoring: TableScoring, name: str) -> str | None:
    weights, place = scoring.measured[name]
    rate = weights.rate[:, place]
    if not (rate > 0).any():
        return "nothing but zeros: says nothing"
    low = max(0.0, np.floor(np.min(rate - AROUND * np.sqrt(rate))))
    high = np.ceil(np.max(rate + AROUND * np.sqrt(rate))) + 1
    step = max(1.0, np.ceil((high - low) / 2000))  # of huge counts some are enough
    values = np.arange(low, high + 1, step)
    P = _probabilities(scoring, name, Column("float", values))
    if len(values) > MOST_BARS:
        _steps(ax, np.append(values, values[-1] + step) - step / 2, P)
    else:
        _grouped(ax, P, values)
        ax.xaxis.set_major_locator(MaxNLocator(8, integer=True))
    return None


def _histogram(ax: Axes, scoring: TableScoring, name: str) -> str | None:
    """Draw steps whose areas are the probabilities of the bins."""
    fine = np.array(scoring.tallies(name)[0], np.int64)
    if not len(fine):
        return NO_VALUE
    ends = scoring.histograms[name].ends
    edges = edge(np.append(fine.min(), ends + 1))
    if len(ends) == 1:
        return "all in one bin: says nothing"
    if not drawing.drawable(edges[0], edges[-1]):
        return BEYOND
    middle = Column("float", edge(ends))  # any value of a bin has its probability
    hair = HAIR * (edges[-1] - edges[0])
    edges[0] = min(edges[0], edges[1] - hair)  # it holds all that is lower, too
    width = np.maximum(np.diff(edges), hair)
    _steps(ax, edges, _probabilities(scoring, name, middle) / width[:, None])
    return None


def edge(fine: I64) -> F64:
    """Return the number at which a fine bin begins; see `nabi.features.values.bins`."""
    size: F64 = (np.abs(fine) << FINE).view(np.float64)
    return np.where(fine < 0, -size, size)


def _categorical(ax: Axes, scoring: TableScoring, name: str) -> str | None:
    """Draw bars of the most frequent values."""
    names, counts = scoring.tallies(name)
    if not names:
        return NO_VALUE
    order = np.argsort(-counts.sum(axis=1), kind="stable")[:MOST_VALUES].tolist()
    values = sorted((category(names[i]) for i in order), key=_in_order)
    P = _probabilities(scoring, name, Column("str", texts=values))
    _grouped(ax, P, np.arange(len(values)))
    few = len(values) <= 6 and max(map(len, values)) <= 10
    look: dict[str, Any] = {"rotation": 0 if few else 40, "ha": "center" if few else "right"}
    texts = [shortened(value, 14) for value in values]
    ax.set_xticks(range(len(values)), texts, rotation_mode="anchor", **look)
    drawing.literal(ax.get_xticklabels())
    if len(names) > len(values):
        rest = f"and {len(names) - len(values)} rarer values"
        ax.text(1, 1, rest, transform=ax.transAxes, ha="right", va="top", fontsize=8, color=FAINT)
    return None


def _in_order(value: str) -> tuple[bool, float, str]:
    """Sort key: numbers by size, then names."""
    try:
        return False, float(value), value
    except ValueError:
        return True, 0.0, value


def _bernoulli(ax: Axes, scoring: TableScoring, name: str) -> str | None:
    P = _probabilities(scoring, name, Column("bool", np.array([0.0, 1.0])))
    P[:, P.sum(axis=0) > 1.5] = 0  # without a value and without smoothing, a class says nothing
    _grouped(ax, P, np.arange(2))
    ax.set_xticks([0, 1], ["false", "true"])
    return None


DRAW: dict[str, Callable[[Axes, TableScoring, str], str | None]] = {
    "gaussian": _normal,
    "lognormal": _normal,
    "poisson": _poisson,
    "histogram": _histogram,
    "categorical": _categorical,
    "bernoulli": _bernoulli,
}


# ---- shapes ----


def _grouped(ax: Axes, P: F64, values: Array) -> None:
    """Draw a bar for each class at each value, side by side."""
    k = P.shape[1]
    width = 0.8 / k
    for c in range(k):
        ax.bar(values + (c - (k - 1) / 2) * width, P[:, c], width=0.92 * width, color=colour(c))


def _steps(ax: Axes, edges: F64, heights: F64) -> None:
    for c in range(heights.shape[1]):
        ax.stairs(heights[:, c], edges, linewidth=1.6, color=colour(c), linestyle=drawing.line(c))
        ax.stairs(heights[:, c], edges, fill=True, alpha=0.15, color=colour(c))
    ax.set_ylim(bottom=0)

"""The table of lambda as bars: how much each word speaks for a class."""

from dataclasses import dataclass
from math import isinf
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from nabi.base.labels import Label
from nabi.errors import InputTypeError, NotFittedError
from nabi.explain.explanation import WordWeight
from nabi.models.counting import Classifier
from nabi.models.table import TableClassifier
from nabi.models.text import TextClassifier
from nabi.plots.paper import (
    FAINT,
    INK,
    bare,
    checked_top,
    colour,
    figure,
    paper,
    plain,
    written,
)

ROW = 0.27  # inches
AXIS = "log P(w|class) / P(w|all others); in grey: seen in it : elsewhere"


@dataclass(frozen=True)
class Bar:
    """A word, how far its bar goes, and the class that it speaks for."""

    name: str
    weight: float
    owner: int
    note: str = ""


def word_weights(
    model: TextClassifier | TableClassifier,
    top: int = 10,
    *,
    label: Label | None = None,
    column: str | None = None,
    ax: Axes | None = None,
) -> Axes | Figure:
    """The most telling words of each class, and how often they were seen in it and elsewhere.

    Of two classes, both are on one picture: to the right what speaks for the second, to the left
    what speaks for the first. Of more, each has a picture of its own, and a Figure is returned;
    on axes of yours they stand one below the other.

    Parameters
    ----------
    model : TextClassifier or TableClassifier
        Of a table, words of a text column or values of a categorical one.
    top : int
        How many words of each class.
    label : optional
        One class only.
    column : str, optional
        Which column of a table, where several have words or values.
    ax : Axes, optional
        Where to draw; by default on a figure of its own.
    """
    labels, rows = telling(model, checked_top(top), label, column)
    if len(labels) > 2 and label is None and ax is None:
        return _panels(labels, rows, top)
    ax = paper(ax, 1.1 + ROW * len(rows))
    draw(ax, labels, rows)
    return ax


def telling(
    model: Any, top: int, label: Label | None, column: str | None
) -> tuple[list[Label], list[WordWeight]]:
    """All labels, and the most telling words of each class, or of one."""
    if not isinstance(model, TextClassifier | TableClassifier):
        raise InputTypeError(
            f"model is {type(model).__name__}, expected a TextClassifier or TableClassifier"
        )
    labels = list(fitted(model).classes_.tolist())
    if isinstance(model, TableClassifier):
        return labels, model.words(top, label=label, column=column)
    if column is not None:
        raise InputTypeError(f"column={column!r}; a TextClassifier has no columns: leave it out")
    return labels, model.words(top, label=label)


def fitted(model: Classifier) -> Classifier:
    """The model, which must have learned something."""
    if not model.__sklearn_is_fitted__():
        raise NotFittedError(f"this {type(model).__name__} has learned nothing yet; call fit first")
    return model


def draw(ax: Axes, labels: list[Label], rows: list[WordWeight]) -> None:
    """Draw all rows on one picture; of two classes, the first to the left."""
    number = {label: i for i, label in enumerate(labels)}
    both = len(labels) == 2 and len({row.label for row in rows}) == 2
    found = [
        Bar(
            name=written(row.word),
            weight=-row.weight if both and number[row.label] == 0 else row.weight,
            owner=number[row.label],
            note=f"{row.count:,.6g} : {row.elsewhere:,.6g}",
        )
        # The second class above, as it is to the right; words that speak for neither tell nothing.
        for row in (sorted(rows, key=lambda row: -number[row.label]) if both else rows)
        if row.weight > 0 or not both
    ]
    bars(ax, found)
    _aim(ax, labels, both, sorted({bar.owner for bar in found}))


def bars(ax: Axes, rows: list[Bar]) -> None:
    """Draw bars from the top, each with its name at zero and its counts at its end."""
    lengths = finite([row.weight for row in rows])
    most = max(map(abs, lengths), default=1.0) or 1.0
    ends = [min(lengths, default=0.0) < 0, max(lengths, default=0.0) > 0]
    ends[1] |= not ends[0]
    ax.barh(range(len(rows)), lengths, color=[colour(row.owner) for row in rows], height=0.72)
    for i, (row, length) in enumerate(zip(rows, lengths, strict=True)):
        right = length >= 0
        note = f"{row.note}  ∞" if isinf(row.weight) else row.note
        _beside(ax, note, length, i, right, size=7.5, ink=FAINT)
        if all(ends):  # on the side that is free
            _beside(ax, row.name, 0.0, i, not right, size=10, ink=INK)
    ax.set_xlim(-1.3 * most * ends[0], 1.3 * most * ends[1])
    ax.set_ylim(len(rows) - 0.4, -0.6)
    ax.axvline(0, color=FAINT, linewidth=0.8)
    ax.set_yticks([] if all(ends) else range(len(rows)))
    if not all(ends):
        ax.set_yticklabels([row.name for row in rows], fontsize=10)
        plain(ax.get_yticklabels())
    ax.xaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))
    ax.grid(axis="x", color="#e6e6e6", linewidth=0.8)
    ax.set_axisbelow(True)
    bare(ax)
    if not all(ends):
        ax.tick_params(axis="y", labelsize=10)


def _beside(ax: Axes, text: str, x: float, y: float, right: bool, *, size: float, ink: str) -> None:
    """A text to the right or to the left of a place."""
    drawn = ax.annotate(
        text,
        (x, y),
        xytext=(5 if right else -5, 0),
        textcoords="offset points",
        ha="left" if right else "right",
        va="center",
        fontsize=size,
        color=ink,
    )
    plain([drawn])


def finite(values: list[float]) -> list[float]:
    """Values that can be drawn: infinite ones (alpha = 0) a fifth longer than the longest."""
    longest = 1.2 * max((abs(v) for v in values if np.isfinite(v)), default=0.0) or 1.0
    return [float(np.sign(v)) * longest if isinf(v) else v for v in values]


def _aim(ax: Axes, labels: list[Label], both: bool, owners: list[int]) -> None:
    """Say which side is whose."""
    ax.set_xlabel(AXIS, fontsize=9, color=INK)
    for owner in owners if both or len(owners) == 1 else []:
        name = written(labels[owner])
        if both and owner == 1:
            title = ax.set_title(f"{name} →", loc="right")
        else:
            title = ax.set_title(f"← {name}" if both else name, loc="left")
        title.set(color=colour(owner), fontsize=11, fontweight="bold")
        plain([title])


def _panels(labels: list[Label], rows: list[WordWeight], top: int) -> Figure:
    """A picture for each class."""
    across = 2 if len(labels) <= 4 else 3
    down = -(-len(labels) // across)
    most = max(1, min(top, max(sum(row.label == label for row in rows) for label in labels)))
    sheet = figure(down * (0.75 + 0.24 * most))
    first: Axes | None = None
    for i, label in enumerate(labels):
        ax = sheet.add_subplot(down, across, i + 1, sharex=first)
        first = first or ax
        draw(ax, labels, [row for row in rows if row.label == label])
        ax.set_ylim(most - 0.4, -0.6)
        ax.set_xlabel("")
    _widen(sheet.axes, rows)
    sheet.supxlabel(AXIS, fontsize=9, color=INK)
    return sheet


def _widen(panels: list[Axes], rows: list[WordWeight]) -> None:
    """Give all panels one scale."""
    lengths = finite([row.weight for row in rows])
    panels[0].set_xlim(1.3 * min([0.0, *lengths]), 1.3 * max([0.0, *lengths]) or 1.0)

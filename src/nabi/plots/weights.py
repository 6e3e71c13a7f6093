"""Word weights as bars: how strong the evidence of each word for a class is."""

from math import isinf
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from nabi.base.checks import check_type
from nabi.base.labels import Label, label_index
from nabi.errors import InputTypeError, NotFittedError
from nabi.explain.explanation import WordWeight
from nabi.models.linear.classifier import LinearClassifier
from nabi.models.neighbours.classifier import NeighboursClassifier
from nabi.models.table import TableClassifier
from nabi.models.text import TextClassifier
from nabi.plots import drawing
from nabi.plots.drawing import FAINT, INK, colour, shortened

ROW = 0.27  # inches
AXIS = "log P(w|class) / P(w|all others); in grey: seen in it : elsewhere"
LINEAR = "what the word alone adds to the log-odds; in grey: seen in it : elsewhere"


def word_weights(
    model: TextClassifier | LinearClassifier | TableClassifier,
    top: int = 10,
    *,
    label: Label | None = None,
    column: str | None = None,
    ax: Axes | None = None,
) -> Axes | Figure:
    """The strongest words of each class, and how often they were seen in it and elsewhere.

    Two classes are on one picture: evidence for the second to the right, for the first to the left.
    With more classes, each has its own axes, and a Figure is returned; on given axes they stand one
    below the other.

    Parameters
    ----------
    model : TextClassifier, LinearClassifier or TableClassifier
        Words of a text, or words of a text column or values of a categorical column of a table.
    top : int
        How many words of each class.
    label : optional
        One class only.
    column : str, optional
        Which column of a table, where several have words or values.
    ax : Axes, optional
        Where to draw; default: a new figure.
    """
    labels, rows = strongest_words(model, drawing.checked_top(top), label, column)
    axis = LINEAR if isinstance(model, LinearClassifier) else AXIS
    if len(labels) > 2 and label is None and ax is None:
        return _panels(labels, rows, top, axis)
    ax = drawing.axes_for(ax, 1.1 + ROW * len(rows))
    draw(ax, labels, rows)
    ax.set_xlabel(axis, fontsize=9, color=INK)
    return ax


def strongest_words(
    model: Any, top: int, label: Label | None, column: str | None
) -> tuple[list[Label], list[WordWeight]]:
    """Return all labels, and the strongest words of each class, or of one."""
    if isinstance(model, NeighboursClassifier):
        raise InputTypeError(
            "model is a NeighboursClassifier, in which words have no weights of their own: "
            "plots.explanation(model.explain(text)) draws a decision"
        )
    kinds = TextClassifier | LinearClassifier | TableClassifier
    check_type("model", model, kinds, "a TextClassifier, LinearClassifier or TableClassifier")
    labels = list(check_fitted(model).classes_.tolist())
    if isinstance(model, TableClassifier):
        return labels, model.words(top, label=label, column=column)
    if column is not None:
        kind = type(model).__name__
        raise InputTypeError(f"column={column!r}; a {kind} has no columns: leave it out")
    return labels, model.words(top, label=label)


def check_fitted(model: Any) -> Any:
    """Return the model; refuse one that has learned nothing."""
    if not model.__sklearn_is_fitted__():
        raise NotFittedError(f"this {type(model).__name__} has learned nothing yet; call fit first")
    return model


def draw(ax: Axes, labels: list[Label], rows: list[WordWeight]) -> None:
    """Draw all rows on one picture; of two classes, the first to the left."""
    number = label_index(labels)
    both = len(labels) == 2 and len({row.label for row in rows}) == 2
    if both:  # the second class above, as it is to the right; words of no evidence are left out
        some = [row for row in rows if row.weight > 0]
        rows = sorted(some, key=lambda row: -number[row.label])
    owners = [number[row.label] for row in rows]
    _bars(ax, rows, owners, both)
    _name_sides(ax, labels, both, sorted(set(owners)))


def _bars(ax: Axes, rows: list[WordWeight], owners: list[int], both: bool) -> None:
    """Draw bars from the top, each with its name at zero and its counts at its end."""
    signs = [-1 if both and owner == 0 else 1 for owner in owners]
    lengths = finite([sign * row.weight for sign, row in zip(signs, rows, strict=True)])
    most = max(map(abs, lengths), default=1.0) or 1.0
    ends = [min(lengths, default=0.0) < 0, max(lengths, default=0.0) > 0]
    ends[1] |= not ends[0]
    ax.barh(range(len(rows)), lengths, color=[*map(colour, owners)], height=0.72)
    for i, (row, length) in enumerate(zip(rows, lengths, strict=True)):
        right = length >= 0
        note = f"{row.count:,.6g} : {row.elsewhere:,.6g}" + "  ∞" * isinf(row.weight)
        drawing.beside(ax, note, length, i, right=right, fontsize=7.5, color=FAINT)
        if all(ends):  # on the side that is free
            word = shortened(row.word)
            drawing.beside(ax, word, 0.0, i, right=not right, fontsize=10, color=INK)
    ax.set_xlim(-1.3 * most * ends[0], 1.3 * most * ends[1])
    ax.axvline(0, color=FAINT, linewidth=0.8)
    names = [] if all(ends) else [shortened(row.word) for row in rows]
    drawing.bar_axes(ax, len(rows), names, ticks=6)
    ax.tick_params(axis="y", labelsize=10)


def finite(values: list[float]) -> list[float]:
    """Return finite values: infinite ones (alpha = 0) a fifth longer than the longest."""
    longest = 1.2 * max((abs(v) for v in values if np.isfinite(v)), default=0.0) or 1.0
    return [float(np.sign(v)) * longest if isinf(v) else v for v in values]


def _name_sides(ax: Axes, labels: list[Label], both: bool, owners: list[int]) -> None:
    """Say which side is evidence for which class."""
    ax.set_xlabel(AXIS, fontsize=9, color=INK)
    for owner in owners if both or len(owners) == 1 else []:
        name, right = shortened(labels[owner]), both and owner == 1
        text = f"{name} →" if right else f"← {name}" if both else name
        look = {"color": colour(owner), "fontsize": 11, "fontweight": "bold"}
        drawing.title(ax, text, loc="right" if right else "left", **look)


def _panels(labels: list[Label], rows: list[WordWeight], top: int, axis: str) -> Figure:
    """Draw a picture for each class."""
    across = 2 if len(labels) <= 4 else 3
    down = -(-len(labels) // across)
    most = max(1, min(top, max(sum(row.label == label for row in rows) for label in labels)))
    sheet = drawing.new_figure(down * (0.75 + 0.24 * most))
    for i, label in enumerate(labels):
        ax = sheet.add_subplot(down, across, i + 1, sharex=sheet.axes[0] if i else None)
        draw(ax, labels, [row for row in rows if row.label == label])
        ax.set_ylim(most - 0.4, -0.6)
        ax.set_xlabel("")
    lengths = finite([row.weight for row in rows])  # one scale for all
    sheet.axes[0].set_xlim(1.3 * min([0.0, *lengths]), 1.3 * max([0.0, *lengths]) or 1.0)
    sheet.supxlabel(axis, fontsize=9, color=INK)
    return sheet

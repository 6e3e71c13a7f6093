"""Evidence of a decision as bars: each begins where the one above it ended."""

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb

from nabi.base.labels import Label
from nabi.errors import InputTypeError
from nabi.explain.explanation import ColumnTerm, Explanation, TableExplanation, shown
from nabi.plots import drawing
from nabi.plots.drawing import FAINT, INK, colour, shortened
from nabi.plots.weights import finite

ROW = 0.29  # inches
FEWEST = 3  # words of each text of a row, however many columns there are


@dataclass(frozen=True)
class _Row:
    """A name and its evidence; a text also has the rows of its words."""

    name: str
    evidence: float
    parts: list["_Row"] = field(default_factory=list)


def explanation(
    explanation: Explanation | TableExplanation, *, top: int = 15, ax: Axes | None = None
) -> Axes:
    """The evidence of one decision: bars that, one after the other, lead from 0 to the score.

    Evidence for one class is to the right, for the other to the left. The words of a text in a
    table are lighter, and lead from the beginning of their column's bar to its end.

    Parameters
    ----------
    explanation : Explanation or TableExplanation
        A result of `explain`.
    top : int
        How many words or columns; the others are summed in one bar.
    ax : Axes, optional
        Where to draw; default: a new figure.
    """
    if not isinstance(explanation, Explanation | TableExplanation):
        raise InputTypeError(
            f"explanation is {type(explanation).__name__}, expected a result of model.explain(...)"
        )
    rows = _rows(explanation, drawing.checked_top(top))
    ax = drawing.axes_for(ax, 1.3 + ROW * (1 + sum(1 + len(row.parts) for row in rows)))
    _draw(ax, rows, explanation)
    return ax


# ---- the rows ----


def _rows(explained: Explanation | TableExplanation, top: int) -> list[_Row]:
    """Return the prior and the strongest terms; the rest is one row."""
    rows = [_Row("prior", explained.prior)]
    if len(explained.impossible) == len(explained.proba):
        return rows  # only the prior counts
    if isinstance(explained, TableExplanation):
        texts = sum(bool(term.words) for term in explained.terms)
        words = max(FEWEST, (top - len(explained.terms)) // max(texts, 1))
        return rows + _cut([_column(term, words) for term in explained.terms], top, "columns")
    if explained.absent:
        rows.append(_Row("absent words", explained.absent))
    return rows + _cut(_words(explained.terms), top, "words")


def _words(terms: Any) -> list[_Row]:
    return [
        _Row(shortened(term.word) + (f"  ×{term.times}" if term.times > 1 else ""), term.evidence)
        for term in terms
    ]


def _column(term: ColumnTerm, most: int) -> _Row:
    """Return `height = 6`, or a text and its words."""
    if not term.words:
        return _Row(f"{shortened(term.column)} = {shortened(shown(term.value))}", term.evidence)
    parts = _cut(_words(term.words), most, "words")
    present = term.evidence - sum(part.evidence for part in parts)
    if np.isfinite(present) and abs(present) > 1e-9 * max(1.0, abs(term.evidence)):
        parts.append(_Row("that it is there", present))
    return _Row(shortened(term.column), term.evidence, parts)


def _cut(rows: list[_Row], top: int, what: str) -> list[_Row]:
    """Return the first rows, and the sum of the others."""
    if len(rows) <= top + 1:  # a single row takes no more room than a sum
        return rows
    rest = sum(row.evidence for row in rows[top:])
    return [*rows[:top], _Row(f"{len(rows) - top} more {what}", rest)]


# ---- the picture ----


@dataclass(frozen=True)
class _Bar:
    name: str
    evidence: float
    begin: float
    length: float
    strength: float  # of its colour: 1 for a column, less for the words in it

    @property
    def end(self) -> float:
        return self.begin + self.length


def _bars(rows: list[_Row], begin: float = 0.0, strength: float = 1.0) -> list[_Bar]:
    """Place rows one after the other, the words of a text within the bar of their column."""
    lengths = finite([row.evidence for row in rows])
    found: list[_Bar] = []
    for row, length in zip(rows, lengths, strict=True):
        found.append(_Bar(row.name, row.evidence, begin, length, strength))
        found += _bars(row.parts, begin, 0.45)
        begin += length
    return found


def _draw(ax: Axes, rows: list[_Row], explained: Explanation | TableExplanation) -> None:
    drawn = _bars(rows)
    total = sum(bar.length for bar in drawn if bar.strength == 1.0)
    drawn.append(_Bar("score", explained.score, 0.0, total, 1.0))
    labels = list(explained.proba)
    sides = [labels.index(of) for of in (explained.of, explained.against) if of is not None]
    for i, bar in enumerate(drawn):
        owner = sides[0] if bar.length >= 0 else sides[-1]
        tint = 1 - bar.strength * (1 - np.array(to_rgb(colour(owner))))
        strong = bar.strength == 1.0
        height = 0.72 if strong else 0.5
        ax.barh(i, bar.length, left=bar.begin, height=height, color=tuple(tint), zorder=2)
        drawing.beside(
            ax,
            f"{bar.evidence:+.2f}".replace("-", "−").replace("inf", "∞"),
            bar.end,
            i,
            right=bar.length >= 0,
            fontsize=9 if strong else 8,
            fontweight="bold" if bar is drawn[-1] else "normal",
            color=INK if strong else FAINT,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.6},
            zorder=1.5,  # over the grid, under the bars
        )
    _joints(ax, drawn)
    _axes(ax, drawn)
    _title(ax, explained, labels)


def _joints(ax: Axes, drawn: list[_Bar]) -> None:
    """Thin lines from the end of each bar to the beginning of the next."""
    steps = [(i, bar) for i, bar in enumerate(drawn) if bar.strength == 1.0]
    for (i, bar), (j, _) in pairwise(steps):
        ax.plot([bar.end, bar.end], [i - 0.36, j + 0.36], color=FAINT, linewidth=0.7, zorder=1)


def _axes(ax: Axes, drawn: list[_Bar]) -> None:
    ends = [0.0, *(x for bar in drawn for x in (bar.begin, bar.end))]
    low, high = min(ends), max(ends)
    room = 0.14 * (high - low or 1.0)
    ax.set_xlim(low - room, high + room)
    ax.axvline(0, color=FAINT, linewidth=0.8, zorder=1)
    ax.axhline(len(drawn) - 1.5, color=FAINT, linewidth=0.8)
    ax.set_yticks(range(len(drawn)), [bar.name for bar in drawn])
    drawing.bar_axes(ax, len(drawn), 7)
    for text, bar in zip(ax.get_yticklabels(), drawn, strict=True):
        text.set_fontsize(10 if bar.strength == 1.0 else 8.5)
        text.set_color(INK if bar.strength == 1.0 else FAINT)
        text.set_fontweight("bold" if bar is drawn[-1] else "normal")
    drawing.literal(ax.get_yticklabels())


def _title(ax: Axes, explained: Explanation | TableExplanation, labels: list[Label]) -> None:
    """Write the decision, and which side is evidence for which class."""
    sure = f"{explained.proba[explained.label]:.2f}"
    look = {"fontsize": 12, "fontweight": "bold", "color": colour(labels.index(explained.label))}
    drawing.title(ax, f"{shortened(explained.label)} ({sure})", **look)
    of, against, than = explained.of, explained.against, ""
    look = {"fontsize": 10, "color": colour(labels.index(of))}
    drawing.title(ax, f"{shortened(of)} →", loc="right", **look)
    if against is not None:
        look["color"] = colour(labels.index(against))
        drawing.title(ax, f"← {shortened(against)}", loc="left", **look)
        than = f" {shortened(of)} is than {shortened(against)}"
    ax.set_xlabel(f"evidence: log of how much more probable{than}", fontsize=9, color=INK)
    drawing.literal([ax.xaxis.label])

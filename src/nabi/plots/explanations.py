"""Evidence of a decision as bars: each begins where the one above it ended."""

from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb

from nabi.base.checks import check_type
from nabi.explain.explanation import ColumnTerm, Explanation, TableExplanation, shown
from nabi.explain.neighbours import NeighboursExplanation
from nabi.plots import drawing
from nabi.plots.drawing import FAINT, INK, colour, shortened
from nabi.plots.weights import finite

Explained = Explanation | TableExplanation | NeighboursExplanation
ROW = 0.29  # inches
FEWEST = 3  # words of each text of a row, however many columns there are


@dataclass(frozen=True)
class _Bar:
    """A name and its evidence; a text also has bars of its words, which lie within its own."""

    name: str
    evidence: float
    words: list["_Bar"] = field(default_factory=list)
    begin: float = 0.0
    length: float = 0.0
    strong: bool = True  # False: a word, whose colour is lighter

    @property
    def end(self) -> float:
        return self.begin + self.length


def explanation(explanation: Explained, *, top: int = 15, ax: Axes | None = None) -> Axes:
    """The evidence of one decision: bars that, one after the other, lead from 0 to the score.

    Evidence for the predicted class is to the right, for the next best to the left. The words of a
    text in a table are lighter, and lead from the beginning of their column's bar to its end. Of
    neighbours, the bars are the votes, shared by the words that the text has in common with them.

    Parameters
    ----------
    explanation : Explanation, TableExplanation or NeighboursExplanation
        A result of `explain`.
    top : int
        How many words or columns; the others are summed in one bar.
    ax : Axes, optional
        Where to draw; default: a new figure.
    """
    check_type("explanation", explanation, Explained, "a result of model.explain(...)")
    bars = _placed(_rows(explanation, drawing.checked_top(top)))
    total = sum(bar.length for bar in bars if bar.strong)
    if isinstance(explanation, NeighboursExplanation):
        bars.append(_Bar("votes", total, length=total))
    else:
        bars.append(_Bar("score", explanation.score, length=total))
    ax = drawing.axes_for(ax, 1.3 + ROW * len(bars))
    _draw(ax, bars, explanation)
    _set_axes(ax, bars)
    _title(ax, explanation)
    return ax


def _rows(explained: Explained, top: int) -> list[_Bar]:
    """Return the prior and the strongest terms; the rest is one bar."""
    if isinstance(explained, NeighboursExplanation):
        return _cut(_words(explained.words), top, "words")
    rows = [_Bar("prior", explained.prior)]
    if len(explained.impossible) == len(explained.proba):
        return rows  # only the prior counts
    if isinstance(explained, TableExplanation):
        texts = sum(bool(term.words) for term in explained.terms)
        words = max(FEWEST, (top - len(explained.terms)) // max(texts, 1))
        return rows + _cut([_column(term, words) for term in explained.terms], top, "columns")
    if explained.absent:
        rows.append(_Bar("absent words", explained.absent))
    return rows + _cut(_words(explained.words), top, "words")


def _words(terms: Any) -> list[_Bar]:
    return [
        _Bar(shortened(term.word) + (f"  ×{term.times}" if term.times > 1 else ""), term.evidence)
        for term in terms
    ]


def _column(term: ColumnTerm, most: int) -> _Bar:
    """Return `height = 6`, or a text and its words."""
    if not term.words:
        return _Bar(f"{shortened(term.column)} = {shortened(shown(term.value))}", term.evidence)
    parts = _cut(_words(term.words), most, "words")
    present = term.evidence - sum(part.evidence for part in parts)
    if np.isfinite(present) and abs(present) > 1e-9 * max(1.0, abs(term.evidence)):
        parts.append(_Bar("that it is there", present))
    return _Bar(shortened(term.column), term.evidence, parts)


def _cut(rows: list[_Bar], top: int, what: str) -> list[_Bar]:
    """Return the first rows, and the sum of the others."""
    if len(rows) <= top + 1:  # a single row takes no more room than a sum
        return rows
    rest = sum(row.evidence for row in rows[top:])
    return [*rows[:top], _Bar(f"{len(rows) - top} more {what}", rest)]


def _placed(rows: list[_Bar], begin: float = 0.0, *, strong: bool = True) -> list[_Bar]:
    """Return bars one after the other, each with its words below it."""
    found: list[_Bar] = []
    for row, length in zip(rows, finite([row.evidence for row in rows]), strict=True):
        found.append(replace(row, begin=begin, length=length, strong=strong))
        found += _placed(row.words, begin, strong=False)
        begin += length
    return found


def _draw(ax: Axes, bars: list[_Bar], explained: Explained) -> None:
    """Draw bars with their evidence, and thin lines from the end of each to the next."""
    labels = list(explained.proba)
    sides = [labels.index(of) for of in (explained.of, explained.against) if of is not None]
    for i, bar in enumerate(bars):
        tint = np.array(to_rgb(colour(sides[0] if bar.length >= 0 else sides[-1])))
        tint = tint if bar.strong else 1 - 0.45 * (1 - tint)
        height = 0.72 if bar.strong else 0.5
        ax.barh(i, bar.length, left=bar.begin, height=height, color=tuple(tint), zorder=2)
        drawing.beside(
            ax,
            f"{bar.evidence:+.2f}".replace("-", "−").replace("inf", "∞"),
            bar.end,
            i,
            right=bar.length >= 0,
            fontsize=9 if bar.strong else 8,
            fontweight="bold" if bar is bars[-1] else "normal",
            color=INK if bar.strong else FAINT,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.6},
            zorder=1.5,  # over the grid, under the bars
        )
    for (i, bar), (j, _) in pairwise((i, bar) for i, bar in enumerate(bars) if bar.strong):
        ax.plot([bar.end, bar.end], [i - 0.36, j + 0.36], color=FAINT, linewidth=0.7, zorder=1)


def _set_axes(ax: Axes, bars: list[_Bar]) -> None:
    ends = [0.0, *(x for bar in bars for x in (bar.begin, bar.end))]
    low, high = min(ends), max(ends)
    room = 0.14 * (high - low or 1.0)
    ax.set_xlim(low - room, high + room)
    ax.axvline(0, color=FAINT, linewidth=0.8, zorder=1)
    ax.axhline(len(bars) - 1.5, color=FAINT, linewidth=0.8)
    drawing.bar_axes(ax, len(bars), [bar.name for bar in bars], ticks=7)
    for text, bar in zip(ax.get_yticklabels(), bars, strict=True):
        text.set(fontsize=10 if bar.strong else 8.5, color=INK if bar.strong else FAINT)
        text.set_fontweight("bold" if bar is bars[-1] else "normal")


def _title(ax: Axes, explained: Explained) -> None:
    """Write the decision, and which side is evidence for which class."""
    labels, of, against, than = list(explained.proba), explained.of, explained.against, ""
    sure = f"{explained.proba[explained.of]:.2f}"
    if explained.label != explained.of:
        sure = f"{shortened(explained.of)} {sure}"
    look = {"fontsize": 12, "fontweight": "bold", "color": colour(labels.index(explained.of))}
    drawing.title(ax, f"{shortened(explained.label)} ({sure})", **look)
    look = {"fontsize": 10, "color": colour(labels.index(of))}
    drawing.title(ax, f"{shortened(of)} →", loc="right", **look)
    if against is not None:
        look["color"] = colour(labels.index(against))
        drawing.title(ax, f"← {shortened(against)}", loc="left", **look)
        than = f" {shortened(of)} is than {shortened(against)}"
    axis = f"evidence: log of how much more probable{than}"
    if isinstance(explained, NeighboursExplanation):
        axis = f"votes of {len(explained.neighbours)} neighbours, shared by the words in common"
    ax.set_xlabel(axis, fontsize=9, color=INK)
    drawing.literal([ax.xaxis.label])

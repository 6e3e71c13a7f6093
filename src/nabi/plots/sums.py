"""The evidence of a decision as bars: each begins where the one above it ended."""

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.ticker import MaxNLocator

from nabi.base.labels import Label
from nabi.errors import InputTypeError
from nabi.explain.explanation import ColumnTerm, Explanation, TableExplanation, shown
from nabi.plots.paper import FAINT, INK, bare, checked_top, colour, paper, plain, written
from nabi.plots.weights import finite

ROW = 0.29  # inches
FEWEST = 3  # words of each text of a row, however many columns there are


@dataclass(frozen=True)
class _Row:
    """A name and the evidence of it; of a text, also of its words."""

    name: str
    evidence: float
    parts: list["_Row"] = field(default_factory=list)


def explanation(
    explanation: Explanation | TableExplanation, *, top: int = 15, ax: Axes | None = None
) -> Axes:
    """The evidence of one decision: bars that, one after the other, lead from 0 to the score.

    To the right is what speaks for one class, to the left what speaks for the other. The words of a
    text in a table are lighter, and lead from the beginning of their column's bar to its end.

    Parameters
    ----------
    explanation : Explanation or TableExplanation
        What `explain` gave.
    top : int
        How many words or columns; the others are one bar together.
    ax : Axes, optional
        Where to draw; by default on a figure of its own.
    """
    if not isinstance(explanation, Explanation | TableExplanation):
        raise InputTypeError(
            f"explanation is {type(explanation).__name__}, expected what model.explain(...) gives"
        )
    rows = _rows(explanation, checked_top(top))
    ax = paper(ax, 1.3 + ROW * (1 + sum(1 + len(row.parts) for row in rows)))
    _draw(ax, rows, explanation)
    return ax


# ---- the rows ----


def _rows(told: Explanation | TableExplanation, top: int) -> list[_Row]:
    """The prior and the strongest terms; what is left is one row."""
    rows = [_Row("prior", told.prior)]
    if len(told.impossible) == len(told.proba):
        return rows  # only the prior speaks
    if isinstance(told, TableExplanation):
        texts = sum(bool(term.words) for term in told.terms)
        words = max(FEWEST, (top - len(told.terms)) // max(texts, 1))
        return rows + _cut([_column(term, words) for term in told.terms], top, "columns")
    if told.absent:
        rows.append(_Row("absent words", told.absent))
    return rows + _cut(_words(told.terms), top, "words")


def _words(terms: Any) -> list[_Row]:
    return [
        _Row(written(term.word) + (f"  ×{term.times}" if term.times > 1 else ""), term.evidence)
        for term in terms
    ]


def _column(term: ColumnTerm, most: int) -> _Row:
    """`height = 6`, or a text and its words."""
    if not term.words:
        return _Row(f"{written(term.column)} = {written(shown(term.value))}", term.evidence)
    parts = _cut(_words(term.words), most, "words")
    present = term.evidence - sum(part.evidence for part in parts)
    if np.isfinite(present) and abs(present) > 1e-9 * max(1.0, abs(term.evidence)):
        parts.append(_Row("that it is there", present))
    return _Row(written(term.column), term.evidence, parts)


def _cut(rows: list[_Row], top: int, what: str) -> list[_Row]:
    """The first rows, and the sum of the others."""
    if len(rows) <= top + 1:  # one that is left takes no more room than their sum
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


def _bars(rows: list[_Row]) -> list[_Bar]:
    """Rows one after the other, the words of a text within the bar of their column."""
    lengths = finite([row.evidence for row in rows])
    found: list[_Bar] = []
    at = 0.0
    for row, length in zip(rows, lengths, strict=True):
        found.append(_Bar(row.name, row.evidence, at, length, 1.0))
        within = at
        for part, own in zip(row.parts, finite([p.evidence for p in row.parts]), strict=True):
            found.append(_Bar(part.name, part.evidence, within, own, 0.45))
            within += own
        at += length
    return found


def _draw(ax: Axes, rows: list[_Row], told: Explanation | TableExplanation) -> None:
    drawn = _bars(rows)
    total = sum(bar.length for bar in drawn if bar.strength == 1.0)
    drawn.append(_Bar("score", told.score, 0.0, total, 1.0))
    labels = list(told.proba)
    sides = [labels.index(told.of), None if told.against is None else labels.index(told.against)]
    for i, bar in enumerate(drawn):
        owner = sides[0] if bar.length >= 0 or sides[1] is None else sides[1]
        assert owner is not None
        tint = 1 - bar.strength * (1 - np.array(to_rgb(colour(owner))))
        height = 0.72 if bar.strength == 1.0 else 0.5
        ax.barh(i, bar.length, left=bar.begin, height=height, color=tuple(tint), zorder=2)
        _number(ax, bar, i, bold=bar is drawn[-1])
    _joints(ax, drawn)
    _axes(ax, drawn)
    _title(ax, told, labels)


def _number(ax: Axes, bar: _Bar, i: int, *, bold: bool) -> None:
    """The evidence, at the end of the bar."""
    right = bar.length >= 0
    ax.annotate(
        _signed(bar.evidence),
        (bar.begin + bar.length, i),
        xytext=(5 if right else -5, 0),
        textcoords="offset points",
        ha="left" if right else "right",
        va="center",
        fontsize=9 if bar.strength == 1.0 else 8,
        fontweight="bold" if bold else "normal",
        color=INK if bar.strength == 1.0 else FAINT,
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.6},
        zorder=1.5,  # over the grid, under the bars
    )


def _signed(value: float) -> str:
    """-1.234 -> −1.23"""
    return f"{value:+.2f}".replace("-", "−").replace("inf", "∞")


def _joints(ax: Axes, drawn: list[_Bar]) -> None:
    """Thin lines from the end of each bar to the beginning of the next."""
    steps = [(i, bar) for i, bar in enumerate(drawn) if bar.strength == 1.0]
    for (i, bar), (j, _) in pairwise(steps):
        end = bar.begin + bar.length
        ax.plot([end, end], [i - 0.36, j + 0.36], color=FAINT, linewidth=0.7, zorder=1)


def _axes(ax: Axes, drawn: list[_Bar]) -> None:
    ends = [0.0, *(x for bar in drawn for x in (bar.begin, bar.begin + bar.length))]
    low, high = min(ends), max(ends)
    room = 0.14 * (high - low or 1.0)
    ax.set_xlim(low - room, high + room)
    ax.set_ylim(len(drawn) - 0.4, -0.6)
    ax.axvline(0, color=FAINT, linewidth=0.8, zorder=1)
    ax.axhline(len(drawn) - 1.5, color=FAINT, linewidth=0.8)
    ax.set_yticks(range(len(drawn)), [bar.name for bar in drawn])
    ax.xaxis.set_major_locator(MaxNLocator(7, steps=[1, 2, 5, 10]))
    ax.grid(axis="x", color="#e6e6e6", linewidth=0.8)
    ax.set_axisbelow(True)
    bare(ax)
    for text, bar in zip(ax.get_yticklabels(), drawn, strict=True):
        text.set_fontsize(10 if bar.strength == 1.0 else 8.5)
        text.set_color(INK if bar.strength == 1.0 else FAINT)
        text.set_fontweight("bold" if bar is drawn[-1] else "normal")
    plain(ax.get_yticklabels())


def _title(ax: Axes, told: Explanation | TableExplanation, labels: list[Label]) -> None:
    """The decision, and which side is whose."""
    sure = f"{told.proba[told.label]:.2f}"
    title = ax.set_title(f"{written(told.label)} ({sure})", fontsize=12, fontweight="bold")
    title.set_color(colour(labels.index(told.label)))
    plain([title])
    sides = [(told.of, "right", f"{written(told.of)} →")]
    if told.against is not None:
        sides.append((told.against, "left", f"← {written(told.against)}"))
    for label, side, name in sides:
        hint = ax.set_title(name, loc=side, fontsize=10, color=colour(labels.index(label)))  # type: ignore[arg-type]
        plain([hint])
    than = "" if told.against is None else f" {written(told.of)} is than {written(told.against)}"
    ax.set_xlabel(f"evidence: log of how much more probable{than}", fontsize=9, color=INK)
    plain([ax.xaxis.label])

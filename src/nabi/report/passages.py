"""Texts that a page shows: which ones, cut around their strongest evidence, words with weights."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import inf
from typing import Any

import numpy as np

from nabi.base.labels import Label
from nabi.explain.explanation import ColumnTerm, TableExplanation, Term, shown
from nabi.explain.neighbours import NeighboursExplanation
from nabi.explain.parts import Passage, Span
from nabi.report.outcome import Outcome, Progress, shortened, shown_name

LISTED = 50  # of the largest confusions
IN_CELL = 20  # texts of one cell
OF_EACH = 3  # before any cell has more
IN_ALL = 1200  # texts of all cells
MISTAKES = 20  # of the surest

LENGTH = 480  # characters of a text that are shown
AROUND = 48  # characters on each side of a word with evidence
OPENING = 72  # characters of the beginning
SHOWN_WORDS = 6  # words whose weights and counts are written below a text
NEIGHBOURS = 5  # of a text that are shown
ENDLESS = 9999.0  # stands for infinite evidence, which JSON does not know: alpha = 0

Cell = tuple[int, int, list[int]]  # predicted, actual, documents


def example_texts(outcome: Outcome, chosen: set[int], progress: Progress) -> dict[str, Any]:
    """Return the cells of the matrix, the surest mistakes, and the texts of both."""
    every = _cells(outcome)
    wrong = [cell for cell in every if cell[0] != cell[1]]
    listed = {cell[:2] for cell in wrong[:LISTED]}
    cells = [cell for cell in every if {*cell[:2]} <= chosen or cell[:2] in listed]
    kept = [texts[:n] for (_, _, texts), n in zip(cells, _sample_sizes(cells), strict=True)]
    worst = outcome.surest_mistakes[:MISTAKES].tolist()
    wanted = list(dict.fromkeys([*worst, *(i for some in kept for i in some)]))
    number = {i: n for n, i in enumerate(wanted)}
    return {
        "texts": _shown_texts(outcome, wanted, progress),
        "cells": [
            {
                "predicted": predicted,
                "actual": actual,
                "count": len(texts),
                "texts": [number[i] for i in some],
            }
            for (predicted, actual, texts), some in zip(cells, kept, strict=True)
        ],
        "confusions": len(wrong),
        "mistakes": {"texts": [number[i] for i in worst], "count": len(outcome.surest_mistakes)},
    }


def _cells(outcome: Outcome) -> list[Cell]:
    """Return each cell that has documents: mistakes first, then the largest.

    The first documents of a cell are the surest mistakes; of a correct cell, the least sure.
    """
    right = np.flatnonzero(outcome.correct)
    right = right[np.argsort(outcome.own_log_proba[right], kind="stable")]
    order = np.concatenate([outcome.surest_mistakes, right])
    columns = (outcome.predicted[order], outcome.actual[order], order)
    found: dict[tuple[int, int], list[int]] = {}
    for predicted, actual, i in zip(*(column.tolist() for column in columns), strict=True):
        found.setdefault((predicted, actual), []).append(i)
    cells = [(*cell, some) for cell, some in found.items()]
    return sorted(cells, key=lambda cell: (cell[0] == cell[1], -len(cell[2]), *cell[:2]))


def _sample_sizes(cells: list[Cell]) -> list[int]:
    """Return how many texts of each cell to show: some of each, then more of the first cells."""
    counts = [0] * len(cells)
    left = IN_ALL
    for most in (1, OF_EACH, IN_CELL):
        for i, (_, _, texts) in enumerate(cells):
            more = min(left, max(0, min(most, len(texts)) - counts[i]))
            counts[i] += more
            left -= more
    return counts


def _shown_texts(outcome: Outcome, wanted: list[int], progress: Progress) -> list[dict[str, Any]]:
    """Return what the page shows of each of these documents, in their order."""
    found: dict[int, dict[str, Any]] = {}
    for i, explanation in outcome.explain(wanted):
        proba = np.exp(outcome.log_proba[i])
        predicted, actual = int(outcome.predicted[i]), int(outcome.actual[i])
        other = actual if actual != predicted and outcome.learned[i] else _runner_up(outcome, i)
        rest = None if other is None else outcome.labels[other]
        found[i] = {
            "predicted": predicted,
            "actual": actual,
            "against": other,
            "proba": float(f"{proba[predicted]:.4g}"),
            "actual_proba": float(f"{proba[actual]:.4g}"),
            "where": outcome.where(i),
            **passage(explanation, outcome.labels[predicted], rest),
        }
        progress("explaining", len(found), len(wanted))
    return [found[i] for i in wanted]


def _runner_up(outcome: Outcome, i: int) -> int | None:
    """Return the most probable class but the first of those that the model knows."""
    logs = outcome.log_proba[i, : len(outcome.model.classes_)]
    return next(iter(np.argsort(-logs, kind="stable")[1:].tolist()), None)


def passage(explanation: Any, predicted: Label, other: Label | None) -> dict[str, Any]:
    """Return the pieces of a text or row, words as [word, evidence for `predicted`]."""
    if isinstance(explanation, TableExplanation):
        text, marked, terms = row_text(explanation)
    else:
        text, marked = explanation.text, explanation.words
        terms = marked
    # The evidence of one occurrence of each word for the class, against the other.
    rows = _weighed(marked, predicted, other)
    parts = windows(text, [span for value, term in rows if value for span in term.spans])
    absent = getattr(explanation, "absent_weights", None) or {predicted: 0.0, other: 0.0}
    return {
        "pieces": pieces(text, parts, rows),
        "words": [
            _counts_row(value, term, predicted, other)
            for value, term in _weighed(terms, predicted, other)[:SHOWN_WORDS]
            if round(value, 2)
        ],
        "unknown": len(_unknown(explanation)),
        "absent": round(_difference(absent, predicted, other), 2),
        "length": len(text),
        "cut": sum(end - begin for begin, end in parts) < len(text),
        **_near(explanation),
    }


Weighed = list[tuple[float, Any]]  # evidence, and the word or column


def _weighed(terms: Sequence[Any], predicted: Label, other: Label | None) -> Weighed:
    """Return what one occurrence of each word says for a class against another, strongest first."""
    rows = [(_difference(term.weights, predicted, other) / _times(term), term) for term in terms]
    return sorted(rows, key=lambda row: (-abs(row[0]), _name(row[1])))


def _times(term: Any) -> int:
    return getattr(term, "times", 1)


def _name(term: Any) -> str:
    """Return a word, or a column with its value."""
    return term.word if isinstance(term, Term) else f"{term.column} {shown(term.value)}"


def row_text(explanation: TableExplanation) -> tuple[str, list[Term], tuple[ColumnTerm, ...]]:
    """Return a row as a text, the columns and words that are marked in it, and the columns."""
    text, marked = "", []
    for column in sorted(explanation.terms, key=lambda term: term.column):
        text += f"{' · ' if text else ''}{column.column}: "
        at, value = len(text), shown(column.value) if not column.words else column.value
        text += value
        if not column.words:
            name = Term(column.column, 1, 0.0, {}, column.weights, ((at, len(text)),))
            marked.append(name)
        for word in column.words:
            spans = tuple((at + begin, at + end) for begin, end in word.spans)
            marked.append(replace(word, spans=spans))
    return text, marked, explanation.terms


def _unknown(explanation: Any) -> Sequence[str]:
    """Return the words that the model does not know; of a row none."""
    words = getattr(explanation, "unknown_words", None)
    return getattr(explanation, "unknown", ()) if words is None else words


def _near(explanation: Any) -> dict[str, Any]:
    """Return the neighbours of a text: similarity, label and text of each."""
    if not isinstance(explanation, NeighboursExplanation):
        return {}
    some = explanation.neighbours[:NEIGHBOURS]
    rows = [[round(each.similarity, 2), shown_name(each.label), each.shown] for each in some]
    return {"near": rows, "tally": explanation.remark or explanation.tally}


def _difference(weights: Mapping[Label, float], predicted: Label, other: Label | None) -> float:
    """Return the weight of a class less that of another; an absent class has -inf."""
    own = weights.get(predicted, -inf)
    rest = 0.0 if other is None else weights.get(other, -inf)
    return 0.0 if own == rest else max(-ENDLESS, min(ENDLESS, own - rest))


def _counts_row(value: float, term: Any, predicted: Label, other: Label | None) -> list[Any]:
    """Return the name, its evidence, and what each of the two classes has seen of it."""
    name, sides = shortened(_name(term), 60), [predicted] if other is None else [predicted, other]
    return [name, round(value, 2), *(_seen(term, label) for label in sides)]


def _seen(term: Any, label: Label) -> Any:
    """Return [count, rate] of a word in a class, or of a column what the class has seen."""
    if isinstance(term, ColumnTerm):
        return term.seen.get(label, "")
    if not term.counts:
        return ""
    return [round(term.counts.get(label, 0.0), 2), term.rates.get(label, 0.0)]


def windows(text: str, spans: Sequence[Span]) -> list[Span]:
    """Return the parts of a text to show: its beginning, and around the strongest evidence."""
    if len(text) <= LENGTH:
        return [(0, len(text))] if text else []
    parts = [_at_words(text, 0, OPENING)]
    for begin, end in spans:
        end = min(end, begin + LENGTH // 4)
        more = _joined([*parts, _at_words(text, begin - AROUND, end + AROUND)])
        if sum(b - a for a, b in more) > LENGTH:
            break
        parts = more
    return parts if len(parts) > 1 else [_at_words(text, 0, LENGTH)]


def _at_words(text: str, begin: int, end: int, slack: int = 12) -> Span:
    """Move the ends of a part to spaces that are near."""
    begin, end = max(0, begin), min(len(text), end)
    if begin:
        space = text.find(" ", begin, begin + slack)
        begin = space + 1 if space >= 0 else begin
    if end < len(text):
        space = text.rfind(" ", max(begin, end - slack), end)
        end = space if space > begin else end
    return begin, end


def _joined(parts: list[Span]) -> list[Span]:
    """Return parts in order; join those that touch."""
    joined: list[Span] = []
    for begin, end in sorted(parts):
        if joined and begin <= joined[-1][1] + 1:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((begin, end))
    return joined


def pieces(text: str, parts: Sequence[Span], rows: Weighed) -> list[Any]:
    """Return strings, [string, evidence] for words, and an ellipsis where text is left out."""
    whole = Passage(text, [(value, term.spans) for value, term in rows])
    found: list[Any] = []
    last = 0
    for begin, end in parts:
        if begin > last:
            found.append(" … " if found else "… ")
        for letters, evidence in whole.pieces(begin, end):
            letters = re.sub(r"\s+", " ", letters)
            found.append([letters, round(evidence, 2)] if evidence else letters)
        last = end
    return found if last >= len(text) else [*found, " …"]

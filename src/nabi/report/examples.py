"""Texts that a page shows as examples of each cell of the matrix and of the mistakes."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from nabi.base.arrays import I64
from nabi.report.outcome import Outcome, Progress
from nabi.report.passages import passage

IN_CELL = 20  # texts of one cell
OF_EACH = 3  # before any cell has more
IN_ALL = 1200  # texts of all cells
MISTAKES = 20  # of the surest


def cells(outcome: Outcome) -> list[tuple[int, int, list[int]]]:
    """Return (predicted, actual, documents) of each cell that has any, mistakes first.

    The first documents of a cell are the surest mistakes; of a correct cell, the least sure.
    """
    wrong = outcome.surest_mistakes
    right = np.flatnonzero(outcome.predicted == outcome.actual)
    sure = outcome.log_proba[right, outcome.predicted[right]]
    right = right[np.argsort(sure, kind="stable")]
    found = [*_cells_of(outcome, wrong), *_cells_of(outcome, right)]
    return [(said, gold, indices.tolist()) for said, gold, indices in found]


def _cells_of(outcome: Outcome, indices: I64) -> list[tuple[int, int, I64]]:
    """Group documents by cell, in their order; the largest cell first."""
    n = len(outcome.labels)
    numbers = outcome.predicted[indices] * n + outcome.actual[indices]
    order = np.argsort(numbers, kind="stable")
    cells, starts = np.unique(numbers[order], return_index=True)
    parts = np.split(indices[order], starts[1:]) if len(cells) else []
    rows = [(*divmod(cell, n), part) for cell, part in zip(cells.tolist(), parts, strict=True)]
    return sorted(rows, key=lambda row: (-len(row[2]), row[0], row[1]))


def sample_sizes(found: list[tuple[int, int, list[int]]]) -> list[int]:
    """Return how many texts of each cell to show: some of each, then more of the first cells.

    The largest cells of mistakes come first: they show most.
    """
    counts = [0] * len(found)
    left = IN_ALL
    for most in (1, OF_EACH, IN_CELL):
        for i, (_, _, texts) in enumerate(found):
            more = min(left, max(0, min(most, len(texts)) - counts[i]))
            counts[i] += more
            left -= more
    return counts


def passages(outcome: Outcome, indices: Iterable[int], progress: Progress) -> list[dict[str, Any]]:
    """Return what the page shows of each of these documents, in their order."""
    wanted = list(indices)
    found: dict[int, dict[str, Any]] = {}
    for i, explanation in outcome.explain(wanted):
        other = against(outcome, i)
        predicted = outcome.labels[outcome.predicted[i]]
        rest = None if other is None else outcome.labels[other]
        found[i] = {**_decision(outcome, i, other), **passage(explanation, predicted, rest)}
        progress("explaining", len(found), len(wanted))
    return [found[i] for i in wanted]


def _decision(outcome: Outcome, i: int, other: int | None) -> dict[str, Any]:
    """Return the decision on a document, its probability, and where the document is."""
    proba = np.exp(outcome.log_proba[i])
    said, gold = int(outcome.predicted[i]), int(outcome.actual[i])
    return {
        "said": said,
        "gold": gold,
        "against": other,
        "proba": float(f"{proba[said]:.4g}"),
        "gold_proba": float(f"{proba[gold]:.4g}"),
        "where": outcome.where(i),
    }


def against(outcome: Outcome, i: int) -> int | None:
    """Return the class to compare with: the actual label of a mistake, else the runner-up."""
    logs = outcome.log_proba[i]
    said, gold = int(outcome.predicted[i]), int(outcome.actual[i])
    if gold != said and outcome.learned[i]:
        return gold
    known = len(outcome.model.classes_)
    others = [c for c in np.argsort(-logs[:known], kind="stable").tolist() if c != said]
    return others[0] if others else None

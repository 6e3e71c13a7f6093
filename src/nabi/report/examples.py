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
    right = np.flatnonzero(outcome.predicted == outcome.actual)
    sure = outcome.log_proba[right, outcome.predicted[right]]
    right = right[np.argsort(sure, kind="stable")]
    return [*_cells_of(outcome, outcome.surest_mistakes), *_cells_of(outcome, right)]


def _cells_of(outcome: Outcome, indices: I64) -> list[tuple[int, int, list[int]]]:
    """Group documents by cell, in their order; the largest cell first."""
    found: dict[tuple[int, int], list[int]] = {}
    cells = zip(outcome.predicted[indices].tolist(), outcome.actual[indices].tolist(), strict=True)
    for i, cell in zip(indices.tolist(), cells, strict=True):
        found.setdefault(cell, []).append(i)
    return sorted(
        ((*cell, some) for cell, some in found.items()), key=lambda row: (-len(row[2]), *row[:2])
    )


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
        other, proba = against(outcome, i), np.exp(outcome.log_proba[i])
        said, actual = int(outcome.predicted[i]), int(outcome.actual[i])
        rest = None if other is None else outcome.labels[other]
        found[i] = {
            "said": said,
            "gold": actual,
            "against": other,
            "proba": float(f"{proba[said]:.4g}"),
            "gold_proba": float(f"{proba[actual]:.4g}"),
            "where": outcome.where(i),
            **passage(explanation, outcome.labels[said], rest),
        }
        progress("explaining", len(found), len(wanted))
    return [found[i] for i in wanted]


def against(outcome: Outcome, i: int) -> int | None:
    """Return the class to compare with: the actual label of a mistake, else the runner-up."""
    said, actual = int(outcome.predicted[i]), int(outcome.actual[i])
    if actual != said and outcome.learned[i]:
        return actual
    logs = outcome.log_proba[i, : len(outcome.model.classes_)]
    order = np.argsort(-logs, kind="stable").tolist()
    return next((c for c in order if c != said), None)

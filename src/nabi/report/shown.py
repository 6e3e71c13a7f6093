"""Which texts a page shows, of each cell of the matrix and of the mistakes, and what it says."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from nabi.report.outcome import I64, Outcome, Progress
from nabi.report.passages import passage

IN_CELL = 20  # texts of one cell
OF_EACH = 3  # before any cell has more
IN_ALL = 1200  # texts of all cells
MISTAKES = 20  # of the surest


def cells(outcome: Outcome) -> list[tuple[int, int, list[int]]]:
    """(said, gold, documents in the order of showing) of each cell that has any, mistakes first.

    The surest mistakes lead a cell, and where what was said is right, the closest decisions.
    """
    wrong = outcome.surest_mistakes
    right = np.flatnonzero(outcome.said == outcome.gold)
    sure = outcome.log_proba[right, outcome.said[right]]
    right = right[np.argsort(sure, kind="stable")]
    found = [*_cells_of(outcome, wrong), *_cells_of(outcome, right)]
    return [(said, gold, places.tolist()) for said, gold, places in found]


def _cells_of(outcome: Outcome, places: I64) -> list[tuple[int, int, I64]]:
    """The documents by cell, in their order; the largest cell first."""
    n = len(outcome.labels)
    numbers = outcome.said[places] * n + outcome.gold[places]
    order = np.argsort(numbers, kind="stable")
    cells, starts = np.unique(numbers[order], return_index=True)
    parts = np.split(places[order], starts[1:]) if len(cells) else []
    rows = [(*divmod(cell, n), part) for cell, part in zip(cells.tolist(), parts, strict=True)]
    return sorted(rows, key=lambda row: (-len(row[2]), row[0], row[1]))


def sample(found: list[tuple[int, int, list[int]]]) -> list[int]:
    """How many texts of each cell are shown: some of each while they last, then more of the first.

    The largest cells of mistakes come first, and teach most.
    """
    counts = [0] * len(found)
    left = IN_ALL
    for most in (1, OF_EACH, IN_CELL):
        for i, (_, _, places) in enumerate(found):
            more = min(left, max(0, min(most, len(places)) - counts[i]))
            counts[i] += more
            left -= more
    return counts


def passages(outcome: Outcome, places: Iterable[int], progress: Progress) -> list[dict[str, Any]]:
    """What the page says of each of these documents, in their order."""
    wanted = list(places)
    found: dict[int, dict[str, Any]] = {}
    for i, explanation in outcome.explained(wanted):
        other = against(outcome, i)
        said, rest = (None if c is None else outcome.labels[c] for c in (outcome.said[i], other))
        assert said is not None
        found[i] = {**_judged(outcome, i, other), **passage(explanation, said, rest)}
        progress("explaining", len(found), len(wanted))
    return [found[i] for i in wanted]


def _judged(outcome: Outcome, i: int, other: int | None) -> dict[str, Any]:
    """What was said of a document, how surely, and where the document is."""
    proba = np.exp(outcome.log_proba[i])
    said, gold = int(outcome.said[i]), int(outcome.gold[i])
    return {
        "said": said,
        "gold": gold,
        "against": other,
        "proba": float(f"{proba[said]:.4g}"),
        "gold_proba": float(f"{proba[gold]:.4g}"),
        "where": _where(outcome, i),
    }


def _where(outcome: Outcome, i: int) -> str:
    return f"text {i + 1:,}" if outcome.where is None else outcome.where(i)


def against(outcome: Outcome, i: int) -> int | None:
    """The class that the evidence is weighed against: a mistake's own label, else the runner-up."""
    logs = outcome.log_proba[i]
    said, gold = int(outcome.said[i]), int(outcome.gold[i])
    if gold != said and outcome.learned[i]:
        return gold
    known = len(outcome.model.classes_)
    others = [c for c in np.argsort(-logs[:known], kind="stable").tolist() if c != said]
    return others[0] if others else None

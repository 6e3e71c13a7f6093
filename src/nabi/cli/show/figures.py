"""How good a model is, on the screen and for programs: what `evaluate` and `crossval` share."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from nabi.base.arrays import F64
from nabi.base.labels import Label, label_index
from nabi.base.softmax import LEAST_LOG, mean_log_loss
from nabi.cli.options.common import UsageError
from nabi.cli.show import screen

if TYPE_CHECKING:
    from nabi.metrics import ConfusionMatrix

MOST = 12  # classes whose matrix fits on a screen
DENSE = 300  # classes whose matrix is printed with its zeros, for a program


def _a_beta(given: float) -> float:
    if not 0 < given < float("inf"):
        raise UsageError(f"--beta {given:g}: expected a number above 0, such as 2.")
    return given


Beta = Annotated[
    float,
    typer.Option(
        metavar="B",
        help="F with recall B times as important as precision.",
        callback=_a_beta,
    ),
]


def judged(
    gold: Sequence[Label],
    predicted: Sequence[Label],
    log_proba: F64,
    labels: list[Label],
    *,
    calibrated: bool = False,
) -> dict[str, Any]:
    """The matrix, and how good the probabilities are of rows whose class the model knows."""
    from nabi.metrics import ConfusionMatrix, expected_calibration_error

    matrix = ConfusionMatrix.of(list(gold), list(predicted), labels=_all(labels, gold))
    place = label_index(labels)
    known = [i for i, label in enumerate(gold) if label in place]
    actual = np.array([place[gold[i]] for i in known])
    loss = mean_log_loss(log_proba[known], actual, least=LEAST_LOG) if known else None
    off = None
    if known and len(labels) > 1:
        own_gold = [gold[i] for i in known]
        off = expected_calibration_error(np.exp(log_proba[known]), own_gold, labels=labels)
    return {
        "matrix": matrix,
        "log_loss": loss,
        "calibration_error": off,
        "calibrated": calibrated,
        "unknown": len(gold) - len(known),
    }


def _all(labels: list[Label], gold: Sequence[Label]) -> list[Label]:
    """The model's classes, then those that it does not know."""
    return [*labels, *sorted(set(gold) - set(labels))]


def as_json(found: dict[str, Any], rows: dict[str, int], beta: float) -> dict[str, Any]:
    """All of it, for a program."""
    matrix: ConfusionMatrix = found["matrix"]
    low, high = matrix.accuracy_interval()[:2]
    macro, micro = (matrix.average(how, beta=beta) for how in ("macro", "micro"))
    return {
        "rows": rows,
        "accuracy": matrix.accuracy,
        "accuracy_interval": [float(low), float(high)],
        "macro_f1": matrix.average("macro").f,
        "micro_f1": matrix.average("micro").f,
        "log_loss": found["log_loss"],
        "calibration_error": found["calibration_error"],
        "calibrated": found["calibrated"],
        "unknown_labels": found["unknown"],
        "beta": beta,
        "macro": _rates(macro),
        "micro": _rates(micro),
        "classes": {
            str(row.label): {**_rates(row), "support": float(row.support), "said": float(row.said)}
            for row in matrix.per_class(beta=beta)
        },
        "confusion": {
            "labels": [str(label) for label in matrix.labels],
            "rows": "system",
            **_counts(matrix.array()),
        },
    }


def _counts(table: F64) -> dict[str, Any]:
    """The table; where it is large, only what is not 0: [row, column, count]."""
    if len(table) <= DENSE:
        return {"counts": table.tolist()}
    rows, columns = np.nonzero(table)
    cells = zip(rows.tolist(), columns.tolist(), table[rows, columns].tolist(), strict=True)
    return {"cells": [list(cell) for cell in cells]}


def _rates(row: Any) -> dict[str, float]:
    return {name: float(getattr(row, name)) for name in ("precision", "recall", "f")}


def show(found: dict[str, Any], rows_line: str, beta: float) -> None:
    """All of it, for a person."""
    matrix: ConfusionMatrix = found["matrix"]
    low, high = matrix.accuracy_interval()[:2]
    f = f"F{beta:g}"
    print(rows_line)
    print(f"accuracy {matrix.accuracy:.4f}  (95 %: {low:.4f} to {high:.4f})")
    loss = "unknown" if found["log_loss"] is None else f"{found['log_loss']:.4f}"
    print(f"macro {f} {matrix.average('macro', beta=beta).f:.4f}, log loss {loss}{_off(found)}")
    if found["unknown"]:
        print(
            f"rows whose label the model does not know: {found['unknown']:,}; they count as "
            f"errors, and not in the log loss"
        )
    print()
    columns = [("class", "left"), ("precision", "right"), ("recall", "right"), (f, "right")]
    rows = [_cells(row) for row in matrix.per_class(beta=beta)]
    screen.print_table([*columns, ("rows", "right")], rows)
    if len(matrix.labels) <= MOST:
        print(f"\n{matrix}")


def _off(found: dict[str, Any]) -> str:
    """How far probabilities are off, and whether they are calibrated."""
    if found["calibration_error"] is None:
        return ""
    how = "calibrated" if found["calibrated"] else "not calibrated"
    return f", calibration error {found['calibration_error']:.4f} ({how})"


def _cells(row: Any) -> list[str]:
    rates = [f"{rate:.4f}" for rate in (row.precision, row.recall, row.f)]
    return [str(row.label), *rates, screen.as_count(row.support)]

"""Print how good a model is: what `evaluate` and `crossval` share."""

from typing import TYPE_CHECKING, Any

from nabi.cli.show import screen

if TYPE_CHECKING:
    from nabi.judging.evaluation import Evaluation

MOST = 12  # classes whose matrix fits on a screen


def show(found: "Evaluation", beta: float) -> None:
    """Print accuracy, log loss, a row for each class, and the confusion matrix of few classes."""
    matrix = found.matrix
    f = f"F{beta:g}"
    screen.say(screen.with_interval("accuracy", matrix.accuracy, matrix.accuracy_interval()))
    loss = "unknown" if found.log_loss is None else f"{found.log_loss:.4f}"
    rates = f"macro {f} {found.average('macro', beta=beta).f:.4f}, log loss {loss}"
    if found.calibration_error is not None:
        how = "calibrated" if found.calibrated else "not calibrated"
        rates += f", calibration error {found.calibration_error:.4f} ({how})"
    screen.say(rates)
    if found.unknown:
        screen.say(
            f"rows whose label the model does not know: {found.unknown:,}; they count as "
            f"errors, and not in the log loss"
        )
    if found.not_sure is not None:
        sure = found.sureness
        right = (
            "" if sure["accuracy"] is None else f"; accuracy of the others {sure['accuracy']:.4f}"
        )
        screen.say(
            f"not sure: {screen.as_count(sure['rows'])} of {screen.how_many(matrix.total, 'row')}, "
            f"labelled {found.not_sure}; they count as errors in the accuracy above{right}"
        )
    screen.say("")
    rows = [_cells(row) for row in found.rows(beta=beta)]
    screen.print_table(["class", ">precision", ">recall", f">{f}", ">rows"], rows)
    if len(matrix.labels) <= MOST:
        screen.say("", *str(matrix).splitlines())


def _cells(row: Any) -> list[str]:
    rates = [f"{rate:.4f}" for rate in (row.precision, row.recall, row.f)]
    return [str(row.label), *rates, screen.as_count(row.support)]

"""A class that is said only from a probability on: `--threshold`, `--precision` and `--recall`."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import numpy as np
import typer

from nabi.base.arrays import F64
from nabi.base.labels import Label, shown
from nabi.cli.options.common import UsageError, named_label
from nabi.errors import InputError

if TYPE_CHECKING:
    from nabi.metrics import ConfusionMatrix

PANEL = "One class from a probability on"
ThresholdOption = Annotated[
    str | None,
    typer.Option(
        metavar="C=T",
        help="Say class C only where its probability is at least T, else the best other class.",
        rich_help_panel=PANEL,
    ),
]
Precision = Annotated[
    str | None,
    typer.Option(
        metavar="C=P",
        help="The threshold of C that reaches this precision with the most recall; of two classes, "
        "P alone is that of the second.",
        rich_help_panel=PANEL,
    ),
]
Recall = Annotated[
    str | None,
    typer.Option(
        metavar="C=R",
        help="The threshold of C that reaches this recall with the most precision.",
        rich_help_panel=PANEL,
    ),
]


@dataclass(frozen=True)
class Threshold:
    """What was asked for, as it was typed."""

    threshold: ThresholdOption = None
    precision: Precision = None
    recall: Recall = None

    def asked(self, labels: list[Label]) -> "Asked | None":
        """The same, checked; None where nothing was asked."""
        given = {name: value for name, value in vars(self).items() if value is not None}
        if len(given) > 1:
            raise UsageError("Only one of --threshold, --precision and --recall.")
        return next((_asked(by, value, labels) for by, value in given.items()), None)


@dataclass(frozen=True)
class Asked:
    """A threshold, or the precision or recall that it is to reach, of one class."""

    by: str
    label: Label
    value: float

    def threshold(self, gold: Sequence[Label], log_proba: F64, labels: list[Label]) -> float:
        """The least probability with which the class is said."""
        from nabi.metrics import precision_recall_curve, threshold_for

        if self.by == "threshold":
            return self.value
        positive = np.array([label == self.label for label in gold], bool)
        if not positive.any():
            raise InputError(
                f"--{self.by} {self.label}={self.value:g}: no row is labelled {self.label!r}; "
                f"choose a threshold on data that have some"
            )
        curve = precision_recall_curve(positive, np.exp(log_proba[:, labels.index(self.label)]))
        return threshold_for(curve, **{self.by: self.value}).threshold

    def decisions(self, log_proba: F64, labels: list[Label], threshold: float) -> list[Label]:
        """The class where its probability reaches the threshold, elsewhere the best other one."""
        place = labels.index(self.label)
        others = log_proba.copy()
        others[:, place] = -np.inf
        best = np.argmax(others, axis=1)
        said = np.exp(log_proba[:, place]) >= threshold
        return [labels[i] for i in np.where(said, place, best).tolist()]


def _asked(by: str, given: str, labels: list[Label]) -> Asked:
    """'spam=0.9', or of two classes '0.9' for the second."""
    name, _, number = given.rpartition("=")
    value = _share(number)
    if value is None:
        example = f"--{by} {labels[-1]}=0.9"
        raise InputError(f"--{by} {given}; expected a class and a number from 0 to 1: {example}")
    if not name and len(labels) != 2:
        raise InputError(
            f"--{by} {given}: of which of {len(labels)} classes? Name it: "
            f"--{by} {labels[-1]}={number}; the classes are {shown(labels)}"
        )
    return Asked(by, named_label(name.strip(), labels) if name else labels[1], value)


def _share(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if 0 <= value <= 1 else None


def point(asked: Asked, threshold: float, matrix: "ConfusionMatrix", beta: float) -> dict[str, Any]:
    """The chosen point, for a program."""
    row = next(row for row in matrix.per_class(beta=beta) if row.label == asked.label)
    place = matrix.labels.index(asked.label)
    ends = matrix.precision_interval(), matrix.recall_interval()
    precision, recall = ([float(low[place]), float(high[place])] for low, high in ends)
    chosen = asked.by != "threshold"
    return {
        "class": str(asked.label),
        "threshold": threshold,
        "chosen_by": asked.by if chosen else None,
        "wanted": asked.value if chosen else None,
        "precision": float(row.precision),
        "precision_interval": precision,
        "recall": float(row.recall),
        "recall_interval": recall,
        "f": float(row.f),
    }


def lines(found: dict[str, Any], beta: float) -> str:
    """The same for a person."""
    label, threshold = found["class"], found["threshold"]
    rates = [
        f"{name} {found[name]:.4f}  (95 %: {low:.4f} to {high:.4f})"
        for name in ("precision", "recall")
        for low, high in [found[f"{name}_interval"]]
    ]
    said = [
        f"{label} where P({label}|d) >= {threshold!r}, else the best other class:",
        f"  {', '.join(rates)}, F{beta:g} {found['f']:.4f}",
    ]
    if found["chosen_by"]:
        said.append(
            f"  chosen for {found['chosen_by']} {found['wanted']:g} on these very rows, which "
            f"flatters it; judge it on others by --threshold {label}={threshold!r}"
        )
    return "\n".join(said)

"""`--threshold`, `--precision`, `--recall`: predict a class only above a probability."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from click import UsageError

from nabi.base.arrays import F64, I64
from nabi.base.labels import Label, shown
from nabi.cli.options.common import as_number, named_label
from nabi.cli.options.declare import option
from nabi.cli.show.screen import say, with_interval
from nabi.errors import InputError

if TYPE_CHECKING:
    from nabi.metrics import ConfusionMatrix


@dataclass(frozen=True)
class Threshold:
    """The threshold of a class, as it was typed."""

    PANEL: ClassVar[str] = "Threshold for one class"
    threshold: str | None = option(
        "Predict class C only if its probability is at least T, else the best other class.",
        "C=T",
        first=True,
    )
    precision: str | None = option(
        "Choose the threshold of C with the highest recall among those with a precision of at "
        "least P. With two classes, a bare P means the second class.",
        "C=P",
        first=True,
    )
    recall: str | None = option(
        "Choose the threshold of C with recall at least R and the highest precision.", "C=R"
    )

    def asked(self, labels: list[Label]) -> "Asked | None":
        """Return the class and its number; None where no option was given.

        'spam=0.9', or of two classes '0.9' for the second.
        """
        options = {name: value for name, value in vars(self).items() if value is not None}
        if len(options) > 1:
            raise UsageError("Only one of --threshold, --precision and --recall.")
        if not options:
            return None
        by, typed = options.popitem()
        name, _, number = typed.rpartition("=")
        value = as_number(number)
        if value is None or not 0 <= value <= 1:
            wanted = f"expected a class and a number from 0 to 1: --{by} {labels[-1]}=0.9"
            raise InputError(f"--{by} {typed}; {wanted}")
        if not name and len(labels) != 2:
            raise InputError(
                f"--{by} {typed}: of which of {len(labels)} classes? Name it: "
                f"--{by} {labels[-1]}={number}; the classes are {shown(labels)}"
            )
        return Asked(by, named_label(name.strip(), labels) if name else labels[1], value)


@dataclass(frozen=True)
class Asked:
    """A threshold, or the precision or recall that it is to reach, of one class."""

    by: str
    label: Label
    value: float

    def parted(self, log_proba: F64, labels: list[Label]) -> tuple[F64, I64]:
        """Return the probability of the class, and the index of the best other class."""
        index = labels.index(self.label)
        others = log_proba.copy()
        others[:, index] = -np.inf
        return np.exp(log_proba[:, index]), np.argmax(others, axis=1)

    def threshold(self, actual: Sequence[Label], proba: F64) -> float:
        """Return the least probability with which the class is predicted."""
        from nabi.metrics import precision_recall_curve, threshold_for

        if self.by == "threshold":
            return self.value
        positive = np.array([label == self.label for label in actual], bool)
        if not positive.any():
            raise InputError(
                f"--{self.by} {self.label}={self.value:g}: no row is labelled {self.label!r}; "
                f"choose a threshold on data that have some"
            )
        curve = precision_recall_curve(positive, proba)
        return threshold_for(curve, **{self.by: self.value}).threshold

    def to_dict(self, threshold: float, matrix: "ConfusionMatrix", beta: float) -> dict[str, Any]:
        """Return the threshold with precision and recall of its class."""
        index = matrix.labels.index(self.label)
        row = matrix.per_class(beta=beta)[index]
        chosen = self.by != "threshold"
        return {
            "class": str(self.label),
            "threshold": threshold,
            "chosen_by": self.by if chosen else None,
            "wanted": self.value if chosen else None,
            "precision": float(row.precision),
            "precision_interval": [float(end[index]) for end in matrix.precision_interval()],
            "recall": float(row.recall),
            "recall_interval": [float(end[index]) for end in matrix.recall_interval()],
            "f": float(row.f),
        }


def print_threshold(found: dict[str, Any], beta: float) -> None:
    """Print what `Asked.to_dict` returns."""
    label, threshold = found["class"], found["threshold"]
    names = ("precision", "recall")
    rates = [with_interval(name, found[name], found[f"{name}_interval"]) for name in names]
    say("", f"{label} where P({label}|d) >= {threshold!r}, else the best other class:")
    say(f"  {', '.join(rates)}, F{beta:g} {found['f']:.4f}")
    if found["chosen_by"]:
        say(
            f"  chosen for {found['chosen_by']} {found['wanted']:g} on these very rows, so these "
            f"figures are optimistic; check it on others by --threshold {label}={threshold!r}"
        )

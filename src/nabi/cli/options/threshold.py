"""`--threshold`, `--not-sure`, `--precision`, `--recall`: how labels are decided."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from click import UsageError

from nabi.base.labels import Label, shown
from nabi.cli.options.common import as_number, labels_of, named_label
from nabi.cli.options.declare import flag, option
from nabi.cli.show.decision import decision_line
from nabi.cli.show.screen import how_many, note, say, with_interval
from nabi.errors import InputError
from nabi.metrics.thresholds import CONFIDENCE, Decision, Shortlist, as_limit
from nabi.models.base import Model

if TYPE_CHECKING:
    from nabi.judging.evaluation import Evaluation
    from nabi.judging.overlap import Overlap

PANEL = "Thresholds"


@dataclass(frozen=True)
class Thresholds:
    """Thresholds and a label for what is not sure, as they were typed."""

    PANEL: ClassVar[str] = PANEL
    threshold: list[str] = option(
        "Predict class C only if its probability is at least T. Otherwise the best other class is "
        "predicted. May be given for several classes; of several that reach their thresholds, the "
        "most probable wins.",
        "C=T,...",
        first=True,
    )
    not_sure: str | None = option(
        "Label for rows where no class reaches its threshold, or --confidence if it has none.",
        "LABEL",
        first=True,
    )
    confidence: float | None = option(
        f"Least probability of a class without a threshold, with --not-sure (default: "
        f"{CONFIDENCE}).",
        "P",
    )
    no_thresholds: bool = flag("Do not use thresholds and the not-sure label stored in the model.")

    def decision(self, model: Model, *, chosen: Sequence["Asked"] = ()) -> Decision | None:
        """Return what is typed, completed by what the model has stored; None for neither.

        Classes of `chosen` have no threshold yet.
        """
        labels = labels_of(model)
        stored = None if self.no_thresholds else model.decision
        limits = {} if stored is None else dict(stored.thresholds)
        limits = {label: limit for label, limit in limits.items() if label in labels}
        typed = every_asked(self.threshold, "threshold", labels)
        named = [each.label for each in (*typed, *chosen)]
        for label in named:
            if named.count(label) > 1:
                raise UsageError(f"Only one of --threshold, --precision and --recall for {label}.")
            limits.pop(label, None)
        limits |= {each.label: each.value for each in typed}
        not_sure, confidence = (None, CONFIDENCE)
        if stored is not None:
            not_sure, confidence = stored.not_sure, stored.confidence
        if self.not_sure is not None:
            by_name = {str(label): label for label in labels}
            not_sure = by_name.get(self.not_sure, self.not_sure)
        if self.confidence is not None:
            if not_sure is None:
                raise UsageError("--confidence is for --not-sure LABEL; give both.")
            confidence = self.confidence
        if not limits and not_sure is None:
            return None
        return Decision(limits, not_sure, confidence)

    @property
    def is_typed(self) -> bool:
        """Whether an option says how to decide."""
        return bool(self.threshold) or self.not_sure is not None or self.confidence is not None

    def note_uncalibrated(self, model: Model) -> None:
        """Note that thresholds were typed for probabilities that are not calibrated."""
        if self.is_typed and not model.is_calibrated and model.kind != "rules":
            cure = "; see `nabi calibrate`" if hasattr(model, "calibrate") else ""
            note(
                f"the probabilities of this model are not calibrated: 0.9 need not be right 9 "
                f"times out of 10{cure}"
            )


@dataclass(frozen=True)
class ChosenThresholds(Thresholds):
    """Thresholds that are typed, or chosen on the data for a precision or a recall."""

    precision: list[str] = option(
        "Choose the threshold of C for a precision of at least P. Of such thresholds, the one with "
        "the highest recall is taken. With two classes, a bare P means the second class.",
        "C=P,...",
        first=True,
    )
    recall: list[str] = option(
        "Choose the threshold of C with recall at least R and the highest precision.", "C=R,..."
    )
    keep: bool = flag(
        "Store the thresholds and the not-sure label in MODEL, where `nabi predict` uses them.",
        first=True,
    )

    def chosen(self, labels: list[Label]) -> "list[Asked]":
        """Return the classes whose thresholds are to be chosen."""
        found = every_asked(self.precision, "precision", labels)
        return found + every_asked(self.recall, "recall", labels)

    def check_keep(self, prior: str | None) -> None:
        """Refuse to keep what was not asked for, or what holds for another prior."""
        if not self.keep:
            return
        if not (self.is_typed or self.precision or self.recall):
            raise UsageError("--keep needs --threshold, --precision, --recall or --not-sure.")
        if prior is not None:
            raise UsageError("--keep stores thresholds for the model's own prior; omit --prior.")


@dataclass(frozen=True)
class Asked:
    """A threshold, or the precision or recall that it is to reach, of one class."""

    by: str
    label: Label
    value: float

    def threshold(self, actual: Sequence[Label], found: Shortlist) -> float:
        """Return the least probability with which the class is predicted."""
        from nabi.metrics import precision_recall_curve, threshold_for

        positive = np.array([label == self.label for label in actual], bool)
        if not positive.any():
            raise InputError(
                f"--{self.by} {self.label}={self.value:g}: no row is labelled {self.label!r}; "
                f"choose a threshold on data that have some"
            )
        curve = precision_recall_curve(positive, found.proba(self.label))
        return threshold_for(curve, **{self.by: self.value}).threshold


def every_asked(typed: Sequence[str] | None, by: str, labels: list[Label]) -> list[Asked]:
    """['a=0.9,b=0.5', 'c=0.7'] -> three classes, each with its number"""
    return [asked(each, by, labels) for given in typed or () for each in _items(given, labels)]


def _items(typed: str, labels: list[Label]) -> list[str]:
    """'a=0.9,b=0.5' -> both; a class with a comma in its name, or `a=0,9`, stays whole"""
    name, names = typed.rpartition("=")[0], {str(label) for label in labels}
    items = typed.split(",")
    is_one = name in names or name.strip() in names or not all("=" in item for item in items)
    return [typed] if is_one else items


def asked(typed: str, by: str, labels: list[Label]) -> Asked:
    """'spam=0.9', or of two classes '0.9' for the second -> the class and its number"""
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
    return Asked(by, named_label(name, labels) if name else labels[1], value)


def named_classes(decision: Decision | None, chosen: Sequence[Asked]) -> list[Label]:
    """Return the classes that have a threshold, or are to have one."""
    limits = {} if decision is None else decision.thresholds
    return [*limits, *(each.label for each in chosen)]


def with_chosen(
    decision: Decision | None, chosen: Sequence[Asked], actual: Sequence[Label], found: Shortlist
) -> Decision | None:
    """Return the decision with the thresholds that are chosen on the data."""
    if not chosen:
        return decision
    limits = {each.label: each.threshold(actual, found) for each in chosen}
    if decision is None:
        return Decision(limits)
    return replace(decision, thresholds={**decision.thresholds, **limits})


def note_learned(overlap: "Overlap | None", chosen: Sequence[Asked]) -> None:
    """Note that thresholds were chosen on texts that the model has learned."""
    if chosen and overlap is not None and overlap.learned.any():
        n, total = int(overlap.learned.sum()), len(overlap.learned)
        note(
            f"the model has learned {n:,} of the {how_many(total, overlap.noun)} on which the "
            f"threshold was chosen, so that it may be too low for new ones; choose it on "
            f"{overlap.noun}s that the model has not learned"
        )


def note_other_probabilities(model: Model) -> None:
    """Note that the thresholds of a model were chosen for other probabilities than it has."""
    if model.decision is not None and model.decision.thresholds:
        note(
            f"the thresholds stay ({decision_line(model.decision)}), but probabilities have "
            f"changed; choose them again by `nabi evaluate --precision C=P --keep`"
        )


# ---- what is shown ----


def threshold_figures(
    decision: Decision | None, chosen: Sequence[Asked], found: "Evaluation", beta: float
) -> list[dict[str, Any]]:
    """Return each threshold with precision and recall of its class."""
    if decision is None:
        return []
    matrix, names = found.matrix, [str(label) for label in found.matrix.labels]
    rows, by_label = matrix.per_class(beta=beta), {each.label: each for each in chosen}
    intervals = matrix.precision_interval(), matrix.recall_interval()
    figures = []
    for label, limit in decision.thresholds.items():
        i, own = names.index(str(label)), by_label.get(label)
        precision, recall = ([float(end[i]) for end in ends] for ends in intervals)
        figures.append(
            {
                "class": str(label),
                "threshold": limit,
                "chosen_by": own and own.by,
                "wanted": own and own.value,
                "precision": float(rows[i].precision),
                "precision_interval": precision,
                "recall": float(rows[i].recall),
                "recall_interval": recall,
                "f": float(rows[i].f),
            }
        )
    return figures


def print_thresholds(figures: list[dict[str, Any]], beta: float) -> None:
    """Print what `threshold_figures` returns."""
    for found in figures:
        label, threshold = found["class"], found["threshold"]
        names = ("precision", "recall")
        rates = [with_interval(name, found[name], found[f"{name}_interval"]) for name in names]
        say("", f"{label} where P({label}|d) >= {as_limit(threshold)}, else the best other class:")
        say(f"  {', '.join(rates)}, F{beta:g} {found['f']:.4f}")
        if found["chosen_by"]:
            say(
                f"  chosen for {found['chosen_by']} {found['wanted']:g} on these very rows, so "
                f"these figures are optimistic; check it on others by --threshold "
                f"{label}={threshold!r}"
            )

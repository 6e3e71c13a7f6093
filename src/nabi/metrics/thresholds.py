"""Decision: thresholds of classes, and a label for what is not sure."""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import ROUND_DOWN, Decimal
from typing import Any, NamedTuple, Self

import numpy as np

from nabi.base.arrays import F64, I64, Array, Bools
from nabi.base.checks import real_number
from nabi.base.labels import Label, as_array, check_same_kind, encode, label_codes, shown
from nabi.errors import InputError

CONFIDENCE = 0.8  # below it a class without a threshold is not sure
NOT_SURE = -1
LEAST = float(np.finfo(np.float64).min)


@dataclass(frozen=True)
class Decision:
    """Thresholds of classes, and a label for what is not sure.

    A row gets its label in three steps:

    1. A class with a threshold is predicted if its probability is at least the threshold; of
       several such classes the most probable one.
    2. Otherwise, the most probable class without a threshold is predicted. With a `not_sure` label
       its probability has to be at least `confidence`.
    3. Otherwise, the row is not sure: it gets the `not_sure` label. Where there is none, all
       classes have thresholds that are not reached, and the most probable class is predicted.

    Of equally probable classes the first is predicted.

    Parameters
    ----------
    thresholds : dict
        From a class to the least probability with which it is predicted.
    not_sure : str, int, float or bool, optional
        The label of what is not sure. It may be a class.
    confidence : float
        The least probability of a class without a threshold, where there is a `not_sure` label.

    Examples
    --------
    >>> decision = Decision({"spam": 0.9}, not_sure="unsure", confidence=0.7)
    >>> proba = np.array([[0.05, 0.95], [0.2, 0.8], [0.75, 0.25]])
    >>> decision.labels(np.log(proba), ["ham", "spam"]).tolist()
    ['spam', 'unsure', 'ham']
    """

    thresholds: Mapping[Label, float] = field(default_factory=dict)
    not_sure: Label | None = None
    confidence: float = CONFIDENCE

    def __post_init__(self) -> None:
        classes, _ = encode(list(self.thresholds))
        given = dict(zip(classes, self.thresholds.values(), strict=True))
        limits = {
            label: real_number(f"the threshold of {label!r}", given[label], 0, 1) + 0.0
            for label in sorted(given)
        }
        if self.not_sure is not None:
            object.__setattr__(self, "not_sure", encode([self.not_sure])[0][0])
        elif not limits:
            raise InputError("neither thresholds nor a not_sure label; a decision has one of them")
        object.__setattr__(self, "thresholds", limits)
        least = real_number("confidence", self.confidence, 0, 1) + 0.0
        object.__setattr__(self, "confidence", least)

    def check(self, labels: Sequence[Label]) -> None:
        """Refuse thresholds of classes that are not among the labels of a model."""
        check_same_kind(labels, list(self.thresholds))
        unknown = [label for label in self.thresholds if label not in labels]
        if unknown:
            raise InputError(
                f"a threshold of {unknown[0]!r}, which is no class; the classes are {shown(labels)}"
            )

    def outcomes(self, labels: Sequence[Label]) -> list[Label]:
        """The labels that can be predicted: those of a model, and that of what is not sure."""
        more = [] if self.not_sure is None or self.not_sure in labels else [self.not_sure]
        return [*labels, *more]

    def numbers(self, log_proba: F64, labels: Sequence[Label]) -> I64:
        """The index of each row's label among `outcomes(labels)`."""
        return self.coded(self.chosen(log_proba, self.limits(labels)), labels)

    def labels(self, log_proba: F64, labels: Sequence[Label]) -> Array:
        """The label of each row of log P(c|d), which has a column for each of the labels."""
        return np.asarray(as_array(self.outcomes(labels))[self.numbers(log_proba, labels)])

    def one(self, log_proba: F64, labels: Sequence[Label]) -> "Decided":
        """Decide on one row of log P(c|d); say why where the class is not the most probable."""
        chosen = int(self.chosen(log_proba[None], self.limits(labels))[0])
        top, proba = int(np.argmax(log_proba)), np.exp(log_proba).tolist()
        limit = self.thresholds.get(labels[top])
        reasons = (
            [] if limit is None else [_below(labels[top], proba[top], limit, "its threshold ")]
        )
        if chosen != NOT_SURE:
            own = self.thresholds.get(labels[chosen])
            if own is not None:
                most = f"{labels[top]} has {proba[top]:.4f}"
                reasons = [f"it reaches its threshold {as_limit(own)}, though {most}"]
            return Decided(labels[chosen], chosen, None if chosen == top else reasons[0])
        others = [i for i, label in enumerate(labels) if label not in self.thresholds]
        if others:
            best = max(others, key=lambda i: proba[i])
            reasons.append(_below(labels[best], proba[best], self.confidence, ""))
        assert self.not_sure is not None
        number = labels.index(self.not_sure) if self.not_sure in labels else None
        return Decided(
            self.not_sure, number, " and ".join(["not sure: " + reasons[0], *reasons[1:]])
        )

    def limits(self, labels: Sequence[Label]) -> F64:
        """The threshold of each label, NaN where it has none."""
        return np.array([self.thresholds.get(label, np.nan) for label in labels], np.float64)

    def chosen(self, log_proba: F64, limits: F64) -> I64:
        """The column that is chosen in each row, NOT_SURE where none is; each has its limit."""
        proba, has_limit = np.exp(log_proba), ~np.isnan(limits)
        reached: Bools = np.asarray(has_limit & (proba >= limits))
        is_reached: Bools = np.asarray(reached.any(axis=1))
        may_be = np.where(is_reached[:, None], reached, ~has_limit | has_limit.all())
        # A class of probability 0 may be chosen, one that may not be never.
        scores = np.where(may_be, np.maximum(log_proba, LEAST), -np.inf)
        chosen: I64 = scores.argmax(axis=1)
        if self.not_sure is None:
            return chosen
        best = np.take_along_axis(proba, chosen[:, None], axis=1)[:, 0]
        sure = is_reached | ((best >= self.confidence) & ~has_limit.all())
        return np.where(sure, chosen, NOT_SURE)

    def coded(self, chosen: I64, labels: Sequence[Label]) -> I64:
        """The indexes among `outcomes(labels)` of chosen columns, of which some are NOT_SURE."""
        if self.not_sure is None:
            return chosen
        own = int(label_codes([self.not_sure], labels, unknown=len(labels))[0])
        return np.where(chosen == NOT_SURE, own, chosen)

    def relabelled(self, new: Mapping[Label, Label | None]) -> Self | None:
        """The decision where classes have new names (None: dropped); None if nothing is left.

        The threshold of a renamed class goes with it; of joined or dropped classes none is left.
        """
        times = Counter(new.values())
        limits = {
            name: limit
            for label, limit in self.thresholds.items()
            if (name := new.get(label, label)) is not None and times[name] == 1
        }
        if self.not_sure is None:
            return replace(self, thresholds=limits) if limits else None
        name = new.get(self.not_sure)
        return replace(self, thresholds=limits, not_sure=self.not_sure if name is None else name)

    # ---- in JSON's terms ----

    def to_dict(self) -> dict[str, Any]:
        """The decision in JSON's terms, for a model file."""
        sure = None if self.not_sure is None else [self.not_sure, self.confidence]
        return {"thresholds": [list(pair) for pair in self.thresholds.items()], "not_sure": sure}

    @classmethod
    def from_dict(cls, stored: Any, labels: Sequence[Label]) -> Self:
        """The decision of a file, which may be hostile, for a model with these labels."""
        thresholds, sure = stored["thresholds"], stored["not_sure"]
        not_sure, confidence = (None, CONFIDENCE) if sure is None else sure
        made = cls(dict(thresholds), not_sure, confidence)
        if str(made) != json.dumps(stored, sort_keys=True):
            raise ValueError("a decision that no model has")
        check_same_kind(labels, list(made.thresholds))
        return made

    def __str__(self) -> str:
        """The decision as JSON."""
        return json.dumps(self.to_dict(), sort_keys=True)


def as_limit(limit: float) -> str:
    """0.8555669864189536 -> '0.8555': rounded down, so that what reaches it is not below it"""
    exact = Decimal(repr(limit))
    step = Decimal(1).scaleb(exact.adjusted() - 3)  # of the fourth digit
    return repr(min(limit, float(exact.quantize(step, ROUND_DOWN))))


def _below(label: Label, proba: float, limit: float, name: str) -> str:
    """'spam has 0.8123, below its threshold 0.99'"""
    shown = f"{proba:.4f}", as_limit(limit)
    if float(shown[0]) >= float(shown[1]):  # too near to be told apart by few digits
        shown = repr(proba), repr(limit)
    return f"{label} has {shown[0]}, below {name}{shown[1]}"


class Decided(NamedTuple):
    """Decision on a row."""

    label: Label
    number: int | None  # of the class; None where the label is none
    why: str | None  # where another class is more probable, or none is sure


class Shortlist:
    """Numbers of all rows that decisions need before their thresholds are known.

    The log probabilities of classes that have or will have a threshold, and the best of the others.
    """

    def __init__(self, labels: Sequence[Label], named: Sequence[Label]) -> None:
        self.all_labels, self.named = labels, list(named)
        self._own = label_codes(named, labels)
        self._parts: list[F64] = []
        self._others: list[I64] = []

    def add(self, log_proba: F64) -> None:
        """Add rows, with a column for each of the labels."""
        columns = [log_proba[:, self._own]]
        if len(self.named) < len(self.all_labels):
            others = np.maximum(log_proba, LEAST)
            others[:, self._own] = -np.inf
            best = others.argmax(axis=1)
            self._others.append(best)
            columns.append(np.take_along_axis(log_proba, best[:, None], axis=1))
        self._parts.append(np.hstack(columns))

    @property
    def log_proba(self) -> F64:
        """The log probabilities: a column for each named class, and one of the best other."""
        self._parts = [np.concatenate(self._parts)]
        return self._parts[0]

    def proba(self, label: Label) -> F64:
        """P(c|d) of a named class."""
        proba: F64 = np.exp(self.log_proba)[:, self.named.index(label)]
        return proba

    def numbers(self, decision: Decision) -> I64:
        """The index of each row's label, as by `Decision.numbers`."""
        limits = np.append(decision.limits(self.named), np.nan)
        chosen = decision.chosen(self.log_proba, limits[: self.log_proba.shape[1]])
        codes = np.append(self._own, NOT_SURE)[chosen]
        if self._others:
            codes = np.where(chosen == len(self.named), np.concatenate(self._others), codes)
        return decision.coded(codes, self.all_labels)

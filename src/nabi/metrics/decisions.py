"""Decisions from probabilities: by thresholds, at the least cost, or none where none is sure."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Self

import numpy as np

from nabi.base.arrays import F64, I64, Array, Bools
from nabi.base.checks import real_number
from nabi.base.labels import Label, as_array, check_same_kind, encode, label_codes, shown
from nabi.errors import InputError
from nabi.metrics.curves import cumulative_counts
from nabi.metrics.inputs import Predictions, checked_proba, distinct_labels, real_table


class Band(NamedTuple):
    """The rows that are sure, their share, and their accuracy (None without actual labels)."""

    decided: Bools
    coverage: float
    accuracy: float | None


class CoverageCurve(NamedTuple):
    """The share of rows decided, and their accuracy, for each `least` from the largest down."""

    least: F64
    coverage: F64
    accuracy: F64


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

    # ---- in JSON's terms ----

    def to_dict(self) -> dict[str, Any]:
        """The decision in JSON's terms, for a model file."""
        sure = None if self.not_sure is None else [self.not_sure, self.confidence]
        return {"thresholds": [list(pair) for pair in self.thresholds.items()], "not_sure": sure}

    @classmethod
    def from_dict(cls, stored: Any, labels: Sequence[Label]) -> Self:
        """The decision of a file, which may be hostile, for a model with these labels."""
        thresholds, sure = stored["thresholds"], stored["not_sure"]
        more = () if sure is None else (sure[0], sure[1])
        made = cls(dict(thresholds), *more)
        if str(made) != json.dumps(stored, sort_keys=True):
            raise ValueError("a decision that no model has")
        check_same_kind(labels, list(made.thresholds))
        return made

    def __str__(self) -> str:
        """The decision as JSON."""
        return json.dumps(self.to_dict(), sort_keys=True)


class Shortlist:
    """What decisions need of log P(c|d) where thresholds are not known yet, of all rows.

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


def cheapest(proba: Any, cost: Any, *, labels: Any = None) -> Array:
    """The decision of least expected cost for each row; of equal ones the first.

    Parameters
    ----------
    proba : array
        A row for each text, a column for each class; or one column, of the second of two classes.
    cost : array
        `cost[s, c]` is the cost of saying s where c is true. There may be more decisions than
        classes, such as "ask a person".
    labels : list, optional
        The name of each row of `cost`. Default: the index of the row.

    Examples
    --------
    >>> cost = [[0, 1], [20, 0]]  # to call mail spam that is ham costs 20
    >>> cheapest([[0.1, 0.9], [0.01, 0.99]], cost, labels=["ham", "spam"]).tolist()
    ['ham', 'spam']
    """
    checked = checked_proba(proba)
    costs = real_table(cost, "cost").astype(np.float64)
    if costs.ndim != 2 or not costs.size or not np.isfinite(costs).all():
        raise InputError(
            "cost is no table of finite numbers; expected cost[said, gold], like [[0, 1], [9, 0]]"
        )
    if costs.shape[1] != checked.shape[1]:
        raise InputError(
            f"cost has {costs.shape[1]} columns, but proba has {checked.shape[1]}; expected "
            f"cost[said, gold] with one column for each class"
        )
    expected = np.zeros((len(checked), len(costs)))
    for c in range(checked.shape[1]):  # in order: the sum of a row depends on no other row
        expected += checked[:, c, None] * costs[:, c]
    said = expected.argmin(axis=1)
    if labels is None:
        return np.asarray(said)
    names = distinct_labels(labels)
    if len(names) != len(costs):
        raise InputError(
            f"cost has {len(costs)} rows, but there are {len(names)} labels; name each row"
        )
    return np.asarray(as_array(names)[said])


def not_sure(proba: Any, least: float, gold: Any = None, *, labels: Any = None) -> Band:
    """Decide only where the largest probability reaches `least`.

    Parameters
    ----------
    proba, labels
        As in `log_loss`.
    least : float
        The least probability that is sure enough.
    gold : list or array, optional
        The actual labels; without them there is no accuracy. It is 0.0 where no row is decided.

    Examples
    --------
    >>> proba = [[0.9, 0.1], [0.4, 0.6], [0.2, 0.8]]
    >>> band = not_sure(proba, 0.7, ["ham", "spam", "ham"])
    >>> band.decided.tolist(), round(band.coverage, 2), band.accuracy
    ([True, False, True], 0.67, 0.5)
    """
    least = real_number("least", least, 0, 1)
    if gold is None:
        decided, accuracy = checked_proba(proba).max(axis=1) >= least, None
    else:
        predictions = Predictions.of(proba, gold, labels)
        decided = predictions.confidence >= least
        accuracy = float(predictions.correct[decided].mean()) if decided.any() else 0.0
    return Band(decided, float(decided.mean()), accuracy)


def coverage_curve(proba: Any, gold: Any, *, labels: Any = None) -> CoverageCurve:
    """The results of `not_sure` for each `least` that makes a difference.

    Examples
    --------
    >>> proba = [[0.9, 0.1], [0.4, 0.6], [0.2, 0.8]]
    >>> curve = coverage_curve(proba, ["ham", "spam", "ham"])
    >>> curve.least.tolist(), curve.accuracy.round(2).tolist()
    ([0.9, 0.8, 0.6], [1.0, 0.5, 0.67])
    """
    predictions = Predictions.of(proba, gold, labels)
    wrong, correct, least = cumulative_counts(predictions.correct, predictions.confidence)
    decided = wrong + correct
    return CoverageCurve(least, decided / decided[-1], correct / decided)

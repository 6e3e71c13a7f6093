"""How rules do on labelled documents: what each covers, how often it is right, who contradicts."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from nabi.base.arrays import Array, Bools
from nabi.errors import InputError
from nabi.rules.language import Rule
from nabi.rules.ruleset import RuleSet, UnknownLabel


@dataclass(frozen=True)
class CheckedRule:
    """A rule and its counts among so many documents."""

    rule: Rule
    documents: int
    matched: int  # for how many it holds
    decided: int  # for how many it is the first that holds
    right: int  # of those it holds for, how many have one of its labels
    conflicts: int  # of those it holds for, how many an earlier rule gives none of its labels

    @property
    def coverage(self) -> float:
        """The share of all documents for which it holds."""
        return self.matched / self.documents if self.documents else 0.0

    @property
    def precision(self) -> float | None:
        """The share of those that have one of its labels; None where it holds for none."""
        return self.right / self.matched if self.matched else None

    def to_dict(self) -> dict[str, Any]:
        """The rule, its counts, and the shares of them."""
        names = ("matched", "coverage", "decided", "right", "precision", "conflicts")
        return {**self.rule.to_dict(), **{name: getattr(self, name) for name in names}}


class RulesCheck:
    r"""Counts for each rule, summed over any number of parts of the data.

    Examples
    --------
    >>> rules = RuleSet.parse("won -> spam\nlunch -> ham\nwon and lunch -> ham")
    >>> check = RulesCheck(rules).add(["you won", "won lunch", "lunch"], ["spam", "ham", "ham"])
    >>> [(each.matched, each.right, each.conflicts) for each in check.rules]
    [(2, 1, 0), (2, 2, 1), (1, 1, 1)]
    >>> check.covered, check.right
    (3, 2)
    """

    def __init__(self, rules: RuleSet) -> None:
        self.of = rules
        self.documents = self.covered = self.right = 0
        self.labels: set[str] = set()  # of the documents
        self._sums = np.zeros((4, len(rules.rules)), np.int64)
        self._labels = [frozenset(rule.labels) for rule in rules.rules]

    def add(self, documents: Any, labels: Any) -> "RulesCheck":
        """Count more documents with their labels."""
        held = self.of.matches(documents)
        actual = np.array([str(label) for label in labels], object)
        if len(actual) != len(held):
            raise InputError(f"{len(held)} documents and {len(actual)} labels")
        first = np.where(held.any(axis=1), held.argmax(axis=1), -1)
        # Only where a rule holds: all pairs of rules, or of rules and documents, are many more.
        which, rule = np.nonzero(held)
        decided = first[which] == rule
        right, conflicts = self._agreement(actual[which], first[which], rule)
        counts = (np.ones(len(rule), bool), decided, right, conflicts)
        self._sums += [np.bincount(rule[each], minlength=len(self._labels)) for each in counts]
        self.labels.update(actual.tolist())
        self.documents += len(held)
        self.covered += int(decided.sum())
        given = np.array([rule.label for rule in self.of.rules], object)[first]
        self.right += int(np.sum((given == actual) & (first >= 0)))
        return self

    def _agreement(self, actual: Array, first: Array, rule: Array) -> tuple[Bools, Bools]:
        """Whether rules that hold give the actual label; and none of those of the first one."""
        told, pairs = self._labels, zip(actual.tolist(), first.tolist(), rule.tolist(), strict=True)
        found = [(label in told[r], told[f].isdisjoint(told[r])) for label, f, r in pairs]
        right, apart = np.array(found, bool).reshape(-1, 2).T
        return right, apart

    @property
    def rules(self) -> list[CheckedRule]:
        """The counts of each rule, in their order."""
        rows = zip(self.of.rules, self._sums.T.tolist(), strict=True)
        return [CheckedRule(rule, self.documents, *counts) for rule, counts in rows]

    @property
    def unknown_labels(self) -> list[UnknownLabel]:
        """Labels of rules that no document has; none where there are no documents."""
        return self.of.unknown_labels(sorted(self.labels)) if self.documents else []

    def to_dict(self) -> dict[str, Any]:
        """The counts of all rules together, and of each."""
        rules = [each.to_dict() for each in self.rules]
        unknown = [each.to_dict() for each in self.unknown_labels]
        counts = {"covered": self.covered, "right": self.right}
        return {**counts, "unknown_labels": unknown, "rules": rules}

"""Why rules and a model together decided as they did."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from nabi.base.labels import Label
from nabi.rules.language import Rule
from nabi.rules.ruleset import RuleExplanation


@dataclass(frozen=True)
class RuleTerm:
    """A rule and what it adds to the log joint of each class, holding or not."""

    rule: Rule
    holds: bool
    weights: Mapping[Label, float]
    counts: Mapping[Label, tuple[int, int]]  # for how many documents it held, and of how many

    def __str__(self) -> str:
        """The weight for each class, and the counts behind it."""
        does = "holds" if self.holds else "does not hold"
        seen = ", ".join(f"{label} {n} of {total}" for label, (n, total) in self.counts.items())
        added = ", ".join(f"{label} {weight:+.4f}" for label, weight in self.weights.items())
        return f"  line {self.rule.line} {does}: {added}  (held for: {seen})\n    {self.rule}"


@dataclass(frozen=True)
class RuledExplanation:
    """A decision by rules and a model.

    With how="evidence", joint[c] = model.joint[c] + sum of the terms' weights[c] for each class c.
    """

    label: Label
    proba: Mapping[Label, float]
    joint: Mapping[Label, float]
    rules: RuleExplanation
    model: Any  # its own explanation
    terms: tuple[RuleTerm, ...]  # empty where a rule decides

    def __str__(self) -> str:
        """The decision, written out."""
        if self.terms:
            head = f"{self.label}  ({self.proba[self.label]:.4f}, with the evidence of rules)"
            return "\n".join([head, "", *map(str, self.terms), "", f"the model: {self.model}"])
        if self.rules.rule is None:
            return f"no rule holds; the model decides\n\n{self.model}"
        alone = f"{self.model.label}  ({self.model.proba[self.model.label]:.4f})"
        return f"{self.rules}\n\na rule decides; the model alone: {alone}"

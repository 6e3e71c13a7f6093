"""Why rules, alone or with a model, decided as they did."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from nabi.base.labels import Label
from nabi.base.printable import printable
from nabi.explain.explanation import BaseExplanation, as_json
from nabi.explain.parts import Part, Title
from nabi.rules.documents import Hit
from nabi.rules.language import Rule

UNNAMED = "(no label)"


@dataclass(frozen=True)
class RuleExplanation(BaseExplanation):
    """A decision by rules: the first rule that holds, and what it found."""

    KEYS = ("label", "labels", "rule", "hits", "others", "file")

    decided_by = None
    label: str | None
    labels: tuple[str, ...]  # all that the rules say, those of the first rule first
    rule: Rule | None  # the one that decides; None where none holds
    hits: tuple[Hit, ...]  # what it found, in order
    others: tuple[Rule, ...]  # later rules that hold as well
    file: str | None = None

    @property
    def _where(self) -> str:
        return "no rule holds" if self.rule is None else self.rule.where(self.file)

    def parts(self, top: int = 0) -> Iterator[Part]:
        """The decision, the rule with what it found, and the other rules."""
        yield Title(str(self.label or UNNAMED), self._where)
        if self.rule is not None:
            hits = [f"  {hit.field}[{hit.begin}:{hit.end}]  {hit.text!r}" for hit in self.hits]
            yield "\n".join([f"  {self.rule}", *hits])
        if self.others:
            later = [f"  {rule.where(self.file)}: {rule}" for rule in self.others]
            yield "\n".join(["later rules that hold as well:", *later])

    def __str__(self) -> str:
        """The decision, written out."""
        _, *blocks = self.parts()
        return printable("\n\n".join([f"{self.label}  ({self._where})", *map(str, blocks)]), "\n")


@dataclass(frozen=True)
class RuleTerm:
    """A rule and what it adds to the log joint of each class, holding or not."""

    rule: Rule
    holds: bool
    weights: Mapping[Label, float]
    counts: Mapping[Label, tuple[int, int]]  # for how many documents it held, and of how many

    def __str__(self) -> str:
        """Return the weights of the rule, and the counts behind them."""
        does = "holds" if self.holds else "does not hold"
        seen = ", ".join(f"{label} {n} of {total}" for label, (n, total) in self.counts.items())
        added = ", ".join(f"{label} {weight:+.4f}" for label, weight in self.weights.items())
        return f"  line {self.rule.line} {does}: {added}  (held for: {seen})\n    {self.rule}"

    def to_dict(self) -> dict[str, Any]:
        """The rule and what it adds, in JSON's terms."""
        own = {name: as_json(getattr(self, name)) for name in ("holds", "weights", "counts")}
        return {**self.rule.to_dict(), **own}


@dataclass(frozen=True)
class RuledExplanation(BaseExplanation):
    """A decision by rules and a model.

    With how="evidence", joint[c] = model.joint[c] + sum of the terms' weights[c] for each class c.
    """

    KEYS = ("label", "decided_by", "proba", "joint", "rules", "terms", "model")

    label: Label
    proba: Mapping[Label, float]
    joint: Mapping[Label, float]
    rules: RuleExplanation
    model: Any  # its own explanation
    terms: tuple[RuleTerm, ...]  # empty where a rule decides
    decided_by: str | None = None

    def by_ngrams(self) -> "RuledExplanation":
        """The explanation whose model shows character n-grams one by one."""
        return replace(self, model=self.model.by_ngrams())

    def parts(self, top: int) -> Iterator[Part]:
        """Yield the parts of the rules, then those of the model."""
        if self.terms:
            yield self._title(", with the evidence of rules")
            yield "\n".join(map(str, self.terms))
            yield "the model alone:"
            yield from self.model.parts(top)
        elif self.rules.rule is None:
            yield "no rule holds; the model decides:"
            yield from self.model.parts(top)
        else:
            yield from self.rules.parts()
            yield f"a rule decides; the model alone: {self._alone('probability ')}"

    def __str__(self) -> str:
        """The decision, written out."""
        if self.terms:
            head = f"{self.label}  ({self.sureness()}, with the evidence of rules)"
            every = [head, "", *map(str, self.terms), "", f"the model: {self.model}"]
            return printable("\n".join(every), "\n")
        if self.rules.rule is None:
            return f"no rule holds; the model decides\n\n{self.model}"
        alone = f"{self.rules}\n\na rule decides; the model alone: {self._alone()}"
        return printable(alone, "\n")

    def _alone(self, name: str = "") -> str:
        """Decision of the model without the rules, and how sure it is."""
        return f"{printable(str(self.model.label))}  ({self.model.sureness(name)})"

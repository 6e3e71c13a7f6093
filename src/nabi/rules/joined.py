"""RuledClassifier: rules and a model that learns, joined."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from nabi import labels as label_kinds
from nabi.cells import F64
from nabi.classifier import Classifier
from nabi.errors import InputError, NotFittedError
from nabi.labels import Label
from nabi.rules.documents import documents_of, text_of
from nabi.rules.language import Rule
from nabi.rules.ruleset import RuleExplanation, RuleSet

HOW = ("decides", "evidence")


@dataclass(frozen=True)
class RuleTerm:
    """A rule and what it adds to the log joint of each class, holding or not."""

    rule: Rule
    holds: bool
    weights: Mapping[Label, float]
    counts: Mapping[Label, tuple[int, int]]  # for how many documents it held, and of how many


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
            return "\n".join([head, "", *map(_line, self.terms), "", f"the model: {self.model}"])
        if self.rules.rule is None:
            return f"no rule holds; the model decides\n\n{self.model}"
        alone = f"{self.model.label}  ({self.model.proba[self.model.label]:.4f})"
        return f"{self.rules}\n\na rule decides; the model alone: {alone}"


def _line(term: RuleTerm) -> str:
    does = "holds" if term.holds else "does not hold"
    seen = ", ".join(f"{label} {n} of {total}" for label, (n, total) in term.counts.items())
    added = ", ".join(f"{label} {weight:+.4f}" for label, weight in term.weights.items())
    return f"  line {term.rule.line} {does}: {added}  (held for: {seen})\n    {term.rule}"


class RuledClassifier:
    """A model that learns, and rules that decide before it or speak beside it.

    Parameters
    ----------
    model : TextClassifier or TableClassifier
    rules : RuleSet
        Its labels are classes of the model, by their names.
    how : {"decides", "evidence"}
        "decides": where a rule holds, its label is the answer. "evidence": each rule is one more
        feature, which holds or not; what that says of a class is counted, as a Bernoulli model
        counts a word, with `alpha` added.
    alpha : float
        The smoothing of rules as evidence.

    Examples
    --------
    >>> import nabi
    >>> from nabi.rules import RuledClassifier, RuleSet
    >>> model = nabi.TextClassifier().fit(["you won", "lunch at one"], ["spam", "ham"])
    >>> both = RuledClassifier(model, RuleSet.parse("invoice -> spam"))
    >>> both.predict(["the invoice for lunch at one", "lunch"]).tolist()
    ['spam', 'ham']
    """

    def __init__(
        self, model: Classifier, rules: RuleSet, *, how: str = "decides", alpha: float = 1.0
    ) -> None:
        if how not in HOW:
            raise InputError(f"how={how!r}; there are: {', '.join(HOW)}")
        if not isinstance(alpha, int | float) or not 0 < alpha <= 1e9:
            raise InputError(f"alpha={alpha!r}; expected a number above 0, such as 1.0")
        self.model, self.rules, self.how, self.alpha = model, rules, how, alpha
        # Of each class: how many documents it has, then for how many of them each rule holds.
        self._counts: dict[Label, npt.NDArray[np.int64]] = {}

    # ---- learning ----

    def fit(self, documents: Any, labels: Any) -> Self:
        """Let the model learn, and count for which documents the rules hold."""
        given = list(documents)
        counts = self._counted(given, labels)
        self._learner.fit(self._for_model(given), labels)
        self._counts = counts
        return self

    def partial_fit(self, documents: Any, labels: Any) -> Self:
        """Learn more documents."""
        given = list(documents)
        counts = self._counted(given, labels)
        self._learner.partial_fit(self._for_model(given), labels)
        self._add(counts, 1)
        return self

    def forget(self, documents: Any, labels: Any) -> Self:
        """Take documents that were learned away again."""
        given = list(documents)
        counts = self._counted(given, labels)
        self._learner.forget(self._for_model(given), labels)
        self._add(counts, -1)
        return self

    def count(self, documents: Any, labels: Any) -> Self:
        """Count for which documents the rules hold, where the model has learned already."""
        self._add(self._counted(list(documents), labels), 1)
        return self

    def _counted(self, documents: list[Any], labels: Any) -> dict[Label, npt.NDArray[np.int64]]:
        kinds, numbers = label_kinds.encode(labels)
        if len(numbers) != len(documents):
            raise InputError(f"{len(documents)} documents and {len(numbers)} labels")
        held = self.rules.matches(documents).astype(np.int64)
        rows = np.hstack([np.ones((len(held), 1), np.int64), held])
        return {label: rows[numbers == i].sum(axis=0) for i, label in enumerate(kinds)}

    def _add(self, counts: dict[Label, npt.NDArray[np.int64]], sign: int) -> None:
        for label, row in counts.items():
            self._counts[label] = self._counts.get(label, np.zeros_like(row)) + sign * row

    # ---- predicting ----

    @property
    def classes_(self) -> npt.NDArray[Any]:
        """The labels, sorted."""
        return self.model.classes_

    def predict(self, documents: Any) -> npt.NDArray[Any]:
        """The label of each document."""
        given = list(documents)
        if self.how == "evidence":
            best = np.argmax(self._log_proba(given), axis=1)
        else:
            best = self.model.predict_numbers(self._for_model(given))
            decided = self._decided(given)
            best[decided >= 0] = decided[decided >= 0]
        labels: npt.NDArray[Any] = self.classes_[best]
        return labels

    def predict_proba(self, documents: Any) -> F64:
        """P(c|d), a column for each of `classes_`; 1 for the label of a rule that decides."""
        given = list(documents)
        if self.how == "evidence":
            return np.exp(self._log_proba(given))
        proba = self.model.predict_proba(self._for_model(given))
        decided = self._decided(given)
        rows = np.flatnonzero(decided >= 0)
        proba[rows] = 0.0
        proba[rows, decided[rows]] = 1.0
        return proba

    def explain(self, document: Any) -> RuledExplanation:
        """The label of a document, with the rule that decides or what each rule adds."""
        proba = self.predict_proba([document])[0]
        labels: list[Label] = self.classes_.tolist()
        model = self._learner.explain(self._for_model([document])[0])
        terms = self._terms(document, labels) if self.how == "evidence" else ()
        joint = {
            label: model.joint[label] + sum(term.weights[label] for term in terms)
            for label in labels
        }
        return RuledExplanation(
            label=self.predict([document]).tolist()[0],
            proba=dict(zip(labels, proba.tolist(), strict=True)),
            joint=joint,
            rules=self.rules.explain(document),
            model=model,
            terms=terms,
        )

    # ---- what rules say ----

    @property
    def _learner(self) -> Any:
        return self.model

    def _for_model(self, documents: list[Any]) -> list[Any]:
        """The documents as the model takes them."""
        if self.model.is_table:
            return documents
        documents_of(documents)  # refuses those without a text
        return [text_of(document) for document in documents]

    def _decided(self, documents: list[Any]) -> npt.NDArray[np.int64]:
        """The class that rules decide on; -1 where no rule holds."""
        place = {str(label): i for i, label in enumerate(self.classes_.tolist())}
        for rule in self.rules.rules:
            if rule.label not in place:
                where = f"{self.rules.file}:{rule.line}" if self.rules.file else f"line {rule.line}"
                raise InputError(
                    f"the rule at {where} says {rule.label!r}; the classes of the model are "
                    f"{label_kinds.shown(self.classes_.tolist())}"
                )
        held = self.rules.matches(documents)
        places = np.array([place[rule.label] for rule in self.rules.rules], np.int64)
        return np.where(held.any(axis=1), places[held.argmax(axis=1)], -1)

    def _log_proba(self, documents: list[Any]) -> F64:
        joint = self.model.joint_log_likelihood(self._for_model(documents))
        held, absent = self._weights()
        matches = self.rules.matches(documents)
        joint = joint + matches @ held + ~matches @ absent
        return self.model._normalised(joint, self.model._log_prior())

    def _weights(self) -> tuple[F64, F64]:
        """Log P(rule holds|c) and log P(it does not|c): a row for each rule, a column a class."""
        if not self._counts:
            raise NotFittedError(
                "it was not counted for which documents the rules hold; call fit(documents, "
                "labels), or count(documents, labels) if the model has learned already"
            )
        rows = np.array([self._row(label) for label in self.classes_.tolist()], np.float64)
        share = (rows[:, 1:] + self.alpha) / (rows[:, :1] + 2 * self.alpha)
        return np.log(share).T, np.log1p(-share).T

    def _row(self, label: Label) -> npt.NDArray[np.int64]:
        return self._counts.get(label, np.zeros(1 + len(self.rules.rules), np.int64))

    def _terms(self, document: Any, labels: list[Label]) -> tuple[RuleTerm, ...]:
        held, absent = self._weights()
        matches = self.rules.matches([document])[0].tolist()
        return tuple(
            RuleTerm(
                rule=rule,
                holds=holds,
                weights=dict(zip(labels, (held if holds else absent)[i].tolist(), strict=True)),
                counts={
                    label: (int(self._row(label)[1 + i]), int(self._row(label)[0]))
                    for label in labels
                },
            )
            for i, (rule, holds) in enumerate(zip(self.rules.rules, matches, strict=True))
        )

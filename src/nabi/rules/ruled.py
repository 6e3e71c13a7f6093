"""RuledClassifier: rules and a model that learns, joined."""

import math
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass
from itertools import pairwise
from operator import attrgetter
from typing import Any, Self

import numpy as np

from nabi._native import Batch
from nabi.base import labels as label_kinds
from nabi.base.arrays import F64, I64, Array, Bools, exact_sum
from nabi.base.checks import ABOVE_ZERO, one_of, real_number
from nabi.base.labels import Label
from nabi.errors import InputError, NotFittedError, NotLearnedError
from nabi.explain.builder import Verdict, by_label
from nabi.files.model_file import INNER
from nabi.metrics import Decision
from nabi.models.base import Arrays, Header, State, require
from nabi.models.counting import CountingModel
from nabi.models.table_parts import rows_of, typed_row
from nabi.readers import Part, Reader
from nabi.rules.classifier import ModelWithRules, certain
from nabi.rules.documents import TEXT, documents_of
from nabi.rules.evidence import RuledExplanation, RuleTerm
from nabi.rules.ruleset import RuleSet
from nabi.scoring.prior import Prior

COUNTS = "rule_counts"
MOST = 2**53  # documents
HOW = ("decides", "evidence")
RuleCounts = dict[Label, I64]


def _own(name: str, doc: str) -> Any:
    """A property that the model has."""
    return property(
        attrgetter(f"model.{name}"), lambda both, value: setattr(both.model, name, value), doc=doc
    )


@dataclass(eq=False, repr=False)
class RuledClassifier(ModelWithRules):
    """A model that learns, and rules that decide before it or speak beside it.

    Parameters
    ----------
    model : TextClassifier or TableClassifier
        Or another that answers, such as `NeighboursClassifier`, where rules decide.
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

    model: Any
    rules: RuleSet
    _: KW_ONLY
    how: str = "decides"
    alpha: float = 1.0

    kind = "ruled"

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of("how", self.how, HOW)
        expected = "a number above 0, such as 1.0"
        real_number("alpha", self.alpha, ABOVE_ZERO, 1e9, expected=expected)
        if isinstance(self.model, ModelWithRules):
            raise InputError("the model has rules itself; write all of them into one RuleSet")
        if self.how == "evidence" and not isinstance(self.model, CountingModel):
            raise InputError(
                f"how='evidence' adds to the counts of a TextClassifier or TableClassifier, not to "
                f"a {type(self.model).__name__}; take how='decides'"
            )
        # Of each class: how many documents it has, then for how many of them each rule holds.
        self._counts: RuleCounts = {}

    # ---- learning ----

    def fit(self, documents: Any, labels: Any) -> Self:
        """Let the model learn, and count for which documents the rules hold."""
        given, counts = self._counted(documents, labels)
        if self.how == "decides":
            self.rules.class_codes(sorted(counts))
        self.model.fit(given, labels)
        self._counts = counts
        return self

    def partial_fit(self, documents: Any, labels: Any) -> Self:
        """Learn more documents."""
        given, counts = self._counted(documents, labels)
        require(self.model, "partial_fit")(given, labels)
        self._add(counts)
        return self

    def forget(self, documents: Any, labels: Any) -> Self:
        """Take documents that were learned away again."""
        given, counts = self._counted(documents, labels)
        left = self._less(counts)
        require(self.model, "forget")(given, labels)
        self._counts |= left
        return self

    def learned(self, documents: Any, labels: Any = None, *, copies: bool = False) -> Bools:
        """Whether each document was learned with its label, as far as the model's ledger knows."""
        found: Bools = require(self.model, "learned")(
            self.inner_documents(documents), labels, copies=copies
        )
        return found

    def count(self, documents: Any, labels: Any) -> Self:
        """Count for which documents the rules hold, where the model has learned already."""
        self._add(self._counted(documents, labels)[1])
        return self

    def _counted(self, documents: Any, labels: Any) -> tuple[list[Any], RuleCounts]:
        """The documents as the model takes them, and their counts."""
        given = _listed(documents)
        kinds, numbers = label_kinds.encode(labels)
        if len(numbers) != len(given):
            raise InputError(f"{len(given)} documents and {len(numbers)} labels")
        rows = np.insert(self.rules.matches(given).astype(np.int64), 0, 1, axis=1)
        counts = {label: rows[numbers == i].sum(axis=0) for i, label in enumerate(kinds)}
        return self._for_model(given), counts

    def _add(self, counts: RuleCounts) -> None:
        for label, row in counts.items():
            self._counts[label] = self._row(label) + row

    def _less(self, counts: RuleCounts) -> RuleCounts:
        """The counts without some; the model may have learned what was not counted."""
        left = {label: self._row(label) - row for label, row in counts.items()}
        for label, row in left.items():
            if (row < 0).any() or (row > row[0]).any():
                if self.how == "evidence":
                    raise NotLearnedError(
                        f"documents of {label!r} were not counted for the rules, or not as often; "
                        f"nothing was changed"
                    )
                left[label] = np.clip(row, 0, max(0, row[0]))  # which nothing asks for
        return left

    # ---- predicting ----

    def predict_numbers(self, documents: Any, *, prior: Prior = None) -> I64:
        """The index of the label of each document in `classes_`."""
        given = _listed(documents)
        if self.how == "evidence":
            return np.asarray(np.argmax(self._joined(given, prior), axis=1))
        best = self.model.predict_numbers(self._for_model(given), prior=prior)
        decided = self._decided(given)
        return np.where(decided >= 0, decided, best)

    def predict_log_proba(self, documents: Any, *, prior: Prior = None) -> F64:
        """Log P(c|d), a column for each of `classes_`; 0 for the label of a rule that decides."""
        given = _listed(documents)
        if self.how == "evidence":
            return self._joined(given, prior)
        logs: F64 = self.model.predict_log_proba(self._for_model(given), prior=prior)
        decided = self._decided(given)
        rows = np.flatnonzero(decided >= 0)
        logs[rows] = certain(decided[rows], logs.shape[1])
        return logs

    @property
    def decision(self) -> Decision | None:
        """How `predict` decides, stored with the model; what a rule decides has probability 1."""
        found: Decision | None = self.model.decision
        return found

    def decide_by(self, decision: Decision | None) -> Self:
        """Let `predict` decide by thresholds, and have a label for what is not sure."""
        self.model.decide_by(decision)
        return self

    def explain(self, document: Any, *, prior: Prior = None) -> RuledExplanation:
        """The label of a document, with the rule that decides or what each rule adds."""
        labels = self._fitted()
        logs = self.predict_log_proba([document], prior=prior)[0]
        model = self.model.explain(self._for_model([document])[0], prior=prior)
        terms = self._terms(document, labels) if self.how == "evidence" else ()
        own = getattr(model, "joint", None) or {
            label: math.log(p) if p else -math.inf for label, p in model.proba.items()
        }
        joint = {
            label: exact_sum([own[label], *(term.weights[label] for term in terms)])
            for label in labels
        }
        best = int(self.predict_numbers([document], prior=prior)[0])
        verdict = Verdict(labels, logs, best).by(self.decision)
        return RuledExplanation(
            label=verdict.label,
            proba=by_label(labels, verdict.proba),
            joint=joint,
            rules=self.rules.explain(document),
            model=model,
            terms=terms,
            decided_by=verdict.decided_by,
        )

    # ---- what it knows ----

    def _fitted(self) -> list[Label]:
        labels: list[Label] = self.model.classes_.tolist()
        return labels

    class_count_ = _own("class_count_", "How many documents each class of the model has learned.")
    is_calibrated = _own("is_calibrated", "Whether the probabilities of the model are calibrated.")
    calibration_state = _own("calibration_state", "The state of the model's calibration.")
    calibration_age = _own("calibration_age", "What the model has learned since its calibration.")
    is_table = _own("is_table", "Whether the model takes rows of columns.")
    ledger = _own("ledger", "Whether the model keeps a ledger, and of which kind.")
    n_features_ = _own("n_features_", "The size of the model's vocabulary.")
    threads = _own("threads", "How many threads the model uses.")

    @property
    def columns_(self) -> dict[str, str]:
        """The event model of each column of a table, and the fields of the rules as texts."""
        return {**dict.fromkeys(self.fields, "text"), **self.model.columns_}

    @property
    def extent(self) -> dict[str, Any]:
        """How much the model knows."""
        return {"columns": self.columns_} if self.is_table else super().extent

    @property
    def facts(self) -> dict[str, Any]:
        """Settings that `nabi info` shows."""
        own = {"beside": type(self.model).__name__, "how": self.how, "alpha": self.alpha}
        return {**own, **self.rules.facts}

    def __sklearn_is_fitted__(self) -> bool:
        """Whether the model has learned."""
        return bool(self.model.__sklearn_is_fitted__())

    # ---- documents of files ----

    def documents(self, reader: Reader, *, text: str | None = None) -> Callable[[Part], Any]:
        """A function from a part of a file to its documents, with the fields of the rules."""
        if not self.is_table:
            return super().documents(reader, text=text)
        frames = self.model.documents(reader, text=text)
        return lambda part: rows_of(frames(part))

    def typed_document(self, text: str) -> Any:
        """The document that a person typed: a text, or a row or fields in JSON."""
        return typed_row(text, self.columns_) if self.is_table else super().typed_document(text)

    # ---- files ----

    def _state(self) -> State:
        own, arrays = self.model.stored()
        counted = sorted(label for label, row in self._counts.items() if row.any())
        rows = [self._counts[label] for label in counted]
        header = {
            "kind": "ruled",
            "labels": own["labels"],
            "ledger": own["ledger"],
            "model": own,
            "rules": self.rules.to_dict(),
            "how": self.how,
            "alpha": float(self.alpha),
            "counted": counted,
        }
        flat = np.concatenate([np.empty(0, np.int64), *rows])
        return header, {f"{INNER}{name}": x for name, x in arrays.items()} | {COUNTS: flat}

    @classmethod
    def from_state(cls, header: Header, arrays: Arrays, *, model: Any = None, **_: Any) -> Self:
        """The model of a file's header and arrays, and of the model in it; see `nabi.load`."""
        if type(header["alpha"]) is not float or header["labels"] != header["model"]["labels"]:
            raise ValueError("an alpha or labels that are none")
        rules = RuleSet.from_dict(header["rules"])
        both = cls(model, rules, how=header["how"], alpha=header["alpha"])
        if set(arrays) != {COUNTS} or header["ledger"] != header["model"]["ledger"]:
            raise ValueError("arrays that no rules have")
        if both.how == "decides":
            rules.class_codes(header["labels"])
        both._counts = _counts_of(header["counted"], arrays[COUNTS], 1 + len(both.rules.rules))
        return both

    # ---- what rules say ----

    def inner_documents(self, documents: Any) -> list[Any]:
        """The documents as the model takes them."""
        return self._for_model(_listed(documents))

    def _for_model(self, documents: list[Any]) -> list[Any]:
        if self.is_table:
            return documents
        pairs = zip(documents, documents_of(documents), strict=True)
        return [
            each.field(TEXT).text if isinstance(given, Mapping) else given for given, each in pairs
        ]

    def _decided(self, documents: list[Any]) -> I64:
        """The class that rules decide on; -1 where no rule holds."""
        return self.rules.codes(documents, self.classes_.tolist())

    def _joined(self, documents: list[Any], prior: Prior) -> F64:
        """Log P(c|d) by the model's counts and those of the rules."""
        joint = self.model.joint_log_likelihood(self._for_model(documents), prior=prior)
        held, absent = self._weights()
        matches = self.rules.matches(documents)
        joint = joint + matches @ held + ~matches @ absent
        logs: F64 = self.model.log_posterior(joint, self.model.log_prior(prior))
        return logs

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

    def _row(self, label: Label) -> I64:
        return self._counts.get(label, np.zeros(1 + len(self.rules.rules), np.int64))

    def _terms(self, document: Any, labels: list[Label]) -> tuple[RuleTerm, ...]:
        held, absent = self._weights()
        matches = self.rules.matches([document])[0].tolist()
        rows = {label: self._row(label).tolist() for label in labels}
        terms = []
        for i, (rule, holds) in enumerate(zip(self.rules.rules, matches, strict=True)):
            weights = by_label(labels, (held if holds else absent)[i])
            counts = {label: (row[1 + i], row[0]) for label, row in rows.items()}
            terms.append(RuleTerm(rule, holds, weights, counts))
        return tuple(terms)


def _listed(documents: Any) -> list[Any]:
    """The documents as a list; those of the kernel are texts."""
    return documents.to_list() if isinstance(documents, Batch) else list(documents)


def _counts_of(labels: Any, flat: Array, width: int) -> RuleCounts:
    """The counts of a file: of each class how many documents it has, and each rule of them."""
    if not isinstance(labels, list) or flat.dtype != np.int64 or len(flat) != len(labels) * width:
        raise ValueError("counts that do not fit the rules")
    kinds = {label_kinds.kind_of(label) for label in labels}
    if len(kinds) > 1 or not kinds <= set(label_kinds.KINDS):
        raise ValueError("counts of strange labels")
    if any(not a < b for a, b in pairwise(labels)):
        raise ValueError("counts out of order")
    rows = flat.reshape(len(labels), width)
    if (rows < 0).any() or (rows[:, :1] < np.maximum(rows, 1)).any() or (rows > MOST).any():
        raise ValueError("counts that cannot be")
    return {label: row.copy() for label, row in zip(labels, rows, strict=True)}

"""RulesClassifier: rules with all that a model does beside predicting."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from nabi.base.arrays import F64, Array
from nabi.base.labels import Label
from nabi.errors import InputError, InputTypeError
from nabi.models.base import Predicting
from nabi.rules.evidence import RuleExplanation
from nabi.rules.ruleset import RuleSet
from nabi.rules.stored import loaded, stored
from nabi.scoring.prior import Prior

KIND = "rules"
NONE = ""  # the label of a document for which no rule holds, where there is no default


class RulesClassifier(Predicting):
    """Rules as a model: with probabilities, a score, and a file that stands alone.

    Parameters
    ----------
    rules : RuleSet
        The first rule that holds gives the label, with probability 1. Where none holds it is
        `rules.default`, or the empty label where there is no default.
    threads : int, optional
        Not used: rules are asked one document after another.

    Attributes
    ----------
    classes_ : array
        The labels that the rules give first, and that of no rule, sorted.

    Examples
    --------
    >>> rules = RuleSet.parse("won -> spam", default="ham")
    >>> model = RulesClassifier(rules)
    >>> model.predict(["you won", "lunch"]).tolist(), model.score(["you won"], ["spam"])
    (['spam', 'ham'], 1.0)
    >>> model.predict_proba(["you won"]).tolist()
    [[0.0, 1.0]]
    """

    NAME = KIND
    ANEW = "change the rules and save them anew"

    def __init__(self, rules: RuleSet, *, threads: int | None = None) -> None:
        if not isinstance(rules, RuleSet):
            raise InputTypeError(
                f"rules is {type(rules).__name__}, expected a RuleSet: RuleSet.read(path)"
            )
        if not isinstance(rules.default, str | None):
            raise InputTypeError(f"default={rules.default!r}; expected a label, which is a str")
        self.rules = rules
        self.threads = threads
        super().__init__()
        self._labels: list[Label] | None = sorted(
            {self._otherwise, *(rule.label for rule in rules.rules)}
        )
        self._docs = np.zeros(len(self._labels))

    @property
    def _otherwise(self) -> str:
        """The label where no rule holds."""
        return NONE if self.rules.default is None else self.rules.default

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields that the rules look at beside `text`."""
        return self.rules.fields

    # ---- predicting ----

    def predict_numbers(self, documents: Any, *, prior: Prior = None) -> npt.NDArray[np.int64]:
        """The place of the label of each document in `classes_`."""
        _refuse_prior(prior)
        place = {label: i for i, label in enumerate(self._fitted())}
        labels = (self._otherwise if x is None else x for x in self.rules.predict(documents))
        return np.array([place[label] for label in labels], np.int64)

    def _weighted(self, documents: Any, prior: Prior) -> F64:
        return certain(self.predict_numbers(documents, prior=prior), len(self._fitted()))

    def explain(self, document: Any, *, prior: Prior = None) -> RuleExplanation:
        """The label of a document, the rule that decides, and what it found."""
        _refuse_prior(prior)
        return self.rules.explain(document)

    # ---- what it knows, files ----

    @property
    def facts(self) -> dict[str, Any]:
        """What `nabi info` says of it, beside its classes."""
        return rule_facts(self.rules)

    def _state(self) -> tuple[dict[str, Any], dict[str, Array]]:
        rules = stored(self.rules)
        return {"kind": KIND, "labels": self._fitted(), "ledger": False, "rules": rules}, {}

    @classmethod
    def from_state(
        cls, header: Mapping[str, Any], arrays: Mapping[str, Array]
    ) -> "RulesClassifier":
        """The model of a file's header and arrays; see `nabi.load`."""
        model = cls(loaded(header["rules"]))
        if arrays or model._labels != header["labels"]:
            raise ValueError("labels that the rules do not give")
        return model


def certain(numbers: npt.NDArray[np.int64], n_classes: int) -> F64:
    """Log P(c|d) where it is certain which class it is."""
    logs = np.full((len(numbers), n_classes), -np.inf)
    logs[np.arange(len(numbers)), numbers] = 0.0
    return logs


def rule_facts(rules: RuleSet) -> dict[str, Any]:
    """What `nabi info` says of rules."""
    return {
        "rules": len(rules.rules),
        "definitions": len(rules.definitions),
        "lists": sorted(rules.lists),
        "fields": list(rules.fields),
        "default": rules.default,
        "time_limit": rules.time_limit,
    }


def _refuse_prior(prior: Prior) -> None:
    if prior is not None:
        raise InputError("rules decide whatever is more frequent, and have no prior; leave it out")

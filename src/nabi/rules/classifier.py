"""RulesClassifier: rules with all that a model does beside predicting."""

import json
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from itertools import chain
from typing import Any

import numpy as np

from nabi.base.arrays import F64, I64
from nabi.base.checks import check_type
from nabi.base.labels import label_codes
from nabi.errors import DataError, InputError
from nabi.models.base import Arrays, Header, Model, State
from nabi.models.table_parts import frame_of_part, text_kinds, texts_of
from nabi.readers import Part, Reader
from nabi.readers.columns import chosen, joined_columns
from nabi.rules.documents import TEXT
from nabi.rules.evidence import RuleExplanation
from nabi.rules.ruleset import NO_LABEL, RuleSet
from nabi.scoring.prior import Prior


class ModelWithRules(Model):
    """Documents of a model with rules: they have the fields that the rules look at."""

    rules: RuleSet

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields that the rules look at beside `text`."""
        return self.rules.fields

    @property
    def reads_columns(self) -> bool:
        """Whether the model or its rules take more columns of a file than that of the text."""
        return self.is_table or bool(self.fields)

    def documents(self, reader: Reader, *, text: str | None = None) -> Callable[[Part], Any]:
        """A function from a part of a file to its documents, with the fields of the rules."""
        if not self.fields:
            return super().documents(reader, text=text)
        columns = self._columns(reader, text)

        def with_fields(part: Part) -> list[dict[str, str | None]]:
            # A rule may look at the very column of the labels; that is its own affair.
            frame = frame_of_part(part, text_kinds(chain(*columns.values())), None)
            values = [texts_of(frame, names) for names in columns.values()]
            return [dict(zip(columns, row, strict=True)) for row in zip(*values, strict=True)]

        return with_fields

    def _columns(self, reader: Reader, text: str | None) -> dict[str, list[str]]:
        """The columns of the text, and the column of each field."""
        file, names = reader.files[0], reader.names
        known = {name.casefold(): name for name in reversed(names)}
        columns = {TEXT: joined_columns(chosen("text", text, names, file), names)}
        for field in self.fields:
            if field not in known:
                raise DataError(
                    f"no column {field!r}, at which {self.rules.file or 'the rules'} looks; the "
                    f"columns are {', '.join(map(repr, names))}",
                    file=file,
                )
            columns[field] = [known[field]]
        return columns

    def typed_document(self, text: str) -> Any:
        """The document that a person typed: a text, or fields in JSON where rules have fields."""
        try:
            return json.loads(text) if self.fields and text.lstrip().startswith("{") else text
        except ValueError:
            return text


@dataclass(eq=False, repr=False)
class RulesClassifier(ModelWithRules):
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

    rules: RuleSet
    _: KW_ONLY
    threads: int | None = None

    kind = "rules"
    instead = "change the rules and save them anew"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_type("rules", self.rules, RuleSet, "a RuleSet: RuleSet.read(path)")
        self._labels = self.rules.outcomes
        self._docs = np.zeros(len(self._labels))

    # ---- predicting ----

    def predict_numbers(self, documents: Any, *, prior: Prior = None) -> I64:
        """The index of the label of each document in `classes_`."""
        _refuse_prior(prior)
        labels = self.rules.predict(documents)
        return label_codes((label or NO_LABEL for label in labels), self._fitted())

    def _joint(self, documents: Any, prior: Prior) -> F64:
        return certain(self.predict_numbers(documents, prior=prior), len(self._fitted()))

    def explain(self, document: Any, *, prior: Prior = None) -> RuleExplanation:
        """The label of a document, the rule that decides, and what it found."""
        _refuse_prior(prior)
        return self.rules.explain(document)

    # ---- what it knows, files ----

    @property
    def facts(self) -> dict[str, Any]:
        """Numbers and settings of the rules, which `nabi info` shows."""
        return self.rules.facts

    @property
    def extent(self) -> dict[str, Any]:
        """Nothing: rules have no vocabulary."""
        return {}

    def _state(self) -> State:
        return self.rules.header(), {}

    @classmethod
    def _stored_params(cls, header: Header, tokenizer: Any) -> dict[str, Any]:
        return {"rules": RuleSet.from_dict(header["rules"])}

    def _restore(self, header: Header, arrays: Arrays, tokenizer: Any) -> None:
        if arrays or self._labels != header["labels"]:
            raise ValueError("labels that the rules do not give")


def certain(numbers: I64, n_classes: int) -> F64:
    """Log P(c|d) where it is certain which class it is."""
    logs = np.full((len(numbers), n_classes), -np.inf)
    logs[np.arange(len(numbers)), numbers] = 0.0
    return logs


def _refuse_prior(prior: Prior) -> None:
    if prior is not None:
        raise InputError("rules decide whatever is more frequent, and have no prior; leave it out")

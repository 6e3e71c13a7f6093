"""RuleSet: hand-written rules as a classifier."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from nabi.base.arrays import I64
from nabi.base.checks import ABOVE_ZERO, real_number
from nabi.base.labels import Label, label_codes, shown
from nabi.base.small_file import utf8_text
from nabi.errors import InputError, InputTypeError, RulesError
from nabi.files import model_file
from nabi.files.model_file import StrPath
from nabi.rules import nodes
from nabi.rules.documents import TEXT, documents_of
from nabi.rules.evidence import RuleExplanation
from nabi.rules.language import Definition, Rule
from nabi.rules.nodes import Node, Scope
from nabi.rules.resolving import resolved

TIME_LIMIT = 1.0  # seconds for one regular expression on one document
BLOCK = 256  # documents between two words on how far it is
Progress = Callable[[str, int, int], None]  # what is done, how many are, of how many
COMPARED = 20  # unknown labels that are compared with all known ones
NO_LABEL = ""  # the label of a document for which no rule holds, where there is no default


class UnknownLabel(NamedTuple):
    """A label that a rule gives and no data have, and the nearest one that they have."""

    label: str
    rule: Rule
    nearest: str | None

    def to_dict(self) -> dict[str, Any]:
        """The label, the line of its rule, and the nearest label, in JSON's terms."""
        return {"line": self.rule.line, "label": self.label, "nearest": self.nearest}


@dataclass(frozen=True)
class RuleSet:
    """Rules written by hand, as a classifier: the first that holds decides.

    A document is a str, or a dict of fields of which one is `text`. See docs/rules.md for the
    language; `RuleSet.read(path)` and `RuleSet.parse(text)` read it.

    Attributes
    ----------
    rules : tuple of Rule
        In the order of the file. Each has `labels`, `line`, and is written out by `str`.
    definitions : tuple of Definition
        The conditions that have a name.
    default : str, optional
        The label where no rule holds.
    time_limit : float
        Seconds that a regular expression may take on a document. A model file may only lower the
        default; `nabi.load(path, time_limit=...)` sets another.
    source : str, optional
        The rules as they were written.
    lists : mapping
        The lists that the rules name, as they were written.

    Examples
    --------
    >>> rules = RuleSet.parse('''
    ... blacklisted sender: from: ("joe" or "acme")
    ... blacklisted sender or ("dollars" and "have been selected") -> spam
    ... ''')
    >>> rules.predict(["You have been selected: 100 dollars!", "Lunch?"]).tolist()
    ['spam', None]
    >>> rules.predict([{"from": "Joe <joe@example.com>", "text": "Lunch?"}]).tolist()
    ['spam']
    """

    rules: tuple[Rule, ...]
    definitions: tuple[Definition, ...] = ()
    default: str | None = None
    time_limit: float = field(default=TIME_LIMIT, compare=False)
    file: str | None = field(default=None, compare=False)
    source: str | None = field(default=None, compare=False, repr=False)  # as it was written
    lists: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)  # by name
    stored_limit: float | None = field(default=None, compare=False, repr=False)  # in a model file

    @classmethod
    def read(
        cls, path: StrPath, *, default: str | None = None, time_limit: float = TIME_LIMIT
    ) -> Self:
        """The rules of a file; lists that they name lie beside it."""
        name = os.fspath(path)
        try:
            text = utf8_text(name)
        except UnicodeDecodeError as error:
            good = error.object[: error.start].decode().removeprefix("\ufeff")
            where = {"line": good.count("\n") + 1, "column": len(good) - good.rfind("\n")}
            raise RulesError(
                "came bytes that are not UTF-8; save the file as UTF-8", file=name, **where
            ) from None
        return cls.parse(text, file=name, default=default, time_limit=time_limit)

    @classmethod
    def parse(
        cls,
        text: str,
        *,
        file: str | None = None,
        default: str | None = None,
        time_limit: float = TIME_LIMIT,
        lists: Mapping[str, str] | None = None,
    ) -> Self:
        """The rules of a text. Lists lie beside `file`, or in the current folder.

        With `lists`, they are given by their names, and no file is read.
        """
        seconds = _seconds(time_limit)
        try:
            rules, definitions, named = resolved(text, os.path.dirname(file or ""), lists)
        except RulesError as error:
            raise error.in_file(file) from None
        return cls(rules, definitions, default, seconds, file, text, named)

    def limited(self, time_limit: float) -> Self:
        """Return a copy of the rules with another time limit."""
        return replace(self, time_limit=_seconds(time_limit))

    # ---- predicting ----

    def predict(self, documents: Any) -> npt.NDArray[Any]:
        """The label of the first rule that holds for each document, or the default."""
        found = map(self._holding, self._scopes(documents))
        labels = [next((rule.label for rule in rules), self.default) for rules in found]
        return np.array(labels, object)

    def predict_labels(self, documents: Any) -> list[tuple[str, ...]]:
        """Labels of all rules that hold for each document, those of the first rule first."""
        return [_labels(self._holding(scope)) for scope in self._scopes(documents)]

    def matches(self, documents: Any) -> npt.NDArray[np.bool_]:
        """Which rules hold: a row for each document, a column for each of `rules`."""
        scopes = self._scopes(documents)
        rows = [[rule.condition.holds(scope) for rule in self.rules] for scope in scopes]
        return np.array(rows, bool).reshape(len(rows), len(self.rules))

    def codes(
        self, documents: Any, labels: Sequence[Label], *, progress: Progress | None = None
    ) -> I64:
        """The index among `labels` of the label that rules give each document; -1 without one."""
        classes, given = self.class_codes(labels), list(documents)
        found = np.empty(len(given), np.int64)
        for start in range(0, len(given), BLOCK):
            if progress is not None:
                progress("rules", start, len(given))
            held = self.matches(given[start : start + BLOCK])
            codes = np.where(held.any(axis=1), classes[held.argmax(axis=1)], -1)
            found[start : start + BLOCK] = codes
        return found

    def class_codes(self, labels: Sequence[Label]) -> I64:
        """The index of each rule's label among the classes of a model; another is refused."""
        for label, rule, nearest in self.unknown_labels(labels):
            if label == rule.label:
                meant = "" if nearest is None else f"; did you mean {nearest!r}?"
                raise InputError(
                    f"the rule at {rule.where(self.file or None)} says {label!r}; the classes of "
                    f"the model are {shown(labels)}{meant}"
                )
        return label_codes([rule.label for rule in self.rules], [str(label) for label in labels])

    def other_labels(self, labels: Sequence[Label]) -> list[Label]:
        """The labels of rules that are not among those of documents, which are str."""
        if not all(isinstance(label, str) for label in labels):
            self.class_codes(labels)  # labels of two kinds do not mix
            return []
        return sorted({rule.label for rule in self.rules}.difference(labels))

    def unknown_labels(self, labels: Iterable[Label]) -> list[UnknownLabel]:
        """Labels of rules that are not among those of data or of a model.

        The first twenty come with the nearest known label.

        Examples
        --------
        >>> (found,) = RuleSet.parse("won -> spma").unknown_labels(["ham", "spam"])
        >>> found.label, found.rule.line, found.nearest
        ('spma', 1, 'spam')
        """
        known = {str(label): None for label in labels}
        given = ((label, rule) for rule in self.rules for label in rule.labels)
        found = [UnknownLabel(*each, None) for each in given if each[0] not in known]
        for i, each in enumerate(found[:COMPARED]):
            nearest = next(iter(get_close_matches(each.label, known, 1)), None)
            found[i] = each._replace(nearest=nearest)
        return found

    def explain(self, document: Any) -> RuleExplanation:
        """The label of a document, the rule that decides, and what it found."""
        (scope,) = self._scopes([document])
        holding = list(self._holding(scope))
        if not holding:
            return RuleExplanation(self.default, (), None, (), (), self.file)
        first, *others = holding
        hits, labels = tuple(sorted(first.condition.hits(scope))), _labels(holding)
        return RuleExplanation(first.label, labels, first, hits, tuple(others), self.file)

    def _scopes(self, documents: Any) -> Iterator[Scope]:
        named = {each.name.casefold(): each.condition for each in self.definitions}
        for document in documents_of(documents):
            yield Scope(document, named, self.time_limit, self.file)

    def _holding(self, scope: Scope) -> Iterator[Rule]:
        return (rule for rule in self.rules if rule.condition.holds(scope))

    # ---- what it knows ----

    @property
    def labels(self) -> tuple[str, ...]:
        """Labels that the rules give, in their order."""
        return _labels(self.rules)

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields that the rules look at beside `text`, in small letters, sorted."""
        named = {node.name.casefold() for node in self._nodes() if isinstance(node, nodes.Within)}
        return tuple(sorted(named - {TEXT}))

    @property
    def otherwise(self) -> str:
        """The label where no rule holds: the default, or the empty label."""
        if not isinstance(self.default, str | None):
            raise InputTypeError(f"default={self.default!r}; expected a label, which is a str")
        return NO_LABEL if self.default is None else self.default

    @property
    def outcomes(self) -> list[Label]:
        """The labels that the rules give first, and that of no rule, sorted."""
        return sorted({self.otherwise, *(rule.label for rule in self.rules)})

    @property
    def facts(self) -> dict[str, Any]:
        """Numbers and settings that `nabi info` shows."""
        return {
            "rules": len(self.rules),
            "definitions": len(self.definitions),
            "lists": sorted(self.lists),
            "fields": list(self.fields),
            "default": self.default,
            "time_limit": self.time_limit,
        }

    def _nodes(self) -> Iterator[Node]:
        """Conditions of rules and definitions, with those that they are made of."""
        ahead = [rule.condition for rule in self.rules]
        ahead += [definition.condition for definition in self.definitions]
        while ahead:
            node = ahead.pop()
            yield node
            ahead += node.parts

    # ---- files ----

    def save(self, path: StrPath) -> None:
        """Write a model file that stands alone: the rules as they were written, and their lists.

        `nabi.load` gives a `RulesClassifier` of it.
        """
        model_file.write(path, self.header(), {})

    def header(self) -> dict[str, Any]:
        """The header of a model file of these rules alone."""
        labels, rules = self.outcomes, self.to_dict()
        return {"kind": "rules", "labels": labels, "ledger": False, "rules": rules}

    def to_dict(self) -> dict[str, Any]:
        """The rules in JSON's terms: as they were written, with their lists."""
        listed = (node for node in self._nodes() if isinstance(node, nodes.Listed))
        known = {node.file: "\n".join(map(" ".join, node.entries)) for node in listed}
        known |= self.lists
        source = str(self) if self.source is None else self.source
        parsed = RuleSet.parse(source, default=self.default, lists=known)
        if parsed != self:  # they were put together by hand
            parsed = RuleSet.parse(str(self), default=self.default, lists=known)
        return {
            "text": parsed.source,
            "lists": dict(parsed.lists),
            "default": self.default,
            "time_limit": float(self.stored_limit or self.time_limit),
            "file": None if self.file is None else os.path.basename(self.file),
        }

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> Self:
        """The rules that `to_dict` wrote, of a file that may be hostile.

        Its time limit may only lower the default; it is kept, so that saving gives equal bytes.
        """
        names = ("text", "lists", "default", "time_limit", "file")
        text, lists, default, limit, file = (given[name] for name in names)
        texts = [text, *lists, *lists.values(), *(x for x in (default, file) if x is not None)]
        if not all(isinstance(each, str) for each in texts) or len(given) != 5:
            raise ValueError("rules that are none")
        if type(limit) is not float or (file is not None and os.path.basename(file) != file):
            raise ValueError("rules with a strange time limit or file")
        rules = cls.parse(text, file=file, default=default, time_limit=limit, lists=lists)
        if set(rules.lists) != set(lists):
            raise ValueError("a list that no rule names")
        return replace(rules, time_limit=min(limit, TIME_LIMIT), stored_limit=limit)

    def __str__(self) -> str:
        """The rules, as they can be read again."""
        return "".join(f"{each}\n" for each in (*self.definitions, *self.rules))


def _seconds(time_limit: float) -> float:
    expected = "seconds, from above 0 to 3600"
    return real_number("time_limit", time_limit, ABOVE_ZERO, 3600, expected=expected)


def _labels(rules: Iterable[Rule]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(label for rule in rules for label in rule.labels))

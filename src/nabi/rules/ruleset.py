"""RuleSet: hand-written rules as a classifier."""

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from nabi.errors import InputError, RulesError
from nabi.rules import nodes
from nabi.rules.documents import TEXT, Document, document_of, documents_of
from nabi.rules.evidence import RuleExplanation
from nabi.rules.language import Definition, Rule
from nabi.rules.resolving import resolved, text_of
from nabi.rules.scope import Node, Scope

TIME_LIMIT = 1.0  # seconds for one regular expression on one document


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
        Seconds that a regular expression may take on a document.
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

    @classmethod
    def read(
        cls,
        path: str | os.PathLike[str],
        *,
        default: str | None = None,
        time_limit: float = TIME_LIMIT,
    ) -> "RuleSet":
        """The rules of a file; lists that they name lie beside it."""
        name = os.fspath(path)
        try:
            text = text_of(name)
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
    ) -> "RuleSet":
        """The rules of a text. Lists lie beside `file`, or in the current folder.

        With `lists`, they are given by their names, and no file is read.
        """
        number = isinstance(time_limit, int | float) and not isinstance(time_limit, bool)
        if not number or not 0 < time_limit <= 3600:
            raise InputError(f"time_limit={time_limit!r}; expected seconds, from above 0 to 3600")
        try:
            rules, definitions, named = resolved(text, os.path.dirname(file or ""), lists)
        except RulesError as error:
            raise error.in_file(file) from None
        return cls(rules, definitions, default, float(time_limit), file, text, named)

    # ---- predicting ----

    def predict(self, documents: Any) -> npt.NDArray[Any]:
        """The label of the first rule that holds for each document, or the default."""
        found = [self._first(self._scope(document)) for document in documents_of(documents)]
        labels = np.empty(len(found), object)
        labels[:] = [self.default if rule is None else rule.label for rule in found]
        return labels

    def predict_labels(self, documents: Any) -> list[tuple[str, ...]]:
        """All labels that rules which hold give to each document, those of the first rule first."""
        scopes = map(self._scope, documents_of(documents))
        return [_labels(self._holding(scope)) for scope in scopes]

    def matches(self, documents: Any) -> npt.NDArray[np.bool_]:
        """Which rules hold: a row for each document, a column for each of `rules`."""
        scopes = map(self._scope, documents_of(documents))
        rows = [[self._holds(rule, scope) for rule in self.rules] for scope in scopes]
        return np.array(rows, bool).reshape(len(rows), len(self.rules))

    def explain(self, document: Any) -> RuleExplanation:
        """The label of a document, the rule that decides, and what it found."""
        scope = self._scope(document_of(document))
        holding = self._holding(scope)
        first = holding[0] if holding else None
        hits = self._guarded(first.condition.hits, scope) if first else ()
        return RuleExplanation(
            label=self.default if first is None else first.label,
            labels=_labels(holding),
            rule=first,
            hits=tuple(sorted(hits)),
            others=tuple(holding[1:]),
            file=self.file,
        )

    def _scope(self, document: Document) -> Scope:
        return Scope(document, self._named, self.time_limit)

    @cached_property
    def _named(self) -> dict[str, Node]:
        return {each.name.casefold(): each.condition for each in self.definitions}

    def _holding(self, scope: Scope) -> list[Rule]:
        return [rule for rule in self.rules if self._holds(rule, scope)]

    def _first(self, scope: Scope) -> Rule | None:
        return next((rule for rule in self.rules if self._holds(rule, scope)), None)

    def _holds(self, rule: Rule, scope: Scope) -> bool:
        return bool(self._guarded(rule.condition.holds, scope))

    def _guarded(self, ask: Callable[[Scope], Any], scope: Scope) -> Any:
        """What a condition answers; the file is named where a pattern takes too long."""
        try:
            return ask(scope)
        except RulesError as error:
            raise error.in_file(self.file) from None

    # ---- what it knows ----

    @property
    def labels(self) -> tuple[str, ...]:
        """All labels that the rules give, in their order."""
        return _labels(self.rules)

    @property
    def fields(self) -> tuple[str, ...]:
        """The fields that the rules look at beside `text`, in small letters, sorted."""
        roots = [rule.condition for rule in self.rules]
        roots += [definition.condition for definition in self.definitions]
        return tuple(sorted(set(_fields(roots)) - {TEXT}))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a model file that stands alone: the rules as they were written, and their lists.

        `nabi.load` gives a `RulesClassifier` of it.
        """
        from nabi.rules.classifier import RulesClassifier

        RulesClassifier(self).save(path)

    def __str__(self) -> str:
        """The rules, as they can be read again."""
        return "".join(f"{each}\n" for each in (*self.definitions, *self.rules))


def _labels(rules: Iterable[Rule]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(label for rule in rules for label in rule.labels))


def _fields(roots: Iterable[Node]) -> Iterable[str]:
    for node in roots:
        if isinstance(node, nodes.Within):
            yield node.name.casefold()
        yield from _fields(node.parts)

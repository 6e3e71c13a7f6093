"""Rules as a model file holds them: as they were written, with their lists."""

import os
from collections.abc import Iterable, Mapping
from typing import Any

from nabi.rules import nodes
from nabi.rules.ruleset import RuleSet
from nabi.rules.scope import Node


def stored(rules: RuleSet) -> dict[str, Any]:
    """The rules in JSON's terms."""
    source, known = rules.source, {**_listed(_roots(rules)), **rules.lists}
    if source is None or _parsed(source, rules, known) != rules:
        source = str(rules)  # they were put together by hand
    return {
        "text": source,
        "lists": dict(_parsed(source, rules, known).lists),
        "default": rules.default,
        "time_limit": float(rules.time_limit),
        "file": None if rules.file is None else os.path.basename(rules.file),
    }


def _parsed(source: str, rules: RuleSet, lists: Mapping[str, str]) -> RuleSet:
    return RuleSet.parse(source, default=rules.default, lists=lists)


def loaded(given: Mapping[str, Any]) -> RuleSet:
    """The rules of a file, which may be hostile."""
    text, lists, default, limit, file = (
        given[name] for name in ("text", "lists", "default", "time_limit", "file")
    )
    texts = [text, *lists, *lists.values(), *(each for each in (default, file) if each is not None)]
    if not all(isinstance(each, str) for each in texts) or len(given) != 5:
        raise ValueError("rules that are none")
    if type(limit) is not float or (file is not None and os.path.basename(file) != file):
        raise ValueError("rules with a strange time limit or file")
    rules = RuleSet.parse(text, file=file, default=default, time_limit=limit, lists=lists)
    if set(rules.lists) != set(lists):
        raise ValueError("a list that no rule names")
    return rules


def _roots(rules: RuleSet) -> Iterable[Node]:
    yield from (rule.condition for rule in rules.rules)
    yield from (each.condition for each in rules.definitions)


def _listed(roots: Iterable[Node]) -> dict[str, str]:
    """The lists that conditions name, written from their entries."""
    lists: dict[str, str] = {}
    for node in roots:
        if isinstance(node, nodes.Listed):
            entries = (entry for several in node.entries.values() for entry in several)
            lists[node.file] = "\n".join(map(" ".join, entries))
        lists |= _listed(node.parts)
    return lists

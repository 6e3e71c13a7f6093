"""Resolve names, lists and patterns in rules; refuse those that stand for nothing."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import Any

from nabi.base.small_file import utf8_text
from nabi.rules import nodes, patterns
from nabi.rules.language import DEEPEST, Definition, Rule, cut, refused, statements
from nabi.rules.nodes import At, Node

Place = At | Definition | Rule  # which has a line and a column
Entries = dict[tuple[str, ...], None]  # the words of each phrase, in order


def resolved(
    text: str, folder: str, given: Mapping[str, str] | None = None
) -> tuple[tuple[Rule, ...], tuple[Definition, ...], dict[str, str]]:
    """The rules and definitions of a text, and what is in their lists.

    The lists lie in a folder, unless they are given by their names.
    """
    found = sorted(statements(text), key=lambda each: isinstance(each, Rule))
    book = Book(_by_name([each for each in found if isinstance(each, Definition)]), folder, given)
    ready: list[Any] = [replace(each, condition=book.resolved(each.condition)) for each in found]
    n = len(book.definitions)
    book.definitions = dict(zip(book.definitions, ready[:n], strict=True))
    if len(ready) == n:
        first = found[0] if found else At()
        raise refused(first, 'no rules; expected a line such as "you have won" -> spam')
    for each in ready:
        book.check(each.condition, each)
    for key, each in book.definitions.items():
        if key not in book.checked:  # most likely it was to be a rule
            raise refused(
                each,
                f"{each.name!r} is defined and never used; to make a rule of it, end it with -> "
                f"and a label",
            )
    return tuple(ready[n:]), tuple(ready[:n]), book.sources


def _by_name(definitions: list[Definition]) -> dict[str, Definition]:
    """The definitions by their names in one case; two of one name are refused."""
    named: dict[str, Definition] = {}
    for each in definitions:
        before = named.setdefault(each.name.casefold(), each)
        if before is not each:
            raise refused(
                each,
                f"came {each.name!r}, which line {before.line} has defined; give it another name, "
                f"or join the two with or",
            )
    return named


@dataclass(eq=False)
class Book:
    """The definitions, by their names in one case, and where lists are."""

    definitions: dict[str, Definition]
    folder: str
    given: Mapping[str, str] | None = None  # the lists, where they are in no folder
    sources: dict[str, str] = field(default_factory=dict)  # the lists that are named, as written
    lists: dict[str, Entries] = field(default_factory=dict)
    checked: dict[str, tuple[int, bool]] = field(default_factory=dict)  # definitions in use

    def resolved(self, node: Node) -> Node:
        """The node, with every name a definition or a word, and every list read."""
        if isinstance(node, nodes.Name):
            return self._named(node)
        if isinstance(node, nodes.Listed):
            return replace(node, entries=self._list(node))
        if isinstance(node, nodes.Pattern):
            try:
                patterns.compiled(node.pattern, node.ignore_case)
            except patterns.PatternError as error:
                what = f"{cut(str(node))} cannot be searched for: {error}"
                raise refused(node.at, what) from None
        if not node.parts:
            return node
        parts = tuple(self.resolved(part) for part in node.parts)
        return replace(node, parts=parts)  # type: ignore[type-var]

    def _named(self, name: nodes.Name) -> Node:
        if name.key in self.definitions:
            return name
        if " " not in name.text and nodes.words_of(name.text):
            return nodes.Phrase(name.text)
        near = get_close_matches(name.key, self.definitions, n=1)
        meant = f" (did you mean {self.definitions[near[0]].name!r}?)" if near else ""
        raise refused(
            name.at,
            f"nothing is called {cut(name.text)}{meant}; define it on a line of its own, with : "
            f"after it, or put it in quotes if these words are to be found",
        )

    def _list(self, node: nodes.Listed) -> Entries:
        name = node.file
        if name not in self.lists:
            path = os.path.join(self.folder, name)
            if self.given is not None and name not in self.given:
                raise refused(node.at, f"no list {cut(name)} was given")
            text = _read(node, path) if self.given is None else self.given[name]
            self.sources[name], self.lists[name] = text, _entries(node, path, text)
        return self.lists[name]

    def check(self, node: Node, at: Place, above: tuple[str, ...] = ()) -> tuple[int, bool]:
        """How deep the node of a statement is nested, and whether it stands at certain words.

        Refuses what is circular, too deep, or no place that `near` could measure from.
        """
        if isinstance(node, nodes.Name):
            height, placed = self._check_named(node, above)
            return _shallow(1 + height, node.at), placed
        parts = [self.check(part, at, above) for part in node.parts]
        for part, (_, placed) in zip(node.parts, parts, strict=True):
            if isinstance(node, nodes.Near) and not placed:
                raise refused(
                    node.at,
                    f"came {cut(str(part))} beside near, expected words, phrases, lists, or "
                    f'several of them with or: ("a" or "b") near c',
                )
        placed = isinstance(node, nodes.Phrase | nodes.Listed | nodes.Or)
        height = 1 + max((height for height, _ in parts), default=0)
        return _shallow(height, at), placed and all(placed for _, placed in parts)

    def _check_named(self, name: nodes.Name, above: tuple[str, ...]) -> tuple[int, bool]:
        if name.key in above:
            circle = " -> ".join([*above[above.index(name.key) :], name.key])
            raise refused(
                name.at,
                f"{name.text!r} is defined by itself ({circle}); put it in quotes if the word is "
                f"meant",
            )
        _shallow(len(above), name.at)
        if name.key not in self.checked:
            each = self.definitions[name.key]
            self.checked[name.key] = self.check(each.condition, each, (*above, name.key))
        return self.checked[name.key]


def _shallow(height: int, at: Place) -> int:
    if height > DEEPEST:
        raise refused(at, f"conditions stand more than {DEEPEST} deep in each other; make it fewer")
    return height


def _entries(node: nodes.Listed, path: str, text: str) -> Entries:
    """The phrases of a list; blank lines and those with # are no entries."""
    entries: Entries = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        words = nodes.words_of(line)
        if not words:
            raise refused(node.at, f"{path}:{number}: {line.strip()!r} has no words to look for")
        entries[words] = None
    if not entries:
        raise refused(node.at, f"{path} has no entries; expected one on each line")
    return entries


def _read(node: nodes.Listed, path: str) -> str:
    """The text of a list's file."""
    if not os.path.isfile(path):
        raise refused(
            node.at,
            f"no file {path}; expected a list with one entry on each line (its name stands in "
            f"quotes where it has spaces)",
        )
    try:
        return utf8_text(path)
    except UnicodeDecodeError as error:
        raise refused(
            node.at, f"{path} is not UTF-8 at byte {error.start}; save it as UTF-8"
        ) from None

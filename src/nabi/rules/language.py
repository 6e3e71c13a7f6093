"""From the text of rules to statements: the grammar, and what it says of text that is no rule."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from itertools import groupby
from typing import Any

from nabi.errors import MissingExtraError, RulesError
from nabi.rules import nodes
from nabi.rules.nodes import At, Node

try:
    from lark import Lark, Token, Transformer, UnexpectedCharacters, UnexpectedToken, v_args
except ModuleNotFoundError:
    raise MissingExtraError("nabi.rules reads rules with lark", "rules") from None

DEEPEST = 50  # conditions within conditions: far below what Python can follow

SHOWN = {"_AND": "and", "_OR": "or", "NEAR": "near", "ARROW": "->", "RPAR": ")"}
SHOWN |= {"LPAR": "(", "COMMA": "a comma", "_END": "the end of the line"}
CONDITION = 'a word, a "phrase", a /pattern/, not or ('


@dataclass(frozen=True)
class Definition:
    """A name, and the condition it stands for."""

    name: str
    condition: Node
    line: int = field(compare=False)
    column: int = field(default=1, compare=False)

    def __str__(self) -> str:
        """The definition, as it can be read again."""
        return f"{self.name}: {self.condition}"


@dataclass(frozen=True)
class Rule:
    """A condition, and the labels of the documents for which it holds."""

    labels: tuple[str, ...]
    condition: Node
    line: int = field(compare=False)
    column: int = field(default=1, compare=False)

    @property
    def label(self) -> str:
        """The first of its labels."""
        return self.labels[0]

    def __str__(self) -> str:
        """The rule, as it can be read again."""
        return f"{self.condition} -> {', '.join(map(nodes.named, self.labels))}"

    def where(self, file: str | None) -> str:
        """The file and the line, or of rules in no file the line."""
        return f"line {self.line}" if file is None else f"{file}:{self.line}"

    def to_dict(self) -> dict[str, Any]:
        """The rule in JSON's terms."""
        return {"line": self.line, "rule": str(self), "labels": list(self.labels)}


def statements(text: str) -> list[Definition | Rule]:
    """The definitions and rules of a text, names not yet looked up."""
    try:
        found: list[Definition | Rule] = _parser().parse(text)  # type: ignore[assignment]
    except UnexpectedCharacters as error:
        raise refused(error, _no_word(text, error)) from None
    except UnexpectedToken as error:
        raise refused(error, _misplaced(error)) from None
    return found


@cache
def _parser() -> Lark:
    how: Any = {"parser": "lalr", "lexer": "basic", "transformer": _Builder()}
    return Lark.open("grammar.lark", rel_to=__file__, postlex=_Statements(), **how)


class _Statements:
    """Marks where statements begin and end, and which are definitions: those without an arrow."""

    always_accept = ("NEWLINE",)  # which the grammar itself has no use for

    def process(self, stream: Iterator[Token]) -> Iterator[Token]:
        """The tokens of one statement after another."""
        for between, tokens in groupby(stream, lambda token: token.type == "NEWLINE"):
            if between:
                continue
            statement = list(tokens)
            first, last = statement[0], statement[-1]
            kinds = [token.type for token in statement]
            if kinds[:2] == ["NAME", "COLON"] and "ARROW" not in kinds:
                yield Token.new_borrow_pos("DEFINED", first, first)
            else:
                yield Token.new_borrow_pos("RULE", "", first)
                yield first
            yield from statement[1:]
            yield Token("_END", "", line=last.end_line, column=last.end_column)


@v_args(inline=True)
class _Builder(Transformer[Token, Any]):
    """The nodes, made while parsing: a tree that is as deep as a text can make it never is."""

    def start(self, *statements: Definition | Rule) -> list[Definition | Rule]:
        return list(statements)

    def rule(self, mark: Token, node: Node, _: Token, *labels: Token) -> Rule:
        names = [_label(label) for label in labels]
        return Rule(tuple(dict.fromkeys(names)), _shallow(node, mark), *_at(mark))

    def definition(self, name: Token, node: Node) -> Definition:
        return Definition(" ".join(name.split()), _shallow(node, name), *_at(name))

    def either(self, *parts: Node) -> Node:
        return nodes.Or(parts)

    def both(self, *parts: Node) -> Node:
        return nodes.And(parts)

    def negated(self, part: Node) -> Node:
        return nodes.Not((part,))

    def scoped(self, field: Token, part: Node) -> Node:
        name = _unquoted(field)
        if isinstance(part, nodes.Within):
            raise refused(
                field,
                f"came the field {part.name!r} inside of the field {name!r}, expected one; a rule "
                f"has no name: define {name}: on a line of its own, without ->",
            )
        return nodes.Within(name, (part,))

    def nearby(self, one: Node, near: Token, other: Node) -> Node:
        distance = int(near.partition("/")[2] or nodes.WITHIN)
        if not distance:
            raise refused(near, f"came {near}, expected near/1 (side by side) or more")
        return nodes.Near(distance, (one, other), _at(near))

    def phrase(self, string: Token) -> Node:
        phrase = nodes.Phrase(_unquoted(string))
        if not phrase.words:
            raise refused(
                string, f"came {cut(string)}, which has no words; write what it is as a /pattern/"
            )
        return phrase

    def name(self, name: Token) -> Node:
        text = " ".join(name.split())
        return nodes.Name(text, text.casefold(), _at(name))

    def pattern(self, token: Token) -> Node:
        pattern, _, flag = token[1:].rpartition("/")
        return nodes.Pattern(pattern, flag == "i", _at(token))

    def listed(self, token: Token) -> Node:
        file = token[2:].strip()
        return nodes.Listed(_unquoted(file), at=_at(token))

    def at_least(self, token: Token, *parts: Node) -> Node:
        count = int(token.split()[2])
        if not 1 <= count <= len(parts):
            raise refused(token, f"came {token} {len(parts)} things, expected 1 to {len(parts)}")
        return nodes.Enough(count, parts)


def _shallow(node: Node, token: Token) -> Node:
    """The node, unless it is too deep to be followed."""
    if node.height > DEEPEST:
        raise refused(
            token,
            f"conditions stand {node.height} deep in each other, expected {DEEPEST} at most; "
            f"define some of them by name",
        )
    return node


def _label(token: Token) -> str:
    label = " ".join(token.split()) if token.type == "NAME" else _unquoted(token)
    if not label.strip():
        raise refused(
            token, f"came the label {cut(token)}, expected one with letters, such as spam"
        )
    return label


def _unquoted(token: str) -> str:
    return re.sub(r'\\(["\\])', r"\1", token[1:-1]) if token.startswith('"') else str(token)


def _at(token: Token) -> At:
    return At(token.line or 1, token.column or 1)


def refused(where: Any, what: str) -> RulesError:
    """The error of something that has a line and a column: a statement, a token, or an `At`."""
    return RulesError(what, line=where.line, column=where.column)


def _no_word(text: str, error: UnexpectedCharacters) -> str:
    """The error message for characters that begin nothing."""
    rest = text[error.pos_in_stream :].split("\n")[0]
    if rest.startswith('"'):
        return f'came {cut(rest)}, a quote that is not closed; expected another " on its line'
    if rest.startswith("/"):
        return f"came {cut(rest)}, a pattern that is not closed; expected another / on its line"
    if re.match(r"at[ \t]+least", rest, re.IGNORECASE):
        return f'came {cut(rest)}, expected a number: at least 2 of ("a", "b", c)'
    return f"came {rest[:1]!r}, expected {CONDITION}; put it in quotes if it is part of a phrase"


def _misplaced(error: UnexpectedToken) -> str:
    """The error message for a token in the wrong place."""
    token, accepts = error.token, error.accepts
    came = "the end of the line" if token.type == "_END" else cut(token)
    if {"LPAR", "STRING"} <= accepts:
        wanted = CONDITION
        hint = 'words such as and, or, not stand in quotes where they are meant: "and"'
    elif "STRING" in accepts:
        wanted, hint = "a label", 'such as -> spam; in quotes where it is more: -> "not spam"'
    else:
        if "ARROW" in accepts:
            accepts = accepts | {"_AND", "_OR"}
        wanted = ", ".join(shown for kind, shown in SHOWN.items() if kind in accepts)
        hint = _hint(token, accepts)
    return f"came {came}, expected {wanted}; {hint}"


def _hint(token: Token, accepts: set[str]) -> str:
    if token.type == "RPAR":
        return "take it away, or write the ( that it closes"
    if "RPAR" in accepts:
        return "close with ) what ( opens"
    if "ARROW" in accepts and token.type == "_END":
        return "say at its end what it is: -> spam"
    if "_AND" in accepts:
        return "join what stands side by side by and, or or near"
    return "begin what follows on a line of its own"


def cut(text: str) -> str:
    """The text in quotes, not too much of it."""
    return repr(str(text) if len(text) <= 40 else f"{text[:37]}...")

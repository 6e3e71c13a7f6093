"""docs/how-it-works.md: its examples print what it shows, its quotes stand in the files named."""

import ast
import contextlib
import io
import re
from decimal import Decimal
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "how-it-works.md").read_text("utf8")
NUMBER = r"(\d+(?:\.\d+)?(?:e[-+]?\d+)?)"


def fences(info):
    """The code blocks whose opening line matches the pattern."""
    return list(re.finditer(rf"^```{info}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))


QUOTES = fences(r"(?:python|cpp) (\S+)")


def statements(code):
    """Each statement, and the lines it is said to print: those after `->` in the comments on it."""
    lines, body = code.splitlines(), ast.parse(code).body
    nexts = [node.lineno for node in body[1:]] + [len(lines) + 1]
    for node, following in zip(body, nexts, strict=True):
        tail = lines[node.end_lineno - 1 : following - 1]
        tail[0] = tail[0].encode()[node.end_col_offset :].decode()
        yield node, re.findall(r"^ *#.*?-> ?(.*)$", "\n".join(tail), re.MULTILINE)


def printed(node, names):
    """The lines that Python's prompt would print for a statement."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(compile(ast.Interactive([node]), "how-it-works.md", "single"), names)
    return [line.rstrip() for line in out.getvalue().splitlines()]


def agrees(line, shown):
    """Whether a line is as shown, each number rounded to the digits that are shown."""
    ours, theirs = re.split(NUMBER, line), re.split(NUMBER, shown)  # text, number, text, ...
    return ours[::2] == theirs[::2] and all(map(rounds_to, ours[1::2], theirs[1::2]))


def rounds_to(number, shown):
    """Only a fraction may be rounded, and never to zero: 0.0 is a claim of underflow."""
    if number == shown:
        return True
    last_digit = Decimal(1).scaleb(Decimal(shown).as_tuple().exponent)
    near = 2 * abs(Decimal(number) - Decimal(shown)) <= last_digit
    return near and re.search("[.e]", shown) is not None and float(shown) != 0


def test_the_examples_print_what_is_shown(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names, wrong = {}, []
    for block in fences("python"):
        for node, shown in statements(block[1]):
            lines = printed(node, names)
            if len(lines) != len(shown) or not all(map(agrees, lines, shown)):
                wrong.append((ast.unparse(node), lines, shown))
    assert wrong == []
    assert names["model"].event == "multinomial"


@pytest.mark.parametrize("quote", QUOTES, ids=lambda quote: quote[1])
def test_the_quotes_stand_in_the_file(quote):
    """Line by line, the indentation aside; a blank line stands for what is left out."""
    source = stripped((ROOT / quote[1]).read_text("utf8"))
    at = 0
    for part in quote[2].split("\n\n"):
        at = source.find(stripped(part), at)
        assert at >= 0, part
        at += 1


def stripped(code):
    return "\n" + "\n".join(line.strip() for line in code.strip().splitlines()) + "\n"


@pytest.mark.parametrize("quote", QUOTES, ids=lambda quote: quote[1])
def test_the_section_names_the_file_for_those_who_cannot_see_the_fence(quote):
    section = re.split(r"^##+ ", PAGE[: quote.start()], flags=re.MULTILINE)[-1]
    assert f"`{quote[1]}`" in section


def test_the_files_of_the_table_are_there():
    named = set(re.findall(r"`([\w/]+\.(?:py|cc|h))`", PAGE))
    folders = [ROOT, ROOT / "src" / "nabi", ROOT / "native"]
    assert len(named) > 15
    assert [n for n in named if not any((folder / n).exists() for folder in folders)] == []


def test_there_is_much_to_check():
    shown = [lines for block in fences("python") for _, lines in statements(block[1]) if lines]
    assert len(shown) > 30
    assert len(QUOTES) > 10


@pytest.mark.parametrize(
    ("line", "shown", "same"),
    [
        ("{'c': 0.68975}", "{'c': 0.69}", True),
        ("{'c': 0.68975}", "{'c': 0.68}", False),
        ("{'c': 0.68975}", "{'j': 0.69}", False),
        ("(-6.106e-05, 3)", "(-6.1e-05, 3)", True),
        ("(-6.106e-05, 3)", "(6.1e-05, 3)", False),
        ("3.4", "3", False),
        ("1e-317", "0.0", False),
        ("[1.5, 2.5]", "[1.5]", False),
    ],
)
def test_numbers_may_be_rounded_and_nothing_else(line, shown, same):
    assert agrees(line, shown) is same

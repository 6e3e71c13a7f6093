"""The terminal pictures show what the commands print today, and fetch nothing."""

import re
import runpy
from pathlib import Path
from xml.etree import ElementTree

import pytest

from nabi.cli.listing import COMMANDS

DOCS = Path(__file__).resolve().parents[2] / "docs"
PICTURES = sorted((DOCS / "pictures").glob("*.svg"))


def words(svg):
    """All that is written on a picture; where it stands may vary with the version of rich."""
    texts = ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")
    return " ".join(text.text for text in texts).split()


@pytest.fixture(scope="module")
def drawn():
    return runpy.run_path(str(DOCS / "pictures.py"))["pictures"]()


def test_the_pictures_are_those_of_the_script(drawn):
    assert sorted(drawn) == [path.name for path in PICTURES]


def test_explain_is_what_is_printed_now(drawn):
    shown = (DOCS / "pictures" / "explain.svg").read_text("utf8")
    assert words(shown) == words(drawn["explain.svg"]), "run: python docs/pictures.py"
    assert {"(prior)", "wonderful", "score"} <= set(words(shown))


def test_help_names_every_command():
    shown = words((DOCS / "pictures" / "help.svg").read_text("utf8"))
    assert [c for c in COMMANDS if c.split()[0] not in shown] == []


@pytest.mark.parametrize("path", PICTURES, ids=lambda path: path.name)
def test_a_picture_fetches_nothing(path):
    addresses = set(re.findall(r"\w+://[^\s\"']+", path.read_text("utf8")))
    assert addresses == {"http://www.w3.org/2000/svg"}
    assert "@font-face" not in path.read_text("utf8")

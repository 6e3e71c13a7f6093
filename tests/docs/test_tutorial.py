"""What pages show of the command line is what happens.

In a block of `console`, lines that begin with `$ ` are run, and what follows is what they print:
`...` stands for anything, white space counts once, and numbers may be a quarter off (fractions also
0.1), since those of the tutorial come from the installed versions of libraries. A block of `python`
that begins with `# name.py` becomes the file of that name.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = ["tutorial.md", "tutorial.ko.md", "command-line.md", "report.md", "rules.md"]
NUMBER = r"\d[\d,]*(?:\.\d+)?"


def steps(page):
    """('file', name, content) and ('run', command, what is shown), in the order of the page."""
    for kind, body in re.findall(r"^```(console|python)\n(.*?)^```$", page, re.DOTALL | re.M):
        if kind == "python":
            yield "file", re.match(r"# (\w+\.py)\n", body)[1], body
        else:
            for command, shown in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", body, re.M):
                yield "run", command, shown


def printed(command, folder):
    """All that a command prints."""
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    unset = ("FORCE_COLOR", "PYTHONWARNINGS")
    environment = {name: value for name, value in os.environ.items() if name not in unset}
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        env={**environment, "PATH": path, "PYTHONUTF8": "1", "COLUMNS": "100"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    return done.stdout.decode()


def agrees(text, shown):
    """Whether a text is as shown."""
    text, shown = (re.sub("─+", "─", " ".join(each.split())) for each in (text, shown))
    pieces = re.split(rf"(\.\.\.|{NUMBER})", shown)  # text, number or dots, text, ...
    known = {"...": "(?s:.*?)"}
    marks = [known.get(piece, f"({NUMBER})") for piece in pieces[1::2]] + [""]
    pattern = "".join(re.escape(a) + b for a, b in zip(pieces[::2], marks, strict=True))
    found = re.fullmatch(pattern, text)
    numbers = [piece for piece in pieces[1::2] if piece != "..."]
    return found is not None and all(map(near, found.groups(), numbers))


def near(number, shown):
    a, b = (float(each.replace(",", "")) for each in (number, shown))
    return abs(a - b) <= max(b / 4, 0.1 if "." in shown else 0)


@pytest.mark.parametrize("name", PAGES)
def test_the_console_prints_what_is_shown(name, tmp_path):
    wrong = []
    for kind, what, content in steps((ROOT / "docs" / name).read_text("utf8")):
        if kind == "file":
            (tmp_path / what).write_text(content, "utf8")
        elif not agrees(got := printed(what, tmp_path), content):
            wrong.append((what, got, content))
    assert wrong == []


def test_there_is_much_to_check():
    shown = [step for name in PAGES for step in steps((ROOT / "docs" / name).read_text("utf8"))]
    assert len([step for step in shown if step[0] == "run"]) > 25
    assert len([step for step in shown if step[0] == "file"]) == 5


@pytest.mark.parametrize(
    ("text", "shown", "same"),
    [
        ("1,200 rows,  2 classes\n", "1,000 rows, 2 classes\n", True),
        ("1,300 rows, 2 classes\n", "1,000 rows, 2 classes\n", False),
        ("1,000 rows, 3 classes\n", "1,000 rows, 2 classes\n", False),
        ("0 rejected\n", "1 rejected\n", False),
        ("prior +0.06\n", "prior +0.12\n", True),
        ("score -1.5\n", "score +1.5\n", False),
        ("a\nb in 0.2 s\nc\n", "a\n... s\nc\n", True),
        ("a\nb in 0.2 s\n", "a\n... s\nc\n", False),
        ("one line\nand another\n", "one line\n", False),
        ("────\n", "──\n", True),
    ],
)
def test_numbers_may_be_a_quarter_off_and_nothing_else(text, shown, same):
    assert agrees(text, shown) is same

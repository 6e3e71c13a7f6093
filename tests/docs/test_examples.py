"""Each example runs, says nothing on stderr, and comes to the result that it is there to show."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted(p for p in ROOT.glob("examples/*.py") if p.name != "demo.py")
EXPECTED = {
    "author": r"accuracy by habits 0\.92 ",
    "language": r"accuracy 0\.92 (?s:.*)45 unknown features, and 0 known",
    "sentiment": r"nabi says neg, with the same lambdas and the same score: -0\.2602",
    "spam": r"0\.8 is best\. On new messages: precision 1\.00, recall 0\.50",
    "summary": r"number +\+0\.99  kept 5, left 1(?s:.*)5 of 6 are what the editor kept",
    "topics": r"(1[7-9]|2[01]) of 21 modules right",  # docstrings vary with Python
    "word_sense": r"season, not water \(0\.55\): \+warm \+winter -bathe(?s:.*)accuracy 0\.92 ",
}


def run(path):
    return subprocess.run(
        [sys.executable, "-W", "error", str(path)],
        capture_output=True,
        encoding="utf8",
        env={**os.environ, "PYTHONUTF8": "1"},
        check=False,
    )


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_comes_to_its_result(path):
    done = run(path)
    assert (done.returncode, done.stderr) == (0, "")
    assert re.search(EXPECTED[path.stem], done.stdout), done.stdout


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_is_listed(path):
    assert f"](../examples/{path.name})" in (ROOT / "docs" / "examples.md").read_text("utf8")


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_says_how_to_run_it(path):
    assert f"Run it: python examples/{path.name}" in path.read_text("utf8")

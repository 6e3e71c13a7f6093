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
    "author_age_gender": r"0\.69 +0\.69 +0\.78\n.* 0\.73 +0\.42 +0\.73(?s:.*)under 20  \(",
    "body_measures": r"female 5\.37791e-04, male 6\.19707e-09\n"
    r".*female 4\.50553e-04, male 6\.95783e-11(?s:.*)in town +female(?s:.*)in an army camp +male",
    "browser": r"bytes of model: weights of 14 words, no texts\n(open film-page|this nabi has no)",
    "duckdb_function": r"ham 1 0\.\d+\nspam 1 0\.\d+\nNone 1 None\nnow: spam",
    "export_sql": r"1 spam -\d+\.\d+\n2 ham -.*\n3 None \nnabi itself says spam, -\d",
    "language": r"accuracy 0\.92 (?s:.*)45 unknown features, and 0 known",
    "margins": r"margin 0\.6983 cm, held by 3 flowers(?s:.*)sample 56, \[4\.5, 2\.5\] of class "
    r"'virginica'(?s:.*)C=1: margin 0\.29 cm, 29 within it, 6 of them wrong",
    "recommend": r"peanut stew was first, bibimbap is now",
    "sentiment": r"nabi says neg, with the same lambdas, for neg: \+0\.2602",
    "spam": r"0\.8 is best\. On new messages: precision 1\.00, recall 0\.50",
    "summary": r"number +\+0\.99  kept 5, left 1(?s:.*)5 of 6 are what the editor kept",
    "topics": r"(1[7-9]|2[01]) of 21 modules right",  # docstrings vary with Python
    "two_blobs": r"150 points learned, 50 tested: score 1\.0",
    "word_sense": r"season, not water \(0\.55\): \+warm \+winter -bathe(?s:.*)accuracy 0\.92 ",
}


PICTURES = [path for path in EXAMPLES if "--save" in path.read_text("utf8")]


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_comes_to_its_result_and_saves_its_pictures(path, tmp_path):
    done = subprocess.run(
        [sys.executable, "-W", "error", path, *(["--save", "new"] if path in PICTURES else [])],
        capture_output=True,
        encoding="utf8",
        cwd=tmp_path,
        env={**os.environ, "PYTHONUTF8": "1"},
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert re.search(EXPECTED[path.stem], done.stdout), done.stdout
    saved = [picture.read_bytes()[:4] for picture in tmp_path.glob("new/*.png")]
    assert saved == [b"\x89PNG"] * len(saved)
    assert bool(saved) == (path in PICTURES)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_is_listed(path):
    assert f"](../examples/{path.name})" in (ROOT / "docs" / "examples.md").read_text("utf8")


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_says_how_to_run_it(path):
    assert f"Run it: python examples/{path.name}" in path.read_text("utf8")

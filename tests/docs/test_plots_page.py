"""The pictures of plots.md are those of the examples, small, and its code runs."""

import io
import re
import runpy
from pathlib import Path

import pytest
from matplotlib.axes import Axes
from PIL import Image

DOCS = Path(__file__).resolve().parents[2] / "docs"
REPORT = {"report.png", "report-texts.png"}  # which docs/report.py draws, by a browser
LABEL = {"label.png", "label-try.png", "label.ko.png", "label-try.ko.png"}
BROWSER = {*REPORT, *LABEL, "notebook.png"}
PICTURES = sorted(p for p in (DOCS / "pictures").glob("*.png") if p.name not in BROWSER)


def size(picture):
    with Image.open(picture) as image:
        return image.size


@pytest.fixture(scope="module")
def drawn():
    return runpy.run_path(str(DOCS / "plots.py"))["pictures"]()


def test_the_pictures_are_those_of_the_script(drawn):
    assert sorted(drawn) == [path.name for path in PICTURES], "run: python docs/plots.py"


@pytest.mark.parametrize("path", PICTURES, ids=lambda path: path.name)
def test_a_picture_is_as_large_as_it_is_drawn_now(path, drawn):
    assert size(path) == size(io.BytesIO(drawn[path.name])), "run: python docs/plots.py"


def test_the_page_shows_every_picture_and_they_are_small():
    page = (DOCS / "plots.md").read_text("utf8")
    assert [path.name for path in PICTURES if f"](pictures/{path.name})" not in page] == []
    assert sum(path.stat().st_size for path in PICTURES) < 300_000


def test_the_page_on_reports_shows_its_pictures_and_they_are_small():
    page = (DOCS / "report.md").read_text("utf8")
    assert [name for name in sorted(REPORT) if f"](pictures/{name})" not in page] == []
    assert sum((DOCS / "pictures" / name).stat().st_size for name in REPORT) < 200_000


def test_the_pages_on_labelling_show_their_pictures_and_they_are_small():
    pages = "".join((DOCS / name).read_text("utf8") for name in ("label.md", "label.ko.md"))
    assert [name for name in sorted(LABEL) if f"](pictures/{name})" not in pages] == []
    assert sum((DOCS / "pictures" / name).stat().st_size for name in LABEL) < 100_000


def test_the_code_of_the_page_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {}
    blocks = re.findall(r"```python\n(.*?)```", (DOCS / "plots.md").read_text("utf8"), re.DOTALL)
    for block in blocks:
        exec(block, names)
    assert len(blocks) == 5
    assert (tmp_path / "densities.png").stat().st_size > 10_000
    assert isinstance(names["plots"].explanation(names["told"]), Axes)

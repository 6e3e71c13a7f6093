"""Draws the pictures of report.md and notebooks.md: python docs/report.py. It takes chromium.

They are of a report and a notebook on what `nabi demo` learns: which library a docstring is from.
"""

import io
import shutil
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

import nabi
from nabi import report
from nabi.cli.commands.demo import LIBRARIES, docstrings

PICTURES = Path(__file__).resolve().parent / "pictures"
WIDTH, HEIGHT = 1180, 900
COLOURS = 128


def main() -> None:
    """Draw them all."""
    rows = [(text, library) for library in LIBRARIES for _, text in docstrings(library)]
    texts, labels = (list(column) for column in zip(*rows, strict=True))
    made = report.of_crossval(
        nabi.TextClassifier(), texts, labels, folds=10, title="Which library is a docstring from?"
    )
    with tempfile.TemporaryDirectory() as folder:
        made.write(f"{folder}/report.html")
        for name, shot in _shots(f"file://{folder}/report.html").items():
            (PICTURES / name).write_bytes(_small(shot))
    (PICTURES / "notebook.png").write_bytes(_small(_notebook(texts, labels)))


def _notebook(texts: list[str], labels: list[str]) -> bytes:
    """What a notebook shows of a model, a decision and a cross-validation."""
    model = nabi.TextClassifier().fit(texts, labels)
    why = model.explain("Return the eigenvalues of a sparse matrix, sorted by magnitude.")
    shown = (model, why, nabi.crossval(texts, labels))
    cells = "<hr style='border: 0; border-top: 1px solid #ccc'>".join(
        x._repr_html_() for x in shown
    )
    with sync_playwright() as started:
        browser = started.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page(viewport={"width": 780, "height": 400})
        page.set_content(cells)
        shot = page.screenshot(full_page=True)
        browser.close()
    return shot


def _shots(address: str) -> dict[str, bytes]:
    """The first sections of a page, and the texts of a cell."""
    with sync_playwright() as started:
        browser = started.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
        page.goto(address)
        page.wait_for_selector("html[data-drawn]")
        end = page.locator("#matrix").bounding_box()
        first = {"x": 0, "y": 0, "width": WIDTH, "height": end["y"] + end["height"] + 24}
        shots = {"report.png": page.screenshot(full_page=True, clip=first)}
        page.locator(".confusions button").first.click()
        shots["report-texts.png"] = page.locator("dialog").screenshot()
        browser.close()
    return shots


def _small(png: bytes) -> bytes:
    """A PNG file of few colours."""
    image = Image.open(io.BytesIO(png)).convert("RGB")
    small = io.BytesIO()
    image.quantize(COLOURS, dither=Image.Dither.NONE).save(small, format="png", optimize=True)
    return small.getvalue()


if __name__ == "__main__":
    main()

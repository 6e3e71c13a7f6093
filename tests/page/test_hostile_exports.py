"""Exports of hostile texts: no cell is a formula for a spreadsheet, and the report runs nothing."""

import contextlib
import csv
import json

import duckdb
import pytest
from hostile_texts import LABELS, TEXTS

CELLS = ["=cmd|' /C calc'!A0", "+1+cmd|'x'!A0", "-2+3", "@SUM(1)", "\t=1+1", "\r=1+1", "＝1+1"]
STARTS = ("=", "+", "-", "@", "\t", "\r", "＝")


@pytest.fixture
def hostile(serving, tmp_path):
    """A server with hostile texts, labels, ids and names of sources, all of which have labels."""
    serving.fill(classes=[{"name": name, "key": str(i)} for i, name in enumerate(LABELS)])
    examples = [
        {"text": f"{text} {i}"[-60000:], "label": LABELS[i % 2], "source": cell, "id": f"{cell}{i}"}
        for i, (text, cell) in enumerate((t, c) for t in [*TEXTS, *CELLS] for c in CELLS[:2])
    ]
    assert serving.ask("POST", "/learn", {"examples": examples})[0] == 200
    return serving


def taken(visit, name, folder):
    """The path of a file that the page exports."""
    with visit.page.expect_download() as download:
        visit.page.get_by_role("link", name=name).click()
    download.value.save_as(folder / name)
    return folder / name


def test_no_cell_is_a_formula_and_the_exact_texts_are_in_the_other_file(hostile, visit, tmp_path):
    one = visit(hostile, view="out")
    with open(taken(one, "labels.csv", tmp_path), encoding="utf-8-sig", newline="") as file:
        cells = [cell for row in csv.reader(file) for cell in row]
    assert any(cell == "'=cmd|' /C calc'!A0" for cell in cells)
    assert [cell for cell in cells if cell.startswith(STARTS) and not is_number(cell)] == []
    lines = taken(one, "labels.jsonl", tmp_path).read_text("utf-8").split("\n")
    exact = [json.loads(line) for line in lines if line]
    assert {one["text"] for one in exact} == set(hostile.labels())
    assert {one["source"] for one in exact} == set(CELLS[:2])


def test_parquet_has_the_exact_texts_and_labels(hostile, visit, tmp_path):
    path = taken(visit(hostile, view="out"), "labels.parquet", tmp_path)
    rows = duckdb.read_parquet(str(path)).project("text, label, source").fetchall()
    assert {text: label for text, label, _ in rows} == hostile.labels()
    assert {source for _, _, source in rows} == set(CELLS[:2])


@pytest.mark.parametrize("name", ["labels.csv", "labels.jsonl", "labels.parquet"])
def test_a_file_of_labels_opened_in_a_browser_is_no_page(hostile, visit, tmp_path, name):
    from playwright.sync_api import Error

    one = visit(hostile, view="out")
    path, page = taken(one, name, tmp_path), one.context.new_page()
    with contextlib.suppress(Error):  # "Download is starting": it is not shown at all
        page.goto(path.as_uri())
    assert page.evaluate("window.ran") is None
    assert page.locator("img, b, i, svg, script").count() == 0
    served = one.page.request.get(f"{hostile.address}/export/labels?format={path.suffix[1:]}")
    assert served.ok
    assert served.headers["content-disposition"].startswith("attachment")
    assert served.headers["x-content-type-options"] == "nosniff"


def is_number(cell):
    try:
        float(cell)
    except ValueError:
        return False
    return True


def test_the_report_opened_from_the_disk_shows_them_as_text(hostile, visit, tmp_path):
    one = visit(hostile, view="out")
    path = taken(one, "report.html", tmp_path)
    asked = []
    page = one.context.new_page()
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: one.errors.append(str(error)))
    page.goto(path.as_uri())
    policy = page.locator("meta[http-equiv='Content-Security-Policy']").get_attribute("content")
    assert "default-src 'none'" in policy
    page.wait_for_selector("table.cells button")
    for button in page.locator("table.cells button").all():
        button.click()
        page.keyboard.press("Escape")
    assert page.evaluate("window.ran") is None
    assert page.evaluate("window.violations") == []
    assert page.locator("img, b, i[onclick], svg[onload]").count() == 0
    assert asked == [path.as_uri()]

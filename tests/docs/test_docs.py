"""What the documentation shows is what happens."""

import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import nabi

ROOT = Path(__file__).resolve().parents[2]
MODULES = ["nabi", *(m.name for m in pkgutil.walk_packages(nabi.__path__, "nabi."))]
APART = "nabi.engines.spark"  # whose examples need a session: tests/engines
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])


@pytest.mark.parametrize(
    "name",
    [n for n in MODULES if not n.endswith(("_native", "__main__")) and not n.startswith(APART)],
)
def test_examples_in_docstrings(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples_in_pages(page):
    plain = re.sub(r"^```.*$", "", page.read_text("utf8"), flags=re.MULTILINE)  # ends a result
    found = doctest.DocTestParser().get_doctest(plain, {}, page.name, str(page), 0)
    assert doctest.DocTestRunner().run(found).failed == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples_in_pages_are_set_as_code(page):
    """Outside of a fence, Markdown takes `>>>` for a quotation."""
    blocks = re.sub(r"^```.*?^```$", "", page.read_text("utf8"), flags=re.MULTILINE | re.DOTALL)
    assert re.findall(r"^>>>.*", blocks, re.MULTILINE) == []


@pytest.mark.parametrize("name", ["README.md", "README.ko.md"])
def test_the_code_of_the_readme_runs(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / name).read_text("utf8"), re.DOTALL)
    names = {}
    for block in blocks:
        exec(block, names)
    assert len(blocks) >= 2
    assert names["both"].class_count_.tolist() == [2.0, 2.0]


def test_the_korean_readme_has_the_commands_of_the_english_one():
    ours, theirs = (
        set(re.findall(r"^\$ .*$", (ROOT / name).read_text("utf8"), re.M))
        for name in ("README.ko.md", "README.md")
    )
    assert ours
    assert ours <= theirs


def test_the_code_of_the_page_on_tables_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs" / "tables.md").read_text("utf8")
    names = {}
    exec(re.search(r"```python\n(.*?)```", page, re.DOTALL)[1], names)
    assert names["model"].predict(names["people"]).tolist() == names["jobs"]


def test_the_code_of_the_page_on_notebooks_runs(tmp_path, monkeypatch):
    pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs" / "notebooks.md").read_text("utf8")
    names = {}
    for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
        exec(block, names)
    assert names["model"].rows_ == {"read": 4, "used": 4, "rejected": 0}
    assert names["jobs"].score(names["df"], "job") == 1.0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    targets = re.findall(r"\]\((?!http)([^)#]+)", page.read_text("utf8"))
    assert [t for t in targets if not (page.parent / t).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_to_a_section_lead_to_one(page):
    targets = re.findall(r"\]\((?!http)([^)#]*)#([^)]+)\)", page.read_text("utf8"))
    wrong = [t for t in targets if t[1] not in sections(page.parent / t[0] if t[0] else page)]
    assert wrong == []


def sections(page):
    """The names by which the sections of a page are linked to: `## Bad rows` -> bad-rows"""
    titles = re.findall(r"^##* (.*)$", page.read_text("utf8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


def test_every_page_is_listed():
    index = (ROOT / "docs" / "README.md").read_text("utf8")
    pages = [path.name for path in ROOT.glob("docs/*.md") if path.name != "README.md"]
    assert [name for name in [*pages, "experiments/README.md"] if f"]({name})" not in index] == []
    experiments = (ROOT / "docs" / "experiments" / "README.md").read_text("utf8")
    pages = [path.name for path in ROOT.glob("docs/experiments/[0-9]*.md")]
    assert [name for name in pages if f"]({name})" not in experiments] == []


def test_every_public_name_is_exported_and_documented():
    assert sorted(nabi.__all__) == nabi.__all__
    assert [name for name in nabi.__all__ if not hasattr(nabi, name)] == []
    undocumented = [n for n in nabi.__all__ if n[0] != "_" and not getattr(nabi, n).__doc__]
    assert undocumented == []

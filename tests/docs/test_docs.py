"""What the documentation shows is what happens."""

import doctest
import importlib
import pkgutil
import re
import runpy
from pathlib import Path

import pytest

import nabi

ROOT = Path(__file__).resolve().parents[2]
MODULES = ["nabi", *(f"nabi.{m.name}" for m in pkgutil.iter_modules(nabi.__path__))]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])


@pytest.mark.parametrize("name", [name for name in MODULES if not name.endswith("_native")])
def test_examples_in_docstrings(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples_in_pages(page):
    assert doctest.testfile(str(page), module_relative=False).failed == 0


def test_the_code_of_the_readme_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text("utf8"), re.DOTALL)
    names = {}
    for block in blocks:
        exec(block, names)
    assert len(blocks) >= 2
    assert names["both"].class_count_.tolist() == [2.0, 2.0]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    targets = re.findall(r"\]\((?!http)([^)#]+)", page.read_text("utf8"))
    assert [t for t in targets if not (page.parent / t).exists()] == []


def test_every_public_name_is_exported_and_documented():
    assert sorted(nabi.__all__) == nabi.__all__
    assert [name for name in nabi.__all__ if not hasattr(nabi, name)] == []
    undocumented = [n for n in nabi.__all__ if n[0] != "_" and not getattr(nabi, n).__doc__]
    assert undocumented == []


def test_the_demo_runs(capsys):
    runpy.run_path(str(ROOT / "examples" / "demo.py"), run_name="__main__")
    shown = capsys.readouterr().out
    assert "accuracy" in shown
    assert "above 0 for" in shown

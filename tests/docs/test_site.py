"""The site of the documentation: it builds without a warning and has an entry for every name."""

import os
import re
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HOOKS = runpy.run_path(str(ROOT / "docs" / "site.py"))
MODULES, PUBLIC_NAMES = HOOKS["MODULES"], HOOKS["public_names"]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """The folder of the built site; a warning is an error."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert (done.returncode, "WARNING" in done.stderr) == (0, False), done.stderr
    return folder


@pytest.mark.parametrize("module", MODULES)
def test_every_public_name_has_an_entry(site, module):
    names = PUBLIC_NAMES(module)
    assert names
    page = (site / "api" / f"{module}.html").read_text("utf8")
    ids = set(re.findall(r'id="([\w.]+)"', page))
    assert [name for name in names if f"{module}.{name}" not in ids] == []


def test_every_public_module_has_a_page():
    private = {"cli", "events"}  # formulas and commands, which nobody imports
    rooms = {path.parent.name for path in ROOT.glob("src/nabi/*/__init__.py") if is_public(path)}
    engines = {f"nabi.engines.{name}" for name in ("clickhouse", "duckdb", "sql", "web")}
    assert engines | {f"nabi.{room}" for room in rooms - private} <= set(MODULES)


def is_public(path):
    return "\n__all__ = " in path.read_text()


def test_a_reader_fetches_nothing_from_elsewhere(site):
    pages = [path.read_text("utf8") for path in site.rglob("*.html")]
    loaded = [
        re.findall(r'<(?:script|link|img)[^>]+(?:src|href)="(https?:[^"]+)', p) for p in pages
    ]
    assert [url for urls in loaded for url in urls] == []


def test_links_inside_of_the_site_lead_somewhere(site):
    missing = []
    pages = [path for path in site.rglob("*.html") if path.name != "404.html"]
    for path in pages:
        for target in re.findall(r'href="([^"#?]+)', path.read_text("utf8")):
            if not target.startswith(("http", "mailto:")):
                missing += [] if (path.parent / target).exists() else [(path.name, target)]
    assert missing == []

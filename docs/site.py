"""Hooks of mkdocs: a reference page for each public module, and the examples that pages link to."""

import re
from importlib import import_module
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parent.parent
ROOMS = (
    *("readers", "estimators", "metrics", "judging", "rules", "margins", "plots", "report"),
    *("search", "server"),
)


def engines() -> list[str]:
    """Return the modules of nabi.engines that say what is public, or that a page names."""
    pages = "".join(page.read_text() for page in ROOT.glob("docs/*.md"))
    folder = ROOT / "src" / "nabi" / "engines"
    files = [*folder.glob("*.py"), *folder.glob("*/__init__.py")]
    public = [file for file in files if "\n__all__ = " in file.read_text()]
    names = {file.parent.name if file.stem == "__init__" else file.stem for file in public}
    return sorted(names.union(re.findall(r"\bnabi\.engines\.([a-z]+)", pages)))


def public_names(module: str) -> list[str]:
    """Return the public names of a module: those of `__all__`, else what it defines."""
    found = import_module(module)
    own = (name for name, what in vars(found).items() if getattr(what, "__module__", "") == module)
    return [name for name in getattr(found, "__all__", own) if not name.startswith("_")]


MODULES = ("nabi", *(f"nabi.{room}" for room in ROOMS), *(f"nabi.engines.{e}" for e in engines()))


def on_config(config: Any) -> None:
    """List the pages of the reference."""
    config.nav.append({"Reference": [{name: f"api/{name}.md"} for name in MODULES]})


def on_files(files: Files, config: Any) -> Files:
    """Add the pages of the reference, and the files of examples."""
    for name in MODULES:
        files.append(File.generated(config, f"api/{name}.md", content=reference(name)))
    for path in sorted((ROOT / "examples").glob("*.py")):
        files.append(File.generated(config, f"examples/{path.name}", content=path.read_text()))
    return files


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Let links to examples, which lie beside the docs, lead to their copies in the site."""
    return markdown.replace("](../examples/", "](examples/")


def reference(module: str) -> str:
    """Return a page with an entry for each public name of a module."""
    about = (import_module(module).__doc__ or "").split("\n\n")[0]
    entries = (f"::: {module}.{name}" for name in public_names(module))
    return "\n\n".join([f"# {module}", about, *entries])

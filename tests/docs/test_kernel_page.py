"""docs/kernel.md names every file of the kernel, and no other."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NATIVE = ROOT / "native"
PAGE = (ROOT / "docs" / "kernel.md").read_text("utf8")


def kernel_files():
    """`count/counter` for counter.h and counter.cc; those of bindings/ and fuzz/ left out."""
    paths = [p for p in NATIVE.glob("*/*") if p.suffix in {".h", ".cc", ".inc", ".py"}]
    names = {path.relative_to(NATIVE).with_suffix("").as_posix() for path in paths}
    return {name for name in names if not name.startswith(("bindings/", "fuzz/"))}


def test_the_table_has_every_file():
    rows = re.findall(r"^\| (`\w+/\w+`.*?) \|", PAGE, re.MULTILINE)
    assert {name for row in rows for name in re.findall(r"`(\w+/\w+)`", row)} == kernel_files()


def test_the_drawing_names_files_that_are_there():
    drawing = re.search(r"## The way of a text\n\n(.*?)\n\nOne text", PAGE, re.DOTALL)[1]
    named = set(re.findall(r"\b[a-z]\w+/\w+", drawing))
    assert len(named) > 15
    assert named - kernel_files() == set()


def test_every_folder_has_a_row():
    rows = re.findall(r"^\| \d \| (.*?) \|", PAGE, re.MULTILINE)
    folders = {path.name for path in NATIVE.iterdir() if path.is_dir()}
    assert {name for row in rows for name in re.findall(r"`(\w+)/`", row)} == folders

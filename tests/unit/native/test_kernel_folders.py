"""The folders of the kernel: includes go downwards, bindings/ alone includes Python."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
NATIVE = ROOT / "native"

# From the top down. A file may include its own folder and the rows below it.
ROWS = [
    {"bindings", "fuzz", "web"},
    {"score", "held_out", "linear", "matrix"},
    {"count"},
    {"vocabulary"},
    {"tokenize", "numbers", "interchange"},
    {"unicode"},
    {"platform"},
]
ROW = {folder: i for i, row in enumerate(ROWS) for folder in row}
PYTHON = re.compile(r"Python\.h|nanobind/|numpy/")
GENERATED = {"unicode_tables.inc"}  # CMake writes it to the build folder


def sources(native):
    """All C++ files of a kernel."""
    return sorted(p for p in native.rglob("*") if p.suffix in {".h", ".cc", ".inc"})


def includes(path):
    return re.findall(r'^#include ([<"])([^">]+)[">]', path.read_text("utf8"), re.MULTILINE)


def wrong_includes(native):
    """(file, include) of each include that does not go downwards, or does not name its folder."""
    return [
        (path.relative_to(native).as_posix(), name)
        for path in sources(native)
        for quote, name in includes(path)
        if quote == '"' and name not in GENERATED and not downwards(path.parent.name, name, native)
    ]


def downwards(folder, name, native):
    other = Path(name).parent.as_posix()
    return (native / name).is_file() and (other == folder or ROW.get(other, -1) > ROW[folder])


def python_includes(native):
    """Files outside bindings/ that include Python's or nanobind's headers."""
    found = {p for p in sources(native) for _, name in includes(p) if PYTHON.match(name)}
    return sorted(p.relative_to(native).as_posix() for p in found if p.parent.name != "bindings")


def write(native, name, *lines):
    path = native / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", "utf8")


def test_every_file_is_in_a_folder_of_the_list():
    assert {path.parent.relative_to(NATIVE).as_posix() for path in sources(NATIVE)} == set(ROW)


def test_includes_go_downwards():
    assert wrong_includes(NATIVE) == []
    assert sum(len(includes(path)) for path in sources(NATIVE)) > 300


@pytest.mark.parametrize(
    ("path", "include", "wrong"),
    [
        ("count/a.h", "vocabulary/b.h", False),
        ("count/a.h", "count/b.h", False),
        ("vocabulary/a.h", "count/b.h", True),  # upwards
        ("score/a.h", "linear/b.h", True),  # sideways
        ("unicode/a.h", "bindings/b.h", True),
        ("count/a.h", "utils/b.h", True),  # not in the list
        ("score/a.h", "count/../linear/b.h", True),
    ],
)
def test_an_include_that_goes_upwards_or_sideways_is_found(tmp_path, path, include, wrong):
    (tmp_path / "count").mkdir()
    write(tmp_path, include)
    write(tmp_path, path, "#pragma once", f'#include "{include}"')
    assert wrong_includes(tmp_path) == ([(path, include)] if wrong else [])


def test_an_include_without_its_folder_is_found(tmp_path):
    write(tmp_path, "count/b.h")
    write(tmp_path, "count/a.h", '#include "b.h"')
    assert wrong_includes(tmp_path) == [("count/a.h", "b.h")]


def test_bindings_alone_includes_python():
    assert python_includes(NATIVE) == []
    assert any(PYTHON.match(name) for _, name in includes(NATIVE / "bindings" / "python.h"))


@pytest.mark.parametrize("header", ["Python.h", "nanobind/nanobind.h"])
def test_python_outside_of_bindings_is_found(tmp_path, header):
    write(tmp_path, "bindings/a.cc", f"#include <{header}>")
    write(tmp_path, "count/a.cc", f"#include <{header}>")
    assert python_includes(tmp_path) == ["count/a.cc"]


def test_every_file_starts_with_a_comment_that_says_what_it_is():
    first = {path: path.read_text("utf8").split("\n", 1)[0] for path in sources(NATIVE)}
    assert [path for path, line in first.items() if not re.match(r"// \w.{10}", line)] == []


def test_cmake_lists_every_source_from_the_bottom_row_up():
    listed = re.findall(r"add_library\(kernel STATIC\n(.*?)\)", cmake(), re.DOTALL)[0].split()
    kernel = [p for p in sources(NATIVE) if p.suffix == ".cc" and ROW[p.parent.name] > 0]
    kernel.sort(key=lambda path: -ROW[path.parent.name])
    assert listed == [path.relative_to(ROOT).as_posix() for path in kernel]


def test_sources_for_avx2_are_those_with_that_name():
    options = re.findall(r"set_source_files_properties\((.*?)PROPERTIES", cmake(), re.DOTALL)[0]
    named = [p.relative_to(ROOT).as_posix() for p in sources(NATIVE) if p.match("*_avx2.cc")]
    assert sorted(options.split()) == named


def cmake():
    return (ROOT / "CMakeLists.txt").read_text("utf8")

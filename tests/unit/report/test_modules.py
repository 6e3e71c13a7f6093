"""ES modules: one style, joined into one script in the order of their imports."""

import re
from pathlib import Path

import pytest

import nabi
from nabi.report.web.modules import EXPORT, imports, joined

SRC = Path(nabi.__file__).parent
MODULES = sorted([*SRC.glob("report/web/shared/*.js"), SRC / "report" / "report.js"])
FILES = {
    "a": 'import { b, c } from "./bc.js";\nb(c);',
    "bc": "export function b() {}\nexport const c = 1;\nconst own = 2;",
}


def test_modules_are_joined_in_the_order_of_their_imports():
    assert joined("a", FILES.get).splitlines() == [
        *("const module_bc = (() => {", "function b() {}", "const c = 1;", "const own = 2;"),
        *("return { b, c };", "})();", "const module_a = (() => {"),
        *("const { b, c } = module_bc;", "b(c);", "return {  };", "})();"),
    ]


def test_a_module_that_two_import_comes_once():
    files = {**FILES, "top": 'import { x } from "./a.js";\nimport { b } from "./bc.js";'}
    assert joined("top", files.get).count("const module_bc") == 1


@pytest.mark.parametrize(
    "line",
    [
        'import b from "./bc.js";',
        'import { b as other } from "./bc.js";',
        'import * as bc from "./bc.js";',
        'import "./bc.js";',
        "import { b } from './bc.js';",
        'import { b } from "./bc.js"',
        "  import('./bc.js');",
        "export default 1;",
        "export { b };",
        "export let a = 1;",
    ],
)
def test_another_style_is_refused(line):
    with pytest.raises(ValueError, match="of another style"):
        joined("a", {**FILES, "a": line}.get)


def test_modules_that_import_each_other_are_refused():
    files = {"a": 'import { b } from "./b.js";', "b": 'import { a } from "./a.js";'}
    with pytest.raises(ValueError, match="a -> b -> a"):
        joined("a", files.get)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_every_module_keeps_to_the_style_and_uses_what_it_imports(path):
    lines = path.read_text("utf8").splitlines()
    rest = "\n".join(line for line in lines if not line.startswith("import"))
    for names, other in imports(lines):
        assert (path.parent / f"{other}.js").exists() or path.name == "report.js"
        assert [name for name in names.split(", ") if not re.search(rf"\b{name}\b", rest)] == []
    assert [x for x in lines if x.startswith("export") and not EXPORT.match(x)] == []


def test_every_name_that_is_imported_is_exported():
    exported = {
        path.stem: {
            found[2]
            for line in path.read_text("utf8").splitlines()
            if (found := EXPORT.match(line))
        }
        for path in MODULES
    }
    for path in MODULES:
        for names, other in imports(path.read_text("utf8").splitlines()):
            assert set(names.split(", ")) <= exported[other], (path.name, other)

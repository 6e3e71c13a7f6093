"""The house: how many rooms there are, what they may import, and that each keeps to itself."""

import re
import tomllib
from importlib.metadata import requires
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from private_names import House

ROOT = Path(__file__).resolve().parents[2]
SRC = ROOT / "src" / "nabi"
ROOMS = sorted(path.parent.name for path in SRC.glob("*/__init__.py"))

# Private names of other packages that we cannot do without, and the room that needs them.
OUTSIDE = {
    ("base", "_at_fork_reinit"),  # threading: locks in the child of a fork
    ("base", "_is_owned"),
    ("errors", "_getframe"),  # sys: whose call a warning is about
    (
        "cli",
        "_exit",
    ),  # os: documented, and the one way out of a signal handler without an exception
    ("estimators", "_align_api_if_sparse"),  # scikit-learn: arrays or matrices
    ("estimators", "_check_partial_fit_first_call"),
    ("estimators", "_check_sample_weight"),
    ("estimators", "_fit_context"),
    ("estimators", "_param_validation"),
    ("margins", "_param_validation"),
    ("readers", "_submit"),  # duckdb: a query that can be stopped
}


def test_no_room_reaches_into_another():
    reaches = House(SRC).reaches(allowed=OUTSIDE)
    assert not reaches, "give the object a method that may be called:\n" + "\n".join(reaches)


# ---- the check itself, in a house of two rooms ----

THERE = """
class Model:
    def __init__(self):
        self._lock = self._shared = 1

    def _ask(self):
        return self._lock

def _answer():
    return Model()
"""
HERE = """
class Other:
    _shared = 2

    def _mine(self):
        return self
"""


@pytest.fixture
def reaches(tmp_path):
    def found(code, imports="from nabi.there.model import Model"):
        for room, text in {"there/model": THERE, "here/own": HERE}.items():
            path = tmp_path / "src" / "nabi" / f"{room}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        (path.parent / "code.py").write_text(f"{imports}\n{code}\n")
        return House(path.parents[1]).reaches(allowed={("here", "_outside")})

    return found


@pytest.mark.parametrize(
    "code",
    [
        "def f(model): return model._lock",
        "def f(model): model._lock = 1",
        "def f(model): model._new = 1",
        "def f(model): return model.inner()[0]._ask()",
        "x = Model()._ask()",
        "def f(model: Model): return model._shared",
        "def f(model: 'Model | None'): return model._shared",
        "def f():\n    model = Model()\n    return model._shared",
        "def f():\n    model = Model()\n    return [model._shared for _ in 'ab']",
        "class A:\n    def g(self, m: Model): self.m = m\n    def f(self): self.m._shared",
        "class A:\n    m: Model\n    def f(self):\n        m = self.m\n        return m._shared",
        "def f(self): return self._lock",
        "def f(m): return getattr(m, '_lock', None)",
        "def f(m): return hasattr(m, '_anything')",
        "def f(m): setattr(m, '_lock', 1)",
        "def f(m, x): return getattr(m, f'_{x}')",
        "def f(m, x): return getattr(m, '_' + x)",
        "from operator import attrgetter\nf = attrgetter('_lock')",
        "def f(m): return vars(m)['_lock']",
        "def f(m): return [getattr(m, name) for name in ('_lock', 'other')]",
        "from operator import attrgetter\nNAMES = ['_lock']\nf = attrgetter(*NAMES)",
        "def f(m):\n    match m:\n        case Model(_lock=x): return x",
        "from nabi.there.model import _answer",
        "from nabi.there import _model",
        "import nabi.there._model",
        "from json import _private",
        "import nabi.there.model as m\nx = m._shared",
    ],
)
def test_what_reaches_into_another_room_is_found(reaches, code):
    (line,) = reaches(code)
    assert re.match(r"src/nabi/here/code\.py:\d+: ", line)


@pytest.mark.parametrize(
    "code",
    [
        "def f(other): return other._mine()._shared",
        "from nabi.here.own import _own, Other\ndef f(other: Other): return other._shared",
        "class A(Model):\n    def f(self): return self._lock + super()._ask()",
        "class A(Model):\n    def f(self): return lambda: self._lock",
        "class A(Model):\n    @classmethod\n    def f(cls): return cls._ask",
        "def alone(method):\n    def run(self): return self._lock\n    return run",
        "import nabi._native as _native\nfrom nabi import _native\nx = _native.Batch",
        "def f(m): return m._outside, m.__dict__, m._",
        "def f(line): return line._replace(end=0)._asdict()",
        "def f(m, x): return getattr(m, x), getattr(m, 'lock')",
        "def f(x): return f'{x}_lock' if x else '_lock'",
        "def f(x): return [f'{x}{end}' for end in ('', '_lock')]",
    ],
)
def test_what_a_room_may_do_is_not_found(reaches, code):
    assert reaches(code) == []


# ---- rooms ----

TOP = ("cli", "engines", "report")  # which stand above all that `nabi` exports


def test_only_the_top_rooms_import_what_nabi_exports():
    """Whose names come from every room: by them a room would reach upwards, unseen."""
    package = re.compile(r"^\s*(import nabi\s*$|from nabi import (?!_native))", re.MULTILINE)
    found = [str(p) for p in SRC.rglob("*.py") if package.search(p.read_text("utf8"))]
    assert [path for path in found if Path(path).relative_to(SRC).parts[0] not in TOP] == []


def entries(folder):
    """What `ls` shows of a folder in a fresh checkout."""
    made = {"__pycache__"}
    return [p for p in folder.iterdir() if p.name not in made and p.suffix not in (".so", ".pyd")]


def test_the_rooms_are_few():
    assert len(entries(SRC)) <= 24, sorted(path.name for path in entries(SRC))


def test_no_room_is_crowded():
    modules = {
        str(init.parent.relative_to(SRC)): len([*init.parent.glob("*.py")]) - 1  # but __init__
        for init in SRC.rglob("__init__.py")
        if not str(init.parent.relative_to(SRC)).startswith("cli/")
    }
    assert {room: number for room, number in modules.items() if number > 16} == {}


def rows():
    """The rows of the import contract, each with the rooms that stand in it."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text("utf8"))["tool"]["importlinter"]
    (layers,) = (c["layers"] for c in settings["contracts"] if c["type"] == "layers")
    return [re.findall(r"\w+", row) for row in layers], layers


def test_every_room_stands_in_a_row_of_the_import_contract():
    rooms = [room for row in rows()[0] for room in row]
    assert sorted(rooms) == sorted(set(rooms))
    assert set(ROOMS) <= set(rooms)


def test_rooms_of_one_row_are_few_and_do_not_import_each_other():
    short, written = rows()
    assert [row for row in short if len(row) > 6] == []
    assert [row for row in written if ":" in row] == []


@pytest.mark.parametrize("room", ROOMS)
def test_the_map_of_the_house_names_every_room(room):
    lines = (ROOT / "CONTRIBUTING.md").read_text("utf8").splitlines()
    assert any(f"`{room}/`" in line for line in lines if line.startswith("|"))


# ---- what comes with it ----


def installed_with(requirement, found):
    """All packages that a requirement brings here, by their metadata."""
    name = canonicalize_name(requirement.name)
    for extra in ["", *requirement.extras]:
        if (name, extra) in found:
            continue
        found.add((name, extra))
        for each in map(Requirement, requires(name) or ()):
            if each.marker is None or each.marker.evaluate({"extra": extra}):
                installed_with(each, found)
    return {name for name, _ in found}


def test_the_server_brings_few_packages():
    packages = installed_with(Requirement("nabi[server]"), set())
    assert {"nabi", "numpy", "starlette", "apsw"} <= packages
    assert len(packages) <= 32, sorted(packages)

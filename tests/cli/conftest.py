"""What the tests of the command line share: a folder with data, and commands run in it."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import nabi

ROWS = [
    ("win a prize now", "spam"),
    ("win money now", "spam"),
    ("see you at lunch", "ham"),
    ("lunch at noon", "ham"),
    ("the plan for noon", "ham"),
]
NABI = [sys.executable, "-m", "nabi.cli"]


class Folder:
    """A folder of its own, in which commands run; temporary files go to a folder beside it."""

    def __init__(self, path: Path, scratch: Path) -> None:
        self.path, self.scratch = path, scratch
        self.environment = {
            **{name: value for name, value in os.environ.items() if name != "FORCE_COLOR"},
            "TMPDIR": str(scratch),
            "COLUMNS": "200",
            "OPENBLAS_NUM_THREADS": "1",  # which has nothing to do here, and starts faster so
            "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        }

    def write(self, name: str, content: str | bytes) -> None:
        data = content if isinstance(content, bytes) else content.encode()
        (self.path / name).write_bytes(data)

    def read(self, name: str) -> str:
        return (self.path / name).read_bytes().decode()

    def files(self) -> dict[str, bytes]:
        """The content of every file, those in the scratch folder too."""
        places = [*self.path.rglob("*"), *self.scratch.rglob("*")]
        return {str(path): path.read_bytes() for path in places if path.is_file()}

    def start(self, *arguments: str, **options: Any) -> "subprocess.Popen[bytes]":
        """Start a command."""
        options = {"cwd": self.path, "env": self.environment, **options}
        return subprocess.Popen([*NABI, *arguments], **options)

    def run(self, *arguments: str, stdin: str | bytes = "", **options: Any) -> tuple[int, str, str]:
        """Run a command to its end: (exit code, standard output, standard error)."""
        data = stdin if isinstance(stdin, bytes) else stdin.encode()
        options = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, **options}
        with self.start(*arguments, stderr=subprocess.PIPE, **options) as process:
            out, err = process.communicate(data)
        return process.returncode, (out or b"").decode(), err.decode()

    def nabi(self, *arguments: str, stdin: str | bytes = "") -> str:
        """What a command prints that ends well and has nothing to remark."""
        code, out, err = self.run(*arguments, stdin=stdin)
        assert (code, err) == (0, "")
        return out

    def refused(self, *arguments: str, code: int = 1, **options: Any) -> str:
        """The one line of a command that fails and changes no file."""
        before = self.files()
        got, out, err = self.run(*arguments, **options)
        assert (got, out) == (code, "")
        assert err.startswith("nabi: ")
        assert err.count("\n") == 1, err
        assert self.files() == before
        return err.removeprefix("nabi: ").rstrip("\n")


def csv(rows: list[tuple[str, str]]) -> str:
    return "text,label\n" + "".join(f"{text},{label}\n" for text, label in rows)


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    """A folder with `mail.csv` and the model trained on it, `mail.nabi`."""
    work, scratch = tmp_path / "work", tmp_path / "scratch"
    work.mkdir()
    scratch.mkdir()
    made = Folder(work, scratch)
    made.write("mail.csv", csv(ROWS))
    nabi.TextClassifier().fit(*map(list, zip(*ROWS, strict=True))).save(work / "mail.nabi")
    return made

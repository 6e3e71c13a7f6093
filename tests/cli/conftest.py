"""What the tests of the command line share: a folder with data, and commands run in it.

Most commands run in the process of the tests, where they start in no time and their coverage is
seen; those that are stopped, killed or watched on a terminal run in one of their own.
"""

import contextlib
import fcntl
import os
import subprocess
import sys
import tempfile
import termios
import threading
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

import nabi
from nabi.cli import main, saving

ROWS = [
    ("win a prize now", "spam"),
    ("win money now", "spam"),
    ("see you at lunch", "ham"),
    ("lunch at noon", "ham"),
    ("the plan for noon", "ham"),
]
NABI = [sys.executable, "-m", "nabi.cli"]


@contextlib.contextmanager
def stream(name: str, mode: str, target: int) -> Iterator[None]:
    """Make a standard stream of this process, for Python and below it, another file."""
    number = ["stdin", "stdout", "stderr"].index(name)
    kept = os.dup(number)
    os.dup2(target, number)
    try:
        with (
            open(number, mode, encoding="utf8", closefd=False) as file,
            mock.patch.object(sys, name, file),
        ):
            yield
    finally:
        os.dup2(kept, number)
        os.close(kept)


@contextlib.contextmanager
def piped(data: bytes) -> Iterator[None]:
    """Let these bytes come from standard input."""
    source, target = os.pipe()
    writer = threading.Thread(target=write_all, args=(target, data))
    writer.start()
    with stream("stdin", "r", source):
        os.close(source)
        yield
    writer.join()


def write_all(target: int, data: bytes) -> None:
    """Write to a pipe until all is written, or nobody reads it any more."""
    with contextlib.suppress(BrokenPipeError), open(target, "wb") as file:
        file.write(data)


def wait_until_it_waits(process: "subprocess.Popen[bytes]") -> None:
    """Return when the pipe to a process is empty and the process asleep: it waits for more."""
    left = array("i", [1])
    while left[0] or Path(f"/proc/{process.pid}/stat").read_text().split()[2] != "S":
        fcntl.ioctl(process.stdin, termios.FIONREAD, left)


def exit_code(arguments: tuple[str, ...]) -> int:
    try:
        return main(arguments)
    except SystemExit as end:  # of the shell's completion
        return end.code


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
        if not options:
            return self._run_here(arguments, data)
        options = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, **options}
        with self.start(*arguments, stderr=subprocess.PIPE, **options) as process:
            out, err = process.communicate(data)
        return process.returncode, (out or b"").decode(), err.decode()

    def _run_here(self, arguments: tuple[str, ...], data: bytes) -> tuple[int, str, str]:
        """Run a command in this process, as it would run in one of its own."""
        with contextlib.ExitStack() as stack:
            out, err = (stack.enter_context(tempfile.TemporaryFile()) for _ in range(2))
            with contextlib.ExitStack() as around:
                around.enter_context(contextlib.chdir(self.path))
                around.enter_context(mock.patch.dict(os.environ, self.environment, clear=True))
                around.enter_context(mock.patch.object(tempfile, "tempdir", str(self.scratch)))
                around.enter_context(mock.patch.object(saving, "SAVED", []))
                around.enter_context(piped(data))
                around.enter_context(stream("stdout", "w", out.fileno()))
                around.enter_context(stream("stderr", "w", err.fileno()))
                code = exit_code(arguments)
            return code, *(os.pread(file.fileno(), 2**30, 0).decode() for file in (out, err))

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

"""nabi of an earlier commit, installed into a temporary environment."""

import os
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@contextmanager
def installed(commit: str, folder: Path) -> Iterator[str]:
    """Check the commit out into the folder, build it, and yield a Python that imports it.

    Everything else is imported from the environment of today, so that only nabi differs.
    """
    tree, environment = folder / "tree", folder / "environment"
    git = ["git", "-C", str(ROOT), "worktree"]
    _run([*git, "add", "--detach", str(tree), commit])
    try:
        _run([sys.executable, "-m", "venv", "--without-pip", str(environment)])
        _share_packages(environment)
        python = str(environment / "bin" / "python")
        _run([sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-deps",
              "--disable-pip-version-check", "--no-build-isolation", str(tree)])  # fmt: skip
        _run([python, "-c", f"import nabi; assert nabi.__file__.startswith({str(environment)!r})"])
        yield python
    finally:
        _run([*git, "remove", "--force", str(tree)])


def short_id(commit: str) -> str:
    """'HEAD~1' -> '76085c8'"""
    return _run(["git", "-C", str(ROOT), "rev-parse", "--short", commit]).strip()


def _share_packages(environment: Path) -> None:
    """Let the environment import the packages of this one, but not its editable nabi.

    Python reads the .pth files of its own folder alone, and the editable nabi is one of those here.
    """
    shared = sysconfig.get_path("purelib")
    (own,) = environment.glob("lib/python*/site-packages")
    (own / "shared.pth").write_text(f"{shared}\n")


def _run(command: list[str]) -> str:
    """What a command prints."""
    tools = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        command, env={**os.environ, "PATH": tools}, capture_output=True, text=True
    )
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed:\n{done.stdout}{done.stderr}")
    return done.stdout

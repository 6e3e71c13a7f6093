"""docs/command-line.md is what the commands say of themselves today.

Its blocks of `console` are run by test_tutorial.py, the examples of the commands by
tests/cli/test_help.py.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from nabi.cli.app import function_of
from nabi.cli.command import examples, summary
from nabi.cli.listing import COMMANDS

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "command-line.md").read_text("utf8")


@pytest.mark.parametrize(
    "terminal", [{"COLUMNS": "40", "FORCE_COLOR": "1"}, {"COLUMNS": "200", "NO_COLOR": "1"}]
)
def test_the_page_is_what_the_script_writes_now(terminal):
    done = subprocess.run(
        [sys.executable, str(ROOT / "docs" / "command_line.py")],
        env={**os.environ, **terminal},
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode() == PAGE, "run: python docs/command_line.py > docs/command-line.md"


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_is_on_it_with_its_examples(command):
    title = f"nabi {command}\n"
    (section,) = [part for part in PAGE.split("\n## ") if part.startswith(title)]
    assert summary(function_of(command)) in section
    assert [line for line in examples(function_of(command)) if f"\n{line}\n" not in section] == []
    assert f"](#nabi-{command.replace(' ', '-')})" in PAGE

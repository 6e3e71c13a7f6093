"""Progress: a bar on a terminal, with rate and time left; nothing where nobody looks."""

import os
import pty
import re
import subprocess

import pytest


def shown_on_a_terminal(folder, *arguments, stderr=True):
    """What a command writes to a terminal that is its standard error."""
    terminal, end = pty.openpty()
    process = folder.start(*arguments, stdout=subprocess.DEVNULL, stderr=end if stderr else None)
    os.close(end)
    shown = b""
    try:
        while data := os.read(terminal, 65536):
            shown += data
    except OSError:
        pass
    os.close(terminal)
    assert process.wait() == 0
    return re.sub(r"\x1b\[[\d;?]*[A-Za-z]", "", shown.decode())  # without colours


@pytest.fixture
def big(folder):
    folder.environment["COLUMNS"] = "120"
    row = "the quick brown fox jumps over the lazy dog and sleeps,ham\n"
    folder.write("big.csv", "text,label\nsee you,spam\n" + row * 400_000)
    return folder


@pytest.mark.parametrize(
    ("command", "what"),
    [
        ("train big.csv -o new.nabi", "training"),
        ("learn mail.nabi big.csv", "reading"),
        ("predict mail.nabi big.csv -o out.csv", "predicting"),
    ],
)
def test_a_bar_shows_how_far_how_fast_and_how_long_still(big, command, what):
    shown = shown_on_a_terminal(big, *command.split())
    assert what in shown
    assert "━" in shown
    assert re.search(r"\d+(\.\d)?/\d+\.\d MB", shown)
    assert re.search(r"[\d.]+ [kMG]B/s", shown)
    assert re.search(r"\d\d:\d\d left", shown)


@pytest.mark.parametrize("command", ["train big.csv -o new.nabi", "learn mail.nabi big.csv"])
def test_quiet_shows_no_bar(big, command):
    assert shown_on_a_terminal(big, *command.split(), "--quiet") == ""


def test_there_is_no_bar_where_standard_error_is_no_terminal(big):
    code, _, err = big.run("train", "big.csv", "-o", "new.nabi")
    assert (code, err) == (0, "")


def test_there_is_no_bar_between_rows_on_standard_output(big):
    assert shown_on_a_terminal(big, "predict", "mail.nabi", "mail.csv") == ""


def test_the_steps_of_a_report_are_shown(folder):
    rows = "".join(f"word{i % 7} {i},{'ham' if i % 3 else 'spam'}\n" for i in range(900))
    folder.write("many.csv", "text,label\n" + rows)
    shown = shown_on_a_terminal(folder, "crossval", "many.csv", "--report", "many.html")
    assert "report: " in shown
    quiet = shown_on_a_terminal(folder, "crossval", "many.csv", "--report", "m.html", "--quiet")
    assert quiet == ""


def test_a_search_shows_the_best_so_far(folder):
    rows = "".join(f"word{i % 7} word{i % 5},{'ham' if i % 3 else 'spam'}\n" for i in range(900))
    folder.write("many.csv", "text,label\n" + rows)
    command = "train many.csv -o m.nabi --best --budget 3"
    shown = shown_on_a_terminal(folder, *command.split())
    assert re.search(r"trying \d+ of \d+, best so far: words and pairs, nbsvm, 0\.\d{4}", shown)

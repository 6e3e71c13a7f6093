"""Control characters of labels, words, columns and names: shown, and never obeyed by a terminal."""

import contextlib
import json
import os
import pty
import re
import subprocess

import pyarrow
import pyarrow.parquet
import pytest

import nabi
from nabi.base.printable import printable
from nabi.rules import RuleSet
from nabi.server import Learn, Store

SET_TITLE = "\x1b]0;gotcha\x07"
CLEAR, CSI, TURNED = "\x1b[2J", "\x9b31m", "\u202etxt.exe\u2066"
SPAM, HAM = f"spam{SET_TITLE}{CLEAR}\nnabi: all is well", f"ham{CSI}{TURNED}\x7f\r[bold]"
WORD = f"win{CLEAR}{CSI}now"
TEXTS = [WORD, f"{WORD} money", f"{WORD} prize", "see you", "lunch at noon", f"see {TURNED}"]
LABELS = [SPAM, SPAM, SPAM, HAM, HAM, HAM]
HIDDEN = re.compile("[\0-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
RULES = f'"win" -> "{CLEAR}"\nlunch -> ham\n'
COMMANDS = [
    "train bad\x1bdata.jsonl -o new\x1b.nabi",
    "train table.jsonl -o new.nabi --label label",
    "train bad\x1bdata.jsonl -o new.nabi --model svm",
    "tune bad\x1bdata.jsonl -o new.nabi --budget 1",
    "predict bad\x1b.nabi bad\x1bdata.jsonl -o out\x1b.csv",
    "explain bad\x1b.nabi TEXT",
    "explain table.nabi ROW",
    "explain near.nabi TEXT",
    "explain rules.nabi TEXT",
    "words bad\x1b.nabi",
    "words table.nabi --column about\x1b",
    "evaluate bad\x1b.nabi bad\x1bdata.jsonl --threshold LABEL=0.5",
    "versus bad\x1b.nabi near.nabi bad\x1bdata.jsonl",
    "compare bad\x1bdata.jsonl --test bad\x1bdata.jsonl --models nb,knn",
    "crossval bad\x1bdata.jsonl",
    "suspects bad\x1bdata.jsonl",
    "suspects bad\x1bdata.jsonl --duplicates",
    "suspects bad\x1bdata.jsonl --against bad\x1bdata.jsonl",
    "suspects table.jsonl --label label",
    "rules\x00check bad.rules bad\x1bdata.jsonl",
    "learn bad\x1b.nabi bad\x1bdata.jsonl",
    "forget bad\x1b.nabi part.jsonl",
    "merge bad\x1b.nabi bad\x1b.nabi -o new.nabi",
    "classes bad\x1b.nabi",
    "calibrate bad\x1b.nabi many\x1b.jsonl --new",
    "prune bad\x1b.nabi -o small.nabi --size 1MB --data bad\x1bdata.jsonl",
    "merge bad\x1b.nabi part\x1b.nabi -o new.nabi --floor 1",
    "train bad\x1bdata.jsonl --shard 0/1 -o part\x1b.nabi",
    "predict bad\x1b.nabi bad\x1bdata.jsonl -o out\x1b.xlsx",
    "export bad\x1b.nabi --to sql --dialect duckdb -o out\x1b.sql",
    "store\x00check --data bad\x1bstore",
    "store\x00export out\x1b.csv --data bad\x1bstore",
    "info bad\x1b.nabi",
    "info table.nabi",
    "info rules.nabi",
]
REFUSED = [
    "info no\x1b.nabi",
    "info bad\x1bdata.jsonl",
    "train no\x1b.csv",
    "train bad\x1bdata.jsonl --text no\x1b",
    "train bad\x1bdata.jsonl --\x1bno",
    "train bad\x1bdata.jsonl --model no\x1b",
    "words bad\x1b.nabi --class no\x1b",
    "classes bad\x1b.nabi --drop no\x1b",
    "forget bad\x1b.nabi table.jsonl --text about\x1b --label label",
    "rules\x00check worse.rules bad\x1bdata.jsonl",
    "no\x1bcommand",
    "predict bad\x1b.nabi no\x1b.mbox",
    "export bad\x1b.nabi --to no\x1b -o out.sql",
    "merge bad\x1b.nabi no\x1b.nabi -o new.nabi",
    "train bad\x1bdata.jsonl --shard no\x1b -o new.nabi",
    "serve no\x1b.nabi",
    "label no\x1b.csv --classes a,b",
    "store\x00check --data no\x1bstore",
    "store\x00token add no\x1b --role read --data bad\x1bstore",
    "store\x00token remove no\x1b --data bad\x1bstore",
]


def lines(rows):
    return "".join(json.dumps(row) + "\n" for row in rows)


@pytest.fixture
def stranger(folder):
    """Files of a stranger, with a terminal's commands wherever a string may be."""
    rows = [{"text": text, "label": label} for text, label in zip(TEXTS, LABELS, strict=True)]
    columns = [
        {"about\x1b": row["text"], f"age{CSI}": i, f"kind{CLEAR}": TURNED}
        for i, row in enumerate(rows)
    ]
    folder.write("bad\x1bdata.jsonl", lines(rows))
    folder.write("part.jsonl", lines(rows[:2]))
    folder.write("many\x1b.jsonl", lines(rows * 20))
    folder.write(
        "table.jsonl", lines({**x, "label": y} for x, y in zip(columns, LABELS, strict=True))
    )
    folder.write("bad.rules", RULES)
    folder.write("worse.rules", f"{RULES}\x1b -> -> x\n")
    kinds = {"about\x1b": "text", f"age{CSI}": "gaussian", f"kind{CLEAR}": "categorical"}
    nabi.TextClassifier(features="words").fit(TEXTS, LABELS).save(folder.path / "bad\x1b.nabi")
    nabi.TableClassifier(kinds).fit(columns, LABELS).save(folder.path / "table.nabi")
    nabi.NeighboursClassifier(k=3).fit(TEXTS, LABELS).save(folder.path / "near.nabi")
    nabi.TextClassifier(features="words").fit(TEXTS[:4], LABELS[:4]).save(
        folder.path / "part\x1b.nabi"
    )
    with Store(folder.path / "bad\x1bstore") as store:
        store.submit([Learn(WORD, HAM, subject=SPAM)], who=SPAM).result()
    RuleSet.parse(RULES).save(folder.path / "rules.nabi")
    folder.row = json.dumps(columns[0])
    return folder


def rest_of(terminal):
    shown = b""
    with contextlib.suppress(OSError):  # how a terminal says that nobody writes to it any more
        while data := os.read(terminal, 4096):
            shown += data
    return shown


def arguments(folder, command):
    typed = {"TEXT": f"{WORD} {TURNED} lunch", "ROW": folder.row, "LABEL=0.5": f"{HAM}=0.5"}
    return [typed.get(word, word) for word in command.replace("\x00", " ").split(" ")]


@pytest.mark.parametrize("command", COMMANDS, ids=printable)
def test_no_command_lets_a_stranger_speak_to_the_terminal(stranger, command):
    code, out, err = stranger.run(*arguments(stranger, command))
    assert code == 0, err
    assert not HIDDEN.search(out + err), (out, err)
    assert "\nnabi: all is well" not in out


@pytest.mark.parametrize("command", REFUSED, ids=printable)
def test_no_error_lets_a_stranger_speak_to_the_terminal(stranger, command):
    code, out, err = stranger.run(*arguments(stranger, command))
    assert code in (1, 2)
    assert not HIDDEN.search(out + err), (out, err)
    assert "\\x1b" in err


def test_colours_of_a_terminal_are_all_that_is_left(stranger):
    terminal, end = pty.openpty()
    with stranger.start("explain", "bad\x1b.nabi", WORD, stdout=end, stderr=end) as process:
        os.close(end)
        shown = rest_of(terminal)
    os.close(terminal)
    assert process.returncode == 0
    assert b"\\x1b[2J" in shown
    assert not HIDDEN.search(re.sub(r"\x1b\[[\d;]*m|\r\n", "", shown.decode()))


@pytest.mark.parametrize("data", [["win now"], ["bad\x1bdata.jsonl", "--proba"], ["bad.parquet"]])
@pytest.mark.parametrize("form", [[], ["--json"]])
def test_rows_on_a_terminal_are_written_out(stranger, data, form):
    table = pyarrow.table({"text": TEXTS})
    pyarrow.parquet.write_table(table, stranger.path / "bad.parquet")
    terminal, end = pty.openpty()
    with stranger.start("predict", "bad\x1b.nabi", *data, *form, stdout=end) as process:
        os.close(end)
        shown = rest_of(terminal)
    os.close(terminal)
    assert process.returncode == 0
    assert b"gotcha" in shown
    assert not HIDDEN.search(shown.decode().replace("\r\n", "\n"))


def test_examples_of_a_store_on_a_terminal_are_written_out(stranger):
    with Store(stranger.path / "data") as store:
        store.submit([Learn(WORD, HAM, subject=SPAM)], who="me").result()
    terminal, end = pty.openpty()
    with stranger.start("store", "export", "-", "--data", "data", stdout=end) as process:
        os.close(end)
        shown = rest_of(terminal)
    os.close(terminal)
    assert process.returncode == 0
    assert b"gotcha" in shown
    assert not HIDDEN.search(shown.decode().replace("\r\n", "\n"))


def test_the_log_of_a_server_is_written_out(stranger):
    typed = ("serve", "bad\x1b.nabi", "--watch", "--port", "0")
    with stranger.start(*typed, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert b"nabi serves" in process.stdout.readline()
        (stranger.path / "near.nabi").rename(stranger.path / "bad\x1b.nabi")
        shown = process.stderr.readline().decode()
        process.terminate()
    assert shown.endswith("bad\\x1b.nabi was read again\n")
    assert not HIDDEN.search(shown)


def test_json_holds_every_character_and_a_terminal_obeys_none(stranger):
    out = stranger.nabi("classes", "bad\x1b.nabi", "--json")
    assert json.loads(out) == {HAM: 3, SPAM: 3}
    assert not HIDDEN.search(out)


def test_rows_stay_exact(stranger):
    out = stranger.nabi("predict", "bad\x1b.nabi", "bad\x1bdata.jsonl", "--json")
    found = [json.loads(line) for line in out.split("\n")[:-1]]
    assert [row["text"] for row in found] == TEXTS
    csv = stranger.nabi("predict", "bad\x1b.nabi", "part.jsonl")
    assert f'{WORD},"{SPAM}"' in csv

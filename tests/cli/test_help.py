"""Help, version, completion, info, demo; and every example in the help is run."""

import json
import re
import shlex
import subprocess
from pathlib import Path

import duckdb
import pytest

import nabi
from nabi.cli.app import function_of
from nabi.cli.command import Command, examples
from nabi.cli.listing import COMMANDS


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_shows_the_examples_and_no_names_of_types(folder, command):
    shown = folder.nabi(*command.split(), "--help")
    for line in examples(function_of(command)):
        assert f"$ {line}" in shown
    assert [
        noise for noise in ("<bool>", "<str>", "list[", "{MODEL", "x>=1") if noise in shown
    ] == []


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_lists_at_most_ten_options_and_names_the_page_of_all(folder, command):
    shown, every = (folder.nabi(*command.split(), page) for page in ("--help", "--help-all"))
    listed = re.findall(r"^│ --([a-z-]+)", shown, re.M)
    assert len([name for name in listed if name != "help"]) <= 10
    assert set(listed) <= set(re.findall(r"^│ --([a-z-]+)", every, re.M))


@pytest.mark.parametrize("command", COMMANDS)
def test_the_help_fits_a_screen_of_40_lines_and_80_columns(folder, monkeypatch, command):
    monkeypatch.setenv("COLUMNS", "80")
    lines = folder.nabi(*command.split(), "--help").splitlines()
    assert len(lines) < 40
    shown = [line.strip() for line in lines if line.startswith("   $ ")]
    assert shown == [f"$ {line}" for line in examples(function_of(command))]  # none is broken


def test_the_help_shows_the_first_sentence_and_the_whole_help_all(folder, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    shown, every = folder.nabi("train", "--help"), folder.nabi("train", "--help-all")
    assert "Kind of model: nb, nbsvm, nblr, svm, logistic, knn or rules. [default: nb]" in shown
    assert ("knn lets similar" in shown, "knn lets similar" in every) == (False, True)


@pytest.mark.parametrize(("group", "panel"), [((), "First steps"), (("rules",), "Commands")])
def test_the_whole_help_of_a_group_is_its_help(folder, group, panel):
    shown = folder.nabi(*group, "--help-all")
    assert shown == folder.nabi(*group, "--help")
    assert panel in shown


def test_the_help_says_how_many_options_it_leaves_out(folder):
    shown, every = folder.nabi("learn", "--help"), folder.nabi("learn", "--help-all")
    (more,) = re.findall(r"(\d+) more options: nabi learn --help-all", shown)
    assert every.count("│ --") == shown.count("│ --") + int(more)
    assert ("--encoding" in shown, "--encoding" in every) == (False, True)


@pytest.fixture
def prepared(folder):
    """A folder with every file that the examples name."""
    folder.write("mail.csv", "body,folder\nyou have won,spam\nlunch at noon,ham\n")
    folder.write("new.csv", "id,text\n1,you have won a prize\n")
    folder.write("test.csv", "text,label\nyou win,spam\nlunch at one,ham\n")
    rows = ["a good film,pos", "a bad film,neg"] * 6
    folder.write("reviews.csv", "\n".join(["text,label", *rows, ""]))
    table = {"age": [41.5, 23.0], "about": ["I teach maths", "I drive a lorry"]}
    nabi.TableClassifier().fit(table, ["teacher", "driver"]).save(folder.path / "people.nabi")
    duckdb.sql(
        "select 41.5 as age, 'I teach maths' as about, 'teacher' as job "
        "union all select 23.0, 'I drive a lorry', 'driver'"
    ).write_parquet(str(folder.path / "people.parquet"))
    people = ["31,Paris,teacher", "45,Rome,driver", "28,Oslo,teacher", "52,Oslo,driver"] * 3
    folder.write("people.csv", "\n".join(["age,town,job", *people, ""]))
    (folder.path / "inbox").mkdir()
    folder.write("inbox/1.eml", "Subject: you have won\n\na prize\n")
    folder.write("mail.log", "you have won\n")
    folder.write("mail.rules", '"you have won" or win -> spam\n')
    folder.write("monday.csv", "text,label\nyou have won,spam\n")
    folder.write("requests.csv", "text,label\nlunch at noon,ham\n")
    (folder.path / "monday.nabi").write_bytes((folder.path / "mail.nabi").read_bytes())
    nabi.TextClassifier().fit(["tea at two"], ["ham"]).save(folder.path / "tuesday.nabi")
    folder.write("reviews.rules", "good and not bad -> pos\n")
    return folder


def prepare_store(folder):
    """A data directory that two tokens have taught, its backup, and a copy of its receipts."""
    from nabi.server import Learn, Store
    from nabi.server.store.upkeep import backup

    with Store(folder.path / "mail-data") as store:
        for text, label, who in (("win", "spam", "intern"), ("lunch", "ham", "me")):
            store.submit([Learn(text, label)], who=who).result()
    backup(folder.path / "mail-data", folder.path / "monday")
    folder.write("kept.jsonl", (folder.path / "mail-data" / "receipts.jsonl").read_bytes())
    folder.write("forgotten.txt", "a text that was forgotten\n")


WASM = Path(nabi.__file__).parent / "engines" / "web" / "nabi.wasm"
LINES = [
    (command, line)
    for command in COMMANDS
    if command not in ("demo", "label", "serve")  # which have no end: tests/server
    for line in examples(function_of(command))
]


def ended(folder, line):
    """(exit code, output, errors) of a line: in a shell, if it is more than nabi."""
    program, *arguments = shlex.split(line)
    if program == "nabi":
        return folder.run(*arguments)
    done = subprocess.run(
        line, shell=True, cwd=folder.path, env=folder.environment, capture_output=True, text=True
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize(("name", "line"), LINES)
def test_every_example_in_the_help_works(prepared, name, line):
    if name == "calibrate":
        rows = "you have won,spam\nlunch at noon,ham\n" * 60
        prepared.write("mail.csv", f"body,folder\n{rows}")
        prepared.write("test.csv", f"body,folder\n{rows}")
        options = ("--text", "body", "--label", "folder")
        prepared.nabi("train", "mail.csv", "-o", "mail.nabi", "-q", *options)
        ages, jobs = [41.5, 23.0] * 60, ["teacher", "driver"] * 60
        nabi.TableClassifier().fit({"age": ages}, jobs).save(prepared.path / "people.nabi")
        people = duckdb.sql("select unnest($1) as age, unnest($2) as job", params=[ages, jobs])
        people.write_parquet(str(prepared.path / "people.parquet"))
    if "--threshold" in line:  # of calibrated probabilities, of which there is nothing to note
        texts, labels = ["you have won", "lunch at noon"] * 9, ["spam", "ham"] * 9
        model = nabi.TextClassifier().fit(texts, labels).calibrate(texts, labels)
        model.save(prepared.path / "mail.nabi")
    if name.startswith("store token "):
        (prepared.path / "mail-data").mkdir()
        prepared.write("mail-data/token", "x" * 43)
        if name == "store token remove":
            prepared.nabi("store", "token", "add", "anna", "--data", "mail-data")
    if name.startswith("store "):
        prepare_store(prepared)
    if "--to web" in line and not WASM.exists():
        pytest.skip("the module for browsers is not compiled: make wasm; see tests/engines")
    if name == "classes":
        texts, labels = ["a", "b", "c", "d"], ["junk", "work", "job", "other"]
        nabi.TextClassifier().fit(texts, labels).save(prepared.path / "mail.nabi")
    code, out, err = ended(prepared, line.replace("tail -f", "tail"))  # which has no end
    assert (code, err) == (0, "")
    assert out != ""


def test_help_lists_all_commands_in_the_order_of_use(folder):
    lines = folder.nabi("--help").splitlines()
    listed = [line.split()[1] for line in lines if line.startswith("│ ")]
    first = list(dict.fromkeys(name.split()[0] for name in COMMANDS))
    assert [name for name in listed if name in first] == first
    assert folder.nabi("-h").splitlines() == lines


def test_without_a_command_help_is_shown(folder):
    code, out, err = folder.run()
    assert code == 2
    assert "Usage: nabi [OPTIONS] COMMAND" in out + err


def test_the_version(folder):
    assert folder.nabi("--version") == f"nabi {nabi.__version__}\n"


def test_a_script_for_completion_is_printed(folder):
    out = folder.nabi("--show-completion", "bash")
    assert "complete" in out
    assert "_NABI_COMPLETE" in out


def test_completion_completes(folder):
    folder.environment |= {
        "_NABI_COMPLETE": "bash_complete",
        "COMP_WORDS": "nabi pre",
        "COMP_CWORD": "1",
    }
    assert folder.run()[1].split() == ["plain,predict"]


def test_completion_is_installed_once(folder, tmp_path):
    folder.environment |= {"HOME": str(tmp_path), "SHELL": "/bin/bash"}
    (tmp_path / ".bashrc").write_text("alias ll='ls -l'")
    for _ in range(2):
        assert "bash completion installed in" in folder.nabi("--install-completion")
    script = tmp_path / ".bash_completions" / "nabi.sh"
    assert (tmp_path / ".bashrc").read_text() == f"alias ll='ls -l'\nsource '{script}'\n"
    assert script.read_text().rstrip() == folder.nabi("--show-completion", "bash").rstrip()


def test_completion_of_a_shell_that_is_not_known(folder):
    said = folder.refused("--show-completion", "tcsh", code=2)
    assert said == "No completion for 'tcsh'; expected one of bash, zsh, fish. Try `nabi --help`."


def test_info_says_what_is_in_the_file(folder):
    lines = folder.nabi("info", "mail.nabi").splitlines()
    got = dict(line.split(maxsplit=1) for line in lines)
    assert got["classes"] == "2 classes: ham 3, spam 2"
    assert (got["texts"], got["vocabulary"]) == ("5", "13")
    assert got["event"] == "multinomial, alpha 1 (auto), prior empirical"
    assert got["checksum"].endswith(", verified")


def test_info_as_json(folder):
    folder.nabi("train", "mail.csv", "-o", "x.nabi", "--ngrams", "1-2", "--prior", "ham=1,spam=0")
    got = json.loads(folder.nabi("info", "x.nabi", "--json"))
    assert got["prior"] == {"ham": 1.0, "spam": 0.0}
    assert got["recipe"]["ngrams"] == [1, 2]
    assert (got["format"], got["nabi"], got["texts"]) == (5, nabi.__version__, 5)
    assert got["bytes"] == (folder.path / "x.nabi").stat().st_size


def test_the_demo_knows_docstrings_far_better_than_chance(folder):
    # In a process of its own: it imports all of scipy, which takes long where coverage is watched.
    code, out, err = folder.run("demo", stdout=subprocess.PIPE)
    assert (code, err) == (0, "")
    line = next(line for line in out.splitlines() if line.startswith("accuracy"))
    accuracy, majority = (float(word.strip(")%")) for word in line.split() if "%" in word)
    assert accuracy > majority + 15
    assert "scipy  (probability 0.99" in out
    assert "\nNext:\n" in out
    for command in out.rpartition("Next:\n")[2].splitlines():
        code, out, err = ended(folder, command)
        assert (code, err) == (0, "")
    assert out == "text,predicted\na prize for you,spam\n"


def test_every_command_has_json_and_those_that_write_have_quiet():
    for command in COMMANDS:
        options = {param.name for param in Command(command, function_of(command)).params}
        assert "json" in options
        writes = {"train", "predict", "learn", "forget", "merge", "classes"}
        writes |= {"tune", "calibrate", "prune", "store backup", "store export", "store undo"}
        writes |= {"store copy", "store model"}
        writes |= {
            "evaluate",
            "versus",
            "compare",
            "crossval",
            "suspects",
            "rules check",
        }  # which show progress
        assert ("quiet" in options) == (command in writes)

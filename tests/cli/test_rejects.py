"""The file for bad rows is never one that is read or written, nor someone else's."""

import os

import pytest

from nabi.cli.app import function_of
from nabi.cli.listing import COMMANDS

BAD = "text,label\nwin a prize now,spam\nsee you at lunch,ham\nlunch at noon,ham\na,b,c\n"
RULES = '"prize" -> spam\n'
READS = {  # where bad rows go by themselves, and how a command is called on {data}
    "train": ("m.rejects.csv", "train {data} -o m.nabi"),
    "tune": ("m.rejects.csv", "tune {data} -o m.nabi --budget 1"),
    "predict": ("m.rejects.csv", "predict mail.nabi {data} -o m.csv"),
    "evaluate": ("evaluate.rejects.csv", "evaluate mail.nabi {data}"),
    "explain": ("explain.rejects.csv", "explain mail.nabi {data}"),
    "versus": ("versus.rejects.csv", "versus mail.nabi mail.nabi {data}"),
    "crossval": ("crossval.rejects.csv", "crossval {data}"),
    "suspects": ("suspects.rejects.csv", "suspects {data}"),
    "rules check": ("mail.rejects.csv", "rules check mail.rules {data}"),
    "learn": ("mail.rejects.csv", "learn mail.nabi {data}"),
    "forget": ("mail.rejects.csv", "forget mail.nabi {data}"),
    "compare": ("compare.rejects.csv", "compare {data} --models nb"),
    "prune": ("m.rejects.csv", "prune mail.nabi -o m.nabi --size 1MB --data {data}"),
    "calibrate": ("calibrate.rejects.csv", "calibrate mail.nabi {data}"),
}
each = pytest.mark.parametrize("name", READS)


@pytest.fixture
def folder(folder):
    folder.write("bad.csv", BAD)
    folder.write("mail.rules", RULES)
    return folder


def refused(folder, name, data, *more):
    command = READS[name][1].format(data=data).split()
    return folder.refused(*command, "--skip-bad", *more)


def test_every_command_that_takes_data_is_tried_here():
    options = {command: function_of(command).__annotations__ for command in COMMANDS}
    taking = {command for command in COMMANDS if options[command].get("source", str) is not str}
    assert taking == set(READS)


@each
def test_the_data_cannot_be_named_for_bad_rows(folder, name):
    os.link(folder.path / "bad.csv", folder.path / "same.csv")
    for path in ("bad.csv", "./bad.csv", "same.csv"):
        said = refused(folder, name, "bad.csv", "--rejects", path)
        assert said == f"--rejects {path}: that file is read here; give another name"


@each
def test_the_data_cannot_have_the_name_that_bad_rows_take(folder, name):
    path = READS[name][0]
    folder.write(path, BAD)
    assert refused(folder, name, path) == (
        f"{path}, where bad rows would go: that file is read here; give another one: --rejects FILE"
    )
    assert "read here" in refused(folder, name, "*.rejects.csv")


@each
def test_a_file_of_that_name_is_not_replaced(folder, name):
    path = READS[name][0]
    folder.write(path, "my notes\n")
    assert "that file is something else" in refused(folder, name, "bad.csv")
    os.rename(folder.path / path, folder.path / "notes")
    os.symlink("notes", folder.path / path)
    assert "that file is something else" in refused(folder, name, "bad.csv")
    assert folder.read("notes") == "my notes\n"


@each
def test_a_dangling_link_is_not_followed(folder, name):
    os.symlink("nowhere.csv", folder.path / READS[name][0])
    assert "that file is something else" in refused(folder, name, "bad.csv")


@pytest.mark.parametrize("name", [name for name in READS if "mail.nabi" in READS[name][1]])
def test_the_model_cannot_be_named_for_bad_rows(folder, name):
    said = refused(folder, name, "bad.csv", "--rejects", "mail.nabi")
    assert said == "--rejects mail.nabi: that file is read here; give another name"


@pytest.mark.parametrize(
    ("command", "path"),
    [
        ("train bad.csv -o m.nabi", "./m.nabi"),
        ("predict mail.nabi bad.csv -o m.csv", "./m.csv"),
        ("evaluate mail.nabi bad.csv --report m.html", "./m.html"),
        ("crossval bad.csv --report m.html", "./m.html"),
        ("calibrate mail.nabi bad.csv -o m.nabi", "./m.nabi"),
    ],
)
def test_what_is_written_cannot_be_named_for_bad_rows(folder, command, path):
    said = folder.refused(*command.split(), "--skip-bad", "--rejects", path)
    assert said == f"--rejects {path}: that file is written here; give another name"


def test_a_query_and_a_folder_are_read_too(folder):
    folder.write("m.rejects.csv", "text,label\nwin,spam\nlunch,ham\n")
    query = ("--sql", "select * from 'm.rejects.csv'", "-o", "m.nabi", "--skip-bad")
    assert "--sql may read it" in folder.refused("train", *query)
    (folder.path / "mails" / "spam").mkdir(parents=True)
    folder.write("mails/spam/1.txt", "win")
    inside = ("train", "mails", "-o", "m.nabi", "--rejects", "mails/spam/bad.csv")
    assert "read here" in folder.refused(*inside)


def test_the_file_of_an_earlier_run_is_replaced(folder):
    for _ in range(2):
        assert folder.run("train", "bad.csv", "-o", "m.nabi", "--skip-bad")[0] == 0
    assert folder.read("m.rejects.csv").count("\n") == 2


def test_both_files_of_suspects_against_have_their_bad_rows_kept(folder):
    folder.write("test.csv", BAD + "d,e,f\n")
    options = ("--against", "test.csv", "--skip-bad", "--rejects", "x.csv")
    assert folder.run("suspects", "bad.csv", *options)[0] == 0
    assert '"a,b,c"' in folder.read("x.csv")
    assert '"d,e,f"' in folder.read("x.against.csv")
    assert "read here" in folder.refused(
        "suspects", "bad.csv", *options[:3], "--rejects", "test.csv"
    )


def test_notes_that_begin_with_a_blank_line_stay(folder):
    folder.write("notes.txt", "\nmy notes\n")
    said = refused(folder, "train", "bad.csv", "--rejects", "notes.txt")
    assert said == "--rejects notes.txt: that file is something else; give another name"


def test_rejects_that_a_pattern_reads_again_stay(folder):
    folder.write("compare.rejects.csv", "file,line,reason,row\nbad.csv,5,text,label\n")
    asked = ("compare", "bad.csv", "--test", "c*.csv", "--models", "nb", "--skip-bad")
    assert "that file is read here" in folder.refused(*asked)
    folder.write("suspects.rejects.csv", "file,line,reason,row\nbad.csv,5,text,label\n")
    asked = ("suspects", "bad.csv", "--against", "s*.csv", "--skip-bad")
    assert "that file is read here" in folder.refused(*asked)


def test_rejects_that_a_query_may_read_stay(folder):
    folder.write("m.rejects.csv", "file,line,reason,row\nbad.csv,5,text,label\n")
    query = "select reason as text, row as label from read_csv('m.rej*')"
    said = folder.refused("train", "--sql", query, "-o", "m.nabi", "--skip-bad")
    assert "that file is there, and --sql may read it" in said


@each
def test_rows_that_are_all_bad_are_written_too(folder, name):
    folder.write("all.csv", "text,label\na,b,c\nd\n")
    path, command = READS[name]
    code, out, err = folder.run(*command.format(data="all.csv").split(), "--skip-bad")
    assert (code, out) == (1, "")
    assert err.endswith(f"(line 2, expected 2 columns, found 3); see {path}\n")
    assert folder.read(path) == (
        "file,line,reason,row\n"
        'all.csv,2,"expected 2 columns, found 3","a,b,c"\n'
        'all.csv,3,"expected 2 columns, found 1",d\n'
    )

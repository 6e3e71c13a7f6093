"""Notes on data that look wrong: a line each, exit code 0; with --strict an error."""

import pytest

from nabi.cli.data import notes
from nabi.readers import csv_file

PLAIN = ["a b c,x", "d e f,y"]
ONE_CLASS = "only one class, 'x': merge it with others, or it is predicted every time"


def noted(folder, *rows, command="train", header="text,label", options=()):
    """The notes of a command on rows of a file."""
    folder.write("data.csv", "\n".join([header, *rows, ""]))
    typed = [command, *(["mail.nabi"] if command == "learn" else []), "data.csv", *options]
    code, _, err = folder.run(*typed, *(["-o", "new.nabi"] if command == "train" else []))
    assert code == 0
    return [line.removeprefix("nabi: ") for line in err.splitlines()]


@pytest.mark.parametrize(
    ("rows", "note"),
    [
        (["g h,X ", *PLAIN], "labels that differ only by case or blanks: 'X ' 1, 'x' 1"),
        (["a b c,x", "d e f,x"], ONE_CLASS),
        ([*PLAIN, ",x"], "1 of 3 texts is empty: data.csv:4"),
        ([*PLAIN, ",x", "  ,y"], "2 of 4 texts are empty, the first is data.csv:4"),
        (
            [*PLAIN, 'g h,"{""id"": 3}"'],
            "a label looks like an object or a list: '{\"id\": 3}' (1 row); is it the column that "
            "--label should name?",
        ),
        (
            [*PLAIN, "d e f,y", "a b c,y"],
            "1 text comes more than once, with different labels: data.csv:2 is 'x', "
            "data.csv:5 is 'y'",
        ),
        (
            [*PLAIN, "A b  c!,y"],
            "1 group of nearly equal texts, with different labels: data.csv:2 is 'x', data.csv:4 "
            "is 'y'",
        ),
    ],
)
def test_each_note(folder, rows, note):
    assert noted(folder, *rows) == [note]


def test_nothing_is_noted_of_sound_data(folder):
    assert noted(folder, *PLAIN, "a b c,x", "g [h],z") == []


@pytest.mark.parametrize("command", ["train", "crossval"])
def test_notes_of_a_table_are_on_its_labels(folder, command):
    rows = ["1.5,a,x", "2.5,b,X", "1.5,a,y", "2.5,b,y"]
    options = () if command == "train" else ("--folds", "2")
    said = noted(folder, *rows, header="size,town,label", command=command, options=options)
    assert said == ["labels that differ only by case or blanks: 'X' 1, 'x' 1"]


def test_labels_of_the_model_count_when_it_learns_more(folder):
    assert noted(folder, "g h,Spam", command="learn") == [
        "labels that differ only by case or blanks: 'Spam' 1, 'spam' 2"
    ]
    assert noted(folder, "g h,ham", command="learn") == []


def test_a_prediction_has_no_notes(folder):
    folder.write("new.csv", "text\n\nwin\nwin\n")
    assert folder.nabi("predict", "mail.nabi", "new.csv").count("\n") == 3


@pytest.mark.parametrize(
    "command",
    [
        ("train", "data.csv", "-o", "new.nabi"),
        ("train", "data.csv", "-o", "new.nabi", "--model", "svm"),
        ("tune", "data.csv", "-o", "new.nabi", "--budget", "1s"),
        ("learn", "mail.nabi", "data.csv"),
        ("crossval", "data.csv", "--report", "report.html"),
    ],
)
def test_strict_makes_them_errors(folder, command):
    folder.write("data.csv", "text,label\na b,x\n,Spam\nc d,spam\n")
    said = folder.refused(*command, "--strict")
    assert said.startswith("--strict: labels that differ only by case or blanks: 'Spam' 1, 'spam' ")
    assert said.endswith("; 1 of 3 texts is empty: data.csv:3")


def test_missing_texts_are_told_of_once(folder):
    rows = ['{"text": null, "label": "x"}', '{"text": "a", "label": "y"}']
    folder.write("data.jsonl", "\n".join(rows))
    code, _, err = folder.run("train", "data.jsonl", "-o", "new.nabi", "-q")
    assert (code, err) == (0, "nabi: 1 of 2 texts is missing (None or NaN) and counts as empty\n")
    code, _, err = folder.run("train", "data.jsonl", "-o", "other.nabi", "--strict")
    assert (code, err.splitlines()[0]) == (1, "nabi: --strict: missing texts: 1")
    assert not (folder.path / "other.nabi").exists()


# ---- data that are read in parts ----


def test_equal_texts_of_different_parts(folder, monkeypatch):
    monkeypatch.setattr(csv_file, "ROWS", 2)
    rows = [*PLAIN, *PLAIN, "a b c,y", ",x", "g h,x", "g h,y"]
    assert noted(folder, *rows) == [
        "1 of 8 texts is empty: data.csv:7",
        "2 texts come more than once, with different labels: data.csv:8 is 'x', data.csv:9 is 'y'",
    ]
    assert noted(folder, *PLAIN, *PLAIN, "a b c,y") == [
        "1 text comes more than once, with different labels: data.csv:4 is 'x', data.csv:6 is 'y'"
    ]


def test_only_the_first_texts_are_looked_at(folder, monkeypatch):
    monkeypatch.setattr(csv_file, "ROWS", 2)
    monkeypatch.setattr(notes, "MOST", 2)
    (said,) = noted(folder, "a b c,x", "a b c,y", ",x", "a b c,z")
    assert said.startswith("1 text comes more than once among the first 2, with different labels: ")


def test_nearly_equal_texts_are_looked_for_among_few(folder, monkeypatch):
    monkeypatch.setattr(notes, "NEAR_TEXTS", 2)
    assert noted(folder, *PLAIN, "A b  c!,y") == []


def test_many_labels_that_are_alike_or_objects(folder):
    rows = ["a,x", "b,X", "c,y", "d,Y", 'e,"[1, 2]"', 'f,"[1, 2]"', "g,{}"]
    assert noted(folder, *rows) == [
        "labels that differ only by case or blanks: 'X' 1, 'x' 1; 2 such groups in all",
        "2 labels look like an object or a list: '[1, 2]' (2 rows); is it the column that --label "
        "should name?",
    ]

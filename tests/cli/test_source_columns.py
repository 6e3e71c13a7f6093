"""The columns of training, which a model remembers, and the commands that are proposed next."""

import json
import subprocess

import pytest

import nabi

MAIL = "id,body,folder\n1,win a prize now,spam\n2,lunch at noon,ham\n3,win money now,spam\n"
COLUMNS = ("--text", "body", "--label", "folder")


@pytest.fixture
def trained(folder):
    """A folder with a model that was trained on columns of other names than `text` and `label`."""
    folder.write("mail.csv", MAIL)
    folder.nabi("train", "mail.csv", "-o", "mail.nabi", *COLUMNS)
    return folder


def test_predict_needs_no_name_of_a_column(trained):
    trained.write("new.csv", "n,body\n7,win now\n")
    assert trained.nabi("predict", "mail.nabi", "new.csv") == "n,body,predicted\n7,win now,spam\n"


@pytest.mark.parametrize("command", ["evaluate", "calibrate", "learn", "forget"])
def test_commands_with_labels_need_no_names_of_columns(trained, command):
    head, first, second, *_ = MAIL.splitlines()
    many = 60 if command == "calibrate" else 1
    trained.write("some.csv", "\n".join([head, *[first, second] * many]) + "\n")
    options = ["--new"] if command == "calibrate" else []
    trained.nabi(command, "mail.nabi", "some.csv", *options)


def test_versus_goes_by_what_either_model_remembers(trained):
    nabi.TextClassifier().fit(["win", "lunch"], ["spam", "ham"]).save(trained.path / "b.nabi")
    assert "accuracy" in trained.nabi("versus", "b.nabi", "mail.nabi", "mail.csv")


def test_an_option_wins(trained):
    trained.write("new.csv", "body,note\nwin now,lunch\n")
    out = trained.nabi("predict", "mail.nabi", "new.csv", "--text", "note")
    assert out == "body,note,predicted\nwin now,lunch,ham\n"


def test_a_file_with_one_column_and_one_with_the_default_names_do_as_well(trained):
    trained.write("one.csv", "remarks\nlunch\n")
    trained.write("two.csv", "id,text\n1,lunch\n")
    note = "nabi: texts taken from '{}'; the model was trained on 'body'\n"
    assert trained.run("predict", "mail.nabi", "one.csv") == (
        *(0, "remarks,predicted\nlunch,ham\n"),
        note.format("remarks"),
    )
    assert trained.run("predict", "mail.nabi", "two.csv") == (
        *(0, "id,text,predicted\n1,lunch,ham\n"),
        note.format("text"),
    )


def test_a_missing_column_is_named_with_others(trained):
    trained.write("new.csv", "id,message\n1,win\n")
    assert trained.refused("predict", "mail.nabi", "new.csv") == (
        "new.csv: no column 'body' (the text that the model was trained on); try --text message; "
        "the columns are 'id', 'message'"
    )


@pytest.fixture
def joined(folder):
    """A folder with a model that was trained on two columns, and files that have others."""
    folder.write("mail.csv", "subject,body,label\nwin,a prize,spam\nlunch,at noon,ham\n")
    folder.nabi("train", "mail.csv", "-o", "mail.nabi", "--text", "subject,body")
    rows = "win,spam\nlunch,ham\n" * 60
    folder.write("other.csv", "Text,label\n" + rows)
    folder.write("more.csv", "Text,label\n" + rows)
    return folder


NOTE = "nabi: texts taken from 'Text'; the model was trained on 'subject,body'\n"


@pytest.mark.parametrize("command", ["predict", "evaluate", "calibrate", "learn"])
def test_texts_of_another_column_are_noted_once(joined, command):
    options = ["--new"] if command == "calibrate" else []
    code, _, err = joined.run(command, "mail.nabi", "other.csv", "more.csv", *options)
    assert (code, err.count(NOTE)) == (0, 1)


def test_forgetting_texts_of_another_column_is_noted(joined):
    joined.run("learn", "mail.nabi", "other.csv")
    code, _, err = joined.run("forget", "mail.nabi", "other.csv")
    assert (code, err) == (0, NOTE)


@pytest.mark.parametrize(
    ("data", "options"),
    [("mail.csv", ()), ("upper.csv", ()), ("other.csv", ("--text", "Text")), ("win now", ())],
)
def test_nothing_is_noted_of_the_same_or_named_columns_and_of_plain_texts(joined, data, options):
    joined.write("upper.csv", "Body,Subject\nnow,win\n")
    joined.nabi("predict", "mail.nabi", data, *options)


def test_the_one_that_is_missing_of_joined_columns_is_named(joined):
    joined.write("new.csv", "id,Subject\n1,win\n")
    assert joined.refused("predict", "mail.nabi", "new.csv") == (
        "new.csv: no column 'body' (the model was trained on the text 'subject,body'); "
        "try --text Subject; the columns are 'id', 'Subject'"
    )


def test_info_shows_them(trained):
    assert trained.nabi("info", "mail.nabi").endswith("trained on  label folder, text body\n")
    told = json.loads(trained.nabi("info", "mail.nabi", "--json"))
    assert told["source_columns"] == {"label": "folder", "text": "body"}


def test_the_label_of_a_table_is_remembered(folder):
    folder.write("people.csv", "age,town,job\n31,Paris,teacher\n45,Rome,driver\n")
    folder.nabi("train", "people.csv", "-o", "people.nabi", "--label", "job")
    assert nabi.load(folder.path / "people.nabi").source_columns == {"label": "job"}
    assert "accuracy 1.0000" in folder.nabi("evaluate", "people.nabi", "people.csv")


def test_columns_outlive_what_is_done_with_a_model(trained):
    trained.nabi("classes", "mail.nabi", "--rename", "spam=junk")
    trained.run("merge", "mail.nabi", "mail.nabi", "-o", "two.nabi")
    trained.nabi("prune", "two.nabi", "-o", "small.nabi", "--size", "2kB")
    model = nabi.load(trained.path / "small.nabi")
    assert model.source_columns == {"text": "body", "label": "folder"}


# ---- what to do next ----


def pasted(folder, out):
    """Run each command that was proposed in a shell, as it stands; return the commands."""
    commands = out.partition("\nNext:\n")[2].splitlines()
    for command in commands:
        done = subprocess.run(
            command, shell=True, cwd=folder.path, env=folder.environment, capture_output=True
        )
        assert (done.returncode, done.stderr) == (0, b""), command
    return commands


@pytest.mark.parametrize(
    ("name", "content", "options"),
    [
        ("my mail.csv", MAIL, COLUMNS),
        ("mail.txt", MAIL.replace(",", "!").encode("latin-1"), (*COLUMNS, "--delimiter", "!")),
        ("mail.csv", MAIL + "bad\n", (*COLUMNS, "--skip-bad")),
        ("mail.csv", MAIL.partition("\n")[2], ("--no-header", "--text", "2", "--label", "3")),
        ("mail.csv", MAIL.replace("id", "predicted"), COLUMNS),
        ("mail.csv", MAIL, (*COLUMNS, "--model", "knn")),
        ("mail.csv", MAIL, ("--label", "folder", "--columns", "id=gaussian,body=text")),
    ],
)
def test_train_proposes_commands_that_run_as_they_stand(folder, name, content, options):
    folder.write(name, content)
    folder.write("labelled.csv", "mine")
    out = folder.nabi("train", name, "-o", "my model.nabi", *options, "--rejects", "bad.csv")
    commands = pasted(folder, out)
    assert [line.split()[1] for line in commands][:2] == ["explain", "predict"]
    assert folder.read("labelled.csv") == "mine"
    assert "predicted" in folder.read("labelled_2.csv").splitlines()[0]


def test_data_that_cannot_be_read_again_are_not_proposed(folder):
    out = folder.nabi("train", "-", "-o", "m.nabi", stdin=folder.read("mail.csv"))
    assert pasted(folder, out)[1] == '  nabi predict m.nabi "a text of yours"'


def test_tune_and_prune_propose_commands_that_run_as_they_stand(trained):
    rows = "".join(f"{i},win a prize {i},spam\n{i},lunch at {i},ham\n" for i in range(20))
    trained.write("many.csv", "id,body,folder\n" + rows)
    budget = ("--budget", "1s")
    assert len(pasted(trained, trained.nabi("tune", "many.csv", *COLUMNS, *budget))) == 3
    small = ("prune", "model.nabi", "-o", "small.nabi", "--size", "2kB")
    assert len(pasted(trained, trained.nabi(*small))) == 2
    first, _ = pasted(trained, trained.nabi(*small, "--data", "many.csv"))
    assert first == "  nabi versus model.nabi small.nabi many.csv"


# ---- columns that are left out ----


@pytest.mark.parametrize("command", ["train", "crossval", "tune --budget 1"])
def test_columns_beside_the_text_are_said_to_be_left_out(folder, command):
    rows = "1,win a prize,spam,May\n2,lunch at noon,ham,June\n" * 4
    folder.write("x.csv", f"id,text,label,month\n{rows}")
    out = folder.nabi(*command.split(), "x.csv").splitlines()
    left = "learned from 'text', labels from 'label'; left out: 'id', 'month'"
    assert out[1] == f"{left} (--columns text=text learns from all)"
    assert "month                text" in folder.nabi(
        "train", "x.csv", "--columns", "text=text,month=text"
    )


def test_who_names_the_text_is_told_what_is_left_out_without_advice(folder):
    folder.write("mail.csv", MAIL)
    got = json.loads(folder.nabi("train", "mail.csv", *COLUMNS, "--json"))
    columns = {"text": ["body"], "label": "folder", "left_out": ["id"], "named": True}
    assert got["source"] == columns
    assert "learns from all" not in folder.nabi("train", "mail.csv", *COLUMNS)


def test_where_all_columns_are_used_nothing_is_said(folder):
    assert "left out" not in folder.nabi("train", "mail.csv")
    for label in ("spam", "ham"):
        (folder.path / "mails" / label).mkdir(parents=True)
        folder.write(f"mails/{label}/1.txt", f"this is {label}")
    assert "left out" not in folder.nabi("train", "mails")

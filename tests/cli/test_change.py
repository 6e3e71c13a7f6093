"""Commands that change a model file: learn, forget, merge, classes."""

import json

import pytest

import nabi
from tests.cli.conftest import ROWS, csv

MORE = "text,label\nwin a car,spam\nthe car is here,news\n"


@pytest.fixture
def more(folder):
    folder.write("more.csv", MORE)
    return folder


def bytes_of(folder, name):
    return (folder.path / name).read_bytes()


def test_learn_adds_texts_words_and_classes(more):
    assert more.nabi("learn", "mail.nabi", "more.csv").splitlines() == [
        "2 rows read = 2 used + 0 rejected",
        "learned 2 texts; mail.nabi now holds 7 texts, vocabulary 16",
        "3 classes: ham 3, spam 3, news 1",
    ]


def test_learning_in_parts_gives_the_bytes_of_learning_at_once(more):
    more.nabi("train", "mail.csv", "more.csv", "-o", "both.nabi", "-q")
    assert more.nabi("learn", "mail.nabi", "more.csv", "-q") == ""
    assert bytes_of(more, "mail.nabi") == bytes_of(more, "both.nabi")


def test_forget_is_the_way_back(more):
    before = bytes_of(more, "mail.nabi")
    more.nabi("learn", "mail.nabi", "more.csv")
    got = json.loads(more.nabi("forget", "mail.nabi", "more.csv", "--json"))
    assert (got["rows"]["used"], got["texts"], got["vocabulary"]) == (2, 5, 13)
    assert bytes_of(more, "mail.nabi") == before


def test_forgetting_what_was_not_learned_names_the_line(folder):
    folder.write("x.csv", "text,label\nwin money now,spam\nwin money now,ham\n")
    got = folder.refused("forget", "mail.nabi", "x.csv")
    assert got.startswith("x.csv:3: this text was not learned with this label")


def test_to_forget_everything_is_to_delete_the_file(folder):
    got = folder.refused("forget", "mail.nabi", "mail.csv")
    assert got.startswith("these are all the texts that mail.nabi has learned; delete the file")


def test_learn_reads_standard_input(more):
    result = json.loads(more.nabi("learn", "mail.nabi", "-", "--json", stdin=MORE))
    assert result["classes"] == {"ham": 3.0, "news": 1.0, "spam": 3.0}


def test_merge_adds_models_up(more):
    more.nabi("train", "more.csv", "-o", "more.nabi")
    out = more.nabi("merge", "mail.nabi", "more.nabi", "-o", "both.nabi")
    assert out.splitlines() == [
        "2 models merged: 7 texts, vocabulary 16",
        "3 classes: ham 3, spam 3, news 1",
        "model: both.nabi",
    ]
    more.nabi("train", "mail.csv", "more.csv", "-o", "all.nabi")
    assert bytes_of(more, "both.nabi") == bytes_of(more, "all.nabi")


def test_one_model_is_merged_in_the_singular(folder):
    out = folder.nabi("merge", "mail.nabi", "-o", "same.nabi")
    assert out.startswith("1 model merged: 5 texts, ")


@pytest.mark.parametrize("models", [("mail.nabi", "svm.nabi"), ("svm.nabi", "mail.nabi")])
def test_a_linear_model_is_named_that_cannot_be_merged(folder, models):
    folder.nabi("train", "mail.csv", "-o", "svm.nabi", "--model", "svm", "--no-score")
    got = folder.refused("merge", *models, "-o", "x.nabi")
    assert got.startswith("svm.nabi: a model of kind svm cannot be merged: train it anew")


def test_the_sum_keeps_the_thresholds_that_one_model_alone_has(folder):
    model = nabi.load(folder.path / "mail.nabi")
    model.decide_by(nabi.metrics.Decision({"spam": 0.9})).save(folder.path / "strict.nabi")
    folder.write("more.csv", "text,label\nhello there,ham\n")
    folder.run("train", "more.csv", "-o", "more.nabi", "--no-score")
    code, _, err = folder.run("merge", "more.nabi", "strict.nabi", "-o", "both.nabi")
    assert (code, err) == (
        0,
        "nabi: not all of the models have thresholds; the sum keeps those of one that has: "
        "spam from 0.9\n",
    )


def test_merge_as_json(folder):
    code, out, err = folder.run("merge", "mail.nabi", "mail.nabi", "-o", "two.nabi", "--json")
    got = json.loads(out)
    assert (code, got["classes"]) == (0, {"ham": 6.0, "spam": 4.0})
    assert got["shared"] == {"mail.nabi": 5.0}
    assert err.startswith("nabi: 5 texts of mail.nabi are in the models before it already, with")


@pytest.fixture
def calibrated(more):
    """A folder with a calibrated model of 100 texts, and one of two."""
    more.write("mail.csv", csv(ROWS * 20))
    more.nabi("train", "mail.csv", "-o", "mail.nabi", "-q")
    more.nabi("train", "more.csv", "-o", "more.nabi", "-q")
    return more


def test_a_calibration_beside_a_few_more_texts_is_said_to_be_in_use(calibrated):
    merge = ("merge", "more.nabi", "mail.nabi", "-o", "both.nabi")
    said = "fitted to 100 texts, 2 learned since; still in use. Renew: nabi calibrate"
    assert f"calibration: {said} both.nabi DATA\n" in calibrated.nabi(*merge)
    got = json.loads(calibrated.nabi(*merge, "--json"))
    assert got["calibration"] == "aged"
    assert got["calibration_age"] == {"texts": 100.0, "learned": 2.0, "forgotten": 0.0}
    assert f"calibrated  {said} MODEL DATA\n" in calibrated.nabi("info", "both.nabi")


def test_classes_that_are_renamed_stay_calibrated(calibrated):
    said = "calibration: fitted to 100 texts, some replaced or renamed since; still in use."
    assert said in calibrated.nabi("classes", "mail.nabi", "--rename", "ham=good")
    assert "calibrat" not in calibrated.nabi("classes", "mail.nabi", "--rename", "good=ham")


def test_a_calibration_of_quite_other_counts_is_said_to_be_stale(calibrated):
    merge = ("merge", "mail.nabi", "mail.nabi", "-o", "both.nabi")
    said = "no longer, since the model changed. Run `nabi calibrate"
    assert f"calibrated: {said} both.nabi DATA`.\n" in calibrated.run(*merge)[1]
    assert json.loads(calibrated.run(*merge, "--json")[1])["calibration"] == "stale"
    assert f"calibrated  {said} MODEL DATA`." in calibrated.nabi("info", "both.nabi")
    joined = calibrated.nabi("classes", "mail.nabi", "--join", "ham,spam=mail")
    assert f"calibrated: {said} mail.nabi DATA`.\n" in joined


def test_models_of_other_recipes_are_not_merged(folder):
    folder.nabi("train", "mail.csv", "-o", "pairs.nabi", "--ngrams", "1-2")
    got = folder.refused("merge", "mail.nabi", "pairs.nabi", "-o", "x.nabi")
    assert got.startswith("pairs.nabi does not fit mail.nabi: ")


def test_classes_are_listed(folder):
    lines = folder.nabi("classes", "mail.nabi").splitlines()
    assert [line.split() for line in lines[2:]] == [["ham", "3", "60.00%"], ["spam", "2", "40.00%"]]
    assert json.loads(folder.nabi("classes", "mail.nabi", "--json")) == {"ham": 3.0, "spam": 2.0}


def test_classes_are_renamed_joined_and_dropped_at_once(more):
    more.nabi("learn", "mail.nabi", "more.csv")
    options = ("--rename", "ham=good", "--join", "spam,news=bad", "--json")
    got = json.loads(more.nabi("classes", "mail.nabi", *options))
    assert got == {"bad": 4.0, "good": 3.0}
    assert more.nabi("classes", "mail.nabi", "--drop", "bad", "-q") == ""
    assert nabi.load(more.path / "mail.nabi").classes_.tolist() == ["good"]


def test_the_changed_classes_may_go_to_another_file(folder):
    before = bytes_of(folder, "mail.nabi")
    folder.nabi("classes", "mail.nabi", "--rename", "ham=good", "-o", "good.nabi")
    assert nabi.load(folder.path / "good.nabi").classes_.tolist() == ["good", "spam"]
    assert bytes_of(folder, "mail.nabi") == before


@pytest.fixture
def blanks(folder):
    """Classes whose names differ only by a blank: `ham` of one text, `ham ` of two."""
    labels = ["ham", "ham ", "ham ", "spam"]
    nabi.TextClassifier().fit(["a b", "b c", "c d", "d e"], labels).save(folder.path / "mail.nabi")
    return folder


@pytest.mark.parametrize(
    ("options", "left"),
    [
        (("--rename", "ham =good"), {"good": 2.0, "ham": 1.0, "spam": 1.0}),
        (("--rename", "ham=good"), {"good": 1.0, "ham ": 2.0, "spam": 1.0}),
        (("--rename", " spam = junk"), {"ham": 1.0, "ham ": 2.0, "junk": 1.0}),
        (("--join", "ham ,ham=ham"), {"ham": 3.0, "spam": 1.0}),
        (("--join", "ham,ham , spam=ham "), {"ham ": 4.0}),
        (("--drop", "ham "), {"ham": 1.0, "spam": 1.0}),
        (("--drop", "spam "), {"ham": 1.0, "ham ": 2.0}),
    ],
)
def test_a_class_of_exactly_the_typed_name_wins_over_one_without_blanks(blanks, options, left):
    assert json.loads(blanks.nabi("classes", "mail.nabi", *options, "--json")) == left


def test_labels_with_blanks_at_their_ends_are_quoted(blanks):
    lines = blanks.nabi("classes", "mail.nabi").splitlines()
    assert [line.split("   ")[0] for line in lines[2:]] == ["ham", "'ham '", "spam"]
    assert "3 classes: 'ham ' 2, ham 1, spam 1\n" in blanks.nabi("info", "mail.nabi")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--rename", "ham=spam"), "to make one of both, --join ham,spam=spam"),
        (("--rename", "eggs=x"), "no class 'eggs'; the classes are 'ham', 'spam'"),
        (("--rename", "=x"), "no class ''; the classes are 'ham', 'spam'"),
        (("--rename", "ham"), "--rename ham; expected old=new"),
        (("--join", "ham,spam"), "--join ham,spam; expected a,b=c"),
        (("--rename", "ham=x", "--drop", "ham"), "the class 'ham' is named twice; name it once"),
        (("--drop", "ham", "--drop", "spam"), "no class would be left; keep at least one"),
    ],
)
def test_changes_that_make_no_sense_are_refused(folder, options, message):
    assert message in folder.refused("classes", "mail.nabi", *options)


def test_one_row_is_written_in_the_singular(folder):
    folder.write("one.csv", "text,label\nyou have won,spam\n")
    assert folder.nabi("learn", "mail.nabi", "one.csv").startswith("1 row read = 1 used + 0 ")


def test_a_mailbox_by_itself_has_no_label_and_the_error_says_where_it_comes_from(folder):
    folder.write("old.mbox", "From a@b Thu Nov 19 05:05:44 2026\nSubject: win\n\nnow\n")
    assert folder.refused("learn", "mail.nabi", "old.mbox").endswith(
        "; the label of a mail is the name of its mailbox: give a mailbox for each class, as in "
        "spam.mbox ham.mbox"
    )


def test_a_mail_by_itself_has_no_label_and_the_error_says_where_it_comes_from(folder):
    folder.write("1.eml", "Subject: win\n\nnow\n")
    got = folder.refused("learn", "mail.nabi", "1.eml", "--label", "spam")
    assert got == (
        "1.eml: no column 'spam'; the columns are 'path', 'text'; the label of a mail is the name "
        "of its folder: put it into a folder such as mails/spam, and give mails as DATA"
    )

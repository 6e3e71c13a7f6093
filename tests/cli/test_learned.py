"""Texts that a model has learned: told by `evaluate`, counted by `learn`, and by `merge`."""

import json

import pytest

import nabi

ONE_LEARNED = "text,label\nwin a prize now,spam\nlunch at one,ham\nsee you at noon,ham\n"


def evaluated(folder, name, *options):
    return json.loads(folder.nabi("evaluate", "mail.nabi", name, "--json", *options))


def test_texts_that_were_learned_are_no_test(folder):
    lines = folder.nabi("evaluate", "mail.nabi", "mail.csv").splitlines()
    assert lines[1] == (
        "Not a test: the model has learned all of these 5 texts, so the figures say little about "
        "new texts."
    )
    assert evaluated(folder, "mail.csv")["learned"] == {
        "same_label": 5,
        "other_label": 0,
        "others": 0,
        "accuracy_of_others": None,
    }


def test_few_learned_texts_are_told_with_the_accuracy_on_the_others(folder):
    folder.write("test.csv", ONE_LEARNED)
    lines = folder.nabi("evaluate", "mail.nabi", "test.csv").splitlines()
    assert lines[1] == (
        "The model has learned 1 of these 3 texts, which are no test of it. Accuracy on the other "
        "2: 1.0000."
    )


def test_nothing_is_said_of_texts_that_are_new(folder):
    folder.write("new.csv", "text,label\nlunch at one,ham\n")
    assert folder.nabi("evaluate", "mail.nabi", "new.csv").splitlines()[1].startswith("accuracy")
    assert evaluated(folder, "new.csv")["learned"]["same_label"] == 0


def test_a_learned_text_with_another_label_is_told_apart(folder):
    folder.write("other.csv", "text,label\nwin money now,ham\nlunch at noon,ham\n")
    out = folder.nabi("evaluate", "mail.nabi", "other.csv")
    assert "has learned all of these 2 texts (1 with another label), so" in out
    found = evaluated(folder, "other.csv")["learned"]
    assert (found["same_label"], found["other_label"]) == (1, 1)


def test_a_model_without_a_ledger_cannot_tell(folder):
    folder.nabi("train", "mail.csv", "-o", "mail.nabi", "--no-ledger", "-q")
    assert evaluated(folder, "mail.csv")["learned"] is None


def test_rows_of_a_table_and_texts_with_rules_are_known_too(folder):
    folder.write("t.csv", "size,age,label\n1.5,3.5,a\n2.5,4.5,b\n")
    folder.nabi("train", "t.csv", "-o", "t.nabi", "-q")
    out = folder.nabi("evaluate", "t.nabi", "t.csv")
    assert "Not a test: the model has learned all of these 2 rows, so" in out
    folder.write("mail.rules", "prize -> spam\n")
    folder.nabi("train", "mail.csv", "--rules", "mail.rules", "-o", "mail.nabi", "-q")
    assert evaluated(folder, "mail.csv")["learned"]["same_label"] == 5


def test_the_report_says_first_that_it_is_no_test(folder):
    folder.nabi("evaluate", "mail.nabi", "mail.csv", "--report", "report.html")
    page = folder.read("report.html")
    said, judged = (page.index(x) for x in ("Not a test: the model has", "5 texts of 2 classes"))
    assert said < judged


# ---- learn ----


def test_learn_tells_how_many_texts_were_there_already(folder):
    folder.write("test.csv", ONE_LEARNED)
    lines = folder.nabi("learn", "mail.nabi", "test.csv").splitlines()
    assert lines[3] == (
        "learned before: 1 of these 3 texts, which count once more now; `nabi learn --once` skips "
        "them"
    )
    assert nabi.load(folder.path / "mail.nabi").class_count_.tolist() == [5.0, 3.0]


def test_copies_within_the_data_were_not_there_before(folder):
    folder.write("twice.csv", "text,label\nnew here,ham\nnew here,ham\n")
    got = json.loads(folder.nabi("learn", "mail.nabi", "twice.csv", "--json"))
    assert (got["learned"], got["already"], got["skipped"]) == (2, 0, 0)


def test_learn_tells_of_texts_that_have_another_label_here(folder):
    folder.write("other.csv", "text,label\nwin money now,ham\nnew here,ham\n")
    out = folder.nabi("learn", "mail.nabi", "other.csv")
    assert "learned before with another label: 1 of these; which is right? `nabi suspects`" in out
    got = json.loads(folder.nabi("learn", "mail.nabi", "other.csv", "--json"))
    assert (got["already"], got["other_label"]) == (2, 0)


def test_learn_once_skips_what_is_there_and_copies(folder):
    folder.write("test.csv", ONE_LEARNED + "lunch at one,ham\nlunch at one,spam\n")
    _, out, err = folder.run("learn", "mail.nabi", "test.csv", "--once")
    assert err.startswith("nabi: 1 text comes more than once, with different labels: test.csv:5 ")
    assert out.splitlines() == [
        "5 rows read = 5 used + 0 rejected",
        "learned 3 texts; mail.nabi now holds 8 texts, vocabulary 14",
        "2 classes: ham 5, spam 3",
        "skipped 2 texts: 1 learned before, 1 given twice here",
    ]


def test_to_learn_once_what_is_all_there_leaves_the_bytes(folder):
    before = folder.files()
    got = json.loads(folder.nabi("learn", "mail.nabi", "mail.csv", "--once", "--json"))
    assert (got["learned"], got["already"], got["skipped"], got["texts"]) == (0, 5, 5, 5.0)
    assert folder.files() == before


def test_once_needs_a_ledger(folder):
    folder.nabi("train", "mail.csv", "-o", "mail.nabi", "--no-ledger", "-q")
    said = folder.refused("learn", "mail.nabi", "mail.csv", "--once")
    assert said.startswith("--once: mail.nabi has no ledger, and cannot tell which texts it has")


@pytest.mark.parametrize("kind", ["rows", "fields"])
def test_rows_and_documents_with_fields_are_learned_once(folder, kind):
    folder.write("t.csv", "text,from,label\nhello you,ann,a\nbye then,joe,b\nbye then,joe,b\n")
    if kind == "rows":
        folder.nabi("train", "t.csv", "-o", "t.nabi", "--columns", "text=text,from=text", "-q")
    else:
        folder.write("t.rules", "from: joe -> b\n")
        rules = nabi.rules.RuleSet.read(folder.path / "t.rules")
        model = nabi.TextClassifier().fit(["hello you", "bye then", "bye then"], ["a", "b", "b"])
        nabi.rules.RuledClassifier(model, rules).save(folder.path / "t.nabi")
    folder.write("more.csv", "text,from,label\nbye then,joe,b\nbye now,joe,b\n")
    got = json.loads(folder.nabi("learn", "t.nabi", "more.csv", "--once", "--json"))
    assert (got["learned"], got["already"], got["skipped"]) == (1, 1, 1)


# ---- merge ----


def test_merging_models_of_the_same_texts_warns(folder):
    folder.write("test.csv", ONE_LEARNED)
    folder.nabi("train", "test.csv", "-o", "test.nabi", "-q")
    code, out, err = folder.run("merge", "mail.nabi", "test.nabi", "-o", "both.nabi")
    assert (code, out.splitlines()[0]) == (0, "2 models merged: 8 texts, vocabulary 14")
    assert err == (
        "nabi: 1 text of test.nabi is in the models before it already, with the same label, and "
        "counts once more in the sum; merge models of different texts\n"
    )


def test_a_model_without_a_ledger_that_is_named_twice_is_warned_of(folder):
    folder.nabi("train", "mail.csv", "-o", "mail.nabi", "--no-ledger", "-q")
    _, _, err = folder.run("merge", "mail.nabi", "./mail.nabi", "-o", "two.nabi")
    assert err.startswith("nabi: 5 texts of ./mail.nabi are in the models before it already, with")


def test_evaluate_says_that_a_model_without_a_ledger_cannot_tell(folder):
    folder.nabi("train", "mail.csv", "-o", "bare.nabi", "--no-ledger", "-q")
    out = folder.nabi("evaluate", "bare.nabi", "mail.csv")
    assert "the model keeps no list of what it has learned: these texts are a test only if" in out


def test_train_says_that_its_test_was_learned(folder):
    out = folder.nabi("train", "mail.csv", "-o", "new.nabi", "--test", "mail.csv")
    assert "  Not a test: the model has learned all of these 5 texts" in out


@pytest.mark.parametrize("command", ["train twice.csv -o x.nabi", "crossval twice.csv"])
def test_copies_make_figures_too_good(folder, command):
    rows = "win a prize,spam\nlunch at noon,ham\nmoney now,spam\nsee you,ham\n"
    folder.write("twice.csv", f"text,label\n{rows}{rows}")
    assert "  too good: 4 of them are copies of others" in folder.nabi(*command.split())
    folder.write("twice.csv", f"text,label\n{rows}")
    assert "too good" not in folder.nabi(*command.split())

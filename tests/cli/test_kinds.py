"""`nabi train --model` and `--best`, and `nabi compare`."""

import json

import pytest

import nabi
from tests.cli.conftest import csv

ROWS = [
    *[(f"win a prize number {i}", "spam") for i in range(12)],
    *[(f"see you at lunch on day {i}", "ham") for i in range(12)],
]
TABLE = "size,town,label\n" + "".join(
    f"{i % 7}.{i % 3},{'Rome' if i % 2 else 'Oslo'},{'ab'[i % 2]}\n" for i in range(40)
)
KINDS = ("nbsvm", "nblr", "svm", "logistic", "knn")


@pytest.fixture
def mail(folder):
    """The folder with enough mail to leave some out."""
    folder.write("mail.csv", csv(ROWS))
    return folder


@pytest.mark.parametrize("kind", KINDS)
def test_train_of_each_kind(mail, kind):
    got = json.loads(mail.nabi("train", "mail.csv", "-o", "m.nabi", "--model", kind, "--json"))
    assert got["kind"] == {"knn": "neighbours"}.get(kind, kind)
    assert got["rows"] == {"read": 24, "used": 24, "rejected": 0}
    assert got["classes"] == {"ham": 12.0, "spam": 12.0}
    said = mail.nabi("predict", "m.nabi", "-", stdin="a prize to win\nlunch on day 3\n")
    assert [line.split(",")[-1] for line in said.splitlines()] == ["predicted", "spam", "ham"]


def test_the_summary_of_a_linear_model_says_what_to_do_next(mail):
    got = mail.nabi("train", "mail.csv", "-o", "m.nabi", "--model", "nbsvm")
    assert got.splitlines()[0] == "24 rows read = 24 used + 0 rejected"
    assert "nbsvm, vocabulary" in got
    assert "  nabi predict m.nabi mail.csv -o labelled.csv\n  nabi words m.nabi\n" in got


def test_the_recipe_applies_to_linear_models(mail):
    options = ("--ngrams", "1-1", "--chars", "2-3", "--cost", "0.5", "--min-count", "2")
    mail.nabi("train", "mail.csv", "-o", "m.nabi", "--model", "svm", *options)
    model = nabi.load(mail.path / "m.nabi")
    assert (model.model, model.C, model.ngrams, model.chars) == ("svm", 0.5, (1, 1), (2, 3))
    assert model.min_count == 2


@pytest.mark.parametrize("kind", ["nbsvm", "knn"])
def test_the_language_reaches_every_kind(mail, kind):
    mail.nabi("train", "mail.csv", "-o", "m.nabi", "--model", kind, "--stem", "english")
    assert nabi.load(mail.path / "m.nabi").recipe.stem == "english"


def test_best_says_what_it_tried_and_why(mail):
    got = mail.nabi("train", "mail.csv", "-o", "m.nabi", "--best", "--budget", "2s")
    assert "settings tried in" in got
    assert "chosen: " in got
    assert "each on held-out texts; " in got
    assert "* chosen by accuracy; = tied with it: within one standard error" in got
    assert nabi.load(mail.path / "m.nabi").predict(["win"]).tolist() == ["spam"]


def test_best_for_a_program(mail):
    got = json.loads(
        mail.nabi("train", "mail.csv", "-o", "m.nabi", "--best", "--budget", "2", "--json")
    )
    first = got["trials"][0]
    figures = {"accuracy", "macro_f1", "balanced", "log_loss", "texts", "trial_seconds"}
    assert {"params", "tied", *figures} == set(first)
    assert got["metric"] == "accuracy"
    assert first["accuracy"] == max(t["accuracy"] for t in got["trials"] if t["texts"] == 24)


def test_rules_before_a_model_and_alone(mail):
    mail.write("mail.rules", "invoice -> spam\n")
    mail.nabi("train", "mail.csv", "-o", "both.nabi", "--model", "svm", "--rules", "mail.rules")
    mail.nabi("train", "mail.csv", "-o", "alone.nabi", "--model", "rules", "--rules", "mail.rules")
    both, alone = (nabi.load(mail.path / name) for name in ("both.nabi", "alone.nabi"))
    assert both.predict(["lunch invoice", "lunch"]).tolist() == ["spam", "ham"]
    assert alone.predict(["lunch invoice", "win a prize"]).tolist() == ["spam", "ham"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--model", "tree"), "--model tree: expected one of nb, nbsvm, nblr, svm, logistic"),
        (("--model", "rules"), "--model rules needs --rules FILE."),
        (("--model", "svm", "--event", "binary"), "--event is for --model nb, not for svm"),
        (("--model", "svm", "--alpha", "1"), "--alpha is for --model nb, not for svm"),
        (("--model", "knn", "--neighbours", "few"), "--neighbours few: expected auto, or a number"),
        (("--best", "--ngrams", "1-2"), "--best chooses kind, recipe and settings itself"),
        (("--best", "--cost", "0"), "--best chooses kind, recipe and settings itself"),
        (("--cost", "2"), "--cost is for --model nbsvm or nblr or svm or logistic"),
        (("--model", "svm", "--neighbours", "5"), "--neighbours is for --model knn"),
        (("--model", "svm", "--budget", "5s"), "--budget is for --best"),
        (("--metric", "log_loss"), "--metric is for --best"),
        (("--best", "--metric", "f1"), "--metric f1: expected one of accuracy, macro_f1, log_loss"),
        (("--class-weight", "balanced"), "--class-weight is for --model nbsvm or nblr or svm"),
        (("--best", "--budget", "soon"), "--budget soon: expected a time such as 60s"),
        (("--model", "nbsvm", "--columns", "a=text"), "--columns is for --model nb"),
    ],
)
def test_options_that_do_not_fit(mail, options, message):
    refused = mail.refused("train", "mail.csv", "-o", "m.nabi", *options, code=2)
    assert refused.startswith(message)


def test_bad_numbers(mail):
    refused = mail.refused("train", "mail.csv", "-o", "m.nabi", "--model", "svm", "--cost", "-1")
    assert refused.startswith("C=-1.0; expected a number from 1e-09")


def test_compare_shows_all_kinds(mail):
    got = mail.nabi("compare", "mail.csv")
    assert "19 texts learned, 5 asked (left out, a fifth)" in got
    names = [line.split()[0] for line in got.split("\n\n")[1].splitlines()[2:]]
    assert sorted(names) == ["knn", "logistic", "nb", "nblr", "nbsvm", "svm"]


def test_compare_for_a_program_with_a_test_file(mail):
    mail.write("test.csv", csv([("win a prize", "spam"), ("lunch", "ham")]))
    given = ("--test", "test.csv", "--models", "nb,svm,best", "--budget", "1s", "--json")
    got = json.loads(mail.nabi("compare", "mail.csv", *given))
    assert (got["learned"], got["asked"]) == (24, 2)
    assert [row["name"] for row in got["models"]] == ["nb", "svm", "best"]
    assert all(row["accuracy"] == 1.0 and row["bytes"] > 0 for row in got["models"])


def test_one_table_for_all_searches(mail):
    head = ["model", "accuracy", "macro", "F1", "balanced", "log", "loss", "texts", "s"]
    for command in ("tune", "train --best", "compare --models nb,best"):
        out = () if command.startswith("compare") else ("-o", "m.nabi")
        got = mail.nabi(*command.split(), "mail.csv", *out, "--budget", "1", "--metric", "balanced")
        (line,) = [line for line in got.splitlines() if line.startswith("model ")]
        assert line.split()[: len(head)] == head
        assert " by balanced accuracy; = tied with it: within one standard error" in got


def test_class_weights_of_a_linear_model(mail):
    options = ("--model", "svm", "--class-weight", "balanced")
    mail.nabi("train", "mail.csv", "-o", "m.nabi", *options)
    assert nabi.load(mail.path / "m.nabi").class_weight == "balanced"


def test_compare_refuses_what_it_does_not_know(mail):
    message = mail.refused("compare", "mail.csv", "--models", "nb,tree", code=2)
    assert message.startswith("--models nb,tree: no 'tree'; there are nb, nbsvm")
    mail.write("t.csv", TABLE)
    message = mail.refused("compare", "t.csv", "--models", "nb,svm", code=2)
    assert message.startswith("svm is for texts, and these are rows of a table; give --models nb")


def test_compare_takes_tables_and_their_columns(mail):
    mail.write("t.csv", TABLE)
    got = json.loads(mail.nabi("compare", "t.csv", "--budget", "1", "--json"))
    assert (got["learned"], got["asked"]) == (32, 8)
    assert [row["name"] for row in got["models"]] == ["nb", "best"]
    assert got["models"][0]["is"]["columns"] == {"size": "gaussian", "town": "categorical"}
    given = ("--columns", "size=histogram", "--models", "nb", "--test", "t.csv")
    got = json.loads(mail.nabi("compare", "t.csv", *given, "--json"))
    assert (got["learned"], got["asked"]) == (40, 40)
    assert got["models"][0]["is"]["columns"]["size"] == "histogram"
    assert "32 rows learned, 8 asked" in mail.nabi("compare", "t.csv", "--models", "nb")


def test_compare_notes_what_looks_wrong_in_the_data(mail):
    mail.write("odd.csv", csv([*ROWS, ("win more", "Spam")]))
    _, _, err = mail.run("compare", "odd.csv", "--models", "nb")
    assert "labels that differ only by case or blanks: 'Spam' 1, 'spam'" in err
    said = mail.refused("compare", "odd.csv", "--models", "nb", "--strict")
    assert said.startswith("--strict: labels that differ only by case")


def test_a_linear_model_cannot_learn_more(mail):
    mail.nabi("train", "mail.csv", "-o", "m.nabi", "--model", "nbsvm")
    assert "cannot learn more texts" in mail.refused("learn", "m.nabi", "mail.csv")
    assert "cannot forget texts" in mail.refused("forget", "m.nabi", "mail.csv")
    assert "cannot be merged" in mail.refused("merge", "m.nabi", "m.nabi", "-o", "n.nabi")


@pytest.mark.parametrize("kind", KINDS)
def test_crossval_of_each_kind(mail, kind):
    got = json.loads(mail.nabi("crossval", "mail.csv", "--model", kind, "--json"))
    assert (got["accuracy"], got["way"]) == (1.0, "10 folds")
    assert (got["kind"], "alpha" in got) == ({"knn": "neighbours"}.get(kind, kind), False)
    last = mail.nabi("crossval", "mail.csv", "--model", kind, "--folds", "3").splitlines()[-1]
    assert last.startswith("3 folds, in ")


def test_crossval_of_a_linear_model_leaves_one_out_on_request(mail):
    got = json.loads(
        mail.nabi("crossval", "mail.csv", "--model", "svm", "--leave-one-out", "--json")
    )
    assert (got["way"], got["accuracy"], got["calibrated"]) == ("leave one out", 1.0, True)


def test_crossval_by_group_of_neighbours(mail):
    mail.write("g.csv", "text,label,author\n" + "win,spam,a\nlunch,ham,b\n" * 3 + "win,spam,b\n")
    command = ("crossval", "g.csv", "--model", "knn", "--group", "author", "--neighbours", "1")
    assert json.loads(mail.nabi(*command, "--json"))["way"] == "by author"


def test_crossval_takes_no_rules_and_no_table_for_linear_models(mail):
    refused = mail.refused("crossval", "mail.csv", "--model", "rules", code=2)
    assert refused.startswith("--model rules learns nothing")
    assert mail.refused("crossval", "mail.csv", "--cost", "2", code=2).startswith("--cost is for")


@pytest.mark.parametrize("kind", ["nb", "nbsvm", "knn"])
def test_explain_shows_words_and_their_fragments_on_request(mail, kind):
    mail.nabi("train", "mail.csv", "-o", "m.nabi", "--model", kind, "--chars", "2-3")
    whole, cut = (
        mail.nabi("explain", "m.nabi", "win a prize", *more) for more in ((), ("--fragments",))
    )
    assert "wi" not in whole.replace("win", "").replace("with", "")
    assert "wi" in cut.replace("win", "").replace("with", "")


@pytest.mark.parametrize("kind", ["nb", "nbsvm", "knn"])
def test_every_kind_has_thresholds(mail, kind):
    mail.nabi("train", "mail.csv", "-o", "m.nabi", "--model", kind)
    command = ("evaluate", "m.nabi", "mail.csv", "--precision", "spam=0.9", "--json")
    (found,) = json.loads(mail.nabi(*command))["thresholds"]
    assert (found["class"], found["precision"], found["recall"]) == ("spam", 1.0, 1.0)

"""`nabi train` says how good its model is, and calibrates it."""

import json

import pytest

import nabi
from nabi.models import sample
from tests.cli.conftest import csv

WORDS = {"pos": ["good", "great", "fine", "film"], "neg": ["bad", "poor", "dull", "film"]}
# The words of a text say its label but for one text in ten.
TEXTS = [
    (f"{words[i % 4]} {words[i % 3]} w{i}", other if i % 10 == 0 else label)
    for label, other in (("pos", "neg"), ("neg", "pos"))
    for i in range(100)
    for words in [WORDS[label]]
]


@pytest.fixture
def films(folder):
    folder.write("films.csv", csv(TEXTS))
    folder.write("test.csv", csv([("good film", "pos"), ("bad", "neg"), ("dull", "pos")]))
    return folder


def trained(folder, *options):
    """What `train` says in JSON."""
    typed = ("train", "films.csv", "-o", "films.nabi", "--json", *options)
    return json.loads(folder.nabi(*typed))


def bytes_of(folder, name="films.nabi"):
    return (folder.path / name).read_bytes()


def test_it_says_how_good_the_model_is(films):
    lines = films.nabi("train", "films.csv", "-o", "films.nabi").splitlines()
    assert lines[4:7] == [
        "accuracy 0.9000  (95 %: 0.8506 to 0.9343), macro F1 0.9000; always neg 0.5000",
        "  leave one out: each of 200 texts by the model without it",
        "calibrated (isotonic): log loss 0.5637 -> 0.3449",
    ]


@pytest.mark.parametrize(
    "options", [[], ["--ngrams", "1-2"], ["--alpha", "0.5", "--event", "binary"]]
)
def test_the_figures_are_those_of_crossval(films, options):
    score = trained(films, *options)["score"]
    wanted = json.loads(films.nabi("crossval", "films.csv", "--json", *options))
    for name in ("accuracy", "accuracy_interval", "macro_f1"):
        assert score[name] == wanted[name]
    assert (score["texts"], score["of"]) == (200, 200)
    assert score["majority"] == {"class": "neg", "accuracy": 0.5}


def test_the_figures_of_a_table_are_those_of_crossval(films):
    rows = "".join(f"{i % 7},{i % 3},{'ab'[i % 7 > 3]}\n" for i in range(150))
    films.write("films.csv", f"size,shape,label\n{rows}")
    got = trained(films)
    wanted = json.loads(films.nabi("crossval", "films.csv", "--json"))
    assert got["score"]["accuracy"] == wanted["accuracy"] == 1.0
    assert got["calibration"]["way"] in got["calibration"]["log_losses"]
    assert nabi.load(films.path / "films.nabi").calibration_state == "fresh"


def test_of_many_texts_a_sample_is_asked(films, monkeypatch):
    monkeypatch.setattr(sample, "MOST", 150)
    monkeypatch.setattr(sample, "MOST_BYTES", 999)
    got = films.nabi("train", "films.csv", "-o", "films.nabi").splitlines()
    assert got[5] == "  leave one out, on a sample of 56 of 200 texts, each by the model without it"
    assert got[6] == "not calibrated: too few texts; at least 100 are needed"


def test_other_data_judge_it(films):
    got = trained(films, "--test", "test.csv")["score"]
    assert (got["way"], got["file"], got["texts"], got["accuracy"]) == (
        "test",
        "test.csv",
        3,
        2 / 3,
    )
    assert got["rows"] == {"read": 3, "used": 3, "rejected": 0}
    assert got["majority"] == {"class": "neg", "accuracy": 1 / 3}
    said = films.nabi("train", "films.csv", "-o", "films.nabi", "--test", "test.csv")
    assert "  on 3 texts of test.csv: 3 rows read = 3 used + 0 rejected\n" in said


def test_a_linear_model_is_judged_by_folds(films):
    got = trained(films, "--model", "nbsvm")["score"]
    assert (got["way"], got["texts"], got["accuracy"]) == ("3 folds", 200, 0.9)
    said = films.nabi("train", "films.csv", "-o", "films.nabi", "--model", "svm")
    assert "  3 folds: each of 200 texts by a model of the other folds\n" in said
    assert "score" not in trained(films, "--model", "nbsvm", "--no-score")


@pytest.mark.parametrize("kind", ["nbsvm", "knn"])
def test_other_data_judge_every_kind(films, kind):
    assert trained(films, "--model", kind, "--test", "test.csv")["score"]["accuracy"] == 2 / 3


def test_neighbours_are_judged_and_calibrated_by_their_own_texts(films):
    given = ("--model", "knn", "--neighbours", "5")
    said = films.nabi("train", "films.csv", "-o", "films.nabi", *given)
    assert "  leave one out: each of 200 texts by its neighbours among the others\n" in said
    assert "calibrated (temperature): log loss " in said
    assert "\n  nabi crossval films.csv --model knn --neighbours 5  # the figures of each" in said
    got = trained(films, *given, "--no-score")
    assert "score" not in got
    losses = got["calibration"]["log_losses"]
    assert losses["temperature"] < losses["none"]
    assert "(calibrated)" in films.nabi("evaluate", "films.nabi", "test.csv")


def test_few_neighbours_are_not_judged(films):
    films.write("few.csv", csv(TEXTS[:20]))
    said = films.nabi("train", "few.csv", "-o", "few.nabi", "--model", "knn")
    assert "not judged: too few texts; at least 100 of two classes are needed" in said


def test_a_linear_model_names_the_command_that_judges_its_kind(films):
    said = films.nabi("train", "films.csv", "-o", "films.nabi", "--model", "svm", "--cost", "2")
    assert "\n  nabi crossval films.csv --model svm --cost 2.0  # the figures of each" in said


def test_the_best_is_judged_by_its_trials(films):
    got = trained(films, "--best", "--budget", "2s")
    assert "unscored" not in got
    assert got["trials"][0]["accuracy"] > 0.8


def test_test_data_that_are_not_there_are_refused_before_training(films):
    assert "no.csv" in films.refused("train", "films.csv", "-o", "films.nabi", "--test", "no.csv")


def test_standard_input_is_read_once(films):
    typed = ("train", "-", "-o", "x.nabi", "--test", "-")
    assert films.refused(*typed, stdin=csv(TEXTS)).startswith("--test -: standard input is read")


def test_bad_rows_of_the_test_data_go_to_a_file_of_their_own(films):
    films.write("test.csv", "text,label\ngood,pos\nbad\n")
    got = trained(films, "--test", "test.csv", "--skip-bad")
    assert got["score"]["rows"] == {"read": 2, "used": 1, "rejected": 1}
    assert (got["rows"]["rejected"], got["score"]["rejects"]) == (0, "films.test.rejects.csv")
    assert "bad" in films.read("films.test.rejects.csv")


def test_a_view_that_each_text_changes_is_not_judged(films):
    got = trained(films, "--keep", "5")
    assert got["unscored"].startswith("keep=5 is a view that each document changes")
    assert nabi.load(films.path / "films.nabi").calibration_state == "none"


def test_without_score_and_calibration_the_file_is_that_of_the_library(films):
    got = trained(films, "--no-score", "--no-calibrate")
    assert {"score", "calibration", "unscored"}.isdisjoint(got)
    texts, labels = map(list, zip(*TEXTS, strict=True))
    nabi.TextClassifier().fit(texts, labels).save(films.path / "wanted.nabi")
    assert bytes_of(films) == bytes_of(films, "wanted.nabi")


def test_the_file_is_that_of_calibrate_whatever_is_said(films):
    trained(films)
    expected = bytes_of(films)
    trained(films, "--no-score")
    assert bytes_of(films) == expected
    trained(films, "--no-calibrate")
    films.nabi("calibrate", "films.nabi", "films.csv", "-q")
    assert bytes_of(films) == expected


@pytest.mark.parametrize("most", [150, 20_000])
def test_the_order_of_the_texts_changes_no_byte(films, monkeypatch, most):
    monkeypatch.setattr(sample, "MOST", most)
    trained(films)
    before = bytes_of(films)
    films.write("films.csv", csv(TEXTS[::-1]))
    trained(films, "--threads", "1")
    assert bytes_of(films) == before


def test_of_many_classes_fewer_texts_are_asked(films, monkeypatch):
    monkeypatch.setattr(sample, "MOST_SCORES", 300)
    monkeypatch.setattr(sample, "FEW", 120)
    assert trained(films)["score"]["texts"] == 98  # at most 300 / 2


def test_copies_of_one_text_tell_nothing(films):
    films.write("films.csv", csv([("good film", "pos")] * 30_000))
    _, out, _ = films.run("train", "films.csv", "-o", "films.nabi", "--json")
    assert json.loads(out)["unscored"] == "the texts are copies of a few"


def test_learning_a_text_leaves_probabilities_nearly_as_they_were(films):
    trained(films)
    predict = ("predict", "films.nabi", "-", "--proba", "--format", "lines")
    before = films.nabi(*predict, stdin="good great fine\n").splitlines()[1]
    films.write("one.csv", "text,label\nso good,pos\n")
    line = "calibration: fitted to 200 texts, 1 learned since; still in use. Renew: nabi calibrate"
    assert f"{line} films.nabi DATA\n" in films.nabi("learn", "films.nabi", "one.csv")
    after = films.nabi(*predict, stdin="good great fine\n").splitlines()[1]
    assert [float(row.split(",")[-1]) for row in (before, after)] == pytest.approx(
        [0.895, 0.895], abs=1e-3
    )
    assert "calibration" not in films.nabi("forget", "films.nabi", "one.csv")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--test", "test.csv", "--no-score"], "Only one of --test and --no-score."),
        (["--no-calibrate", "--model", "svm"], "--no-calibrate is for --model nb"),
    ],
)
def test_options_that_do_not_fit_together_are_refused(films, options, message):
    assert message in films.refused("train", "films.csv", "-o", "x.nabi", *options, code=2)


def test_what_to_do_next_has_the_options_that_were_typed(films):
    films.write("films.csv", films.read("films.csv").replace("text,label", "what,kind"))
    typed = ("--text", "what", "--label", "kind", "--ngrams", "1-2", "--negation")
    said = films.nabi("train", "films.csv", "-o", "films.nabi", *typed)
    assert "  nabi crossval films.csv --text what --label kind --ngrams 1-2 --negation  # " in said
    assert "  nabi train films.csv --text what --label kind -o films.nabi --best  # tries" in said

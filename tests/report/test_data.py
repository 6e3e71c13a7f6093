"""The numbers of a report are those of nabi.metrics, and of scikit-learn."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn import metrics as sk

import nabi
from nabi import metrics, report
from nabi.judging import crossval, suspects
from nabi.report.rates import f1_interval


@pytest.fixture(scope="module")
def tested(model, test_set):
    return report.of_test(model, *test_set).data


def test_totals_are_those_of_scikit_learn(tested, model, test_set):
    texts, gold = test_set
    said, proba = model.predict(texts), model.predict_proba(texts)
    totals = tested["totals"]
    assert totals["accuracy"][0] == pytest.approx(sk.accuracy_score(gold, said))
    assert totals["macro_f1"][0] == pytest.approx(sk.f1_score(gold, said, average="macro"))
    assert totals["log_loss"] == pytest.approx(sk.log_loss(gold, proba))
    assert totals["confidence"] == pytest.approx(proba.max(axis=1).mean())
    assert totals["baseline"] == 50 / 150
    assert 0 < totals["right"] < tested["judged"] == 150


def test_rates_of_each_class_are_those_of_scikit_learn(tested, model, test_set):
    texts, gold = test_set
    expected = sk.precision_recall_fscore_support(gold, model.predict(texts))
    names = ("precision", "recall", "f1")
    for c, row in enumerate(tested["classes"]):
        assert row["name"] == model.classes_[c]
        assert [row[name][0] for name in names] == pytest.approx([e[c] for e in expected[:3]])
        assert all(low <= value <= high for value, low, high in (row[name] for name in names))
        assert (row["support"], row["learned"]) == (50, 80)


def test_cells_are_the_confusion_matrix_and_show_texts_of_their_own(tested, model, test_set):
    texts, gold = test_set
    expected = sk.confusion_matrix(gold, model.predict(texts))  # rows are gold
    found = np.zeros_like(expected)
    for cell in tested["cells"]:
        found[cell["actual"], cell["predicted"]] = cell["count"]
        shown = [tested["texts"][i] for i in cell["texts"]]
        both = {(text["predicted"], text["actual"]) for text in shown}
        assert both == {(cell["predicted"], cell["actual"])}
        assert len(shown) == min(20, cell["count"])
    assert found.tolist() == expected.tolist()


def test_the_largest_cell_of_mistakes_comes_first_and_in_it_the_surest(tested):
    wrong = [cell for cell in tested["cells"] if cell["predicted"] != cell["actual"]]
    assert wrong == tested["cells"][: len(wrong)]
    assert [cell["count"] for cell in wrong] == sorted((c["count"] for c in wrong), reverse=True)
    odds = [t["proba"] / t["actual_proba"] for t in (tested["texts"][i] for i in wrong[0]["texts"])]
    assert odds == sorted(odds, reverse=True)
    assert tested["mistakes"]["count"] == sum(cell["count"] for cell in wrong)


def test_the_interval_of_f1_is_that_of_a_share():
    low, high = metrics.intervals.wilson(np.array(8), np.array(12), 0.95)  # 10 said, 10 gold
    assert f1_interval(np.array(8), np.array(10), np.array(10)) == pytest.approx(
        (2 * low / (1 + low), 2 * high / (1 + high))
    )


def test_calibrated_probabilities_make_a_second_curve(model, test_set):
    texts, gold = test_set
    logs = model.predict_log_proba(texts) * 0.5
    logs -= np.log(np.exp(logs).sum(axis=1, keepdims=True))
    data = report.of_test(model, texts, gold, calibrated=logs).data
    after = data["reliability"]["after"]
    assert after["log_loss"] == pytest.approx(sk.log_loss(gold, np.exp(logs)))
    curve = metrics.reliability_curve(np.exp(logs), gold)
    assert [row[0] for row in after["bins"]] == pytest.approx(curve.confidence.tolist())
    assert [row[1] for row in after["bins"]] == pytest.approx(curve.accuracy.tolist())
    starts = [sentence for sentence in data["sentences"] if " claim" in sentence]
    assert starts[0].startswith("Calibrated, it claims on average to be")
    assert f"log loss {after['log_loss']:.3f}" in starts[0]
    assert starts[1].startswith("Without its calibration it would claim")


def test_without_them_there_is_one_curve(tested, model, test_set):
    proba = model.predict_proba(test_set[0])
    before = tested["reliability"]["before"]
    assert tested["reliability"]["after"] is None
    assert sum(row[4] for row in before["bins"]) == 150
    error = metrics.expected_calibration_error(proba, test_set[1])
    assert before["calibration_error"] == pytest.approx(error)


def test_words_are_those_of_the_model(tested, model):
    for c, label in enumerate(model.classes_):
        expected = [row for row in model.words(20, label=label) if row.weight > 0]
        names = ("word", "weight", "count", "elsewhere", "rate", "rate_elsewhere")
        assert tested["words"][str(c)] == [[getattr(row, n) for n in names] for row in expected]


def test_crossval_shows_what_models_say_that_never_saw_the_text(train):
    result = crossval(nabi.TextClassifier(), *train)
    data = report.of_crossval(nabi.TextClassifier(), *train).data
    assert data["totals"]["accuracy"][0] == result.accuracy
    assert data["totals"]["log_loss"] == pytest.approx(result.log_loss)
    given = report.of_crossval(nabi.TextClassifier(), *train, result=result)
    assert given.data == data


def test_labels_to_check_are_the_suspects(train, model, test_set, tested):
    found = suspects(nabi.TextClassifier(), *train)
    rows = report.of_crossval(nabi.TextClassifier(), *train).data["doubts"]["rows"]
    assert [row["where"] for row in rows] == [f"text {one.at + 1}" for one in found[:30]]
    learned = report.of_test(model, *test_set, train=train).data["doubts"]
    assert (learned["found"], learned["learned"]) == (len(found), True)
    assert tested["doubts"]["found"] == len(suspects(nabi.TextClassifier(), *test_set))


def test_labels_that_the_model_does_not_know_are_errors(model, test_set):
    texts, gold = test_set
    data = report.of_test(model, [*texts, "a song", "an opera"], [*gold, "music", "music"]).data
    assert data["totals"]["unknown"] == 2
    assert data["totals"]["accuracy"][0] == pytest.approx(model.score(texts, gold) * 150 / 152)
    loss = sk.log_loss(gold, model.predict_proba(texts))
    assert data["totals"]["log_loss"] == pytest.approx(loss)
    assert data["classes"][3]["recall"][0] == 0.0
    assert "Give it texts of “music” to learn: it knows none." in [
        a["text"] for a in data["advice"]
    ]


def test_rows_read_are_used_or_rejected(model, test_set):
    rows = {"read": 152, "used": 150, "rejected": 2}
    data = report.of_test(model, *test_set, rows=rows, where=lambda i: f"x.csv:{i + 2}").data
    assert data["rows"] == rows
    assert all(text["where"].startswith("x.csv:") for text in data["texts"])


def test_another_prior_changes_what_is_said(model, test_set):
    prior = {"money": 0.98, "science": 0.01, "sport": 0.01}
    data = report.of_test(model, *test_set, prior=prior).data
    said = model.predict(test_set[0], prior=prior).tolist()
    assert data["classes"][0]["predicted"] == said.count("money") > 50


@pytest.mark.parametrize(
    ("options", "recipe"),
    [
        ({}, "preset words, hangul 2-4, entities True"),
        (
            {"ngrams": (2, 2), "prior": "uniform"},
            "preset words, ngrams 2-2, entities True, prior uniform",
        ),
        (
            {"features": "tweets", "negation": True},
            "preset tweets, negation True, hangul 2-4, entities True",
        ),
        ({"stop_words": ["a", "the"], "hangul": None}, "preset words, stop_words 2, entities True"),
    ],
)
def test_the_page_says_how_the_model_was_made(train, options, recipe):
    model = nabi.TextClassifier(**options).fit(*train)
    told = report.of_test(model, *train).data["model"]
    assert told["recipe"] == recipe
    assert (told["documents"], told["vocabulary"]) == (240, model.n_features_)


@pytest.mark.parametrize("column", [list, iter, np.array, pl.Series, pd.Series, pa.array])
def test_texts_and_labels_of_any_kind_of_column(model, test_set, column):
    texts, labels = test_set
    expected = report.of_test(model, texts, labels).data
    assert report.of_test(model, column(texts), column(labels)).data == expected


def test_a_calibrated_model_is_shown_before_and_after(train, test_set):
    model = nabi.TextClassifier().fit(*train).calibrate(*train)
    texts, gold = test_set
    curves = report.of_test(model, texts, gold).data["reliability"]
    for name, calibrated in (("before", False), ("after", True)):
        proba = model.predict_proba(texts, calibrated=calibrated)
        assert curves[name]["log_loss"] == pytest.approx(sk.log_loss(gold, proba))


def test_crossval_shows_what_a_calibration_by_other_texts_does(train):
    result = crossval(nabi.TextClassifier(), *train)
    after = report.of_crossval(nabi.TextClassifier(), *train).data["reliability"]["after"]
    assert after["log_loss"] == pytest.approx(min(result.calibration.losses.values()))

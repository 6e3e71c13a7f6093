"""The metrics on small cases whose values are known."""

import subprocess
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest

import nabi
from nabi import metrics
from nabi.metrics import ConfusionMatrix, confusion

GOLD = ["spam", "ham", "ham", "spam"]
SAID = ["spam", "spam", "ham", "ham"]


# ---- the matrix ----


@pytest.mark.parametrize(
    "column", [list, tuple, np.array, pd.Series, pl.Series, lambda x: np.array(x, object), iter]
)
def test_labels_come_in_many_ways(column):
    matrix = ConfusionMatrix.of(column(GOLD), column(SAID))
    assert matrix.labels == ("ham", "spam")
    assert matrix.array().tolist() == [[1, 1], [1, 1]]


@pytest.mark.parametrize(("no", "yes"), [(0, 1), (False, True), (-1.5, 2.5), ("0", "1")])
def test_labels_of_each_kind(no, yes):
    matrix = ConfusionMatrix.of([no, yes, yes], np.array([yes, yes, yes]))
    assert [(type(x), x) for x in matrix.labels] == [(type(no), no), (type(yes), yes)]
    assert matrix.array().tolist() == [[0, 0], [1, 2]]
    assert matrix.accuracy == 2 / 3


def test_whole_and_real_numbers_go_together():
    matrix = ConfusionMatrix.of([1, 2, 2], [1.0, 2.0, 1.0])
    assert repr(matrix.labels) == "(1.0, 2.0)"
    assert matrix.array().tolist() == [[1, 1], [0, 1]]


def test_no_rows_of_known_classes():
    matrix = ConfusionMatrix.of([], [], labels=["a", "b"])
    assert matrix.array().tolist() == [[0, 0], [0, 0]]
    assert (matrix.accuracy, matrix.total) == (0.0, 0.0)
    assert [matrix.average(how) for how in ("macro", "micro", "weighted")] == [(0.0, 0.0, 0.0)] * 3
    assert matrix.accuracy_interval() == (0.0, 1.0)
    assert matrix.average_interval("macro") == ((0.0, 1.0),) * 3
    assert str(matrix) == "           actual\npredicted  a  b\na          0  0\nb          0  0"


def test_the_order_of_labels_is_kept():
    matrix = ConfusionMatrix.of(GOLD, SAID, labels=np.array(["spam", "other", "ham"]))
    assert matrix.labels == ("spam", "other", "ham")
    assert matrix.precision.tolist() == [0.5, 0.0, 0.5]
    assert matrix.support.tolist() == [2, 0, 2]
    assert matrix.average("macro").f == pytest.approx(1 / 3)


def test_weights_count_for_so_many_rows():
    matrix = ConfusionMatrix.of(GOLD, SAID, sample_weight=[2, 0, 0.5, 1])
    assert matrix.array().tolist() == [[0.5, 1.0], [0.0, 2.0]]
    assert matrix.accuracy == 2.5 / 3.5
    assert str(matrix).splitlines()[2:] == ["ham        0.5     1", "spam         0     2"]


def test_rows_for_a_table():
    first, second = ConfusionMatrix.of(["a", "a", "b"], ["a", "b", "b"]).per_class()
    assert first == ("a", 1.0, 0.5, pytest.approx(2 / 3), 2, 1)
    assert (second.label, second.precision, second.support, second.predicted) == ("b", 0.5, 1, 2)
    assert ConfusionMatrix.of(["a"], ["a"]).per_class(beta=0.5)[0].f == 1.0


def test_beta_from_nothing_to_infinity():
    matrix = ConfusionMatrix.of(["a", "a", "b"], ["a", "b", "b"])
    assert matrix.f_beta(0).tolist() == matrix.precision.tolist()
    assert matrix.f_beta(float("inf")).tolist() == matrix.recall.tolist()
    assert matrix.f_beta(1e300).tolist() == matrix.recall.tolist()


def test_labels_take_the_room_that_they_need():
    matrix = ConfusionMatrix.of(["나비", "a\nb"], ["나비", "x" * 30])
    assert str(matrix).splitlines()[1:] == [
        "predicted             a·b  xxxxxxxxxxxxxxxxxxx…  나비",
        "a·b                     0                     0     0",
        "xxxxxxxxxxxxxxxxxxx…    1                     0     0",
        "나비                    0                     0     1",
    ]


def test_of_many_classes_the_first_are_shown():
    matrix = ConfusionMatrix.of(range(30_000), range(30_000))
    lines = str(matrix).splitlines()
    assert len(lines) == 23
    assert lines[-1] == "... 30,000 classes in all; `cells` holds every count"
    assert matrix.average("macro") == (1.0, 1.0, 1.0)
    assert repr(matrix) == "<ConfusionMatrix of 30000 classes, 30000 rows>"


def test_few_rows_of_many_classes_are_counted_alike(monkeypatch):
    dense = ConfusionMatrix.of([1, 2, 2, 3], [1, 2, 3, 3], sample_weight=[1, 2, 3, 0])
    monkeypatch.setattr(confusion, "DENSE", 0)
    sparse = ConfusionMatrix.of([1, 2, 2, 3], [1, 2, 3, 3], sample_weight=[1, 2, 3, 0])
    assert sparse == dense
    assert sparse.array().dtype == np.float64
    assert ConfusionMatrix.of([1, 2], [1, 2]).array().dtype == np.int64


def test_matrices_of_other_classes_add():
    one = ConfusionMatrix.of(["b"], ["a"], labels=["b", "a"])
    other = ConfusionMatrix.of(["c"], ["c"], sample_weight=[0.5])
    assert (one + other).labels == ("b", "a", "c")
    assert (one + other).array().tolist() == [[0, 0, 0], [1, 0, 0], [0, 0, 0.5]]
    assert (other + other).array().tolist() == [[1.0]]
    assert one != other
    assert one != "one"


# ---- intervals ----


def test_wilson_by_hand():
    low, high = ConfusionMatrix.of_counts([[8, 2], [0, 0]], ["a", "b"]).accuracy_interval()
    z2 = 1.959963984540054**2
    half = (z2 * (0.8 * 0.2 / 10 + z2 / 400)) ** 0.5
    assert low == pytest.approx((0.8 + z2 / 20 - half) / (1 + z2 / 10), rel=1e-12)
    assert high == pytest.approx((0.8 + z2 / 20 + half) / (1 + z2 / 10), rel=1e-12)
    assert (round(low, 4), round(high, 4)) == (0.4902, 0.9433)


def test_intervals_of_what_was_never_seen_or_said():
    matrix = ConfusionMatrix.of(["a", "b"], ["a", "a"], labels=["a", "b", "c"])
    low, high = matrix.precision_interval()
    assert (low.tolist()[1:], high.tolist()[1:]) == ([0.0, 0.0], [1.0, 1.0])
    low, high = matrix.recall_interval(0.9)
    assert (low[2], high[2]) == (0.0, 1.0)
    assert low[1] == 0.0
    assert 0.7 < high[1] < 0.75


def test_the_bootstrap_agrees_with_wilson_where_both_hold():
    matrix = ConfusionMatrix.of_counts([[800, 100], [100, 1000]], ["a", "b"])
    low, high = matrix.average_interval("micro").f
    wilson = matrix.accuracy_interval()
    assert (low, high) == (
        pytest.approx(wilson.low, abs=2e-3),
        pytest.approx(wilson.high, abs=2e-3),
    )
    assert matrix.average_interval("micro", seed=1).f != (low, high)


def test_the_bootstrap_does_not_depend_on_its_chunks(monkeypatch):
    matrix = ConfusionMatrix.of_counts([[8, 10, 1], [5, 60, 50], [3, 30, 200]], ["u", "n", "s"])
    whole = matrix.average_interval("macro", draws=100)
    monkeypatch.setattr("nabi.metrics.intervals.CHUNK", 40)
    assert matrix.average_interval("macro", draws=100) == whole


# ---- thresholds ----


def test_a_wanted_precision_with_the_most_recall():
    curve = metrics.precision_recall_curve([1, 1, 0, 1, 0, 0], [6, 5, 4, 3, 2, 1])
    assert metrics.threshold_for(curve, precision=0.75) == (3.0, 0.75, 1.0)
    assert metrics.threshold_for(curve, precision=0.76) == (5.0, 1.0, 2 / 3)
    assert metrics.threshold_for(curve, precision=0) == (3.0, 0.75, 1.0)


def test_a_wanted_recall_with_the_most_precision():
    curve = metrics.precision_recall_curve([1, 1, 0, 1, 0, 0], [6, 5, 4, 3, 2, 1])
    assert metrics.threshold_for(curve, recall=0.7) == (3.0, 0.75, 1.0)
    assert metrics.threshold_for(curve, recall=0.1) == (5.0, 1.0, 2 / 3)


def test_scores_may_be_infinite():
    curve = metrics.precision_recall_curve([1, 1, 0, 0], [np.inf, np.inf, 0, -np.inf])
    assert curve.threshold.tolist() == [-np.inf, 0.0, np.inf]
    assert metrics.roc_auc([1, 1, 0, 0], [np.inf, np.inf, 0, -np.inf]) == 1.0


# ---- decisions ----


def test_a_third_thing_to_say():
    cost = [[0, 10], [10, 0], [1, 1]]  # to ask a person costs 1
    proba = [[0.95, 0.05], [0.5, 0.5], [0.0, 1.0]]
    said = metrics.cheapest(proba, cost, labels=["ham", "spam", "ask"])
    assert said.tolist() == ["ham", "ask", "spam"]
    assert metrics.cheapest(proba, cost).tolist() == [0, 2, 1]
    assert metrics.cheapest([0.05, 0.5, 1.0], cost).tolist() == [0, 2, 1]


def test_not_sure():
    proba = [[0.7, 0.3], [0.5, 0.5], [0.1, 0.9]]
    assert metrics.not_sure(proba, 0.7).decided.tolist() == [True, False, True]
    assert metrics.not_sure(proba, 0.7)[1:] == (2 / 3, None)
    assert metrics.not_sure(proba, 0.7, ["a", "b", "a"])[1:] == (2 / 3, 0.5)
    assert metrics.not_sure(proba, 1, ["a", "b", "a"])[1:] == (0.0, 0.0)


# ---- probabilities ----


def test_one_column_is_that_of_the_second_class():
    gold, second = ["a", "b", "b"], np.array([0.1, 0.7, 0.4])
    both = np.stack([1 - second, second], axis=1)
    assert metrics.brier(second, gold) == metrics.brier(both, gold)
    assert metrics.brier(second, gold) == pytest.approx((0.01 + 0.09 + 0.36) / 3, rel=1e-12)
    assert metrics.log_loss(second, gold) == metrics.log_loss(both, gold)
    logs = metrics.log_loss(np.log(second), gold, log=True)
    assert logs == pytest.approx(metrics.log_loss(both, gold), rel=1e-12)


def test_being_sure_and_wrong_has_a_price():
    assert metrics.log_loss([[1.0, 0.0]], [True]) == -np.log(np.finfo(float).eps)
    assert metrics.log_loss([[0.0, -np.inf]], [True], log=True) == -np.log(np.finfo(float).eps)
    assert metrics.log_loss(np.array([[1, 0]], np.float32), [True]) == pytest.approx(
        15.942, abs=1e-3
    )


def test_gold_of_one_class_where_it_is_clear_which():
    assert metrics.brier([0.5, 0.0], [False, False]) == 0.125
    assert metrics.brier([[0.5, 0.5]], [True]) == 0.25
    assert metrics.brier([[0.5, 0.5]], ["b"], labels=["a", "b"]) == 0.25


def test_calibration_by_hand():
    proba = np.array([[0.9, 0.1], [0.8, 0.2], [0.4, 0.6], [0.3, 0.7]])
    gold = [0, 1, 1, 1]
    curve = metrics.reliability_curve(proba, gold, bins=4)
    assert curve.rows.tolist() == [2, 2]
    assert curve.confidence.tolist() == pytest.approx([0.65, 0.85])
    assert curve.accuracy.tolist() == [1.0, 0.5]
    error = metrics.expected_calibration_error(proba, gold, bins=4)
    assert error == pytest.approx(0.5 * 0.35 + 0.5 * 0.35)
    mass = metrics.expected_calibration_error(proba, gold, bins=4, equal="mass")
    assert mass == pytest.approx((0.1 + 0.8 + 0.4 + 0.3) / 4)


def test_rows_of_one_confidence_share_a_bin():
    curve = metrics.reliability_curve([0.5, 0.5, 0.5, 0.75], [0, 1, 1, 1], bins=4, equal="mass")
    assert curve.rows.tolist() == [3, 1]


# ---- comparison ----


def test_mcnemar_without_a_difference():
    assert metrics.mcnemar([1, 2], [1, 2], [1, 2]) == (0, 2, 0, 1.0)
    assert metrics.mcnemar([1, 2], [1, 1], [2, 2]) == (1, 0, 1, 1.0)


def test_mcnemar_of_many_goes_on_where_whole_numbers_end(monkeypatch):
    gold, a = np.ones(900), np.repeat([1.0, 0.0], [500, 400])
    exact = metrics.mcnemar(gold, a, 1 - a)
    monkeypatch.setattr("nabi.metrics.comparison.EXACT", 0)
    by_logarithms = metrics.mcnemar(gold, a, 1 - a)
    assert by_logarithms[:3] == exact[:3] == (500, 0, 400)
    assert by_logarithms.p == pytest.approx(exact.p, rel=1e-11)


# ---- with a model ----


def test_a_model_is_judged():
    texts, gold = ["good film", "bad film", "so good", "so bad"], ["pos", "neg", "pos", "neg"]
    model = nabi.TextClassifier().fit(texts, gold)
    assert ConfusionMatrix.of(gold, model.predict(texts)).accuracy == model.score(texts, gold) == 1
    proba, logs = model.predict_proba(texts), model.predict_log_proba(texts)
    loss = metrics.log_loss(proba, gold, labels=model.classes_)
    assert metrics.log_loss(logs, gold, labels=model.classes_, log=True) == pytest.approx(loss)


def test_nabi_alone_does_not_import_them():
    code = "import sys, nabi; print('nabi.metrics' in sys.modules); import nabi.metrics; "
    code += "print({'sklearn', 'scipy', 'pandas'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert done.stdout.split() == [b"False", b"set()"]


def test_every_name_is_exported_and_documented():
    assert sorted(metrics.__all__) == metrics.__all__
    assert [name for name in metrics.__all__ if not getattr(metrics, name).__doc__] == []


def test_the_interval_of_few_rows_without_an_error_is_no_point():
    matrix = ConfusionMatrix.of([*"abc"] * 6, [*"abc"] * 6)
    assert matrix.average_interval("macro").f == (1.0, 1.0)
    low, high = matrix.average_interval("macro", unseen=1.0).f
    assert 0.8 < low < 0.85
    assert high == 1.0
    assert ConfusionMatrix.of(["a"], ["a"]).average_interval("macro", unseen=1.0).f == (1.0, 1.0)

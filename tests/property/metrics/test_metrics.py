"""What holds for any predictions: matrices add, intervals hold the estimate, curves rise."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nabi import metrics
from nabi.base import labels as label_kinds

KINDS = [["a", "b", "c"], [3, 1, 2], [False, True], [0.5, -1.0, 2.0]]
LEVELS = st.sampled_from([1e-9, 0.5, 0.95, 0.999999])
WHOLE = st.sampled_from([np.int8, np.uint8, np.int32, np.int64, np.uint64, bool])


@st.composite
def pairs(draw, kind=None):
    """Gold and predicted labels of one kind."""
    labels = kind or draw(st.sampled_from(KINDS))
    rows = draw(st.lists(st.tuples(*[st.sampled_from(labels)] * 2), min_size=1, max_size=30))
    gold, said = zip(*rows, strict=True)
    return list(gold), list(said)


counts = st.integers(1, 4).flatmap(
    lambda n: st.lists(
        st.lists(st.sampled_from([0, 0, 1, 2, 7, 1000]), min_size=n, max_size=n),
        min_size=n,
        max_size=n,
    )
)


def matrix_of(table):
    return metrics.ConfusionMatrix.of_counts(table, list(range(len(table))))


totals = st.integers(0, 10) | st.integers(0, 10**9)


@given(totals, totals, totals, st.floats(1e-150, 1e150))
def test_f_beta_has_all_its_digits(right, wrong, missed, beta):
    got = metrics.ConfusionMatrix.of_counts([[right, wrong], [missed, 5]], ["a", "b"]).f_beta(beta)
    square = Fraction(beta) ** 2
    whole = (1 + square) * right + square * missed + wrong
    assert got[0] == pytest.approx(
        float((1 + square) * right / (whole or 1)), rel=1e-14, abs=1e-300
    )


@given(pairs(["b", "a", "c"]), pairs(["c", "d", "b"]))
def test_matrices_add(one, other):
    both = metrics.ConfusionMatrix.of(one[0] + other[0], one[1] + other[1])
    parts = [metrics.ConfusionMatrix.of(*rows) for rows in (one, other)]
    assert parts[0] + parts[1] == both == parts[1] + parts[0]
    assert sum(parts) == both


@given(pairs())
def test_micro_f1_is_the_accuracy(rows):
    matrix = metrics.ConfusionMatrix.of(*rows)
    right = sum(g == s for g, s in zip(*rows, strict=True)) / len(rows[0])
    assert matrix.accuracy == right
    assert matrix.average("micro") == (right, right, right)
    assert matrix.average("weighted").recall == pytest.approx(right, rel=1e-12)


@given(counts)
def test_a_table_comes_back(table):
    matrix = matrix_of(table)
    assert matrix.array().tolist() == table
    labels = list(range(len(table)))
    again = metrics.ConfusionMatrix.of_counts(matrix.array(rows="actual"), labels, rows="actual")
    assert again == matrix


@given(counts, LEVELS)
def test_wilson_intervals_hold_the_estimate(table, level):
    matrix = matrix_of(table)
    for rate, (low, high) in [
        (matrix.accuracy, matrix.accuracy_interval(level)),
        (matrix.precision, matrix.precision_interval(level)),
        (matrix.recall, matrix.recall_interval(level)),
    ]:
        assert np.all((low >= 0) & (low <= rate) & (rate <= high) & (high <= 1))


@given(counts, st.sampled_from(["macro", "micro", "weighted"]), LEVELS)
def test_bootstrapped_intervals_hold_the_estimate(table, how, level):
    matrix = matrix_of(table)
    intervals = matrix.average_interval(how, level, draws=50, seed=1)
    for rate, (low, high) in zip(matrix.average(how), intervals, strict=True):
        assert 0 <= low <= rate <= high <= 1 + 1e-12
    assert intervals == matrix.average_interval(how, level, draws=50, seed=1)


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 9)), min_size=1, max_size=40))
def test_curves_are_monotone(rows):
    positive, score = zip(*[*rows, (True, 5), (False, 5)], strict=True)
    curve = metrics.precision_recall_curve(positive, score)
    assert np.all(np.diff(curve.recall) <= 0)
    assert np.all(np.diff(curve.threshold) > 0)
    roc = metrics.roc_curve(positive, score)
    assert np.all(np.diff(roc.false_positive_rate) >= 0)
    assert np.all(np.diff(roc.true_positive_rate) >= 0)


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 9)), min_size=1, max_size=40))
def test_the_area_is_the_share_of_pairs_in_order(rows):
    rows = [*rows, (True, 5), (False, 5)]
    positive, score = zip(*rows, strict=True)
    above = [a for yes, a in rows if yes]
    below = [b for yes, b in rows if not yes]
    won = sum((a > b) + (a == b) / 2 for a in above for b in below)
    area = won / (len(above) * len(below))
    assert metrics.roc_auc(positive, score) == pytest.approx(area, rel=1e-12)


@given(
    st.lists(st.tuples(st.booleans(), st.integers(0, 9)), min_size=1, max_size=40),
    st.sampled_from([0.0, 0.3, 0.5]),
    st.sampled_from(["precision", "recall"]),
)
def test_a_threshold_keeps_its_word(rows, least, asked):
    rows = [*rows, (True, 10)]
    positive, score = map(np.array, zip(*rows, strict=True))
    point = metrics.threshold_for(metrics.precision_recall_curve(positive, score), **{asked: least})
    said = score >= point.threshold
    assert point.precision == positive[said].mean()
    assert point.recall == said[positive].mean()
    assert getattr(point, asked) >= least


@given(st.integers(1, 60), st.integers(1, 20), st.integers(0, 2**32 - 1))
def test_bins_of_equal_mass_differ_by_one_row(n, bins, seed):
    first = 0.5 + np.random.default_rng(seed).permutation(n) / (2 * n)  # no ties
    gold = np.zeros(n, bool)
    curve = metrics.reliability_curve(
        np.stack([first, 1 - first], axis=1), gold, bins, equal="mass"
    )
    assert len(curve.rows) == min(n, bins)
    assert np.ptp(curve.rows) <= 1
    assert curve.rows.sum() == n


@given(st.integers(1, 40), st.integers(0, 2**32 - 1))
def test_the_coverage_curve_is_not_sure_at_each_point(n, seed):
    random = np.random.default_rng(seed)
    proba = random.dirichlet([1, 1, 1], n).round(1)
    proba[:, 2] = 1 - proba[:, 0] - proba[:, 1]
    gold = random.integers(0, 3, n)
    curve = metrics.coverage_curve(np.abs(proba), gold, labels=[0, 1, 2])
    for least, coverage, accuracy in zip(*curve, strict=True):
        band = metrics.not_sure(np.abs(proba), min(least, 1.0), gold, labels=[0, 1, 2])
        assert (band.coverage, band.accuracy) == pytest.approx((coverage, accuracy), rel=1e-12)


@given(st.integers(1, 30), st.integers(2, 5), st.integers(0, 2**32 - 1))
def test_the_cheapest_of_equal_costs_is_the_most_probable(n, classes, seed):
    random = np.random.default_rng(seed)
    proba = random.dirichlet([1.0] * classes, n)
    said = metrics.cheapest(proba, 1 - np.eye(classes))
    assert said.tolist() == proba.argmax(axis=1).tolist()
    one_by_one = [metrics.cheapest(row[None], 1 - np.eye(classes))[0] for row in proba]
    assert said.tolist() == one_by_one


@given(st.data(), WHOLE)
def test_whole_numbers_are_encoded_as_by_sorting(data, dtype):
    low, high = (0, 1) if dtype is bool else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    start = data.draw(st.integers(low, high))
    near = st.integers(max(low, start - 5), min(high, start + 5))
    values = np.array(data.draw(st.lists(near, max_size=30)), dtype)
    found, numbers = label_kinds.encode(values)
    unique, inverse = np.unique(values, return_inverse=True)
    assert (found, numbers.tolist()) == (unique.tolist(), inverse.tolist())
    assert numbers.dtype == np.uint32

"""Moments against fractions: any numbers, in any order, batches and threads, to the last bit."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nabi.counts.moments import Moments
from nabi.errors import DamagedFileError, InputError, NotLearnedError
from reference import UNIT, moments

EXTREMES = [0.0, -0.0, 5e-324, -5e-324, 2.2e-308, 1.7e308, -1.7e308, 1e16, 1e16 + 2, 1e300, 0.1]
numbers = st.one_of(st.sampled_from([*EXTREMES, math.nan]), st.floats(allow_infinity=False))


@st.composite
def batches(draw, columns=2):
    """(X, classes, units) of some rows, now and then so many that the kernel takes its fast way."""
    row = st.tuples(st.lists(numbers, min_size=columns, max_size=columns), st.integers(0, 2))
    rows = draw(st.lists(row, max_size=8)) * draw(st.sampled_from([1, 1, 30]))
    X = np.array([x for x, _ in rows], np.float64).reshape(len(rows), columns)
    weights = None
    if draw(st.booleans()):
        some = draw(st.lists(st.sampled_from([0, 1, UNIT // 3, UNIT, 2**44]), min_size=1))
        weights = np.resize(np.array(some, np.uint64), len(rows))
    return X, np.array([c for _, c in rows], np.uint32), weights


def of(batch, **options):
    X, classes, weights = batch
    return Moments.of(X, classes, 3, weights, **options)


def sums(made):
    return [[tuple(cell) for cell in row] for row in np.moveaxis(made.sums, 0, -1).tolist()]


@given(batches())
def test_sums_are_those_of_fractions(batch):
    assert sums(of(batch)) == moments(*batch, 3)


@given(batches(), st.sampled_from([1, 2, 3]))
def test_order_layout_and_threads_do_not_matter(batch, threads):
    X, classes, weights = batch
    back = (np.asfortranarray(X[::-1]), classes[::-1].copy(), weights)
    if weights is not None:
        back = (*back[:2], weights[::-1].copy())
    assert sums(of(batch)) == sums(of(back, threads=threads))


@given(batches(), batches())
def test_what_is_added_and_taken_away_leaves_no_trace(a, b):
    ours = of(a)
    ours.add(of(b), [2, 0, 1])
    ours.subtract(of(b), [2, 0, 1])
    assert sums(ours) == sums(of(a))


@given(batches(columns=40))
@settings(max_examples=10)  # each as large as 40 others
def test_many_columns(batch):
    assert sums(of(batch)) == moments(*batch, 3)


def rounded(fraction):
    try:
        return float(fraction)
    except OverflowError:
        return math.inf


@given(batches())
def test_mean_and_variance_are_rounded_once(batch):
    made = of(batch)
    means, variances = made.mean().ravel().tolist(), made.variance().ravel().tolist()
    cells = [cell for row in sums(made) for cell in row]
    for (n, s1, s2), mean, variance in zip(cells, means, variances, strict=True):
        if not n:
            assert math.isnan(mean)
            assert math.isnan(variance)
            continue
        exact = Fraction(s1, n << 1074)
        assert mean == float(exact)
        assert variance == rounded(Fraction(s2, n << 2148) - exact**2)


@given(batches())
def test_arrays_there_and_back(batch):
    made = of(batch)
    again = Moments.from_arrays(made.arrays(), 3, 2)
    assert sums(again) == sums(made)
    for name, array in made.arrays().items():
        assert again.arrays()[name].tobytes() == array.tobytes()


@given(batches(), st.data())
def test_damaged_arrays_are_refused_or_possible(batch, data):
    arrays = {name: array.copy() for name, array in of(batch).arrays().items()}
    name = data.draw(st.sampled_from(sorted(arrays)))
    raw = arrays[name].view(np.uint8)
    if len(raw):
        raw[data.draw(st.integers(0, len(raw) - 1))] ^= data.draw(st.integers(1, 255))
    try:
        made = Moments.from_arrays(arrays, 3, 2)
    except DamagedFileError:
        return
    assert not np.isinf(made.mean()).any()
    assert not (made.variance() < 0).any()


def test_ten_thousand_changes_leave_the_same_integers():
    random = np.random.default_rng(0)
    X = random.standard_normal((100, 3)) * 10.0 ** random.integers(-300, 300, (100, 3))
    classes = np.zeros(100, np.uint32)
    ours = Moments.of(X, classes, 1)
    single = [Moments.of(X[i : i + 1], classes[:1], 1) for i in range(100)]
    for i in random.integers(0, 100, 5000):
        ours.add(single[i], [0])
        ours.subtract(single[(i + 1) % 100], [0])
        ours.add(single[(i + 1) % 100], [0])
        ours.subtract(single[i], [0])
    assert sums(ours) == sums(Moments.of(X, classes, 1))


@pytest.mark.parametrize("columns", [1, 4, 30, 33])
@pytest.mark.parametrize("spread", [0, 300])
def test_many_rows_and_few_go_different_ways_to_the_same_sums(columns, spread):
    random = np.random.default_rng(columns)
    X = random.standard_normal((3000, columns))
    X *= 10.0 ** random.integers(-spread, spread + 1, X.shape)
    for odd in (np.nan, 0.0, 5e-324):
        X[random.random(X.shape) < 0.02] = odd
    classes = random.integers(0, 2, 3000).astype(np.uint32)
    many = Moments.of(X, classes, 2, threads=2)
    few = Moments.empty(0, columns)
    for i in range(0, 3000, 20):
        few.add(Moments.of(X[i : i + 20], classes[i : i + 20], 2), [0, 1])
    assert sums(many) == sums(few)
    assert sums(many) == sums(Moments.of(X, classes, 2, np.full(3000, UNIT, np.uint64)))


def test_noise_on_a_large_number():
    X = 1e16 + np.array([[0.0], [2.0], [4.0]])
    made = Moments.of(X, np.zeros(3, np.uint32), 1)
    assert made.mean().tolist() == [[1e16 + 2]]
    assert made.variance(ddof=1).tolist() == [[4.0]]


def test_equal_numbers_have_variance_zero_and_huge_ones_infinity():
    X = np.array([[0.1, 1e300], [0.1, -1e300], [0.1, np.nan]])
    made = Moments.of(X, np.zeros(3, np.uint32), 1)
    assert made.variance().tolist() == [[0.0, np.inf]]
    assert made.mean().tolist() == [[0.1, 0.0]]
    assert made.n.tolist() == [[3 * UNIT, 2 * UNIT]]


def test_one_number_has_no_variance_with_divisor_n_less_1():
    made = Moments.of(np.array([[3.0]]), np.zeros(1, np.uint32), 1)
    assert made.variance().tolist() == [[0.0]]
    assert np.isnan(made.variance(ddof=1)).all()


def test_infinity_is_named():
    X = np.array([[1.0, 2.0], [3.0, -np.inf]])
    with pytest.raises(InputError, match=r"X\[1, 1\] is infinite"):
        Moments.of(X, np.zeros(2, np.uint32), 1)


def test_what_was_not_learned_is_not_forgotten():
    ours = Moments.of(np.array([[1.0], [2.0]]), np.zeros(2, np.uint32), 1)
    before = ours.copy()
    for X in ([[4.0]], [[1.0], [1.5]], [[1.0], [2.0], [3.0]]):
        other = Moments.of(np.array(X), np.zeros(len(X), np.uint32), 1)
        with pytest.raises(NotLearnedError, match="nothing was changed"):
            ours.subtract(other, [0])
        assert sums(ours) == sums(before)


def test_classes_are_taken_joined_and_left_out():
    made = Moments.of(np.array([[1.0], [2.0], [4.0]]), np.array([0, 1, 2], np.uint32), 3)
    assert made.taken([2, 0]).mean().tolist() == [[4.0], [1.0]]
    assert made.renamed([1, 1, 2], 2).mean()[1].tolist() == [1.5]
    assert made.pooled().n.tolist() == [[3 * UNIT]]
    grown = Moments.empty(0, 1)
    grown.add(made, [3, 0, 0])
    assert grown.mean()[[0, 3]].tolist() == [[3.0], [1.0]]

"""Moments without some of their numbers are those of the others, to the last bit or nearly."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nabi.counts.moments import Moments
from nabi.scoring.held_out.moments import Cases, MomentsRest
from tables import sane, wild

shifted = st.floats(-4, 4).map(lambda x: 1e9 + x)
few = st.sampled_from([0.0, 1.0, 1.5, 1e8])
numbers = st.one_of(
    *(st.lists(values, min_size=1, max_size=12) for values in (sane, wild, shifted, few))
)
units = st.sampled_from([2**24, 2**24, 2**23, 2**44, 1, 5592405])


def left(x, groups, weights, ddof):
    """(mean, deviation) of all numbers but those of each group."""
    every = Moments.of(x[:, None], np.zeros(len(x), np.uint32), 1, weights)
    order = np.argsort(groups, kind="stable")
    owners = np.zeros(groups.max() + 1, np.int64)
    cases = Cases(owners, groups[order], x[order], weights[order])
    found = MomentsRest(every).without(cases)
    return found.mean, found.deviation(ddof)


@given(numbers, st.data(), st.integers(0, 1))
def test_what_is_left_is_what_the_others_have(given, data, ddof):
    x, n = np.array(given), len(given)
    groups = np.array(data.draw(st.lists(st.integers(0, 3), min_size=n, max_size=n)))
    weights = np.array(data.draw(st.lists(units, min_size=n, max_size=n)), np.uint64)
    mean, deviation = left(x, groups, weights, ddof)
    for group in range(groups.max() + 1):
        kept = groups != group
        rest = Moments.of(x[kept, None], np.zeros(kept.sum(), np.uint32), 1, weights[kept])
        spread = np.nan_to_num(rest.deviation()[0, 0])
        near = {"rel": 3e-16, "abs": 1e-20 * spread, "nan_ok": True}
        assert mean[group] == pytest.approx(rest.mean()[0, 0], **near)
        assert deviation[group] == pytest.approx(rest.deviation(ddof)[0, 0], **near)


def test_on_plain_numbers_not_a_bit_differs():
    x = np.random.default_rng(0).normal(100, 3, 500)
    mean, deviation = left(x, np.arange(500), np.full(500, 2**24, np.uint64), 1)
    for i in range(500):
        rest = Moments.of(np.delete(x, i)[:, None], np.zeros(499, np.uint32), 1)
        assert (mean[i], deviation[i]) == (rest.mean()[0, 0], rest.deviation(1)[0, 0])


def test_squares_near_the_largest_double_are_taken_exactly():
    x = np.array([0.0, 4.7e8, 3e150])
    _, deviation = left(x, np.arange(3), np.full(3, 2**24, np.uint64), 0)
    rest = Moments.of(x[1:, None], np.zeros(2, np.uint32), 1)
    assert deviation[0] == rest.deviation(0)[0, 0]

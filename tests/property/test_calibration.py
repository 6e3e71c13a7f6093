"""A calibration depends on the documents alone, and changes no decision."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from nabi.calibration import fitted

logs = st.floats(-1e4, 0) | st.integers(-3, 0).map(float) | st.just(-np.inf)


@st.composite
def scores(draw):
    """(joint, lengths, gold) of documents, each with a class that is possible."""
    n, k = draw(st.integers(1, 60)), draw(st.integers(1, 4))
    joint = draw(arrays.arrays(float, (n, k), elements=logs))
    joint[:, 0] = np.where(np.isneginf(joint).all(axis=1), -1.0, joint[:, 0])
    lengths = draw(arrays.arrays(float, n, elements=st.integers(0, 1000).map(float)))
    return joint, lengths, draw(arrays.arrays(np.int64, n, elements=st.integers(0, k - 1)))


@given(scores(), st.randoms())
def test_documents_in_any_order_give_the_same_bits(found, random):
    joint, lengths, gold = found
    order = list(range(len(gold)))
    random.shuffle(order)
    one, other = fitted(*found), fitted(joint[order], lengths[order], gold[order])
    assert (one.calibration, one.losses) == (other.calibration, other.losses)


@given(scores(), scores())
def test_probabilities_sum_to_one_and_keep_their_order(found, asked):
    calibration = fitted(*found).calibration
    joint, lengths, _ = asked
    logs = calibration.log_proba(joint, lengths)
    assert np.exp(logs).sum(axis=1) == pytest.approx(1)
    rows = np.arange(len(joint))
    best = logs[rows, np.argmax(joint, axis=1)]
    assert (best >= logs.max(axis=1) - 1e-9).all()

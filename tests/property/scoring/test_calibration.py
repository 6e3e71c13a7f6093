"""A calibration depends on the documents alone, and changes no decision."""

from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from nabi import TextClassifier
from nabi.scoring.calibrating.fit import fitted
from nabi.scoring.calibration import Calibration
from nabi.scoring.classwise import ClassNumbers
from nabi.scoring.unseen import UnseenScores

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


@given(scores(), st.randoms(), st.integers(1, 60))
def test_a_sample_depends_on_the_documents_alone(found, random, step):
    order = list(range(len(found[2])))
    random.shuffle(order)
    fits = []
    most, sample = (n * found[0].shape[1] for n in (20, 11))
    with mock.patch.multiple("nabi.scoring.unseen", LARGEST=most, SAMPLE=sample):
        for joint, lengths, gold in (found, [column[order] for column in found]):
            unseen = UnseenScores(joint.shape[1])
            for i in range(0, len(gold), step):
                unseen.add(joint[i : i + step], lengths[i : i + step], gold[i : i + step])
            fits.append(unseen.fitted())
            assert len(unseen.arrays()[0]) == (len(gold) if len(gold) <= 20 else 11)
    assert (fits[0].calibration, fits[0].losses) == (fits[1].calibration, fits[1].losses)


@given(scores(), scores())
def test_probabilities_sum_to_one_and_keep_their_order(found, asked):
    joint, lengths, _ = asked
    columns = [c if c < found[0].shape[1] else -1 for c in range(joint.shape[1])]
    calibration = fitted(*found).calibration.of_classes(columns)
    logs = calibration.log_proba(joint, lengths)
    assert np.exp(logs).sum(axis=1) == pytest.approx(1)
    assert (np.argmax(np.exp(logs), axis=1) == np.argmax(joint, axis=1)).all()


@st.composite
def classes(draw):
    """The numbers of a class, with a curve or without."""
    steps = sorted(draw(st.sets(st.floats(-50, 50), max_size=4)))
    heights = sorted(draw(st.floats(-30, 30)) for _ in steps)
    scale, bias = draw(st.floats(0.01, 100)), draw(st.floats(-50, 50))
    return ClassNumbers(scale, bias, tuple(steps), tuple(heights))


@given(st.lists(classes(), min_size=2, max_size=5), st.data())
def test_numbers_of_classes_change_no_decision(numbers, data):
    n, k = data.draw(st.integers(1, 20)), len(numbers)
    joint = data.draw(arrays.arrays(float, (n, k), elements=logs))
    calibration = Calibration(data.draw(st.floats(-50, 50)), classes=tuple(numbers))
    found = calibration.log_proba(joint, np.ones(n))
    assert (np.argmax(found, axis=1) == np.argmax(joint, axis=1)).all()
    assert (np.argmax(np.exp(found), axis=1) == np.argmax(joint, axis=1)).all()
    assert np.exp(found).sum(axis=1) == pytest.approx(1)


@st.composite
def calibrations(draw):
    """A calibration of any strength, with a curve or without."""
    steps = sorted(draw(st.sets(st.floats(-50, 50), max_size=4)))
    shares = sorted(draw(st.floats(0.01, 0.99)) for _ in steps)
    scale, exponent = draw(st.floats(-50, 50)), draw(st.floats(-2, 2))
    return Calibration(scale, exponent, tuple(steps), tuple(shares))


@given(calibrations(), st.data())
def test_scores_that_differ_in_the_last_bit_decide_as_before(calibration, data):
    n, k = data.draw(st.integers(1, 20)), data.draw(st.integers(2, 5))
    bits = data.draw(arrays.arrays(np.int64, (n, k), elements=st.integers(0, 3)))
    start = data.draw(st.sampled_from([-1.0, -140.2336755, -1e6]))
    joint = start + bits * np.spacing(start)
    logs = calibration.log_proba(joint, np.full(n, data.draw(st.sampled_from([0.0, 1.0, 40.0]))))
    assert (np.argmax(logs, axis=1) == np.argmax(joint, axis=1)).all()
    assert (np.argmax(np.exp(logs), axis=1) == np.argmax(joint, axis=1)).all()
    assert np.exp(logs).sum(axis=1) == pytest.approx(1)


few = st.lists(st.sampled_from("abcd"), min_size=1, max_size=4).map(" ".join)


@given(
    st.lists(st.tuples(few, st.sampled_from("0123")), min_size=12, max_size=30),
    st.sampled_from(["multinomial", "bernoulli", "complement"]),
)
def test_a_calibrated_model_is_surest_of_what_it_predicts(rows, event):
    texts, labels = map(list, zip(*rows, strict=True))
    model = TextClassifier(event=event, alpha=1.0, threads=1).fit(texts, labels)
    model.calibrate(texts, labels)
    asked = [*texts, "a b c d", ""]
    assert (np.argmax(model.predict_proba(asked), axis=1) == model.predict_numbers(asked)).all()


rows_of = st.lists(st.tuples(few, st.sampled_from("ab")), min_size=12, max_size=30)


@given(rows_of, st.lists(st.tuples(few, st.sampled_from("abc")), max_size=9), st.randoms())
def test_a_calibration_is_in_use_while_at_most_a_fifth_has_changed(rows, more, random):
    texts, labels = map(list, zip(*rows, strict=True))
    model = TextClassifier(threads=1).fit(texts, labels).calibrate(texts, labels)
    before = model.stored()[0]
    for text, label in random.sample(more, len(more)):
        model.partial_fit([text], [label])
    wanted = "fresh" if not more else "aged" if 5 * len(more) <= len(rows) else "stale"
    assert model.calibration_state == wanted
    assert model.is_calibrated == (5 * len(more) <= len(rows))
    at_once = TextClassifier(threads=1).fit(texts, labels).calibrate(texts, labels)
    if more:
        at_once.partial_fit(*map(list, zip(*more, strict=True)))
    assert model.stored()[0] == at_once.stored()[0]
    for text, label in more:
        model.forget([text], [label])
    assert (model.calibration_state, model.stored()[0]) == ("fresh", before)

"""Smoothing and calibration on real texts."""

import numpy as np
import pytest

from nabi import TextClassifier
from nabi.metrics import expected_calibration_error, log_loss


@pytest.fixture(scope="module")
def topics(dataset):
    texts, labels, asked, gold = dataset("20ng_stripped")
    model = TextClassifier("sklearn").fit(texts, labels).calibrate(texts, labels)
    return model, asked, np.array(gold)


def test_auto_is_far_better_than_one(topics):
    model, asked, gold = topics
    plain = TextClassifier(**{**model.get_params(), "alpha": 1.0})
    plain._counts = model._counts
    assert plain.score(asked, gold) == pytest.approx(0.543, abs=0.001)
    assert model.score(asked, gold) > 0.64


def test_calibrated_probabilities_mean_more(topics):
    model, asked, gold = topics
    before, after = (model.predict_log_proba(asked, calibrated=each) for each in (False, True))
    losses = [log_loss(logs, gold, labels=model.classes_, log=True) for logs in (before, after)]
    errors = [expected_calibration_error(np.exp(logs), gold) for logs in (before, after)]
    assert losses[0] > 5
    assert losses[1] < 1.6
    assert errors[0] > 0.2
    assert errors[1] < 0.08


@pytest.mark.parametrize("name", ["sms_spam", "mr", "r8", "banking77"])
def test_it_helps_on_every_set(dataset, name):
    texts, labels, asked, gold = dataset(name)
    model = TextClassifier().fit(texts, labels).calibrate(texts, labels)
    before, after = (model.predict_log_proba(asked, calibrated=each) for each in (False, True))
    assert log_loss(after, gold, log=True) < 0.9 * log_loss(before, gold, log=True)
    assert (before.argmax(axis=1) == after.argmax(axis=1)).all()

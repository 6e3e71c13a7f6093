"""Figures of held-out texts by each metric, and when two models are level."""

import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score, f1_score

from nabi.search.outcome import Outcome, is_tie, weighs_classes


def outcome(actual, predicted, own=None):
    own = np.zeros(len(actual)) if own is None else np.array(own)
    return Outcome(np.array(actual, np.uint32), np.array(predicted, np.uint32), own)


def right_or_wrong(right):
    """An outcome of one class that is predicted where it is right."""
    return outcome(np.zeros(len(right)), 1 - np.array(right, int))


def draw(seed):
    random = np.random.default_rng(seed)
    actual = random.choice(4, 300, p=[0.5, 0.3, 0.15, 0.05])
    predicted = np.where(random.random(300) < 0.7, actual, random.integers(0, 4, 300))
    return outcome(actual, predicted, np.log(random.random(300)))


@pytest.mark.parametrize("seed", range(3))
def test_figures_are_those_of_scikit_learn(seed):
    one = draw(seed)
    f1 = f1_score(one.actual, one.predicted, average="macro")
    recall = balanced_accuracy_score(one.actual, one.predicted)
    assert one.score("macro_f1") == pytest.approx(f1, abs=1e-12)
    assert one.score("balanced") == pytest.approx(recall, abs=1e-12)
    assert one.score("log_loss") == one.own.mean()


@pytest.mark.parametrize(("worse", "level"), [(0, True), (1, True), (2, False), (20, False)])
def test_level_is_within_a_standard_error(worse, level):
    best, other = np.ones(100), np.ones(100)
    other[:worse] = 0
    assert is_tie(right_or_wrong(best), right_or_wrong(other)) == level


def test_what_each_gets_wrong_alone_makes_them_level():
    one, other = np.ones(100), np.ones(100)
    one[:10], other[10:23] = 0, 0
    assert is_tie(right_or_wrong(one), right_or_wrong(other))
    other[10:26] = 0
    assert not is_tie(right_or_wrong(one), right_or_wrong(other))


@pytest.mark.parametrize("metric", ["accuracy", "macro_f1", "log_loss"])
def test_the_influence_of_a_text_is_what_the_score_loses_without_it(metric):
    one = draw(7)
    without = [
        outcome(*(np.delete(part, i) for part in (one.actual, one.predicted, one.own)))
        for i in range(300)
    ]
    jackknife = np.array([one.score(metric) - each.score(metric) for each in without])
    assert np.corrcoef(jackknife, one.influence(metric))[0, 1] > 0.95


def test_the_jackknife_agrees_on_the_standard_error_of_macro_f1():
    one, other = draw(1), draw(2)
    other = outcome(one.actual, other.predicted)
    each = one.influence("macro_f1") - other.influence("macro_f1")
    differences = []
    for seed in range(400):
        at = np.random.default_rng(seed).integers(0, 300, 300)
        both = (outcome(x.actual[at], x.predicted[at]).score("macro_f1") for x in (one, other))
        differences.append(next(both) - next(both))
    assert np.sqrt((each**2).sum()) == pytest.approx(np.std(differences), rel=0.1)


def test_a_label_that_was_not_learned_is_wrong_and_has_no_loss():
    one = outcome([0, 0, 1], [0, 0, 1], [-0.5, -0.5, np.nan])
    assert one.score("accuracy") == 2 / 3
    assert one.log_loss == 0.5


def test_class_weights_are_for_uneven_classes_where_each_counts_alike():
    even, uneven = np.array([0, 0, 1, 1]), np.array([0, 0, 0, 1])
    assert weighs_classes("balanced", uneven)
    assert not weighs_classes("balanced", even)
    assert not weighs_classes("accuracy", uneven)


def test_one_mistake_costs_36_at_most():
    assert outcome([0, 1], [0, 0], [0.0, -1e9]).log_loss == pytest.approx(36.04 / 2, abs=0.01)

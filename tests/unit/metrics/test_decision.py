"""Decision: thresholds of classes, and a label for what is not sure."""

import numpy as np
import pytest

from nabi import InputError, InputTypeError
from nabi.metrics import Decision
from nabi.metrics.thresholds import Shortlist

THREE = ["ham", "spam", "virus"]


def decided(decision, *rows, labels=THREE):
    with np.errstate(divide="ignore"):
        return decision.labels(np.log(np.array(rows)), labels).tolist()


def test_a_class_with_a_threshold_is_predicted_from_it_on():
    decision = Decision({"spam": 0.9})
    rows = [0.05, 0.9, 0.05], [0.06, 0.89, 0.05], [0.05, 0.89, 0.06]
    assert decided(decision, *rows) == ["spam", "ham", "virus"]


def test_a_low_threshold_wins_against_more_probable_classes():
    assert decided(Decision({"virus": 0.1}), [0.8, 0.1, 0.1], [0.81, 0.1, 0.09]) == ["virus", "ham"]


def test_of_several_reached_thresholds_the_most_probable_wins():
    decision = Decision({"spam": 0.2, "virus": 0.1})
    assert decided(decision, [0.5, 0.3, 0.2], [0.5, 0.2, 0.3]) == ["spam", "virus"]
    assert decided(decision, [0.5, 0.25, 0.25]) == ["spam"]


def test_without_a_reached_threshold_the_most_probable_class_is_predicted():
    every = Decision({"ham": 0.9, "spam": 0.9, "virus": 0.9})
    assert decided(every, [0.2, 0.7, 0.1]) == ["spam"]


def test_what_is_not_sure_has_a_label_of_its_own():
    decision = Decision(not_sure="unsure", confidence=0.7)
    assert decided(decision, [0.7, 0.2, 0.1], [0.2, 0.69, 0.11]) == ["ham", "unsure"]
    assert Decision(not_sure="unsure").confidence == 0.8


def test_confidence_is_for_classes_without_a_threshold():
    decision = Decision({"spam": 0.5}, not_sure="unsure", confidence=0.7)
    rows = [0.45, 0.55, 0.0], [0.51, 0.49, 0.0], [0.75, 0.25, 0.0]
    assert decided(decision, *rows) == ["spam", "unsure", "ham"]


def test_with_a_threshold_for_every_class_what_reaches_none_is_not_sure():
    decision = Decision({"ham": 0.9, "spam": 0.95, "virus": 1.0}, not_sure="?", confidence=0.0)
    assert decided(decision, [0.94, 0.06, 0.0], [0.06, 0.94, 0.0]) == ["ham", "?"]


def test_the_label_of_what_is_not_sure_may_be_a_class():
    decision = Decision({"spam": 0.9}, not_sure="ham")
    assert decision.outcomes(THREE) == THREE
    assert decided(decision, [0.1, 0.2, 0.7], [0.1, 0.0, 0.9]) == ["ham", "virus"]


def test_classes_of_probability_0_may_be_all_that_is_left():
    assert decided(Decision({"ham": 1.0, "spam": 0.9}), [0.6, 0.4, 0.0]) == ["virus"]
    assert decided(Decision({"spam": 0.0}), [1.0, 0.0, 0.0]) == ["spam"]


def test_labels_of_two_kinds_stay_what_they_are():
    found = Decision({2: 0.9}, not_sure="ask").labels(np.log([[0.2, 0.8], [0.05, 0.95]]), [1, 2])
    assert found.tolist() == ["ask", 2]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "neither thresholds nor a not_sure label"),
        ({"thresholds": {"a": 1.5}}, "the threshold of 'a'=1.5; expected a number from 0 to 1"),
        ({"thresholds": {"a": float("nan")}}, "the threshold of 'a'=nan"),
        ({"thresholds": {"a": True}}, "the threshold of 'a'=True"),
        ({"not_sure": "x", "confidence": -0.1}, "confidence=-0.1; expected a number from 0 to 1"),
        ({"not_sure": "\ud800"}, "with a lone surrogate"),
    ],
)
def test_what_is_no_decision(given, said):
    with pytest.raises(InputError, match=said):
        Decision(**given)


def test_thresholds_are_of_classes():
    with pytest.raises(InputError, match="a threshold of 'eggs', which is no class; the classes"):
        Decision({"eggs": 0.5}).check(THREE)
    with pytest.raises(InputTypeError, match="labels are int"):
        Decision({1: 0.5}).check(THREE)


def test_renamed_classes_keep_their_thresholds_and_joined_ones_lose_them():
    decision = Decision({"ham": 0.6, "spam": 0.9}, not_sure="virus")
    new = {"ham": "good", "spam": "spam", "virus": "bad"}
    assert decision.relabelled(new) == Decision({"good": 0.6, "spam": 0.9}, not_sure="bad")
    joined = decision.relabelled({"ham": "ham", "spam": "bad", "virus": "bad"})
    assert joined == Decision({"ham": 0.6}, not_sure="bad")
    assert Decision({"spam": 0.9}).relabelled({"ham": "ham", "spam": None}) is None


@pytest.mark.parametrize("named", [["spam"], ["virus", "ham"], ["ham", "spam", "virus"]])
def test_a_shortlist_decides_as_all_probabilities_do(named):
    logs = np.log(np.random.default_rng(0).dirichlet([1, 1, 1], 50))
    found = Shortlist(THREE, named)
    for part in (logs[:20], logs[20:]):
        found.add(part)
    for limits in ([0.1, 0.4, 0.9], [0.9, 0.5, 0.5]):
        for more in ({}, {"not_sure": "?", "confidence": 0.6}):
            decision = Decision(dict(zip(named, limits, strict=False)), **more)
            assert (found.numbers(decision) == decision.numbers(logs, THREE)).all()

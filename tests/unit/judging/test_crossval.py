"""crossval: what it takes, what it refuses, and folds that are as they should be."""

import math
from fractions import Fraction

import numpy as np
import pytest

import nabi
from nabi.judging import crossval
from nabi.scoring.held_out.text import blocks, fold_numbers

TEXTS = ["good film", "bad film", "so good", "so bad", "good good", "bad bad"]
LABELS = ["pos", "neg", "pos", "neg", "pos", "neg"]


def test_leave_one_out_by_hand():
    result = crossval(nabi.TextClassifier(), ["a b", "a", "b"], ["x", "x", "y"])
    # Without "a b" the vocabulary is {a, b}, x has seen a once, y has seen b once.
    likelihoods = [Fraction(2, 3) * Fraction(1, 3), Fraction(1, 3) * Fraction(2, 3)]
    wanted = [float(x / sum(likelihoods)) for x in likelihoods]
    assert np.exp(result.log_proba[0]) == pytest.approx(wanted)
    assert result.labels == ["x", "y"]


def test_a_word_that_only_the_left_out_text_had_is_unknown():
    result = crossval(nabi.TextClassifier(prior="uniform"), ["zebra", "a", "a b"], ["x", "x", "y"])
    assert np.exp(result.log_proba[0]).tolist() == [0.5, 0.5]


def test_a_class_of_one_text_is_gone_with_it():
    result = crossval(nabi.TextClassifier(), ["a", "b", "c"], ["x", "y", "y"])
    assert np.isneginf(result.log_proba[0, 0])
    assert result.log_loss == math.inf


def test_the_result_of_a_model_that_is_good():
    for options in ({}, {"folds": 3}, {"groups": ["a", "a", "b", "b", "c", "c"]}):
        result = crossval(nabi.TextClassifier(), TEXTS, LABELS, **options)
        assert result.accuracy == 1.0
        assert result.classes[result.predicted].tolist() == LABELS


def test_the_model_itself_does_not_change():
    model = nabi.TextClassifier().fit(["x y"], ["a"])
    crossval(model, TEXTS, LABELS)
    assert model.classes_.tolist() == ["a"]


def test_folds_have_their_share_of_each_class():
    classes = np.repeat(np.array([0, 1], np.uint32), [90, 10])
    numbers = fold_numbers(classes, 5, 0)
    assert [np.bincount(classes[numbers == fold]).tolist() for fold in range(5)] == [[18, 2]] * 5
    assert numbers.tolist() != fold_numbers(classes, 5, 1).tolist()


def test_blocks_keep_groups_together(monkeypatch):
    monkeypatch.setattr("nabi.scoring.held_out.text.BLOCK", 4)
    groups = np.array([0, 1, 0, 2, 1, 3, 2], np.uint32)
    found = [groups[some].tolist() for some in blocks(groups, 1)]
    assert found == [[0, 0, 1, 1], [2, 2, 3]]
    result = crossval(nabi.TextClassifier(), TEXTS, LABELS, groups=[0, 0, 1, 1, 2, 2])
    monkeypatch.setattr("nabi.scoring.held_out.text.BLOCK", 2**23)
    whole = crossval(nabi.TextClassifier(), TEXTS, LABELS, groups=[0, 0, 1, 1, 2, 2])
    assert result.log_proba.tobytes() == whole.log_proba.tobytes()


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"folds": 1}, "folds=1; expected a whole number from 2 to 6"),
        ({"folds": 7}, "expected a whole number from 2 to 6"),
        ({"folds": 2, "groups": [1] * 6}, "both folds and groups"),
        ({"groups": [1, 2]}, "2 groups for 6 documents"),
        ({"groups": [1] * 6}, "all documents are of one group"),
    ],
)
def test_what_cannot_be_left_out(options, match):
    with pytest.raises(nabi.InputError, match=match):
        crossval(nabi.TextClassifier(), TEXTS, LABELS, **options)


def test_parameters_that_have_no_closed_form():
    with pytest.raises(nabi.InputError, match="stop_words=2 is a view that each document changes"):
        crossval(nabi.TextClassifier(stop_words=2), TEXTS, LABELS)
    with pytest.raises(nabi.InputError, match="expected alpha above 0"):
        crossval(nabi.TextClassifier(alpha=0), TEXTS, LABELS)
    with pytest.raises(nabi.InputTypeError, match="expected a TextClassifier"):
        crossval("model", TEXTS, LABELS)


def test_where_nothing_is_left_to_learn_from():
    with pytest.raises(nabi.InputError, match="nothing is left to learn from"):
        crossval(nabi.TextClassifier(), ["x"], ["a"])
    with pytest.raises(nabi.InputError, match="nothing is left to learn from"):
        crossval(nabi.TextClassifier(), ["x", "y"], ["a", "a"], sample_weight=[1, 0])
    with pytest.raises(nabi.InputError, match="every sample_weight of class 'c' is 0"):
        crossval(nabi.TextClassifier(), ["x", "y", "z"], ["a", "b", "c"], sample_weight=[1, 1, 0])


def test_a_tokenizer_of_ones_own():
    model = nabi.TextClassifier(tokenizer=str.split)
    assert crossval(model, TEXTS, LABELS).accuracy == 1.0

"""The floor: rare words are dropped for good, and what would need them is refused."""

import numpy as np
import pytest

import nabi
from nabi import InputError, RecipeError, TextClassifier

TEXTS = ["a b b", "a c", "a d d d", "e"]
LABELS = ["x", "y", "y", "x"]


@pytest.fixture
def model():
    return TextClassifier().fit(TEXTS, LABELS)


def names(model):
    return sorted({row.word for row in model.words(None)})


def test_words_below_the_floor_are_gone(model):
    assert names(model) == ["a", "b", "c", "d", "e"]
    assert names(model.floor(2)) == ["a", "b", "d"]
    assert names(model.floor(3)) == ["a", "d"]
    assert model.n_features_ == 5


def test_documents_and_ledger_stay(model):
    small = model.floor(3)
    assert small.class_count_.tolist() == [2.0, 2.0]
    assert small.learned(TEXTS, LABELS).tolist() == [True] * 4


def test_the_header_tells_the_floor(model):
    assert model.floor(3).stored()[0]["floor"] == 3
    assert "floor" not in model.stored()[0]


def test_of_two_floors_the_higher_counts(model):
    assert model.floor(3).floor(2).to_bytes() == model.floor(3).to_bytes()
    assert model.floor(2).floor(3).to_bytes() == model.floor(3).to_bytes()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda m: m.partial_fit(["a"], ["x"]), "so it cannot learn; learn with the model"),
        (lambda m: m.forget(["e"], ["x"]), "so it cannot forget; forget with the model"),
        (lambda m: m + m, "floor: its words of fewer than 2 counts are gone, so no sum"),
        (lambda m: m - m, "so no sum would be right"),
        (lambda m: m.relabel({"x": None}), "floor of 2 counts in all classes, so that no class"),
        (
            lambda m: m.learned_scores(TEXTS, np.array([0, 1, 1, 0])),
            "nobody knows how it would be without",
        ),
    ],
)
def test_what_needs_the_words_that_are_gone_is_refused(model, change, said):
    small = model.floor(2)
    before = small.to_bytes()
    with pytest.raises(RecipeError, match=said):
        change(small)
    assert small.to_bytes() == before


def test_classes_can_be_renamed_and_joined(model):
    joined = {"x": "all", "y": "all"}
    assert model.floor(2).relabel(joined).to_bytes() == model.relabel(joined).floor(2).to_bytes()


@pytest.mark.parametrize("least", [0, -1, 1.5, "2", 2**41])
def test_a_floor_is_a_whole_number(model, least):
    with pytest.raises(InputError, match="expected a whole number from 1"):
        model.floor(least)


@pytest.mark.parametrize("floor", [0, True, 2.0, "2", 2**41, None])
def test_a_floor_that_is_none_is_damage(model, floor):
    header, arrays = model.floor(2).stored()
    with pytest.raises(ValueError, match="a floor that is none"):
        TextClassifier.from_state({**header, "floor": floor}, arrays)


def test_no_word_may_be_left(model):
    assert nabi.from_bytes(model.floor(100).to_bytes()).predict(["a"]).tolist() == ["x"]

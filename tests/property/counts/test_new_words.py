"""The number of new words of groups of texts is what counting each group by itself would add."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import nabi
from nabi.counts.text import Counts
from strategies import recipes, short_texts

pytestmark = pytest.mark.filterwarnings("ignore::nabi.InputWarning")
lists = st.lists(short_texts, max_size=4)


def names(recipe, texts):
    return {name for text in texts for name in recipe.of(text)}


@given(recipes(views=False), lists, st.lists(lists, max_size=4))
def test_new_words_of_groups(recipe, learned, groups):
    counts = Counts(recipe, ledger=False)
    if learned:
        model = nabi.TextClassifier(recipe, ledger=False).fit(learned, ["a"] * len(learned))
        counts = model._counts
    known = names(recipe, learned)
    assert counts.new_words(groups, recipe) == [
        len(names(recipe, group) - known) for group in groups
    ]


def test_a_word_that_was_forgotten_is_new_again():
    model = nabi.TextClassifier().fit(["good film", "bad film"], ["+", "-"])
    model.forget(["bad film"], ["-"])
    groups = [["bad good"], [], ["film worse worse"]]
    assert model.counts.new_words(groups, model.recipe) == [1, 0, 1]

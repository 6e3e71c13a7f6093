"""The recipe: what every option does, when two recipes are one, and what is refused."""

import copy
import json
import pickle
from dataclasses import FrozenInstanceError

import numpy as np
import pytest

import nabi
from nabi import DamagedFileError, Features, InputError, InputTypeError, RecipeError, TextClassifier

TEXT = "RT @you: I can't say NO, it's sooooo good!! 😀 http://t.co/x"


def by_bars(text):
    return text.split("|")


# What every option does


@pytest.mark.parametrize(
    ("options", "features"),
    [
        ({}, "rt|you|i|can't|say|no|it's|sooooo|good|😀|http|t|co|x"),
        ({"preset": "sklearn"}, "rt|you|can|say|no|it|sooooo|good|http|co"),
        ({"preset": "tweets"}, "<rt>|<user>|i|can't|say|no|it's|sooo|good|😀|<url>"),
        (
            {"preset": "tweets", "lowercase": False},
            "<rt>|<user>|I|can't|say|NO|it's|sooo|good|😀|<url>",
        ),
        (
            {"preset": "tweets", "negation": True},
            "<rt>|<user>|i|can't|NOT_say|NOT_no|it's|sooo|good|😀|<url>",
        ),
        (
            {"stop_words": ["i", "rt", "http", "t", "co", "x"]},
            "you|can't|say|no|it's|sooooo|good|😀",
        ),
    ],
)
def test_the_features_of_a_tweet(options, features):
    assert Features(**options).of(TEXT) == features.split("|")


@pytest.mark.parametrize(
    ("options", "features"),
    [
        ({}, "not|bad|bad"),
        ({"ngrams": (1, 2)}, "not|bad|bad|not bad|bad bad"),
        ({"ngrams": (2, 3)}, "not bad|bad bad|not bad bad"),
        ({"ngrams": (1, 2), "stop_words": ["not"]}, "bad|bad|bad bad"),
        ({"negation": True}, "not|NOT_bad|NOT_bad"),
        (
            {"chars": (3, 3), "stop_words": ["not", "bad"]},
            "\t no|\tnot|\tot |\t ba|\tbad|\tad |\t ba|\tbad|\tad ",
        ),
        ({"preset": "chars", "chars": (5, 5)}, " not | bad | bad "),
        ({"tokenizer": str.split}, "Not|bad|bad"),
        ({"tokenizer": str.split, "ngrams": (2, 2)}, "Not bad|bad bad"),
        ({"tokenizer": str.split, "stop_words": ["bad"]}, "Not"),
    ],
)
def test_the_features_of_a_sentence(options, features):
    assert Features(**options).of("Not bad bad") == features.split("|")


def test_hashed_features_are_named_by_their_bucket():
    features = Features(buckets=8).of("one two three two")
    assert features[1] == features[3]
    assert {name[:8] for name in features} == {"#0000000"}


def test_a_text_without_words_has_no_features():
    for preset in ("words", "sklearn", "tweets", "chars"):
        assert Features(preset=preset).of("") == []
    assert Features().of("... !?") == []


def test_binary_counts_a_feature_once_in_a_document():
    model = TextClassifier(binary=True).fit(["a a b", "c"], ["x", "y"])
    assert [(row.word, row.count) for row in model.words(label="x")][:2] == [("a", 1.0), ("b", 1.0)]
    assert model.explain("a a a").terms[0].times == 1


def test_min_count_leaves_rare_words_out():
    model = TextClassifier(min_count=2).fit(["a a b", "b c"], ["x", "y"])
    assert {row.word for row in model.words()} == {"a", "b"}
    assert model.explain("c").unknown == ("c",)


def test_words_seen_less_than_once_are_kept_unless_min_count_says_otherwise():
    model = TextClassifier().fit(["a b", "b c"], ["x", "y"], sample_weight=[0.25, 0.25])
    assert {row.word for row in model.words()} == {"a", "b", "c"}
    assert model.explain("a b c").unknown == ()


def test_stop_words_by_number_leave_the_most_frequent_out():
    model = TextClassifier(stop_words=2).fit(["a a a b", "b c d"], ["x", "y"])
    assert {row.word for row in model.words()} == {"c", "d"}
    model.partial_fit(["c c c c d d d d"], ["y"])
    assert {row.word for row in model.words()} == {"a", "b"}


# Two spellings of one recipe


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"preset": "chars"}, {"preset": "chars", "chars": (2, 4)}),
        (
            {"preset": "chars", "ngrams": (3, 5)},
            {"preset": "chars", "chars": (3, 5), "ngrams": None},
        ),
        ({"stop_words": ["b", "a", "a"]}, {"stop_words": ("a", "b")}),
        ({"stop_words": {"a"}}, {"stop_words": ["a"]}),
        ({"stop_words": 0}, {"stop_words": None}),
        ({"stop_words": []}, {}),
        ({"ngrams": [1, 2]}, {"ngrams": (1, 2)}),
        ({"chars": [3, 3]}, {"chars": (3, 3)}),
        ({"lowercase": 1}, {"lowercase": True}),
        ({"ngrams": (np.int64(1), np.int64(2))}, {"ngrams": (1, 2)}),
        ({"min_count": np.int64(2)}, {"min_count": 2}),
    ],
)
def test_two_spellings_of_one_recipe_are_equal(one, other):
    assert Features(**one) == Features(**other)
    assert hash(Features(**one)) == hash(Features(**other))
    assert Features(**one).to_dict() == Features(**other).to_dict()


def test_different_recipes_differ():
    recipes = [Features(), Features(ngrams=(1, 2)), Features(preset="chars"), Features(binary=True)]
    assert len(set(recipes)) == 4


def test_a_recipe_is_frozen():
    recipe = Features()
    with pytest.raises(FrozenInstanceError):
        recipe.preset = "chars"
    with pytest.raises(TypeError):
        Features("words")


@pytest.mark.parametrize(
    "copied", [copy.deepcopy, lambda recipe: pickle.loads(pickle.dumps(recipe))]
)
def test_a_recipe_that_was_used_can_be_copied(copied):
    recipe = Features(ngrams=(1, 2), stop_words=["a"])
    recipe.of("some text")
    assert copied(recipe) == recipe


# As a dict


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"preset": "tweets", "negation": True, "binary": True},
        {"preset": "chars"},
        {"preset": "chars", "chars": (1, 6), "buckets": 1000},
        {"ngrams": (2, 3), "chars": (2, 2), "lowercase": False, "stop_words": ["b", "a"]},
        {"stop_words": 10, "min_count": 5},
        {"tokenizer": "module:name"},
    ],
)
def test_a_recipe_goes_through_json_and_back(options):
    recipe = Features(**options)
    assert Features.from_dict(recipe.to_dict()) == recipe
    assert Features.from_dict(json.loads(json.dumps(recipe.to_dict()))) == recipe


def test_defaults_are_left_out_of_the_dict():
    assert Features(hangul=None, entities=False).to_dict() == {"preset": "words"}
    given = Features(binary=True, ngrams=(1, 1), hangul=None, entities=False)
    assert given.to_dict() == {"preset": "words", "binary": True}


def test_a_dict_with_unknown_options_is_refused():
    with pytest.raises(RecipeError, match="unknown options: colour, size"):
        Features.from_dict({"preset": "words", "size": 1, "colour": 2})


# What is refused


@pytest.mark.parametrize(
    "options",
    [
        {"preset": "word"},
        {"preset": None},
        {"preset": ["words"]},
        {"ngrams": (0, 1)},
        {"ngrams": (2, 1)},
        {"ngrams": (1, 17)},
        {"ngrams": (1, 2, 3)},
        {"ngrams": (1.0, 2.0)},
        {"ngrams": (True, True)},
        {"ngrams": "12"},
        {"ngrams": None},
        {"chars": (0, 2)},
        {"chars": (1, 65)},
        {"preset": "chars", "chars": (3, 2)},
        {"lowercase": "no"},
        {"lowercase": None},
        {"binary": 2},
        {"negation": []},
        {"stop_words": "klingon"},
        {"stop_words": ["a", 1]},
        {"stop_words": ["a\ud800"]},
        {"stop_words": -1},
        {"stop_words": True},
        {"stop_words": 1.5},
        {"min_count": 0},
        {"min_count": 1.5},
        {"min_count": True},
        {"min_count": 2**41},
        {"buckets": 0},
        {"buckets": -1},
        {"buckets": 2**31},
        {"buckets": 1.5},
        {"buckets": True},
        {"tokenizer": 3},
    ],
)
def test_a_bad_option_is_refused_by_its_name(options):
    name = list(options)[-1]
    with pytest.raises(RecipeError, match="features" if name == "preset" else name):
        Features(**options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"preset": "sklearn", "negation": True}, "negation needs features='words' or 'tweets'"),
        ({"preset": "chars", "negation": True}, "negation needs features='words' or 'tweets'"),
        ({"tokenizer": str.split, "negation": True}, "not a tokenizer of your own"),
        ({"tokenizer": str.split, "chars": (2, 3)}, "gives words; leave out the characters"),
        ({"tokenizer": str.split, "preset": "chars"}, "gives words; leave out the characters"),
        ({"stop_words": 5, "buckets": 8}, "stop_words=5 counts words; buckets has none"),
        (
            {"stop_words": 5, "preset": "chars"},
            "stop_words=5 counts words; features='chars' has none",
        ),
    ],
)
def test_options_that_contradict_each_other_are_refused(options, message):
    with pytest.raises(RecipeError, match=message):
        Features(**options)


# A tokenizer of the user's own


def test_a_tokenizer_gives_the_words():
    model = TextClassifier(tokenizer=by_bars).fit(["New York|big", "small"], ["x", "y"])
    assert {row.word for row in model.words()} == {"New York", "big", "small"}
    assert model.predict(["small|big|big"]).tolist() == ["x"]
    assert [term.word for term in model.explain("New York|new").terms] == ["New York"]


@pytest.mark.parametrize("tokens", [None, 5, "abc", [1], ["a", None]])
def test_a_tokenizer_that_gives_no_tokens_is_refused(tokens):
    with pytest.raises(InputTypeError, match="the tokenizer returned"):
        TextClassifier(tokenizer=lambda text: tokens).fit(["a"], ["x"])


def test_a_token_that_two_features_could_share_is_refused():
    with pytest.raises(InputError, match="with word n-grams a token cannot hold a space"):
        TextClassifier(tokenizer=by_bars, ngrams=(1, 2)).fit(["New York|big"], ["x"])
    with pytest.raises(InputError, match=r"none can hold U\+001F"):
        TextClassifier(tokenizer=by_bars).fit(["a\x1fb"], ["x"])


def test_an_error_of_the_tokenizer_comes_through():
    def fail(text):
        raise KeyError("a bug of the user's own")

    with pytest.raises(KeyError, match="a bug of the user's own"):
        TextClassifier(tokenizer=fail).fit(["a"], ["x"])


def test_a_model_with_a_tokenizer_is_saved_without_it(tmp_path, saved):
    model = TextClassifier(tokenizer=by_bars).fit(["a b|c", "d"], ["x", "y"])
    model.save(tmp_path / "model.nabi")
    loaded = nabi.load(tmp_path / "model.nabi", tokenizer=by_bars)
    assert loaded.predict(["a b|zz", "d"]).tolist() == ["x", "y"]
    assert saved(loaded) == saved(model)


def test_without_its_tokenizer_a_model_says_what_to_give(tmp_path):
    TextClassifier(tokenizer=by_bars).fit(["a|b", "c"], ["x", "y"]).save(tmp_path / "model.nabi")
    loaded = nabi.load(tmp_path / "model.nabi")
    assert len(loaded.words()) == 6
    with pytest.raises(InputError, match=r"by_bars, which a file cannot hold; give it: nabi\.load"):
        loaded.predict(["a"])


def test_a_tokenizer_for_a_model_trained_without_one_is_refused(tmp_path):
    TextClassifier().fit(["a b", "c"], ["x", "y"]).save(tmp_path / "model.nabi")
    with pytest.raises((InputError, RecipeError)) as caught:
        nabi.load(tmp_path / "model.nabi", tokenizer=by_bars)
    assert not isinstance(caught.value, DamagedFileError)

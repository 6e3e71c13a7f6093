"""The k nearest neighbours: who they are, what they say, and what is refused."""

import math
import pickle

import numpy as np
import pytest

import nabi
from hostile import parts
from nabi import NeighboursClassifier
from nabi.files import model_file
from nabi.models.base import ABILITIES, require
from nabi.models.neighbours.index import ROW, nearest

TEXTS = ["good film", "bad film", "so good", "so bad", "good good plot"]
LABELS = ["pos", "neg", "pos", "neg", "pos"]


@pytest.fixture
def model():
    return NeighboursClassifier(k=2).fit(TEXTS, LABELS)


def test_the_cosine_worked_out_by_hand():
    model = NeighboursClassifier(k=1).fit(["a b", "b"], ["x", "y"])
    a, b = 1 + math.log(3 / 2), 1 + math.log(3 / 3)  # of two texts one has a, both have b
    near = model.explain("a a").neighbours[0]
    assert near.text == "a b"
    assert near.similarity == pytest.approx(a / math.hypot(a, b), rel=1e-12)


def test_a_word_that_comes_again_weighs_by_its_logarithm():
    model = NeighboursClassifier(k=1).fit(["a b", "c"], ["x", "y"])
    near = model.explain("a a a b").neighbours[0]
    times = 1 + math.log(3)
    assert near.similarity == pytest.approx((times + 1) / math.sqrt(2 * (times**2 + 1)), rel=1e-12)


def test_the_same_words_in_another_order_are_as_near_as_can_be(model):
    assert model.explain("film good").neighbours[0].similarity == pytest.approx(1, abs=1e-12)


def test_probabilities_are_votes_and_the_share_of_the_class():
    model = NeighboursClassifier(k=2, weights="uniform").fit(["a", "a b", "c"], ["x", "y", "x"])
    assert model.predict_proba(["a"])[0].tolist() == pytest.approx(
        [(1 + 2 / 3) / 3, (1 + 1 / 3) / 3]
    )


def test_the_nearer_has_the_larger_vote(model):
    votes = [each.vote for each in model.explain("good film plot").neighbours]
    assert votes[0] > votes[1]
    assert sum(votes) == pytest.approx(2)


def test_a_text_that_shares_no_word_gets_the_most_frequent_class(model):
    got = model.explain("xyzzy")
    assert (got.label, got.neighbours, got.unknown) == ("pos", (), ("xyzzy",))
    assert got.proba == pytest.approx({"neg": 0.4, "pos": 0.6})
    assert "no learned text shares a word with it: it gets the class most frequent" in str(got)


@pytest.mark.parametrize("text", ["", None])
def test_an_empty_or_missing_text_has_no_neighbours(model, text):
    with pytest.warns(nabi.InputWarning) if text is None else np.errstate():
        assert model.predict([text]).tolist() == ["pos"]


def test_the_parts_of_the_words_sum_to_the_similarity(model):
    near = model.explain("good plot, good film").neighbours[0]
    assert [each.word for each in near.words] == ["good", "plot"]
    assert math.fsum(each.part for each in near.words) == pytest.approx(near.similarity, rel=1e-9)


def test_an_explanation_is_written_out():
    model = NeighboursClassifier(k=1).fit(["good film", "bad film"], ["pos", "neg"])
    assert str(model.explain("a good one")) == (
        "pos  (0.7500)\n\n"
        "votes of 1 neighbour: pos 1.00\n"
        "  0.8148  pos  'good film'\n"
        "          good 0.8148\n\n"
        "unknown, ignored: a, one"
    )


def test_ties_are_broken_by_fingerprint_and_not_by_the_order_given():
    texts, labels = ["a b", "a c", "a d"], ["x", "y", "z"]
    one = NeighboursClassifier(k=1).fit(texts, labels)
    other = NeighboursClassifier(k=1).fit(texts[::-1], labels[::-1])
    number = one.numbers(texts).tolist().index(0)
    assert one.predict(["a"]).tolist() == other.predict(["a"]).tolist() == [labels[number]]


def test_of_many_the_nearest_are_found():
    similarities = np.random.default_rng(1).random(ROW * 50 + 7).round(2)
    order = np.lexsort((np.arange(len(similarities)), -similarities))
    numbers, found = nearest(similarities, 9)
    assert numbers.tolist() == order[:9].tolist()
    assert found.tolist() == similarities[order[:9]].tolist()


def test_k_and_weights_can_be_changed_at_any_time(model):
    assert len(model.explain("good bad").neighbours) == 2
    assert len(model.set_params(k=4).explain("good bad").neighbours) == 4
    assert [n.vote for n in model.set_params(weights="uniform").explain("so").neighbours] == [1, 1]


def test_auto_asks_one_where_only_the_nearest_is_right():
    names = [f"{i}" for i in range(40)]  # each comes twice, and shares a word with all others
    texts = [f"word {name}" for name in names * 2]
    model = NeighboursClassifier(k="auto", weights="uniform").fit(texts, names * 2)
    assert model.k_ == 1


def test_auto_asks_many_where_all_agree():
    texts = [f"{word} {i}" for i in range(120) for word in ("red", "blue")]
    model = NeighboursClassifier(k="auto").fit(texts, ["red", "blue"] * 120)
    assert model.k_ == 100


def test_another_prior_moves_the_probabilities(model):
    assert model.predict_proba(["xyzzy"], prior="uniform")[0].tolist() == pytest.approx([0.5, 0.5])


def test_words_may_be_left_out_by_their_counts():
    model = NeighboursClassifier(min_count=2, stop_words=1, k=1).fit(TEXTS, LABELS)
    assert model.n_features_ == 3  # bad, film, so; good is the most frequent, plot too rare
    assert model.explain("good plot").neighbours == ()


def test_without_texts_numbers_are_shown():
    model = NeighboursClassifier(k=1, keep_texts=False).fit(TEXTS, LABELS)
    near = model.explain("plot").neighbours[0]
    assert near.text is None
    assert near.number == model.numbers(["good good plot"])[0]
    assert f"text {near.number}" in str(model.explain("plot"))
    assert model.numbers(["never seen"]).tolist() == [-1]


@pytest.mark.parametrize("options", [{}, {"k": "auto"}, {"keep_texts": False}, {"buckets": 8}])
def test_a_model_comes_back_from_its_file(options, saved, reloaded):
    model = NeighboursClassifier(**options).fit([*TEXTS, "", "한국어 ✓"], [*LABELS, "neg", "pos"])
    again = reloaded(model)
    assert saved(again) == saved(model)
    assert again.get_params() == model.get_params()
    assert str(again.explain("so good ✓")) == str(model.explain("so good ✓"))


def test_a_file_does_not_hold_texts_that_are_not_to_be_kept(saved):
    kept, left = (
        saved(NeighboursClassifier(keep_texts=keep).fit(["the secret plan"], ["x"]))
        for keep in (True, False)
    )
    assert b"the secret plan" in kept
    assert b"the secret plan" not in left


def test_a_tokenizer_is_given_again_when_loading(tmp_path):
    model = NeighboursClassifier(tokenizer=str.split, k=1).fit(["a-b c", "d"], ["x", "y"])
    model.save(tmp_path / "m.nabi")
    again = nabi.load(tmp_path / "m.nabi", tokenizer=str.split)
    assert again.explain("a-b").neighbours[0].words[0].word == "a-b"


def test_a_copy_by_pickle_says_the_same(model):
    again = pickle.loads(pickle.dumps(model))
    assert again.predict_proba(TEXTS).tobytes() == model.predict_proba(TEXTS).tobytes()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": 0}, "k=0; expected a whole number from 1"),
        ({"k": 1.5}, "k=1.5; expected a whole number from 1"),
        ({"k": True}, "k=True; expected a whole number from 1"),
        ({"k": "all"}, "k='all'; expected a whole number from 1"),
        ({"weights": "distance"}, "weights='distance'; there are: cosine, uniform"),
        ({"keep_texts": 2}, "keep_texts=2; expected True or False"),
        ({"features": "sentences"}, "features='sentences'; there are"),
    ],
)
def test_bad_options_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        NeighboursClassifier(**options).fit(TEXTS, LABELS)


def test_a_recipe_changed_after_learning_is_refused(model):
    with pytest.raises(nabi.RecipeError, match="call fit again"):
        model.set_params(ngrams=(1, 2)).predict(["good"])


def test_texts_and_labels_must_fit():
    with pytest.raises(nabi.InputError, match="2 texts but 1 labels"):
        NeighboursClassifier().fit(["a", "b"], ["x"])
    with pytest.raises(nabi.InputError, match="no texts at all"):
        NeighboursClassifier().fit([], [])


def test_what_has_learned_nothing_says_so(model, tmp_path):
    with pytest.raises(nabi.NotFittedError, match="has learned nothing yet"):
        NeighboursClassifier().predict(["a"])
    with pytest.raises(nabi.NotFittedError, match="has learned nothing yet"):
        NeighboursClassifier().save(tmp_path / "m.nabi")


def test_it_cannot_forget(model):
    with pytest.raises(nabi.InputError, match="a model of kind neighbours cannot forget texts"):
        require(model, "forget")
    assert not any(hasattr(model, method) for method in ABILITIES)


def test_labels_may_be_numbers():
    model = NeighboursClassifier(k=1).fit(["a", "b", "c"], [10, 2, 10])
    assert model.classes_.tolist() == [2, 10]
    assert model.predict(["b", "c"]).tolist() == [2, 10]
    assert model.score(["a", "b"], [10, 2]) == 1


def test_sharpened_probabilities_are_kept_and_change_no_label(tmp_path):
    texts = ["good film", "bad film", "so good", "so bad", "dull film"] * 9
    labels = ["+", "-", "+", "-", "-"] * 9
    model = NeighboursClassifier(k=3).fit(texts, labels)
    before, asked = model.predict_proba(["good", "bad dull", "new"]), ["good", "bad dull", "new"]
    found = model.sharpen()
    assert (found.sharpened < found.loss, model.is_calibrated) == (True, True)
    assert model.predict(asked).tolist() == model.classes_[before.argmax(axis=1)].tolist()
    powers = before**model.sharpness_
    assert model.predict_proba(asked) == pytest.approx(powers / powers.sum(axis=1, keepdims=True))
    model.save(tmp_path / "a.nabi")
    again = nabi.load(tmp_path / "a.nabi")
    assert again.predict_proba(asked).tolist() == model.predict_proba(asked).tolist()
    model.k = 5  # which they were not fitted to
    assert (model.sharpness_, model.is_calibrated) == (1.0, False)


@pytest.mark.parametrize("sharp", [0.0, -1.0, 1e9, 1, "2"])
def test_a_sharpness_that_is_none_is_refused(tmp_path, sharp):
    model = NeighboursClassifier(k=1).fit(["a b", "c d"], ["x", "y"])
    header, arrays = parts(model)
    model_file.write(tmp_path / "x.nabi", {**header, "sharpness": sharp}, arrays)
    with pytest.raises(nabi.ModelFileError):
        nabi.load(tmp_path / "x.nabi")

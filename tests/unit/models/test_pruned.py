"""Pruned models: what they keep, say, explain and hold in a file."""

import copy
import math
import pickle

import numpy as np
import pytest

import nabi
from nabi import InputError, TextClassifier
from nabi.base.arrays import spans
from nabi.counts.sparse import SparseRows
from nabi.files import model_file
from nabi.models.base import require
from nabi.models.pruned.classifier import PrunedClassifier
from nabi.models.pruned.packed_weights import PackedWeights

TEXTS = ["good good film", "bad film", "so good", "so bad a film", "a a a", "film film so"]
TWO, THREE = ["+", "-", "+", "-", "-", "+"], ["+", "-", "+", "-", "odd", "odd"]


def fitted(labels=TWO, **options):
    return TextClassifier(**options).fit(TEXTS, labels)


@pytest.mark.parametrize("event", ["multinomial", "binary", "bernoulli", "complement"])
@pytest.mark.parametrize("labels", [TWO, THREE, ["x"] * 6])
def test_all_words_at_16_bits_are_the_model(event, labels):
    model = fitted(labels, event=event, prior="uniform", alpha=0.5)
    small = PrunedClassifier.of(model, bits=16)
    assert small.classes_.tolist() == model.classes_.tolist()
    assert small.predict_proba(TEXTS) == pytest.approx(model.predict_proba(TEXTS), abs=2e-3)
    assert small.n_features_ == model.n_features_


@pytest.mark.parametrize("event", ["multinomial", "binary", "bernoulli", "complement"])
@pytest.mark.parametrize("labels", [TWO, THREE])
def test_some_words_are_the_model_that_selects_them(event, labels):
    model = fitted(labels, event=event, alpha=0.5)
    small = PrunedClassifier.of(model, words=3, bits=16)
    kept = {row.word for row in small.words(None)}
    texts = [" ".join(word for word in text.split() if word in kept) for text in TEXTS]
    again = TextClassifier(event=event, alpha=0.5).fit(texts, labels)
    assert small.predict_proba(TEXTS) == pytest.approx(again.predict_proba(texts), abs=2e-3)


def test_the_words_that_tell_most_are_kept():
    small = PrunedClassifier.of(fitted(), words=2)
    assert {row.word for row in small.words()} == {"a", "good"}
    assert small.made_of_["words"] == 5
    assert 0 < small.made_of_["kept"] < 1


def test_weights_are_off_by_half_a_step_at_most():
    weights = fitted(THREE)._word_scores()
    stored = PackedWeights.of(weights, 8)
    rows = stored.rows(np.arange(len(stored)))
    got, wanted = np.zeros((2, len(stored), 3))
    got[rows.features, rows.classes] = rows.values
    wanted[weights.rows.features, weights.rows.classes] = weights.rows.values
    assert (np.abs(got - wanted) <= stored.steps / 2 + 1e-15).all()
    assert stored.steps == pytest.approx(np.abs(wanted).max(axis=0) / 127)


def test_a_row_lists_its_classes_only_where_that_is_shorter():
    offsets, classes = np.array([0, 1, 5]), np.array([4, 0, 1, 2, 3], np.uint32)
    weights = fitted(THREE)._word_scores()
    two = np.arange(2)
    labels = list("abcde")
    values = np.array([1.0, 2.0, -3.0, 4.0, 5.0])
    changed = {"rows": SparseRows(offsets, classes, values), "labels": labels}
    stored = PackedWeights.of(type(weights)(**{**vars(weights.taken(two)), **changed}), 8)
    assert stored.row_lengths.tolist() == [1, 5]
    assert stored.row_classes.tolist() == [4]
    rows = stored.rows(np.array([1, -1, 0]))
    assert rows.offsets.tolist() == [0, 5, 5, 6]
    assert rows.classes.tolist() == [0, 1, 2, 3, 4, 4]
    assert rows.values == pytest.approx([2.0, -3.0, 4.0, 5.0, 0.0, 1.0])


def test_spans_of_nothing_are_nothing():
    at, offsets = spans(np.empty(0, np.int64), np.empty(0, np.int64))
    assert (at.tolist(), offsets.tolist()) == ([], [0])


# ---- size ----


@pytest.mark.parametrize("labels", [TWO, THREE])
@pytest.mark.parametrize("bits", [8, 16])
def test_the_file_is_as_large_as_it_may_be(tmp_path, labels, bits):
    model = TextClassifier(ngrams=(1, 2)).fit(TEXTS, labels)
    last = 0
    for size in range(1150, 1650, 7):
        small = PrunedClassifier.of(model, size=size, bits=bits)
        small.save(tmp_path / "m.nabi")
        got = (tmp_path / "m.nabi").stat().st_size
        assert got <= size
        assert size - got < 40 or small.n_features_ == model.n_features_
        assert got >= last
        last = got


def test_short_words_are_kept_before_long_ones_where_bytes_are_few():
    model = TextClassifier().fit(["good extraordinarily", "bad", "bad"], ["+", "-", "-"])
    two = PrunedClassifier.of(model, words=2)
    assert {row.word for row in two.words()} == {"bad", "extraordinarily"}
    as_large = PrunedClassifier.of(model, size=model_file.size(*two._state()) - 8)
    assert {row.word for row in as_large.words()} == {"bad", "good"}


def test_a_size_for_no_word_is_refused_with_what_fits():
    with pytest.raises(InputError, match=r"100 bytes are too few.* one word take \d+"):
        PrunedClassifier.of(fitted(), size=100)


# ---- what it says ----


def test_evidence_has_no_counts_and_sums_to_the_score():
    small = PrunedClassifier.of(fitted(event="bernoulli"), words=4)
    told = small.explain("good, bad, unheard of")
    assert told.unknown == ("unheard", "of")
    assert [term.counts for term in told.terms] == [{}, {}]
    total = told.prior + told.absent + sum(term.evidence for term in told.terms)
    assert told.score == pytest.approx(total, rel=1e-9)
    assert told.absent != 0
    assert "seen" not in str(told)


def test_words_of_two_classes_are_each_others_opposites():
    rows = PrunedClassifier.of(fitted()).words(1)
    assert [(row.word, row.label) for row in rows] == [("good", "+"), ("a", "-")]
    assert math.isnan(rows[0].count)
    every = PrunedClassifier.of(fitted()).words(None)
    sums = {}
    for row in every:
        sums[row.word] = sums.get(row.word, 0) + row.weight
    assert list(sums.values()) == pytest.approx([0.0] * 5)


def test_another_prior_is_as_of_the_model():
    for event in ("multinomial", "complement"):
        model = fitted(event=event)
        small = PrunedClassifier.of(model, bits=16)
        for prior in (None, "uniform", "empirical", {"+": 0.9, "-": 0.1}, [0.2, 0.8]):
            wanted = model.predict_proba(TEXTS, prior=prior)
            assert small.predict_proba(TEXTS, prior=prior) == pytest.approx(wanted, abs=1e-3)


def test_a_prior_of_its_own_is_kept(tmp_path):
    model = fitted(prior={"+": 0.9, "-": 0.1})
    PrunedClassifier.of(model).save(tmp_path / "m.nabi")
    again = nabi.load(tmp_path / "m.nabi")
    assert again.prior == {"+": 0.9, "-": 0.1}
    assert again.predict([""]).tolist() == ["+"]


@pytest.mark.parametrize(
    "options",
    [
        {"ngrams": (1, 3)},
        {"features": "chars"},
        {"chars": (1, 2)},
        {"buckets": 7},
        {"tokenizer": str.split},
        {"stop_words": ["film"], "min_count": 2},
        {"stop_words": 1},
        {"keep": 3},
        {"sample_weight": [0.5, 1, 2, 1, 1, 3]},
    ],
    ids=str,
)
def test_any_recipe_can_be_pruned(tmp_path, options):
    weights = options.pop("sample_weight", None)
    model = TextClassifier(alpha=1, **options).fit(TEXTS, THREE, sample_weight=weights)
    small = PrunedClassifier.of(model, bits=16)
    small.save(tmp_path / "m.nabi")
    again = nabi.load(tmp_path / "m.nabi", tokenizer=options.get("tokenizer"))
    wanted = model.predict_proba(TEXTS)
    assert small.predict_proba(TEXTS) == pytest.approx(wanted, abs=5e-3)
    assert again.predict_proba(TEXTS).tobytes() == small.predict_proba(TEXTS).tobytes()


def test_a_calibration_is_kept(tmp_path):
    texts, labels = (
        ["good film so", "bad film", "so good", "so bad"] * 20,
        ["+", "-", "-", "-"] * 20,
    )
    model = TextClassifier().fit(texts, labels)
    model.calibrate(texts, labels)
    small = PrunedClassifier.of(model, bits=16)
    small.save(tmp_path / "m.nabi")
    again = nabi.load(tmp_path / "m.nabi")
    wanted = model.predict_proba(texts[:4])
    assert np.abs(wanted - model.predict_proba(texts[:4], calibrated=False)).max() > 0.01
    assert (small.is_calibrated, again.is_calibrated) == (True, True)
    assert small.predict_proba(texts[:4]) == pytest.approx(wanted, abs=1e-3)
    assert again.predict_proba(texts[:4]) == pytest.approx(wanted, abs=1e-3)
    assert again.explain(texts[0]).proba["+"] == pytest.approx(wanted[0, 0], abs=1e-3)


def test_copies_say_the_same():
    small = PrunedClassifier.of(fitted())
    before = small.predict_proba(TEXTS).tobytes()
    for twin in (copy.deepcopy(small), pickle.loads(pickle.dumps(small))):
        assert twin.predict_proba(TEXTS).tobytes() == before


def test_a_model_of_texts_without_words_is_pruned():
    small = PrunedClassifier.of(TextClassifier().fit(["", "!"], ["x", "y"]), size=5000)
    assert (small.n_features_, small.predict(["a"]).tolist()) == (0, ["x"])
    assert small.words() == []


# ---- what is refused ----


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"bits": 4}, "bits=4; expected 8 or 16"),
        ({"words": 0}, "words=0; expected a whole number from 1"),
        ({"size": 1.5}, r"size=1\.5; expected a whole number from 1"),
    ],
)
def test_a_bad_option_is_refused(options, message):
    with pytest.raises(InputError, match=message):
        PrunedClassifier.of(fitted(), **options)


def test_probabilities_of_zero_are_refused():
    with pytest.raises(InputError, match="expected alpha above 0"):
        PrunedClassifier.of(fitted(alpha=0))


def test_what_has_no_weights_of_words_is_refused():
    small = PrunedClassifier.of(fitted())
    with pytest.raises(InputError, match="pruned already"):
        PrunedClassifier.of(small)
    table = nabi.TableClassifier().fit({"a": [1.0, 2.0]}, ["x", "y"])
    with pytest.raises(InputError, match="a TableClassifier is no sum"):
        PrunedClassifier.of(table)


def test_it_cannot_learn():
    small = PrunedClassifier.of(fitted())
    for method in ("partial_fit", "forget", "relabel", "calibrate", "__add__"):
        assert not hasattr(small, method)
        with pytest.raises(InputError, match="a model of kind pruned cannot"):
            require(small, method)
    with pytest.raises(InputError, match="label='odd'; the classes are"):
        small.words(label="odd")

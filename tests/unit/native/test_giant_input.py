"""Documents and vocabularies far larger than usual: a few seconds, and memory in proportion."""

import pytest

from nabi import ManyClassesWarning, TextClassifier

MIB = 2**20


@pytest.fixture(scope="module")
def model():
    return TextClassifier().fit(["good film", "bad film"], ["pos", "neg"])


def test_one_word_of_200_mb(model):
    text = "a" * (200 * MIB)
    giant = TextClassifier(threads=1).fit([text, "b"], ["x", "y"])
    assert giant.n_features_ == 2
    assert giant.predict([text, "b"]).tolist() == ["x", "y"]
    assert model.predict([text]).tolist() == ["neg"]  # unknown: the first of equal classes


def test_many_words_in_200_mb(model):
    text = "good day " * (200 * MIB // 9)
    giant = TextClassifier(threads=1).fit([text, "bad"], ["x", "y"])
    assert [row.count for row in giant.words(label="x")][:2] == [200 * MIB // 9] * 2
    assert model.predict([text]).tolist() == ["pos"]


@pytest.mark.parametrize("features", ["sklearn", "tweets", "chars"])
def test_every_preset_takes_a_word_of_10_mb(features):
    model = TextClassifier(features).fit(["ab" * (5 * MIB), "bb"], ["x", "y"])
    assert model.predict(["bb"]).tolist() == ["y"]


@pytest.mark.parametrize(
    "unit", ["a'", "a\u200d", "😀\u200d", "🇰", ":", "@", "http://", "<", "\u0301"]
)
def test_what_might_be_read_twice_is_not(unit):
    model = TextClassifier("tweets", negation=True).fit([unit * MIB, "b"], ["x", "y"])
    assert model.class_count_.tolist() == [1.0, 1.0]


def test_a_million_different_words(tmp_path):
    text = " ".join(f"w{i}" for i in range(1_000_000))
    model = TextClassifier().fit([text, "other"], ["x", "y"])
    assert model.n_features_ == 1_000_001
    assert model.predict(["w999999", "other"]).tolist() == ["x", "y"]


def test_ten_thousand_classes():
    labels = list(range(10_000))
    with pytest.warns(ManyClassesWarning):
        model = TextClassifier().fit([f"w{i} common" for i in labels], labels)
    assert model.predict(["w77", "common w9999"]).tolist() == [77, 9999]
    assert model.predict_proba(["w1"]).shape == (1, 10_000)

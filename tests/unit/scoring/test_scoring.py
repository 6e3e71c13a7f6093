"""Two ways to a score: by a batch's own features, or by the weights of the whole vocabulary."""

import math

import numpy as np
import pytest

import nabi
from nabi import TextClassifier
from nabi.events.multinomial import log_ratio

TEXTS = ["good film good", "bad film", "so so film", "good fun", "bad bore", "a bore"]
LABELS = list("pnmpnm")
ASKED = ["good bad film", "so unknown", "", "a fun a bore film"]


def weighs_all(model):
    """Whether the model has weighed its whole vocabulary."""
    return "_whole" in vars(model.scoring())


def learned(n, **options):
    """A model of n words."""
    return TextClassifier(**options).fit([" ".join(f"w{i}" for i in range(n)), "w0"], ["x", "y"])


@pytest.mark.parametrize("event", ["multinomial", "binary", "complement"])
@pytest.mark.parametrize("alpha", [0, 1.0])
@pytest.mark.parametrize(
    "options", [{}, {"ngrams": (1, 2)}, {"features": "chars"}, {"min_count": 2}, {"stop_words": 2}]
)
@pytest.mark.parametrize("in_file", [False, True])
def test_both_ways_give_the_same_bits(tmp_path, event, alpha, options, in_file):
    own = TextClassifier(event=event, alpha=alpha, **options).fit(TEXTS, LABELS)
    whole = TextClassifier(event=event, alpha=alpha, **options).fit(TEXTS, LABELS)
    if in_file:
        own.save(tmp_path / "model.nabi")
        own = nabi.load(tmp_path / "model.nabi")
    assert whole.scoring()._whole is not None
    own.scoring().lookup.left = np.inf
    ours, theirs = own.joint_log_likelihood(ASKED), whole.joint_log_likelihood(ASKED)
    assert (weighs_all(own), weighs_all(whole)) == (False, True)
    assert ours.tobytes() == theirs.tobytes()


def test_a_few_texts_need_no_weights_but_their_own():
    model = learned(5000)
    model.predict(["w1 w2"])
    model.predict(["w3"])
    assert not weighs_all(model)


def test_a_large_batch_or_many_small_ones_need_all_weights():
    large, small = learned(5000), learned(5000)
    large.predict(["w1 " * 20_000])
    for _ in range(4):
        small.predict(["w1"])
    assert weighs_all(large)
    assert weighs_all(small)


def test_a_few_hashed_texts_need_no_weights_but_their_own():
    model = learned(5000, buckets=2**31 - 1)
    model.predict(["w1"])
    assert not weighs_all(model)


def test_a_ratio_beyond_the_largest_number_has_a_logarithm():
    ratios = log_ratio(np.array([1.0, 1e300]), 1e-10)
    assert ratios.tolist() == pytest.approx([23.025850930040455, 713.8013788281542], rel=1e-15)
    assert log_ratio(np.array([1.0]), 1e-10).tolist() == ratios[:1].tolist()


def test_the_complement_of_a_class_that_outweighs_the_others_is_exact():
    model = nabi.TextClassifier(event="complement", alpha=1)
    model.fit(["a " * 1000, "b"], ["x", "y"], sample_weight=[2**20, 0.1])
    others = 1677722 / 2**24  # 0.1, in fixed point
    assert model.joint_log_likelihood(["a"])[0, 0] == pytest.approx(math.log(others + 2), rel=1e-15)


@pytest.mark.parametrize("way", ["prepare", "look_up"])
def test_weights_of_all_words_and_of_a_batch_give_the_same_bits(way):
    texts = [f"word{n % 40} word{n % 7} film" for n in range(200)]
    model = nabi.TextClassifier().fit(texts, ["a", "b"] * 100)
    expected = model.predict_proba(texts)
    model.partial_fit(["new"], ["a"]).forget(["new"], ["a"])
    getattr(model.scoring(), way)()
    assert np.array_equal(model.predict_proba(texts), expected)


def test_many_texts_to_come_need_all_weights_at_once():
    model = learned(5000)
    model.scoring().lookup.expect(100)
    model.predict(["w1 w2"])
    assert not weighs_all(model)
    model.scoring().lookup.expect(100_000)
    model.predict(["w3"])
    assert weighs_all(model)

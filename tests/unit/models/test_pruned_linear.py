"""Linear models, pruned."""

import numpy as np
import pytest

import nabi
from nabi import InputError, LinearClassifier
from nabi.models.pruned.classifier import PrunedClassifier

TEXTS = ["good good film", "bad film", "so good", "so bad a film", "a a a", "film film so"] * 3
TWO, THREE = ["+", "-", "+", "-", "-", "+"] * 3, ["+", "-", "+", "-", "odd", "odd"] * 3
WAYS = [
    {},
    {"unit_length": False},
    {"model": "nblr"},
    {"model": "svm", "unit_length": False},
    {"chars": (1, 2)},
    {"buckets": 50},
]


@pytest.mark.parametrize("labels", [TWO, THREE])
@pytest.mark.parametrize("options", WAYS, ids=str)
def test_all_words_at_16_bits_are_the_model(tmp_path, labels, options):
    model = LinearClassifier(**options).fit(TEXTS, labels)
    PrunedClassifier.of(model, bits=16).save(tmp_path / "m.nabi")
    small = nabi.load(tmp_path / "m.nabi")
    for prior in (None, "uniform"):
        wanted = model.predict_proba(TEXTS, prior=prior)
        assert small.predict_proba(TEXTS, prior=prior) == pytest.approx(wanted, abs=2e-3)
    assert small.predict(TEXTS).tolist() == model.predict(TEXTS).tolist()
    assert small.is_calibrated


@pytest.mark.parametrize("labels", [TWO, THREE])
def test_evidence_adds_up(labels):
    small = PrunedClassifier.of(LinearClassifier().fit(TEXTS, labels), words=4)
    told = small.explain("good good film so bad")
    assert len(told.terms) >= 1
    total = told.prior + told.absent + sum(term.evidence for term in told.terms)
    assert told.score == pytest.approx(total, rel=1e-9)
    joint = small._joint(["good good film so bad"], None)[0]
    assert list(told.joint.values()) == pytest.approx(joint.tolist(), rel=1e-9)
    assert told.absent == 0


def test_a_text_stays_as_long_as_it_was_on_average():
    weights = LinearClassifier(ngrams=(1, 1)).fit(TEXTS, TWO)._word_scores()
    assert weights.often.tolist() == [6, 6, 12, 6, 9]  # a, bad, film, good, so
    half = weights.taken(np.array([0, 1, 4]))
    assert (weights.shrink, half.shrink) == (1.0, 39 / 21)


@pytest.mark.parametrize(
    ("options", "message"),
    [({"model": "svm"}, "how rare they are"), ({"binary": False}, "train it with binary=True")],
)
def test_lengths_that_are_no_number_of_words_are_refused(options, message):
    with pytest.raises(InputError, match=message):
        PrunedClassifier.of(LinearClassifier(**options).fit(TEXTS, TWO))


def test_the_command_line_prunes_it(tmp_path):
    from nabi.cli import main

    LinearClassifier().fit(TEXTS, TWO).save(tmp_path / "m.nabi")
    small = tmp_path / "s.nabi"
    assert main(["prune", str(tmp_path / "m.nabi"), "-o", str(small), "--size", "2kB", "-q"]) == 0
    assert nabi.load(small).made_of_["kind"] == "nbsvm"

"""Promises of pruned models: scores, evidence, files, and how near they are to the model."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from nabi.models.pruned.classifier import PrunedClassifier
from strategies import documents, learned, models, texts

pytestmark = [
    pytest.mark.filterwarnings("ignore::nabi.InputWarning"),
    pytest.mark.filterwarnings("ignore::nabi.ImpossibleWarning"),
]

lists = st.lists(texts, max_size=5)
alphas = st.sampled_from(["auto", 1.0, 0.01, 5.0])
bits = st.sampled_from([8, 16])


@given(models(), documents(), alphas, lists, st.integers(1, 20), bits)
def test_a_batch_is_one_by_one(model, docs, alpha, asked, words, bits):
    small = PrunedClassifier.of(learned(model, docs, alpha=alpha), words=words, bits=bits)
    whole = small.predict_log_proba(asked)
    numbers = small.predict_numbers(asked)
    fresh = PrunedClassifier.of(learned(model, docs, alpha=alpha), words=words, bits=bits)
    for i, text in enumerate(asked):
        assert fresh.predict_log_proba([text]).tobytes() == whole[i].tobytes()
        assert small.predict_numbers([text])[0] == numbers[i]


@given(models(), documents(), alphas, texts, st.integers(1, 20), bits)
def test_evidence_adds_up(model, docs, alpha, text, words, bits):
    small = PrunedClassifier.of(learned(model, docs, alpha=alpha), words=words, bits=bits)
    told = small.explain(text)
    parts = [told.prior, told.absent, *(term.evidence for term in told.terms)]
    assert told.score == pytest.approx(sum(parts), rel=1e-9, abs=1e-9 * (1 + sum(map(abs, parts))))
    joint = small._joint([text], None)[0]
    assert list(told.joint.values()) == pytest.approx(joint.tolist(), rel=1e-9, abs=1e-9)
    assert told.label == small.predict([text])[0]
    for label, score in told.joint.items():
        shares = [term.weights[label] for term in told.terms]
        total = told.log_prior[label] + told.absent_weights[label] + sum(shares)
        assert score == pytest.approx(total, rel=1e-9, abs=1e-9 * (1 + sum(map(abs, shares))))


@given(models(), documents(), alphas, lists, st.integers(1, 20), bits)
def test_a_loaded_model_is_the_same_to_the_last_bit(
    saved, reloaded, model, docs, alpha, asked, words, bits
):
    small = PrunedClassifier.of(learned(model, docs, alpha=alpha), words=words, bits=bits)
    again = reloaded(small)
    assert saved(again) == saved(small)
    assert again.predict_proba(asked).tobytes() == small.predict_proba(asked).tobytes()


@given(models(), documents(min_size=2), alphas, st.integers(0, 99), st.integers(1, 20))
def test_the_file_depends_on_the_documents_alone(saved, model, docs, alpha, seed, words):
    one = PrunedClassifier.of(learned(model, docs, alpha=alpha), words=words)
    other = PrunedClassifier.of(learned(model, docs.shuffled(seed), alpha=alpha), words=words)
    assert saved(one) == saved(other)


@given(models(), documents(), alphas, lists)
def test_all_words_at_high_precision_decide_as_the_model(model, docs, alpha, asked):
    """A weight is off by half a step at most, hence a text by half a step for each of its words."""
    model = learned(model, docs, alpha=alpha)
    small = PrunedClassifier.of(model, bits=16)
    assume(asked)
    joint, lengths = _joint(model, asked)
    other = small._joint(asked, None)
    off = 0.5 * small._packed.steps.max() * lengths + 1e-9 * (1 + np.abs(joint).max(axis=1))
    apart = np.abs(_relative(other) - _relative(joint)).max(axis=1)
    assert (apart <= 2 * off).all()
    best = np.sort(joint, axis=1)[:, -2:]
    clear = best[:, -1] - best[:, 0] > 2 * off if joint.shape[1] > 1 else np.ones(len(joint), bool)
    assert (small.predict(asked) == model.predict(asked))[clear].all()


def _joint(model, asked):
    scoring, batch, prior = model._prepare(asked, None)
    return scoring.joint_and_lengths(batch, prior, 1)


def _relative(joint):
    """Scores less that of the first class: the rest is common to all."""
    return joint - joint[:, :1]

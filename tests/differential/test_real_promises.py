"""The promises on real sets: English reviews of some length, and short Korean ones."""

import math
import random

import numpy as np
import pytest

import nabi
from strategies import Documents

RECIPES = {
    "imdb": {"features": "words", "ngrams": (1, 2), "negation": True},
    "nsmc": {"features": "chars", "chars": (2, 3)},
}


@pytest.fixture(scope="module", params=RECIPES)
def real(request, dataset):
    """(options of the model, the documents in two parts, the texts to ask about)."""
    texts, labels, asked, _ = dataset(request.param)
    n = {"imdb": 6_000, "nsmc": 30_000}[request.param]
    order = random.Random(0).sample(range(len(texts)), n)
    docs = Documents([texts[i] for i in order], [labels[i] for i in order])
    return RECIPES[request.param], docs, docs[range(n // 3)], docs[range(n // 3, n)], asked[::97]


def fit(options, docs, **more):
    return nabi.TextClassifier(**options, **more).fit(docs.texts, docs.labels)


@pytest.fixture(scope="module")
def whole(real, saved):
    """(the model of all documents, its bytes)."""
    model = fit(real[0], real[1])
    return model, saved(model)


def test_1_models_add_and_subtract(real, whole, saved):
    options, _, a, b, _ = real
    one, other = fit(options, a), fit(options, b)
    both = one + other
    assert saved(both) == whole[1]
    assert saved(both - other) == saved(one)
    assert saved(both - one) == saved(other)


def test_1_forgetting_is_the_opposite_of_learning(real, saved):
    options, docs, a, b, _ = real
    model = fit(options, docs).forget(b.texts, b.labels)
    assert saved(model) == saved(fit(options, a))


def test_2_order_batches_and_threads_leave_no_trace(real, whole, saved):
    options, docs, *_ = real
    assert saved(fit(options, docs.shuffled(7), threads=1)) == whole[1]
    assert saved(fit(options, docs, threads=2)) == whole[1]
    model = nabi.TextClassifier(**options)
    for batch in docs.shuffled(8).batches([11, 2000, 2001, 4321]):
        model.partial_fit(batch.texts, batch.labels)
    assert saved(model) == whole[1]


def test_3_a_stranger_is_not_forgotten(real, whole, saved):
    _, docs, _, _, asked = real
    model, before = whole
    known = docs[range(50)]
    with pytest.raises(nabi.NotLearnedError, match=r"texts\[50\]"):
        model.forget([*known.texts, asked[0]], [*known.labels, known.labels[0]])
    assert saved(model) == before


@pytest.mark.parametrize("event", ["multinomial", "binary", "bernoulli", "complement"])
def test_4_batch_is_one_by_one(real, event):
    options, _, a, _, asked = real
    asked = asked[: 40 if event == "bernoulli" else 250]  # Bernoulli sums all words for each
    model = fit({**options, "event": event}, a)
    batch = model.joint_log_likelihood(asked)
    one_by_one = np.concatenate([model.joint_log_likelihood([text]) for text in asked])
    assert batch.tobytes() == one_by_one.tobytes()
    labels = model.predict(asked).tolist()
    assert labels == [model.predict([text])[0] for text in asked]
    model.threads = 1
    assert model.joint_log_likelihood(asked).tobytes() == batch.tobytes()


def test_4_threads_change_no_score(real, whole):
    model, docs = whole[0], real[1]
    scores = [
        model.set_params(threads=threads).joint_log_likelihood(docs.texts[:8000]).tobytes()
        for threads in (1, 2)
    ]
    assert scores[0] == scores[1]


@pytest.mark.parametrize("event", ["multinomial", "bernoulli", "complement"])
def test_5_evidence_sums_to_the_score(real, event):
    options, _, a, _, asked = real
    model = fit({**options, "event": event}, a)
    scores = model.joint_log_likelihood(asked[:30])
    for text, row in zip(asked[:30], scores.tolist(), strict=True):
        why = model.explain(text)
        parts = [why.prior, why.absent, *(term.evidence for term in why.terms)]
        assert why.score == pytest.approx(math.fsum(parts), rel=1e-9, abs=1e-9)
        assert why.score == pytest.approx(abs(row[1] - row[0]), rel=1e-9, abs=1e-7)
        assert list(why.joint.values()) == pytest.approx(row, rel=1e-9)


def test_8_save_load_save(real, whole, saved, reloaded):
    model, before = whole
    loaded, asked = reloaded(model), real[4]
    assert (
        loaded.joint_log_likelihood(asked).tobytes() == model.joint_log_likelihood(asked).tobytes()
    )
    assert saved(loaded) == before


def test_8_a_loaded_model_learns_and_forgets(real, whole, saved, reloaded):
    options, _, a, b, _ = real
    model = reloaded(fit(options, a)).partial_fit(b.texts, b.labels)
    assert saved(model) == whole[1]
    assert saved(reloaded(model).forget(b.texts, b.labels)) == saved(fit(options, a))

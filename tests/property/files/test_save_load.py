"""Promise 8: a model and its file are one; save, load, save gives equal bytes."""

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

import nabi
from strategies import documents, learned, models, texts

pytestmark = [
    pytest.mark.filterwarnings("ignore::nabi.InputWarning"),
    pytest.mark.filterwarnings("ignore::nabi.ImpossibleWarning"),
]

label_sets = st.sampled_from(
    [
        ("neg", "neutral", "pos"),
        ("b", "B", "é", "", "\x00", "한"),
        (3, -1, 2**70),
        (True, False),
        (0.5, -2.0),
    ]
)
labelled = label_sets.flatmap(lambda labels: documents(labels=labels))


@given(models(), labelled)
def test_save_load_save(saved, reloaded, model, docs):
    model = learned(model, docs)
    assert saved(reloaded(model)) == saved(model)


@given(models(), labelled)
def test_a_model_and_its_bytes_are_one(saved, model, docs):
    model = learned(model, docs)
    data, tokenizer = saved(model), model.recipe.tokenizer
    assert model.to_bytes() == data
    assert type(model).from_bytes(data, tokenizer=tokenizer).to_bytes() == data


@given(models(), labelled, st.lists(texts, min_size=1, max_size=5))
def test_a_loaded_model_gives_the_same_bits(reloaded, model, docs, asked):
    model = learned(model, docs)
    loaded = reloaded(model)
    assert loaded.classes_.tolist() == model.classes_.tolist()
    assert loaded.n_features_ == model.n_features_
    assert (
        loaded.joint_log_likelihood(asked).tobytes() == model.joint_log_likelihood(asked).tobytes()
    )
    assert loaded.predict(asked).tolist() == model.predict(asked).tolist()
    assert loaded.explain(asked[0]) == model.explain(asked[0])


@given(models(), documents(), documents())
def test_a_loaded_model_learns_and_forgets(saved, reloaded, model, a, b):
    texts, labels, weights = b.columns
    more = reloaded(learned(model, a)).partial_fit(texts, labels, sample_weight=weights)
    assert saved(more) == saved(learned(model, a + b))
    less = reloaded(more).forget(texts, labels, sample_weight=weights)
    assert saved(less) == saved(learned(model, a))


@given(models(), documents(), documents())
def test_loaded_models_add_and_subtract(saved, reloaded, model, a, b):
    one, other = reloaded(learned(model, a)), reloaded(learned(model, b))
    both = saved(learned(model, a + b))
    assert saved(one + other) == both
    assert saved(learned(model, a) + other) == both
    assert saved((one + other) - other) == saved(one)
    assert saved(one) == saved(learned(model, a))


@given(models(), labelled)
def test_pickle_keeps_every_byte(saved, model, docs):
    model = learned(model, docs)
    assert saved(pickle.loads(pickle.dumps(model))) == saved(model)


def test_a_loaded_model_without_a_word(reloaded):
    """Texts may all be empty; then there is no row to look a bucket up in."""
    model = nabi.TextClassifier(buckets=8).fit(["", "", ""], ["x", "y", "y"])
    assert reloaded(model).predict([""]).tolist() == ["y"]

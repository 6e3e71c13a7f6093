"""A selection is a view over the counts: it changes none, and depends on nothing else."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nabi.features.recipe import SELECTIONS
from strategies import documents, learned, models, texts

pytestmark = [
    pytest.mark.filterwarnings("ignore::nabi.InputWarning"),
    pytest.mark.filterwarnings("ignore::nabi.ImpossibleWarning"),
]

ways = st.sampled_from(SELECTIONS)
numbers = st.integers(1, 8)


@given(models(), documents(), numbers, ways)
def test_no_count_changes(saved, model, docs, k, by):
    model = learned(model, docs)
    before = model._counts.arrays()
    after = model.select(k, by=by)._counts.arrays()
    assert after[0] == before[0]
    assert all(np.array_equal(after[1][name], array) for name, array in before[1].items())


@given(models(), documents(), numbers, ways)
def test_as_many_words_are_kept_as_are_asked_for(model, docs, k, by):
    model = learned(model, docs)
    every = model.n_features_
    kept = model.select(k, by=by).n_features_
    most = k * len(model.classes_) if by == "per_class" else k
    assert min(k, every) <= kept <= min(most, every)


@given(models(), documents(min_size=2), texts, st.integers(0, 99), numbers, ways)
def test_the_order_of_learning_changes_no_score(model, docs, text, seed, k, by):
    one = learned(model, docs).select(k, by=by)
    other = learned(model, docs.shuffled(seed)).select(k, by=by)
    assert (
        one.joint_log_likelihood([text]).tobytes() == other.joint_log_likelihood([text]).tobytes()
    )


@given(models(), documents(), st.lists(texts, min_size=1, max_size=4), numbers, ways)
def test_a_batch_is_one_by_one_and_evidence_adds_up(model, docs, asked, k, by):
    model = learned(model, docs, alpha=0.5).select(k, by=by)
    joint = model.joint_log_likelihood(asked)
    for row, text in zip(joint, asked, strict=True):
        assert row.tobytes() == model.joint_log_likelihood([text]).tobytes()
        told = model.explain(text)
        parts = [told.prior, told.absent, *(term.evidence for term in told.terms)]
        size = max(1.0, *map(abs, told.joint.values()))
        assert told.score == pytest.approx(sum(parts), rel=1e-9, abs=1e-9 * size)


@given(models(), documents(), texts, numbers, ways)
def test_a_saved_selection_is_the_same(saved, reloaded, model, docs, text, k, by):
    model = learned(model, docs).select(k, by=by)
    again = reloaded(model)
    assert saved(again) == saved(model)
    assert again.predict_proba([text]).tobytes() == model.predict_proba([text]).tobytes()

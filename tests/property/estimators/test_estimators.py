"""The promises of counts, held by the estimators on random rows."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import sparse

from nabi import NotLearnedError
from nabi.estimators import BernoulliNB, CategoricalNB, ComplementNB, MultinomialNB

MODELS = [BernoulliNB, CategoricalNB, ComplementNB, MultinomialNB]
FORMS = [np.array, sparse.csr_matrix, sparse.csc_array]
every_model = pytest.mark.parametrize("model", MODELS)


@st.composite
def two_batches(draw, missing=True, labels="abcd"):
    """(rows, labels), twice; of one width, with missing values."""
    width = draw(st.integers(1, 5))
    cells = st.sampled_from([0, 0, 1, 2, 5, *[np.nan] * missing])
    row = st.tuples(st.lists(cells, min_size=width, max_size=width), st.sampled_from(labels))
    found = [draw(st.lists(row, min_size=1, max_size=6)) for _ in "AB"]
    return [(np.array([r for r, _ in rows], float), [y for _, y in rows]) for rows in found]


def both(a, b):
    return np.concatenate([a[0], b[0]]), a[1] + b[1]


def fitted(model, rows, labels, form=np.array, **options):
    return model(new_classes=True, **options).fit(form(rows), labels)


def assert_equal(one, other):
    """The same classes and counts, to the last bit."""
    assert one.classes_.tolist() == other.classes_.tolist()
    for a, b in zip(one._counts, other._counts, strict=True):
        assert a.shape == b.shape
        assert a.tolist() == b.tolist()


@every_model
@given(two_batches(), st.sampled_from(FORMS))
def test_models_add_and_subtract(model, drawn, form):
    a, b = drawn
    of_a, of_b, of_both = (fitted(model, *rows, form) for rows in (a, b, both(a, b)))
    assert_equal(of_a + of_b, of_both)
    assert_equal(sum([of_b, of_a]), of_both)
    assert_equal(of_both - of_b, of_a)
    assert_equal(of_both, fitted(model, *both(a, b)))  # they are what they were, dense or sparse


@every_model
@given(two_batches(), st.sampled_from(FORMS))
def test_learning_more_and_forgetting(model, drawn, form):
    a, b = drawn
    growing = fitted(model, *a, form).partial_fit(form(b[0]), b[1])
    assert_equal(growing, fitted(model, *both(a, b)))
    assert_equal(growing.forget(form(b[0]), b[1]), fitted(model, *a))


@every_model
@given(two_batches(labels="ab"), st.sampled_from(FORMS))
def test_forgetting_what_was_not_learned_changes_nothing(model, drawn, form):
    a, b = drawn
    holding = fitted(model, *a)
    try:
        holding.forget(form(b[0]), b[1])
    except NotLearnedError:
        assert_equal(holding, fitted(model, *a))
    else:  # then a model that has learned b too gives the same
        assert_equal(holding.partial_fit(form(b[0]), b[1]), fitted(model, *a))


@every_model
@given(two_batches(), st.integers(0, 4))
def test_a_feature_that_is_always_missing_is_left_out(model, drawn, column):
    (rows, labels), (asked, _) = drawn
    column %= rows.shape[1]
    without = [np.delete(matrix, column, axis=1) for matrix in (rows, asked)]
    assume(without[0].shape[1])
    rows[:, column] = asked[:, column] = np.nan
    whole = fitted(model, rows, labels, **IGNORE.get(model, {}))
    less = fitted(model, without[0], labels, **IGNORE.get(model, {}))
    assert np.array_equal(np.delete(counted(whole), column, axis=0), counted(less))
    if model in (BernoulliNB, CategoricalNB):  # the others smooth over all features
        np.testing.assert_allclose(
            whole.predict_joint_log_proba(asked), less.predict_joint_log_proba(without[1])
        )


IGNORE = {CategoricalNB: {"unseen": "ignore"}}


def counted(model):
    """For each feature, its counts in all classes."""
    if isinstance(model, CategoricalNB):
        return np.array([np.pad(t, ((0, 0), (0, 6 - t.shape[1]))) for t in model.category_count_])
    return model.feature_count_.T


@every_model
@given(two_batches(), st.sampled_from(FORMS[1:]))
def test_sparse_says_what_dense_says(model, drawn, form):
    (rows, labels), (asked, _) = drawn
    options = IGNORE.get(model, {})
    dense, scattered = (
        fitted(model, rows, labels, **options),
        fitted(model, rows, labels, form, **options),
    )
    assert_equal(dense, scattered)
    ours, theirs = (
        m.predict_joint_log_proba(x) for m, x in ((scattered, form(asked)), (dense, asked))
    )
    np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-12)


@every_model
@given(two_batches(), st.lists(st.floats(0.01, 9), min_size=12, max_size=12))
def test_fractional_weights_can_be_forgotten(model, drawn, weights):
    a, b = drawn
    for_a, for_b = weights[: len(a[1])], weights[6 : 6 + len(b[1])]
    holding = model(new_classes=True).fit(*a, for_a).partial_fit(*b, sample_weight=for_b)
    holding.forget(*b, sample_weight=for_b)
    before = model(new_classes=True).fit(*a, for_a)
    assert holding.classes_.tolist() == before.classes_.tolist()
    for left, right in zip(holding._counts, before._counts, strict=True):
        np.testing.assert_allclose(left, right, rtol=1e-9)

"""Vectorizers: what they promise beside being scikit-learn's."""

import numpy as np
import pytest

from nabi import _native
from nabi.estimators import CountVectorizer, HashingVectorizer


def test_rows_have_their_columns_in_order():
    X = CountVectorizer().fit_transform(["zebra apple zebra", "", "apple"])
    assert X.indptr.tolist() == [0, 2, 2, 3]
    assert X.indices.tolist() == [0, 1, 0]
    assert X.data.tolist() == [1, 2, 1]
    assert X.has_canonical_format


def test_a_row_of_the_hashing_vectorizer_has_length_one():
    X = HashingVectorizer(n_features=2**10).transform(["the fox and the dog", ""])
    assert X.multiply(X).sum(axis=1).ravel().tolist() == [[pytest.approx(1.0), 0.0]]


def test_repr_names_the_changed_parameters():
    assert repr(CountVectorizer(min_df=2)) == "CountVectorizer(min_df=2)"


def recipe(preset="sklearn", words=(1, 1), chars=(0, 0), **changed):
    options = {"lowercase": True, "binary": False, "negation": False, "buckets": 0}
    options |= {"stop_words": [], **changed}
    return _native.Recipe(
        preset=getattr(_native.Preset, preset), words=words, chars=chars, **options
    )


@pytest.mark.parametrize(
    "bad",
    [recipe("words"), recipe("custom"), recipe(buckets=8), recipe(chars=(2, 3)), recipe("chars")],
)
def test_the_kernel_refuses_recipes_that_no_matrix_is_made_by(bad):
    batch = _native.Batch.from_sequence(["the fox"])
    with pytest.raises(ValueError, match="no matrix"):
        _native.learned_matrix(batch, bad, 1)
    with pytest.raises(ValueError, match="no matrix"):
        _native.hashed_matrix(batch, bad, 8, True, False, 2, 1)


def test_the_kernel_refuses_columns_that_do_not_fit():
    batch = _native.Batch.from_sequence(["fox", "dog"])
    for columns in ([0], [0, 2]):
        with pytest.raises(ValueError, match="column"):
            _native.known_matrix(batch, recipe(), batch, np.array(columns, np.uint32), 1)
    with pytest.raises(ValueError, match="broken name offsets"):
        _native.strings(np.zeros(2, np.uint8), np.array([1], np.uint64), np.array([3], np.uint64))

"""GaussianNB against scikit-learn's: every attribute and probability, to 1e-10."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.naive_bayes import GaussianNB as Theirs

from nabi.estimators import GaussianNB as Ours

LEARNED = ("theta_", "var_", "epsilon_", "class_count_", "class_prior_")
SETS = [load_iris, load_wine, load_breast_cancer, load_digits]


def check_same(ours, theirs, X, rtol=1e-10):
    assert ours.classes_.tolist() == theirs.classes_.tolist()
    for name in LEARNED:
        a, b = np.asarray(getattr(ours, name)), np.asarray(getattr(theirs, name))
        np.testing.assert_allclose(a, b, rtol=rtol, atol=1e-300, err_msg=name)
        assert a.dtype == b.dtype
    for method in ("predict_proba", "predict_log_proba", "predict_joint_log_proba"):
        a, b = getattr(ours, method)(X), getattr(theirs, method)(X)
        np.testing.assert_allclose(a, b, rtol=rtol, atol=rtol, err_msg=method)
        assert a.dtype == b.dtype


def both(**params):
    return Ours(**params), Theirs(**params)


@pytest.mark.parametrize("load", SETS)
@pytest.mark.parametrize("params", [{}, {"var_smoothing": 0.01}])
def test_real_sets(load, params):
    X, y = load(return_X_y=True)
    ours, theirs = both(**params)
    check_same(ours.fit(X, y), theirs.fit(X, y), X)
    assert ours.predict(X).tolist() == theirs.predict(X).tolist()


@pytest.mark.parametrize("load", SETS)
def test_weights(load):
    X, y = load(return_X_y=True)
    weights = np.random.default_rng(0).random(len(y))
    ours, theirs = both()
    check_same(ours.fit(X, y, weights), theirs.fit(X, y, weights), X)


@pytest.mark.parametrize("weighted", [False, True])
def test_batches(weighted):
    X, y = load_wine(return_X_y=True)
    weights = np.random.default_rng(1).random(len(y)) if weighted else np.ones(len(y))
    ours, theirs = both()
    for i in range(0, len(y), 20):  # sorted by class: some classes come late
        for model in (ours, theirs):
            given = weights[i : i + 20] if weighted else None
            model.partial_fit(X[i : i + 20], y[i : i + 20], np.unique(y), sample_weight=given)
    check_same(ours, theirs, X)


def test_a_fit_and_then_batches():
    X, y = load_iris(return_X_y=True)
    ours, theirs = both()
    for model in (ours, theirs):
        model.fit(X[::2], y[::2]).partial_fit(X[1::2], y[1::2])
    check_same(ours, theirs, X)


@pytest.mark.filterwarnings("ignore:divide by zero encountered:RuntimeWarning")
def test_a_class_that_never_comes():
    X, y = load_iris(return_X_y=True)
    ours, theirs = both()
    for model in (ours, theirs):
        model.partial_fit(X[:75], y[:75], classes=[0, 1, 2, 3]).partial_fit(X[75:90], y[75:90])
    check_same(ours, theirs, X[:100])


def test_priors():
    X, y = load_wine(return_X_y=True)
    ours, theirs = both(priors=[0.5, 0.2, 0.3])
    check_same(ours.fit(X, y), theirs.fit(X, y), X)


def test_float32():
    X, y = load_iris(return_X_y=True)
    X = X.astype(np.float32)
    ours, theirs = both()
    check_same(ours.fit(X, y), theirs.fit(X, y), X, rtol=2e-4)


@pytest.mark.parametrize("labels", [["b", "a"], [True, False], [-5, 7], [2**40, -(2**40)], [0, 9]])
def test_labels(labels):
    X = np.random.default_rng(0).standard_normal((40, 3))
    y = np.array(labels)[np.arange(40) % 2]
    ours, theirs = both()
    check_same(ours.fit(X, y), theirs.fit(X, y), X)
    assert ours.predict(X).tolist() == theirs.predict(X).tolist()


def test_degenerate():
    X = np.array([[1.0, 5.0, 0.0], [1.0, 6.0, 0.0], [1.0, 7.0, 0.0]])
    ours, theirs = both()
    check_same(ours.fit(X, [0, 0, 1]), theirs.fit(X, [0, 0, 1]), X)


@given(
    st.lists(
        st.tuples(st.floats(-100, 100), st.floats(-1, 1), st.integers(0, 2), st.integers(0, 64)),
        min_size=2,
        max_size=30,
    ),
    st.booleans(),
)
def test_random_rows(rows, weighted):
    X = np.round(np.array([row[:2] for row in rows]), 3)
    y = np.array([row[2] for row in rows])
    weights = np.array([row[3] for row in rows]) / 8 + 0.125 if weighted else None
    if np.ptp(X, axis=0).max() == 0:  # theirs is left with the rounding of a mean for a variance
        return
    ours, theirs = both(var_smoothing=1e-3)
    check_same(ours.fit(X, y, weights), theirs.fit(X, y, weights), X, rtol=1e-9)

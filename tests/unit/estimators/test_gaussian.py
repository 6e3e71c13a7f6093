"""GaussianNB beyond scikit-learn's: NaN, forgetting, sums of models, new classes, hard cases."""

import copy
import doctest
import pickle
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn import naive_bayes
from sklearn.exceptions import NotFittedError

from nabi.errors import InputTypeError, NotLearnedError, RecipeError
from nabi.estimators import GaussianNB, gaussian

NAN = np.nan


def rows(n=60, columns=3, classes=3, seed=0):
    random = np.random.default_rng(seed)
    y = random.integers(0, classes, n)
    return random.standard_normal((n, columns)) + y[:, None], y


def check_equal(a, b):
    """All that is learned, and all that is derived, is equal to the last bit."""
    assert a.classes_.tolist() == b.classes_.tolist()
    assert a._counts.moments.sums.tolist() == b._counts.moments.sums.tolist()
    for name in ("theta_", "var_", "class_count_", "class_prior_", "epsilon_"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name))


# ---- forgetting, adding, subtracting ----


@pytest.mark.parametrize("weighted", [False, True])
def test_forgetting_leaves_no_trace(weighted):
    X, y = rows()
    weights = np.arange(60) / 8 if weighted else np.ones(60)
    given = [None, None, None]
    if weighted:
        given = [weights, weights[40:], weights[:40]]
    model = GaussianNB().fit(X, y, given[0]).forget(X[40:], y[40:], given[1])
    check_equal(model, GaussianNB().fit(X[:40], y[:40], given[2]))


def test_models_add_and_subtract():
    X, y = rows()
    a, b = GaussianNB().fit(X[:20], y[:20]), GaussianNB().fit(X[20:], y[20:])
    whole = GaussianNB().fit(X, y)
    check_equal(a + b, whole)
    check_equal(sum([b, a]), whole)
    check_equal(whole - b, a)


def test_a_class_comes_and_goes_with_its_rows():
    a = GaussianNB(new_classes=True).fit([[1.0], [2.0]], ["x", "y"])
    b = GaussianNB(new_classes=True).fit([[3.0], [4.0]], ["a", "x"])
    assert (a + b).classes_.tolist() == ["a", "x", "y"]
    check_equal((a + b) - b, a)
    check_equal((a + b).forget([[3.0], [4.0]], ["a", "x"]), a)


def test_without_new_classes_a_class_without_rows_stays_and_can_come_back():
    X, y = [[1.0, 2], [2, 1], [0, 1], [3, 3]], ["a", "a", "b", "b"]
    model = GaussianNB().fit(X, y).forget(X[:2], y[:2])
    assert model.class_count_.tolist() == [0, 2]
    assert model.predict(X).tolist() == ["b"] * 4
    model.partial_fit(X[:2], y[:2])
    assert model.theta_.tolist() == GaussianNB().fit(X, y).theta_.tolist()


@pytest.mark.parametrize("scale", [1.0, 1e-5, 1e5])
def test_any_weights_are_forgotten_exactly_and_are_scikit_learns(scale):
    X, y = rows()
    weights = np.random.default_rng(0).exponential(size=len(y)) * scale
    theirs = naive_bayes.GaussianNB().fit(X, y, weights)
    ours = GaussianNB().fit(X, y, weights)
    assert ours.theta_ == pytest.approx(theirs.theta_, rel=1e-10)
    assert ours.var_ == pytest.approx(theirs.var_, rel=1e-10)
    assert ours.class_count_ == pytest.approx(theirs.class_count_, rel=1e-10)
    rest = GaussianNB().fit(X[20:], y[20:], weights[20:])
    check_equal(ours.forget(X[:20], y[:20], weights[:20]), rest)
    both = rest + GaussianNB().fit(X[:20], y[:20])
    left, plain = both.forget(X[20:], y[20:], weights[20:]), GaussianNB().fit(X[:20], y[:20])
    assert left.theta_.tobytes() == plain.theta_.tobytes()
    assert left.var_.tobytes() == plain.var_.tobytes()


def test_what_was_not_learned_is_not_forgotten():
    X, y = rows()
    model = GaussianNB().fit(X, y)
    before = copy.deepcopy(model)
    for bad in (lambda: model.forget([[1e6, 0, 0]], [0]), lambda: model.forget(X[:1], [9])):
        with pytest.raises(NotLearnedError):
            bad()
    check_equal(model, before)
    model.forget(X, y)
    with pytest.raises(NotFittedError):
        model.predict(X)


def test_models_of_other_features_do_not_add():
    with pytest.raises(RecipeError, match="1 features and one of 2 cannot be joined"):
        GaussianNB().fit([[1.0]], [0]) + GaussianNB().fit([[1.0, 2.0]], [0])
    a, b = (GaussianNB().fit(pd.DataFrame({name: [1.0]}), [0]) for name in "ab")
    with pytest.raises(RecipeError, match="feature 0 is 'a' in one model and 'b' in the other"):
        a + b
    with pytest.raises(NotFittedError):
        GaussianNB() + GaussianNB()


# ---- partial_fit ----


def test_new_classes_are_taken_where_they_are_welcome():
    X, y = rows()
    order = np.argsort(-y, kind="stable")  # the last class first
    model = GaussianNB(new_classes=True, var_smoothing=0)
    for i in range(0, 60, 15):
        model.partial_fit(X[order[i : i + 15]], y[order[i : i + 15]])
    check_equal(model, GaussianNB(var_smoothing=0).fit(X, y))


def test_a_bad_batch_changes_nothing():
    X, y = rows()
    model = GaussianNB().partial_fit(X, y, classes=[0, 1, 2])
    before = copy.deepcopy(model)
    for bad_X, bad_y in ((X, y + 1), (np.where(X > 0, np.inf, X), y), (X[:, :2], y)):
        with pytest.raises(ValueError):  # noqa: PT011
            model.partial_fit(bad_X, bad_y)
    check_equal(model, before)


# ---- NaN, infinity and other hard cases ----


def test_nan_is_left_out():
    model = GaussianNB().fit([[1.0, 5.0], [NAN, 6.0], [3.0, 9.0], [4.0, NAN]], [0, 0, 1, 1])
    assert model.theta_.tolist() == [[1.0, 5.5], [3.5, 9.0]]
    assert model.class_count_.tolist() == [2, 2]
    alone = GaussianNB().fit([[5.0], [6.0], [9.0]], [0, 0, 1])
    alone.priors, alone.var_smoothing = [0.5, 0.5], 0
    model.var_smoothing = 0
    joint = model.predict_joint_log_proba([[NAN, 5.5]])
    np.testing.assert_array_equal(joint, alone.predict_joint_log_proba([[5.5]]))


def test_a_row_of_nan_has_the_prior():
    X, y = rows()
    model = GaussianNB().fit(X, y)
    np.testing.assert_allclose(model.predict_proba([[NAN] * 3])[0], model.class_prior_, rtol=1e-15)


def test_infinity_is_refused():
    X, y = rows()
    model = GaussianNB().fit(X, y)
    for call in (
        lambda: model.predict([[0, 0, -np.inf]]),
        lambda: model.forget([[np.inf] * 3], [0]),
    ):
        with pytest.raises(ValueError, match=r"X\[0, \d\] is infinite"):
            call()


def test_a_column_without_numbers():
    X = [[NAN, 1.0, NAN], [NAN, 2.0, NAN], [4.0, 3.0, NAN], [6.0, 4.0, NAN]]
    model = GaussianNB(var_smoothing=0).fit(X, [0, 0, 1, 1])
    np.testing.assert_array_equal(model.theta_, [[5, 1.5, NAN], [5, 3.5, NAN]])
    np.testing.assert_array_equal(model.var_, [[1, 0.25, NAN], [1, 0.25, NAN]])
    assert model.predict([[5.0, 1.4, 7.0]]).tolist() == [0]


@pytest.mark.parametrize("var_smoothing", [0, 1e-9])
@pytest.mark.parametrize("ddof", [0, 1])
@pytest.mark.parametrize("scale", [1e-300, 1.0, 1e154, 1e300])
def test_no_probability_is_nan(var_smoothing, ddof, scale):
    X = np.array([[1, 1, 7], [1, 2, NAN], [1, 3, NAN], [1, 9, NAN]]) * scale
    model = GaussianNB(var_smoothing=var_smoothing, ddof=ddof).fit(X, [0, 0, 0, 1])
    given = np.vstack([X, X + scale, np.zeros(3), np.full(3, 1.7e308), np.full(3, -1.7e308)])
    P = model.predict_proba(given)
    assert not np.isnan(P).any()
    np.testing.assert_allclose(P.sum(axis=1), 1)
    assert not np.isnan(model.predict_log_proba(given)).any()


def test_no_probability_of_32_bits_is_nan():
    X = np.array([[1e30, 1e-30], [-3e38, 2e-30], [3e38, 1e-45]], np.float32)
    model = GaussianNB(var_smoothing=0).fit(X, [0, 0, 1])
    joint = model.predict_joint_log_proba(X)
    assert joint.dtype == np.float32
    assert np.isfinite(joint).all()
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)


def test_a_constant_feature_without_smoothing_leaves_the_others_to_decide():
    X = [[7.0, 1.0], [7.0, 2.0], [7.0, 8.0], [7.0, 9.0]]
    model = GaussianNB(var_smoothing=0).fit(X, [0, 0, 1, 1])
    assert model.predict([[7.0, 1.2], [7.0, 8.7]]).tolist() == [0, 1]
    only = GaussianNB(var_smoothing=0).fit(np.array(X)[:, 1:], [0, 0, 1, 1])
    np.testing.assert_allclose(model.predict_proba([[7, 5.1]]), only.predict_proba([[5.1]]))


def test_noise_on_a_large_number():
    X = 1e15 + np.array([[0.0], [1.0], [10.0], [11.0]])
    model = GaussianNB(ddof=1).fit(X, [0, 0, 1, 1])
    np.testing.assert_allclose(model.var_[:, 0], 0.5, rtol=1e-7)
    assert model.predict(X).tolist() == [0, 0, 1, 1]


# ---- what it holds and takes ----


def test_the_prior_may_change_after_fit():
    X, y = rows(classes=2)
    model = GaussianNB().fit(X, y)
    joint = model.predict_joint_log_proba(X) - np.log(model.class_prior_)
    model.set_params(priors=[0.9, 0.1])
    assert model.class_prior_.tolist() == [0.9, 0.1]
    np.testing.assert_allclose(model.predict_joint_log_proba(X), joint + np.log([0.9, 0.1]))
    with pytest.raises(ValueError, match="The sum of the priors should be 1"):
        model.set_params(priors=[0.9, 0.3]).predict(X)


@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csc_matrix, sparse.coo_array])
@pytest.mark.parametrize("weighted", [False, True])
def test_sparse_is_as_dense(kind, weighted):
    X, y = rows(columns=7)
    X[np.abs(X) < 1] = 0
    X[5, 3] = NAN
    weights = np.arange(60) / 4 if weighted else None
    dense, thin = GaussianNB().fit(X, y, weights), GaussianNB().fit(kind(X), y, weights)
    check_equal(thin, dense)
    np.testing.assert_array_equal(thin.predict_proba(kind(X)), dense.predict_proba(X))


def test_rows_score_alone_as_in_a_batch():
    X, y = rows(n=500, classes=5)
    model = GaussianNB().fit(X, y)
    whole = model.predict_proba(X)
    np.testing.assert_array_equal(whole, np.vstack([model.predict_proba(x[None]) for x in X]))
    np.testing.assert_array_equal(whole, model.predict_proba(np.asfortranarray(X)))


def test_pickle_and_copy():
    X, y = rows()
    model = GaussianNB().fit(X, y)
    check_equal(pickle.loads(pickle.dumps(model)), model)
    check_equal(copy.copy(model), model)


def test_nothing_is_there_before_fit():
    model = GaussianNB()
    for name in ("theta_", "var_", "epsilon_", "class_count_", "class_prior_", "classes_"):
        assert not hasattr(model, name)
    with pytest.raises(NotFittedError):
        model.forget([[1.0]], [0])


def test_the_example_of_the_docstring_runs():
    assert doctest.testmod(gaussian).failed == 0


def test_arrays_of_other_libraries_are_refused():
    with pytest.raises(InputTypeError, match="expected a NumPy array"):
        GaussianNB()._prepared([[1.0]])


def test_importing_nabi_does_not_import_scikit_learn():
    code = "import nabi, sys; assert not any(m.startswith('sklearn') for m in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)

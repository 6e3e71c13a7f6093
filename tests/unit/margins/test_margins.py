"""Margins and the planes that have the largest, by hand."""

import pickle
import subprocess
import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score
from sklearn.svm import SVC

from nabi import InputError, InputTypeError, NotSeparableError
from nabi.margins import (
    OptimalMargin,
    SoftMargin,
    functional_margin,
    geometric_margin,
    kkt,
    normalised,
)

XOR = [[0, 0], [1, 1], [0, 1], [1, 0]]


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


def in_a_new_python(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    return done.stdout.strip() or done.stderr.splitlines()[-1]


# ---- margins ----


def test_functional_margins_by_hand():
    # y (2 x1 - x2 + 1): +(2 - 3 + 1), -(-4 - 1 + 1), -(0 - 0 + 1)
    X, y = [[1, 3], [-2, 1], [0, 0]], [1, -1, -1]
    assert functional_margin([2, -1], 1, X, y).tolist() == [0.0, 4.0, -1.0]
    assert functional_margin([2, -1], 1, X, y).min() == -1.0


def test_geometric_margins_by_hand():
    # ||(3, 4)|| = 5: (9 + 16 - 10) / 5, -(0 + 0 - 10) / 5, -(6 + 4 - 10) / 5
    X, y = [[3, 4], [0, 0], [2, 1]], [1, -1, -1]
    assert_allclose(geometric_margin([3, 4], -10, X, y), [3, 2, 0], atol=1e-15)


def test_a_larger_w_has_larger_functional_margins_only():
    X, y = [[1, 3], [-2, 1]], [1, -1]
    assert functional_margin([20, -10], 10, X, y).tolist() == [0.0, 40.0]
    assert geometric_margin([20, -10], 10, X, y)[1] == geometric_margin([2, -1], 1, X, y)[1]


def test_normalised_is_the_same_plane():
    w, b = normalised([[0.0, -5.0]], [10.0])
    assert (w.tolist(), b) == ([0.0, -1.0], 2.0)


@pytest.mark.parametrize("size", [1e-300, 1e-160, 1e160, 1e300])
def test_the_square_of_w_may_be_beyond_doubles(size):
    w, b = normalised([3 * size, 4 * size], 5 * size)
    assert_allclose([*w, b], [0.6, 0.8, 1.0], rtol=1e-15)


@pytest.mark.parametrize("y", [["ham", "spam"], [0, 1], [False, True], [-1.0, 1.0], [3, 7]])
def test_the_second_label_counts_as_plus_one(y):
    assert functional_margin([1], 0, [[-2], [5]], y).tolist() == [2.0, 5.0]
    assert functional_margin([1], 0, [[-2], [5]], y[::-1]).tolist() == [-2.0, -5.0]


def test_a_part_of_the_samples_may_lack_a_class():
    assert functional_margin([1], 0, [[2], [5]], [-1, -1]).tolist() == [-2.0, -5.0]
    assert functional_margin([1], 0, [[2]], ["a"], classes=["a", "b"]).tolist() == [-2.0]
    with pytest.raises(InputError, match=r"1 different labels \('a'\); expected two, or -1 and 1"):
        functional_margin([1], 0, [[2]], ["a"])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (([0, 0], 1, [[1, 2]], [1]), "w is 0 everywhere, which is no plane"),
        (([1, 2], 1, [[1, 2, 3]], [1]), r"X has shape \(1, 3\), and w 2 features"),
        (([1, 2], [1, 2], [[1, 2]], [1]), r"b of shape \(2,\)"),
        (([1, 2], 1, [[1, 2]], [1, 1]), r"1 samples, and labels of shape \(2,\)"),
        (([1, 2], 1, [[1, np.nan]], [1]), r"X\[0, 1\] is nan; expected finite numbers"),
        (([1, 2], np.inf, [[1, 2]], [1]), "b is inf; expected finite numbers"),
        (([1, 2], 1, [[1, 2]] * 3, [0, 1, 2]), r"3 different labels \(0, 1, 2\); expected two"),
    ],
)
def test_bad_planes_and_samples_are_refused(given, message):
    with pytest.raises(InputError, match=message):
        geometric_margin(*given)


def test_bad_labels_and_types_are_refused():
    with pytest.raises(InputError, match=r"y\[1\] is .*'c'.*; expected one of \['a', 'b'\]"):
        functional_margin([1], 0, [[1], [2]], ["a", "c"], classes=["a", "b"])
    with pytest.raises(InputError, match=r"classes=\['a'\]; expected two labels"):
        functional_margin([1], 0, [[1]], ["a"], classes=["a"])
    with pytest.raises(InputTypeError, match="w holds something else than numbers"):
        functional_margin("w", 0, [[1]], [1])


# ---- the optimal margin ----

# name: samples, signs, w, b, and the places of the support vectors
BY_HAND = {
    # half way between (0, 0) and (3, 4): w = 2 (3, 4) / 5^2, b = -1; the margin is 5/2
    "two points": ([[0, 0], [3, 4]], [-1, 1], [6 / 25, 8 / 25], -1, [0, 1]),
    # one against two: (0, 0) and the middle of (2, 0), (0, 2), which is (1, 1): w = 2 (1, 1) / 2
    "one against two": ([[0, 0], [2, 0], [0, 2]], [-1, 1, 1], [1, 1], -1, [0, 1, 2]),
    # the foot of (3, 1) on the edge from (0, 0) to (0, 2) is (0, 1): w = 2 (3, 0) / 9
    "two against one": ([[0, 0], [0, 2], [3, 1]], [-1, -1, 1], [2 / 3, 0], -1, [0, 1, 2]),
    # (4, 2) is nearest to the corner (2, 1) and not to an edge: w = 2 (2, 1) / 5, b = -(8+2)/5 - 1
    "a corner": ([[0, 0], [2, 1], [2, -9], [4, 2]], [-1, -1, -1, 1], [4 / 5, 2 / 5], -3, [1, 3]),
    # all four hold it: w = 2 (1, 0) / 1
    "a square": ([[0, 0], [0, 1], [1, 0], [1, 1]], [-1, -1, 1, 1], [2, 0], -1, [0, 1, 2, 3]),
    # 1 and 4 on a line; the others are farther: w = 2/3, b = -5/3
    "a line": ([[1], [-7], [4], [9]], [-1, -1, 1, 1], [2 / 3], -5 / 3, [0, 2]),
    # the corners of a triangle in space against the origin: nearest is (1, 1, 1)
    "space": (
        [[0, 0, 0], [3, 0, 0], [0, 3, 0], [0, 0, 3]],
        [-1, 1, 1, 1],
        [2 / 3] * 3,
        -1,
        [0, 1, 2, 3],
    ),
}


@pytest.mark.parametrize("name", BY_HAND)
def test_the_optimal_margin_is_that_worked_out_by_hand(name):
    X, y, w, b, support = BY_HAND[name]
    model = OptimalMargin().fit(X, y)
    assert_allclose(model.coef_, [w], atol=1e-12)
    assert_allclose(model.intercept_, [b], atol=1e-12)
    assert_allclose(model.margin_, 1 / np.linalg.norm(w), rtol=1e-12)
    assert model.support_.tolist() == support
    assert model.support_vectors_.tolist() == np.asarray(X)[support].tolist()
    assert kkt(model, X, y) < 1e-12


def test_its_margins_are_one_and_the_margin():
    X, y, *_ = BY_HAND["two against one"]
    model = OptimalMargin().fit(X, y)
    assert_allclose(functional_margin(model.coef_, model.intercept_, X, y), [1, 1, 1])
    assert_allclose(geometric_margin(model.coef_, model.intercept_, X, y), [1.5, 1.5, 1.5])


def test_its_conventions_are_those_of_scikit_learn():
    X, y = [[0.0], [1.0], [3.0], [5.0]], np.array(["no", "no", "yes", "yes"])
    model = clone(OptimalMargin()).fit(X, y)
    assert model.classes_.tolist() == ["no", "yes"]
    assert model.decision_function([[2.0], [4.0]]).tolist() == [0.0, 2.0]
    assert model.predict([[1.9], [2.1]]).tolist() == ["no", "yes"]
    assert (model.score(X, y), model.coef_.shape, model.intercept_.shape) == (1.0, (1, 1), (1,))
    with pytest.raises(NotFittedError):
        OptimalMargin().predict(X)


@pytest.mark.parametrize("scale", [1e-300, 1e-9, 1e9, 1e300])
@pytest.mark.parametrize("shift", [0, 1000])
def test_neither_size_nor_place_of_the_samples_costs_digits(scale, shift):
    X, y, w, *_ = BY_HAND["a corner"]
    model = OptimalMargin().fit((np.array(X) + shift) * scale, y)
    assert_allclose(model.coef_[0] * scale, w, rtol=1e-9)
    assert_allclose(model.margin_ / scale, 1 / np.linalg.norm(w), rtol=1e-9)


def test_more_features_than_samples():
    X = np.random.default_rng(0).normal(size=(20, 300))
    y = np.arange(20) % 2
    model = OptimalMargin().fit(X, y)
    assert kkt(model, X, y) < 1e-9
    hard = SVC(kernel="linear", C=1e9, tol=1e-9).fit(X, y)
    assert_allclose(model.coef_, hard.coef_, atol=1e-7)


def test_setosa_against_the_other_irises(iris):
    X, y = iris[0], iris[1] == 0
    model = OptimalMargin().fit(X, y)
    hard = SVC(kernel="linear", C=1e9, tol=1e-9).fit(X, y)
    assert_allclose(model.coef_, hard.coef_, atol=1e-6)
    assert_allclose(model.intercept_, hard.intercept_, atol=1e-6)
    assert model.support_.tolist() == sorted(hard.support_.tolist())
    assert kkt(model, X, y) < 1e-9
    assert cross_val_score(OptimalMargin(), X, y, cv=5).tolist() == [1.0] * 5


# ---- no margin ----


def test_data_that_no_plane_separates_are_refused_with_a_sample():
    X, y = [[0, 0], [1, 0], [5, 0], [6, 0], [5.5, 0]], ["a", "a", "b", "b", "a"]
    with pytest.raises(NotSeparableError) as caught:
        OptimalMargin().fit(X, y)
    error = pickle.loads(pickle.dumps(caught.value))
    assert (error.at, error.values, error.label) == (4, [5.5, 0.0], "a")
    assert error.margin < 0
    assert str(error) == (
        "no hyperplane separates the classes: sample 4, [5.5, 0] of class 'a', is not on its own "
        f"side of a soft margin's plane (functional margin {error.margin:.3g}); allow for "
        "such samples with SoftMargin(C=1), or try a kernel"
    )


@pytest.mark.parametrize(
    ("X", "y"),
    [
        (XOR, [-1, -1, 1, 1]),
        ([[2, 3], [2, 3]], [0, 1]),  # equal, and of different labels
        ([[0, 0], [4, 4], [4, 4], [9, 0]], [0, 0, 1, 1]),
        ([[0.0], [1.0], [0.5]], [0, 0, 1]),
        ([[0.0], [1.0], [1.0], [2.0]], [0, 0, 1, 1]),  # hulls that touch in a point
        (np.zeros((4, 1)), [0, 1, 0, 1]),
    ],
)
def test_classes_that_meet_are_refused(X, y):
    with pytest.raises(NotSeparableError, match="allow for such samples with SoftMargin") as caught:
        OptimalMargin().fit(X, y)
    assert caught.value.margin <= 1e-9
    assert X[caught.value.at] == pytest.approx(caught.value.values)


def test_two_irises_are_not_separable_in_two_measures(iris):
    later = iris[1] > 0
    with pytest.raises(NotSeparableError):
        OptimalMargin().fit(iris[0][later, :2], iris[1][later])


@pytest.mark.parametrize("model", [OptimalMargin(), SoftMargin()])
@pytest.mark.parametrize(
    ("X", "y", "message"),
    [
        ([[0.0], [1.0]], ["a", "a"], "y holds one class, 'a'; expected two"),
        ([[0.0], [1.0], [2.0]], [0, 1, 2], "Only binary classification .* y holds 3 classes"),
        ([[0.0], [np.nan]], [0, 1], "contains NaN"),
        ([[0.0], [np.inf]], [0, 1], "contains infinity"),
        ([[0.0], [1.0]], [0.5, 1.5], "Unknown label type: continuous"),
        (np.empty((0, 2)), [], r"Found array with 0 sample\(s\)"),
        ([[0.0]], [1], "1 sample|one class"),
    ],
)
def test_input_without_two_classes_of_numbers_is_refused(model, X, y, message):
    with pytest.raises(ValueError, match=message):
        clone(model).fit(X, y)


# ---- the soft margin ----


def test_slack_by_hand():
    # By symmetry f = w (x - 3/2), and the price is w^2 / 2 + C (2 + w + 2 max(0, 1 - 3/2 w)): with
    # C = 10 it falls up to w = 2/3, and rises from there. The slack of 1 and 2 is 1 + w/2 = 4/3.
    X, y = [[0.0], [1.0], [2.0], [3.0]], ["a", "b", "a", "b"]
    model = SoftMargin(C=10).fit(X, y)
    assert_allclose(model.coef_, [[2 / 3]], atol=1e-6)
    assert_allclose(model.slack_, [0, 4 / 3, 4 / 3, 0], atol=1e-6)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"C": 0.01},
        {"C": 100, "kernel": "rbf", "gamma": 0.5},
        {"kernel": "poly", "degree": 2, "coef0": 1.0},
    ],
)
def test_the_soft_margin_is_that_of_svc(iris, options):
    X, y = iris[0][50:], iris[1][50:]
    model = SoftMargin(**options).fit(X, y)
    theirs = SVC(**{"kernel": "linear", "tol": 1e-7, **options}).fit(X, y)
    assert model.support_.tolist() == theirs.support_.tolist()
    scores = theirs.decision_function(X)  # in single precision, within
    assert_allclose(model.decision_function(X), scores, atol=1e-4)
    assert_allclose(model.slack_, np.maximum(0, 1 - (2 * y - 3) * scores), atol=1e-4)
    assert kkt(model, X, y) < 1e-9


def test_a_kernel_separates_what_no_plane_does():
    model = SoftMargin(C=1e6, kernel="rbf").fit(XOR, [-1, -1, 1, 1])
    assert model.predict(XOR).tolist() == [-1, -1, 1, 1]
    assert_allclose(model.slack_, 0, atol=1e-6)
    with pytest.raises(AttributeError, match="margin_ is of the linear kernel only"):
        _ = model.margin_


def test_a_high_price_of_slack_gives_the_optimal_margin():
    X, y, w, b, _ = BY_HAND["a corner"]
    model = SoftMargin(C=1e6).fit(X, y)
    assert_allclose([*model.coef_[0], *model.intercept_], [*w, b], atol=1e-6)
    assert model.margin_ == pytest.approx(OptimalMargin().fit(X, y).margin_, abs=1e-6)


def test_weights_are_prices_of_their_own(iris):
    X, y = iris[0][50:], iris[1][50:]
    weights = np.linspace(0.5, 2, 100)
    model = SoftMargin().fit(X, y, sample_weight=weights)
    assert kkt(model, X, y, sample_weight=weights) < 1e-6
    assert kkt(model, X, y) > 1e-3


def test_samples_without_weight_are_as_if_they_were_not_there(iris):
    X, y = iris[0][50:], iris[1][50:]
    weights = np.arange(100) % 3
    model = SoftMargin().fit(X, y, sample_weight=weights)
    assert (weights[model.support_] > 0).all()
    assert model.support_vectors_.tolist() == X[model.support_].tolist()
    assert kkt(model, X, y, sample_weight=weights) < 1e-9


def test_sparse_samples_have_the_soft_margin_of_dense_ones(iris):
    X, y = iris[0][50:], iris[1][50:]
    model, sparse = SoftMargin().fit(X, y), SoftMargin().fit(csr_array(X), y)
    assert_allclose(sparse.slack_, model.slack_, atol=1e-4)
    assert sparse.margin_ == pytest.approx(model.margin_, rel=1e-4)
    assert kkt(sparse, csr_array(X), y) < 1e-3


def test_samples_without_slack_at_no_price():
    model = SoftMargin(C=1e-9).fit(XOR, [0, 0, 1, 1])
    assert_allclose(model.slack_, 1, atol=1e-6)


def test_unknown_kernels_are_refused():
    with pytest.raises(ValueError, match="'kernel' parameter of SoftMargin must be a str among"):
        SoftMargin(kernel="cosine").fit(XOR, [0, 0, 1, 1])


# ---- the conditions ----


@pytest.mark.parametrize("change", ["coef_", "intercept_", "dual_coef_"])
def test_a_plane_that_is_not_the_best_violates_a_condition(change):
    X, y, *_ = BY_HAND["one against two"]
    model = OptimalMargin().fit(X, y)
    setattr(model, change, getattr(model, change) * 1.01)
    assert kkt(model, X, y) > 1e-3


# ---- scikit-learn comes when it is needed ----


def test_margins_need_numpy_alone():
    code = "import sys; from nabi.margins import geometric_margin; print('sklearn' in sys.modules)"
    assert in_a_new_python(code) == "False"


def test_without_scikit_learn_an_error_says_what_to_install():
    block = "import sys, importlib.util as u; find = u.find_spec\n"
    block += "u.find_spec = lambda name, *a: None if name == 'sklearn' else find(name, *a)\n"
    assert in_a_new_python(block + "from nabi.margins import OptimalMargin") == (
        "nabi.errors.MissingExtraError: nabi.margins.OptimalMargin needs scikit-learn, "
        f"which is not installed; {sys.executable} -m pip install 'scikit-learn>=1.6'"
    )

"""nabi.estimators against the classes that they extend: all that they learn and say."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn import naive_bayes

from nabi import estimators

NAMES = ["BernoulliNB", "CategoricalNB", "ComplementNB", "MultinomialNB"]
LEARNED = ["classes_", "class_count_", "class_log_prior_", "feature_log_prob_", "feature_count_"]
LEARNED += ["feature_all_", "category_count_", "n_categories_", "n_features_in_"]
SAID = ["predict_proba", "predict_log_proba", "predict_joint_log_proba"]
FORMS = {"dense": np.array, "csr": sparse.csr_matrix, "csc": sparse.csc_array}

RNG = np.random.default_rng(7)
X = RNG.integers(0, 5, (40, 6))
Y = RNG.integers(0, 3, 40)
WEIGHTS = RNG.random(40) * 3

DATA = {
    "plain": (X, Y),
    "two classes": (X, Y > 0),
    "one class": (X, np.zeros(40, int)),
    "one row": (X[:1], Y[:1]),
    "one feature": (X[:, :1], Y),
    "a row a class": (X, np.arange(40)),
    "constant": (np.ones((40, 3), int), Y),
    "nothing": (np.zeros((40, 3), int), Y),
    "empty rows and features": (X * (np.arange(40) % 3 > 0)[:, None] * (np.arange(6) > 1), Y),
    "strings": (X, np.array(["bee", "a", "seal"])[Y]),
    "objects": (X, np.array(["bee", "a", "seal"], object)[Y]),
    "negative labels": (X, Y - 1),
    "float labels": (X, Y * 2.0),
    "float32": ((X / 2).astype(np.float32), Y),
    "fractions": (X / 7, Y),
    "uint8": (X.astype(np.uint8), Y),
    "bool": (X > 2, Y),
}
OPTIONS = [
    {"alpha": 0.01},
    {"alpha": 0},
    {"alpha": 1e-12, "force_alpha": False},
    {"fit_prior": False},
    {"class_prior": [0.5, 0.3, 0.2]},
    {"alpha": 30.0, "fit_prior": False, "force_alpha": False},
]


def assert_same(ours, theirs, rows, rows_of_ours=None):
    """Each attribute and each prediction, to 1e-10."""
    for name in LEARNED:
        assert hasattr(ours, name) == hasattr(theirs, name), name
        if hasattr(theirs, name):
            assert_close(getattr(ours, name), getattr(theirs, name))
    given_rows = rows if rows_of_ours is None else rows_of_ours
    for name in SAID:
        assert_close(getattr(ours, name)(given_rows), getattr(theirs, name)(rows))
    assert ours.predict(given_rows).tolist() == theirs.predict(rows).tolist()


def assert_close(ours, theirs):
    if isinstance(theirs, list):
        assert len(ours) == len(theirs)
        for a, b in zip(ours, theirs, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-10)
    elif np.asarray(theirs).dtype.kind in "OUS":
        assert ours.tolist() == theirs.tolist()
    else:
        assert np.asarray(ours).dtype == np.asarray(theirs).dtype
        np.testing.assert_allclose(ours, theirs, rtol=1e-10, atol=1e-10)


def pair(name, **options):
    return getattr(estimators, name)(**options), getattr(naive_bayes, name)(**options)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("case", DATA)
@pytest.mark.parametrize("name", NAMES)
def test_fit(name, case, form):
    rows, labels = DATA[case]
    given_rows = FORMS[form](rows)
    for_them = rows if name == "CategoricalNB" else given_rows
    ours, theirs = pair(name)
    with warnings.catch_warnings():
        if len(np.unique(labels)) == 1 and name == "ComplementNB":
            warnings.simplefilter("ignore", RuntimeWarning)
        assert_same(
            ours.fit(given_rows, labels), theirs.fit(for_them, labels), for_them, given_rows
        )


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.filterwarnings("ignore:divide by zero", "ignore:invalid value", "ignore:alpha too")
def test_options(name, options, form):
    given_rows = FORMS[form](X)
    for_them = X if name == "CategoricalNB" else given_rows
    ours, theirs = pair(name, **options)
    assert_same(ours.fit(given_rows, Y), theirs.fit(for_them, Y), for_them, given_rows)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", NAMES)
def test_weights(name, form):
    given_rows = FORMS[form](X)
    for_them = X if name == "CategoricalNB" else given_rows
    ours, theirs = pair(name)
    ours.fit(given_rows, Y, sample_weight=WEIGHTS)
    assert_same(ours, theirs.fit(for_them, Y, sample_weight=WEIGHTS), for_them, given_rows)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", NAMES)
def test_partial_fit(name, form):
    """In parts, the first of which has seen one class and few categories."""
    ours, theirs = pair(name)
    for part in (slice(0, 1), slice(1, 9), slice(9, 40)):
        given_rows = FORMS[form](X[part])
        for_them = X[part] if name == "CategoricalNB" else given_rows
        arguments = {"classes": [2, 1, 0], "sample_weight": WEIGHTS[part]}
        ours.partial_fit(given_rows, Y[part], **arguments)
        theirs.partial_fit(for_them, Y[part], **arguments)
    assert_same(ours, theirs, X)


@pytest.mark.parametrize("name", ["ComplementNB", "MultinomialNB"])
def test_an_alpha_for_each_feature(name):
    ours, theirs = pair(name, alpha=np.arange(1, 7) / 4)
    assert_same(ours.fit(X, Y), theirs.fit(X, Y), X)


def test_an_alpha_for_each_feature_of_bernoulli():
    """scikit-learn adds it to the classes; (1 + 3) / (2 + 2 * 3) is meant."""
    model = estimators.BernoulliNB(alpha=[1, 3, 1]).fit(
        [[1, 1, 0], [1, 0, 0], [0, 0, 1]], [0, 0, 1]
    )
    np.testing.assert_allclose(np.exp(model.feature_log_prob_[0]), [3 / 4, 4 / 8, 1 / 4])


@pytest.mark.parametrize("options", [{"norm": True}, {"norm": True, "alpha": 0.1}], ids=str)
def test_complement_options(options):
    ours, theirs = pair("ComplementNB", **options)
    assert_same(ours.fit(X, Y), theirs.fit(X, Y), X)


@pytest.mark.parametrize("binarize", [None, 0.5, 2])
def test_bernoulli_options(binarize):
    rows = X > 2 if binarize is None else X
    ours, theirs = pair("BernoulliNB", binarize=binarize)
    assert_same(ours.fit(rows, Y), theirs.fit(rows, Y), rows)


@pytest.mark.parametrize("least", [2, 9, [1, 5, 9, 5, 5, 5]])
def test_categorical_options(least):
    ours, theirs = pair("CategoricalNB", min_categories=least)
    assert_same(ours.fit(X, Y), theirs.fit(X, Y), X)


@pytest.mark.parametrize("name", NAMES)
def test_errors(name):
    for model in pair(name):
        with pytest.raises(ValueError, match="Number of priors must match number of classes"):
            model.set_params(class_prior=[0.5, 0.5]).fit(X, Y)
        with pytest.raises(ValueError, match="contains infinity"):
            model.set_params(class_prior=None).fit([[np.inf, 1.0]], [0])
        with pytest.raises(ValueError, match=r"has 5 features, but .* expecting 6 features"):
            model.fit(X, Y).predict(X[:, 1:])


def test_an_unseen_category_is_an_index_error():
    for model in pair("CategoricalNB"):
        with pytest.raises(IndexError):
            model.fit(X, Y).predict(X + 9)


@st.composite
def batches(draw):
    """Two batches of rows with labels and whole or fractional weights."""
    n, m, width = draw(st.integers(1, 8)), draw(st.integers(1, 8)), draw(st.integers(1, 5))
    cells = st.lists(st.integers(0, 6), min_size=width, max_size=width)
    rows = draw(st.lists(cells, min_size=n + m, max_size=n + m))
    labels = draw(st.lists(st.sampled_from("abcd"), min_size=n + m, max_size=n + m))
    weights = draw(st.lists(st.floats(0.1, 9), min_size=n + m, max_size=n + m))
    return n, np.array(rows), np.array(labels), np.array(weights)


@pytest.mark.parametrize("name", NAMES)
@given(batches(), st.sampled_from(list(FORMS)), st.floats(1e-3, 10))
def test_random_data(name, drawn, form, alpha):
    n, rows, labels, weights = drawn
    ours, theirs = pair(name, alpha=alpha)
    for part in (slice(n), slice(n, None)):
        arguments = {"classes": list("abcd"), "sample_weight": weights[part]}
        ours.partial_fit(FORMS[form](rows[part]), labels[part], **arguments)
        theirs.partial_fit(rows[part], labels[part], **arguments)
    if name == "CategoricalNB":  # theirs are those of the last batch
        theirs.n_categories_ = rows.max(axis=0) + 1
    assert_same(ours, theirs, rows, FORMS[form](rows))

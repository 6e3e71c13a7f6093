"""What nabi.estimators has beyond scikit-learn, by hand."""

import copy
import doctest
import pickle
import subprocess
import sys

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.multiclass import unique_labels
from sklearn.utils.validation import check_is_fitted

import nabi
from nabi.estimators import (
    BernoulliNB,
    CategoricalNB,
    ComplementNB,
    MultinomialNB,
    bernoulli,
    categorical,
    exact,
    occurrences,
)

NAN = float("nan")
MODELS = [BernoulliNB, CategoricalNB, ComplementNB, MultinomialNB]
ROWS, LABELS = [[2, 0, 1], [0, 1, 1], [1, 1, 0]], ["a", "b", "b"]
every_model = pytest.mark.parametrize("model", MODELS)


def in_a_new_python(code):
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    return ran.stdout.strip() or ran.stderr.strip().splitlines()[-1]


def test_importing_nabi_does_not_import_scikit_learn():
    assert in_a_new_python("import nabi, sys; print('sklearn' in sys.modules)") == "False"


def test_without_scikit_learn_one_line_says_what_to_install():
    block = "import sys, importlib.util as u; find = u.find_spec\n"
    block += "u.find_spec = lambda name, *a: None if name == 'sklearn' else find(name, *a)\n"
    said = in_a_new_python(block + "import nabi.estimators")
    assert said == (
        "nabi.errors.MissingExtraError: nabi.estimators extends scikit-learn, "
        f"which is not installed; {sys.executable} -m pip install 'scikit-learn>=1.6'"
    )


@pytest.mark.parametrize("module", [bernoulli, categorical, occurrences])
def test_examples_in_docstrings(module):
    found = doctest.testmod(module)
    assert found.attempted > 0
    assert found.failed == 0


@every_model
def test_new_classes_come_in_sorted_order(model):
    growing = model(new_classes=True).partial_fit(ROWS[:1], ["m"])
    growing.partial_fit(ROWS[1:], ["z", "a"])
    assert growing.classes_.tolist() == ["a", "m", "z"]
    assert growing.class_count_.tolist() == [1, 1, 1]
    assert growing.predict_proba(ROWS).shape == (3, 3)


@every_model
def test_new_classes_are_refused_unless_asked_for(model):
    holding = model().partial_fit(ROWS, LABELS, classes=["a", "b"])
    with pytest.raises(
        nabi.InputError, match=r"label\(s\) \['c'\] in y do not exist .*new_classes"
    ):
        holding.partial_fit(ROWS[:2], ["a", "c"])
    assert holding.class_count_.tolist() == [1, 2]


@every_model
def test_a_class_without_rows_stays_unless_classes_may_come(model):
    assert model().fit(ROWS, LABELS).forget(ROWS[:1], ["a"]).classes_.tolist() == ["a", "b"]
    free = model(new_classes=True).fit(ROWS, LABELS).forget(ROWS[:1], ["a"])
    assert free.classes_.tolist() == ["b"]
    with pytest.raises(NotFittedError):
        check_is_fitted(free.forget(ROWS[1:], LABELS[1:]))
    assert free.partial_fit([[1, 2]], ["c"]).n_features_in_ == 2


@every_model
def test_forgetting_more_than_was_learned(model):
    holding = model().fit(ROWS, LABELS)
    with pytest.raises(
        nabi.NotLearnedError, match="in class 'a', the count of its rows is 1, and 2"
    ):
        holding.forget([[0, 0, 0]] * 2, ["a", "a"])
    with pytest.raises(nabi.NotLearnedError, match="class 'c' was never learned") as caught:
        holding.forget(ROWS, ["a", "c", "b"])
    assert caught.value.at == 1
    with pytest.raises(nabi.NotLearnedError, match=r"class 'a' would be left with counts|category"):
        holding.forget([[0, 0, 0]], ["a"])
    assert holding.class_count_.tolist() == [1, 2]


def test_what_was_not_learned_is_named():
    with pytest.raises(nabi.NotLearnedError, match="the count of feature 1 is 0, and 2 are"):
        MultinomialNB().fit(ROWS, LABELS).forget([[0, 2, 0]], ["a"])
    with pytest.raises(nabi.NotLearnedError, match="the count of category 5 of feature 1 is 0"):
        CategoricalNB().fit(ROWS, LABELS).forget([[2, 5, 1]], ["a"])


@every_model
def test_models_that_do_not_fit_together(model):
    holding = model().fit(ROWS, LABELS)
    with pytest.raises(nabi.RecipeError, match="3 features and one of 2 cannot be joined"):
        holding + model().fit([[1, 2]], ["a"])
    with pytest.raises(TypeError, match="unsupported operand"):
        holding - 1
    with pytest.raises(nabi.NotLearnedError, match="in class 'c', the count of its rows is 0"):
        holding - model().fit(ROWS, ["a", "b", "c"])


def test_models_of_other_columns_or_another_way_to_count():
    pd = pytest.importorskip("pandas")
    one = MultinomialNB().fit(pd.DataFrame({"x": [1], "y": [2]}), ["a"])
    other = MultinomialNB().fit(pd.DataFrame({"x": [1], "z": [2]}), ["a"])
    with pytest.raises(
        nabi.RecipeError, match="feature 1 is 'y' in one model and 'z' in the other"
    ):
        one + other
    with pytest.raises(nabi.RecipeError, match=r"binarize=0.0 and one with binarize=1"):
        BernoulliNB().fit(ROWS, LABELS) - BernoulliNB(binarize=1).fit(ROWS, LABELS)


def test_a_sum_has_the_parameters_and_names_of_the_left():
    pd = pytest.importorskip("pandas")
    one = MultinomialNB(alpha=2).fit(pd.DataFrame({"x": [1], "y": [2]}), ["a"])
    both = one + MultinomialNB(alpha=3).fit(np.array([[1, 1]]), ["b"])
    assert (both.alpha, both.feature_names_in_.tolist()) == (2, ["x", "y"])
    assert both.feature_count_.tolist() == [[1, 2], [1, 1]]
    assert one.feature_count_.tolist() == [[1, 2]]


@every_model
def test_prior_and_smoothing_change_without_fitting_again(model):
    changed = model().fit(ROWS, LABELS)
    changed.predict(ROWS)
    changed.set_params(alpha=0.5, class_prior=[0.9, 0.1])
    anew = model(alpha=0.5, class_prior=[0.9, 0.1]).fit(ROWS, LABELS)
    assert changed.predict_proba(ROWS).tolist() == anew.predict_proba(ROWS).tolist()
    changed.class_prior, changed.fit_prior = None, False
    assert changed.class_log_prior_.tolist() == [-np.log(2), -np.log(2)]


@every_model
def test_a_bad_parameter_is_refused_where_it_is_used(model):
    holding = model().fit(ROWS, LABELS)
    with pytest.raises(ValueError, match="The 'alpha' parameter"):
        holding.set_params(alpha=-1).predict(ROWS)
    with pytest.raises(ValueError, match="Number of priors must match"):
        holding.set_params(alpha=1, class_prior=[1]).class_log_prior_  # noqa: B018
    assert holding.set_params(class_prior=None).predict(ROWS).tolist() == LABELS


@every_model
def test_derived_values_can_be_assigned(model):
    holding = model().fit(ROWS, LABELS)
    holding.class_log_prior_ = np.array([0.0, -100.0])
    holding.feature_log_prob_ = [t * 0 for t in holding.feature_log_prob_]
    assert holding.class_log_prior_.tolist() == [0.0, -100.0]
    kept = pickle.loads(pickle.dumps(holding))
    assert kept.class_log_prior_.tolist() == [0.0, -100.0]
    assert holding.partial_fit(ROWS, LABELS).class_log_prior_.tolist() != [0.0, -100.0]


@every_model
def test_copies_are_apart(model):
    holding = model().fit(ROWS, LABELS)
    twin = copy.copy(holding)
    twin.class_log_prior_ = np.array([0.0, -100.0])
    assert holding.class_log_prior_.tolist() == [np.log(1) - np.log(3), np.log(2) - np.log(3)]
    assert not hasattr(clone(holding), "feature_log_prob_")
    assert hasattr(holding, "feature_log_prob_")


def test_missing_words_count_as_none():
    for model in (MultinomialNB, ComplementNB):
        rows = [[2, NAN], [NAN, 1]]
        for form in (np.array, sparse.csr_matrix):
            holding = model().fit(form(rows), ["a", "b"])
            assert holding.feature_count_.tolist() == [[2, 0], [0, 1]]
            assert holding.predict(form(rows)).tolist() == ["a", "b"]


def test_missing_features_are_neither_present_nor_absent():
    model = BernoulliNB().fit([[1, NAN], [1, 1], [NAN, 0]], ["a", "a", "b"])
    assert model.missing_count_.tolist() == [[0, 1], [1, 0]]
    np.testing.assert_allclose(np.exp(model.feature_log_prob_), [[3 / 4, 2 / 3], [1 / 2, 1 / 3]])
    score = np.exp(model.predict_joint_log_proba([[0, NAN]])[0])
    np.testing.assert_allclose(score, [2 / 3 * 1 / 4, 1 / 3 * 1 / 2])


def test_missing_categories_are_skipped():
    model = CategoricalNB().fit([[0, NAN], [1, 1], [NAN, 0]], ["a", "a", "b"])
    assert [table.tolist() for table in model.category_count_] == [
        [[1, 1], [0, 0]],
        [[0, 1], [1, 0]],
    ]
    score = np.exp(model.predict_joint_log_proba([[NAN, 0]])[0])
    np.testing.assert_allclose(score, [2 / 3 * 1 / 3, 1 / 3 * 2 / 3])


def test_unseen_categories():
    model = CategoricalNB().fit([[0, 1], [1, 0]], ["a", "b"])
    for form in (np.array, sparse.csr_matrix):
        with pytest.raises(IndexError, match="category 7 of feature 1 was not learned, only those"):
            model.set_params(unseen="error").predict(form([[0, 7]]))
        score = np.exp(model.set_params(unseen="ignore").predict_joint_log_proba(form([[0, 7]])))
        np.testing.assert_allclose(score, [[1 / 2 * 2 / 3, 1 / 2 * 1 / 3]])


def test_impossible_zeros_in_a_sparse_row():
    """With alpha=0 a category 0 that never came rules its class out, wherever it is not stored."""
    model = CategoricalNB(alpha=0)
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        model.fit(sparse.csr_matrix([[1, 1], [1, 0], [0, 1]]), ["a", "b", "b"])
    score = np.exp(model.predict_joint_log_proba(sparse.csr_matrix([[1, 1], [1, 0], [0, 0]])))
    np.testing.assert_allclose(score, [[1 / 3, 1 / 6], [0, 1 / 6], [0, 1 / 6]], atol=1e-15)


def test_a_sparse_matrix_that_names_a_cell_twice():
    twice = sparse.csr_matrix(([1, 1, 2], [0, 0, 1], [0, 3]), (1, 2))
    model = CategoricalNB().fit(twice, ["a"])
    assert [table.tolist() for table in model.category_count_] == [[[0, 0, 1]], [[0, 0, 1]]]
    assert twice.data.tolist() == [1, 1, 2]


def test_a_new_class_is_compared_with_a_sample_of_the_others(monkeypatch):
    sizes = []

    def watched(*labels):
        sizes.append(sum(map(len, labels)))
        return unique_labels(*labels)

    monkeypatch.setattr(exact, "unique_labels", watched)
    model = MultinomialNB(new_classes=True)
    for label in ["m", "a", "zebra", "b", "a"]:
        model.partial_fit([[1.0, 0.0]], [label])
    assert model.classes_.tolist() == ["a", "b", "m", "zebra"]
    assert model.class_count_.tolist() == [2, 1, 1, 1]
    assert max(sizes) == 2


def test_a_new_class_of_another_type_is_refused():
    model = MultinomialNB(new_classes=True).partial_fit([[1.0]], ["a"])
    with pytest.raises(ValueError, match="Mix of label input types"):
        model.partial_fit([[1.0]], [3])
    assert model.classes_.tolist() == ["a"]

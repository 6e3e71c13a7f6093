"""scikit-learn's own tests of its vectorizers, run on those of nabi.estimators."""

import importlib.util
import sys
import warnings

import pytest
from sklearn.feature_extraction import text
from sklearn.utils.estimator_checks import parametrize_with_checks

from nabi import estimators

pytestmark = pytest.mark.filterwarnings("ignore")  # theirs are no errors
VECTORIZERS = ("CountVectorizer", "HashingVectorizer", "TfidfVectorizer")


def fresh_copy():
    """The module of scikit-learn's tests, anew, with our classes in the place of its own."""
    path = importlib.util.find_spec("sklearn.feature_extraction.tests.test_text").origin
    spec = importlib.util.spec_from_file_location("sklearn_test_text_on_nabi", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where pickle looks for its functions
    with pytest.MonkeyPatch.context() as patch:
        for name in VECTORIZERS:  # the module imports them, and makes marks of them
            patch.setattr(text, name, getattr(estimators, name))
        spec.loader.exec_module(module)
    return module


def listed(mark):
    """The same mark; parameters that can be read but once, which pytest warns of, as a list."""
    if mark.name != "parametrize":
        return mark
    names, values, *rest = mark.args
    return pytest.mark.parametrize(names, list(values), *rest, **mark.kwargs).mark


with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # that most checks of estimators need numbers for input
    TESTS = {name: test for name, test in vars(fresh_copy()).items() if name.startswith("test_")}
    checks = parametrize_with_checks([getattr(estimators, name)() for name in VECTORIZERS])
for test in TESTS.values():
    test.pytestmark = [listed(mark) for mark in getattr(test, "pytestmark", [])]
globals().update(TESTS)


def test_their_tests_are_here():
    assert len(TESTS) > 60


@checks
def test_what_scikit_learn_asks_of_every_estimator(estimator, check):
    check(estimator)

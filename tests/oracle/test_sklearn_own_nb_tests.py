"""scikit-learn's own tests of its naive Bayes classifiers, run on ours."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from unittest import mock

import numpy as np
import pytest
from sklearn import naive_bayes
from sklearn.utils import _array_api

from nabi import estimators

THEIRS = importlib.util.find_spec("sklearn.tests.test_naive_bayes")
OURS = {
    name: getattr(estimators, name) for name in naive_bayes.__all__ if hasattr(estimators, name)
}


def their_tests():
    """Their module, made anew while scikit-learn's names mean our classes.

    So its lists of classes and its parametrized tests, which are made on import, hold ours.
    """
    module = ModuleType("sklearn_own_nb_tests")
    module.__file__ = THEIRS.origin
    code = compile(Path(THEIRS.origin).read_text("utf8"), THEIRS.origin, "exec")
    # pytest asks for a list of parameters, where they give a generator.
    combinations = list(_array_api.yield_namespace_device_dtype_combinations())
    listed = {"yield_namespace_device_dtype_combinations": lambda: combinations}
    with mock.patch.multiple(naive_bayes, **OURS), mock.patch.multiple(_array_api, **listed):
        exec(code, vars(module))
    return module


if THEIRS is None:
    pytest.skip("this scikit-learn comes without its tests", allow_module_level=True)

# Their settings let warnings pass, and one of their tests raises this one unasked.
pytestmark = pytest.mark.filterwarnings("ignore:alpha too small will result:UserWarning")
their_module = their_tests()
globals().update({name: it for name, it in vars(their_module).items() if name.startswith("test_")})


@pytest.fixture(params=[42, 0, 7])
def global_random_seed(request):
    return request.param


@pytest.fixture(params=[np.float32, np.float64])
def global_dtype(request):
    return request.param


def test_their_tests_run_on_our_classes():
    assert set(OURS) == set(naive_bayes.__all__)
    assert [n for n, ours in OURS.items() if getattr(their_module, n) is not ours] == []
    assert set(OURS.values()) <= set(their_module.ALL_NAIVE_BAYES_CLASSES)
    assert their_module.__name__ not in sys.modules

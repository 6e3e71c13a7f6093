"""What the metrics refuse, and what they say."""

import re

import numpy as np
import pytest

from nabi import InputError, InputTypeError, metrics
from nabi.metrics import ConfusionMatrix

OK = [[0.5, 0.5], [0.1, 0.9]]
CURVE = metrics.precision_recall_curve([1, 0, 1], [1, 2, 3])
FLAT = metrics.precision_recall_curve([0, 1], [2, 1])


def refuses(message, function, *given, error=InputError, **options):
    with pytest.raises(error, match=re.escape(message)):
        function(*given, **options)


@pytest.mark.parametrize(
    ("gold", "said", "options", "message"),
    [
        (["a"], ["a", "b"], {}, "1 of actual and 2 of predicted; expected one of each"),
        ([], [], {}, "no rows at all and no labels"),
        (["a", None], ["a", "a"], {}, "actual: labels[1] is None"),
        (["c"], ["a"], {"labels": ["a", "b"]}, "actual holds 'c', not among labels ('a', 'b')"),
        (["a"], ["a"], {"labels": ["a", "b", "a"]}, "labels holds 'a' twice"),
        (["a"], ["a"], {"sample_weight": [1, 2]}, "1 of actual and 2 of sample_weight"),
        (["a"], ["a"], {"sample_weight": [-1]}, "sample_weight[0] is -1.0, expected a number"),
        (["a"], ["a"], {"sample_weight": [np.nan]}, "sample_weight[0] is NaN"),
        (["a"], ["a"], {"sample_weight": [[1]]}, "sample_weight has shape (1, 1)"),
    ],
)
def test_labels(gold, said, options, message):
    refuses(message, ConfusionMatrix.of, gold, said, **options)


@pytest.mark.parametrize(
    ("gold", "said", "message"),
    [
        (["a"], [1], "actual holds str ('a'), but predicted holds int (1); make them of one kind"),
        ([True], [1], "actual holds bool (True), but predicted holds int (1)"),
        ([1, "a"], [1, 1], "actual: labels mix int and str"),
        (7, [1], "actual: labels is int"),
    ],
)
def test_labels_of_a_wrong_type(gold, said, message):
    refuses(message, ConfusionMatrix.of, gold, said, error=InputTypeError)


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ([[1, 2]], "counts has shape (1, 2), but there are 2 labels; expected (2, 2)"),
        ([[1, 2], [3]], "counts holds something else than rows of numbers"),
        ([["x", "y"]] * 2, "counts holds something else than rows of numbers"),
        ([[1, -2], [3, 4]], "counts holds -2, expected numbers from 0"),
        ([[1, np.nan], [3, 4]], "counts holds nan"),
        (np.full((2, 2), 2**63, np.uint64), "counts holds 9223372036854775808"),
        ([[2**53, 1], [2**53, 1]], "the counts add up to more than"),
    ],
)
def test_counts(counts, message):
    refuses(message, ConfusionMatrix.of_counts, counts, ["a", "b"])


def test_counts_without_classes():
    refuses("labels is empty", ConfusionMatrix.of_counts, np.zeros((0, 0)), [])


def test_options_of_the_matrix():
    matrix = ConfusionMatrix.of(["a"], ["a"])
    refuses("rows='said'; expected 'predicted' or 'actual'", matrix.array, rows="said")
    refuses("how='mean'; expected 'macro' or", matrix.average, "mean")
    refuses("how='mean'", matrix.average_interval, "mean")
    refuses("beta=-1; expected a number from 0", matrix.f_beta, -1)
    refuses("beta=nan", matrix.f_beta, float("nan"))
    refuses("level=1; expected a number between 0 and 1", matrix.accuracy_interval, 1)
    refuses("level=95; expected a number from 0 to 1", matrix.recall_interval, 95)
    refuses("draws=0; expected a whole number from 1", matrix.average_interval, "macro", draws=0)
    refuses("seed=-1; expected a whole number from 0", matrix.average_interval, "macro", seed=-1)


def test_what_does_not_add():
    matrix = ConfusionMatrix.of(["a"], ["a"])
    refuses(
        "one matrix holds str", matrix.__add__, ConfusionMatrix.of([1], [1]), error=InputTypeError
    )
    with pytest.raises(TypeError, match="unsupported operand"):
        matrix + 1
    with pytest.raises(TypeError, match="unhashable"):
        hash(matrix)


@pytest.mark.parametrize("function", [metrics.precision_recall_curve, metrics.roc_curve])
@pytest.mark.parametrize(
    ("positive", "score", "message"),
    [
        ([1, 0], [0.1, np.nan], "score[1] is NaN, expected a number; leave such rows out"),
        ([1, 0], [0.1], "2 of actual_is_positive and 1 of score"),
        ([], [], "no rows at all; expected at least one"),
        ([0, 0], [1, 2], "actual_is_positive is never True"),
        (["spam", "ham"], [1, 2], "expected True or False for each row, such as np.array(actual)"),
        ([1, 2], [1, 2], "actual_is_positive holds 2, expected True or False"),
    ],
)
def test_curves(function, positive, score, message):
    refuses(message, function, positive, score)


def test_curves_of_one_side_or_of_words():
    refuses("actual_is_positive is never False", metrics.roc_curve, [1, 1], [1, 2])
    refuses("is never True", metrics.roc_auc, [1, 0], [1, 2], sample_weight=[0, 1])
    refuses("score holds something else", metrics.roc_auc, [1], ["x"], error=InputTypeError)


def test_thresholds():
    refuses(
        "no threshold reaches precision=0.9: the best is 0.5, at threshold 1; ask for less",
        *(metrics.threshold_for, FLAT),
        precision=0.9,
    )
    refuses("expected one of the two", metrics.threshold_for, CURVE)
    refuses("expected one of the two", metrics.threshold_for, CURVE, precision=1, recall=1)
    refuses("recall=2; expected a number from 0 to 1", metrics.threshold_for, CURVE, recall=2)
    roc = metrics.roc_curve([1, 0], [1, 2])
    refuses("curve is RocCurve", metrics.threshold_for, roc, recall=1, error=InputTypeError)


@pytest.mark.parametrize(
    ("proba", "gold", "message"),
    [
        (OK, ["a"], "2 of proba and 1 of actual"),
        (OK, [], "2 of proba and 0 of actual"),
        ([], [], "no rows at all"),
        (OK, [1, 1], "proba has 2 columns, but actual has 1 different labels (1)"),
        (OK, ["a", "a"], "proba has 2 columns, but actual has 1 different labels ('a'); name the"),
        ([[0.5, 0.6]], ["a"], "proba[0] adds up to 1.1, expected 1"),
        ([[0.5, np.nan]], ["a"], "proba[0, 1] is nan, expected a probability, from 0 to 1"),
        ([[2.0, -1.0]], ["a"], "proba[0, 0] is 2, expected a probability"),
        ([[[1.0]]], ["a"], "proba has shape (1, 1, 1)"),
    ],
)
def test_probabilities(proba, gold, message):
    for judge in (metrics.log_loss, metrics.brier, metrics.coverage_curve):
        refuses(message, judge, proba, gold)


def test_probabilities_that_are_labels_or_logarithms():
    refuses("proba holds something else", metrics.brier, ["a", "b"], OK, error=InputTypeError)
    refuses("expected a log-probability, at most 0", metrics.log_loss, OK, [0, 1], log=True)
    refuses("every sample_weight is 0", metrics.brier, OK, [0, 1], sample_weight=[0, 0])
    refuses("but labels has 3 different labels", metrics.brier, OK, [0, 1], labels=[0, 1, 2])


def test_bins_and_bands():
    refuses("bins=0; expected a whole number from 1", metrics.reliability_curve, OK, [0, 1], 0)
    refuses("bins=10000000000", metrics.expected_calibration_error, OK, [0, 1], 10**10)
    refuses("equal='rows'; expected 'width'", metrics.reliability_curve, OK, [0, 1], equal="rows")
    refuses("least=1.5; expected a number from 0 to 1", metrics.not_sure, OK, 1.5)


def test_costs():
    refuses("cost has 3 columns, but proba has 2", metrics.cheapest, OK, np.eye(3))
    refuses("cost is no table of finite numbers", metrics.cheapest, OK, [1.0, 2.0])
    refuses("cost is no table of finite", metrics.cheapest, OK, [[0, np.inf], [1, 0]])
    refuses(
        "cost has 2 rows, but there are 1 labels", metrics.cheapest, OK, np.eye(2), labels=["a"]
    )


def test_comparisons():
    refuses("no rows at all", metrics.mcnemar, [], [], [])
    refuses("1 of actual and 2 of a and 1 of b", metrics.mcnemar, [1], [1, 2], [1])

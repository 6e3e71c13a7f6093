"""The worked example of three classes, in fractions: rows = predicted, columns = actual."""

from fractions import Fraction

import numpy as np
import pytest

from nabi.metrics import ConfusionMatrix

LABELS = ["urgent", "normal", "spam"]
COUNTS = [[8, 10, 1], [5, 60, 50], [3, 30, 200]]
TABLE = """\
           actual
predicted  urgent  normal  spam
urgent          8      10     1
normal          5      60    50
spam            3      30   200"""


def near(*fractions):
    return [pytest.approx(float(fraction), rel=1e-12) for fraction in fractions]


@pytest.fixture
def matrix():
    """From the labels themselves, a row for each of the 367."""
    said, gold = np.repeat(np.indices((3, 3)).reshape(2, 9), np.ravel(COUNTS), axis=1)
    names = np.array(LABELS)
    return ConfusionMatrix.of(names[gold], names[said], labels=LABELS)


def test_the_table(matrix):
    assert str(matrix) == TABLE
    assert matrix.array().tolist() == COUNTS
    assert matrix.array(rows="actual").tolist() == [[8, 5, 3], [10, 60, 30], [1, 50, 200]]
    assert matrix == ConfusionMatrix.of_counts(COUNTS, LABELS)


def test_precision_and_recall(matrix):
    assert matrix.precision.tolist() == near(Fraction(8, 19), Fraction(60, 115), Fraction(200, 233))
    assert matrix.recall.tolist() == near(Fraction(8, 16), Fraction(60, 100), Fraction(200, 251))
    assert (matrix.predicted.tolist(), matrix.support.tolist()) == ([19, 115, 233], [16, 100, 251])


def test_f_beta(matrix):
    assert matrix.f1.tolist() == near(Fraction(16, 35), Fraction(120, 215), Fraction(400, 484))
    for P, R, f2 in zip(matrix.precision, matrix.recall, matrix.f_beta(2.0), strict=True):
        assert f2 == pytest.approx(5 * P * R / (4 * P + R), rel=1e-12)


def test_macro_and_micro_precision(matrix):
    macro = (Fraction(8, 19) + Fraction(60, 115) + Fraction(200, 233)) / 3
    assert [matrix.average("macro").precision] == near(macro)
    assert f"{matrix.average('macro').precision:.2f}" == "0.60"
    assert [matrix.average("micro").precision, matrix.accuracy] == near(*[Fraction(268, 367)] * 2)
    assert f"{matrix.accuracy:.2f}" == "0.73"


def test_weighted_recall_is_the_accuracy(matrix):
    assert [matrix.average("weighted").recall] == near(Fraction(268, 367))
    weighted = Fraction(16 * 8, 19) + Fraction(100 * 60, 115) + Fraction(251 * 200, 233)
    assert [matrix.average("weighted").precision] == near(weighted / 367)

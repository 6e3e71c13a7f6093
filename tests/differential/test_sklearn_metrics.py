"""Every metric equals scikit-learn's, on random data: absent classes, ties and weights too."""

import numpy as np
import pytest
import scipy.stats
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn import calibration
from sklearn import metrics as theirs

from nabi import metrics as ours

pytestmark = pytest.mark.filterwarnings("ignore:A single label was found:UserWarning")

SEEDS = st.integers(0, 2**32 - 1)
SIZES = st.integers(1, 60)
near = pytest.approx


def same(one, other):
    np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)


def weights_of(random, n, weighted):
    """Weights of all sizes, some of them 0; or none."""
    return random.choice([0.0, 0.5, 1.0, 3.0, 1e-3], n) + random.random(n) if weighted else None


@st.composite
def labelled(draw):
    """(labels, gold, predicted, weights): some labels are absent, or never predicted."""
    random, n = np.random.default_rng(draw(SEEDS)), draw(SIZES)
    labels = draw(st.sampled_from([["a"], ["no", "yes"], ["c", "a", "b"], [3, -1, 7, 2, 300]]))
    gold = random.choice(labels[: draw(st.integers(1, 5))], n)
    predicted = random.choice(labels[-draw(st.integers(1, 5)) :], n)
    return labels, gold, predicted, weights_of(random, n, draw(st.booleans()))


@st.composite
def scored(draw):
    """(gold is positive, score, weights): both sides occur, and many scores are equal."""
    random, n = np.random.default_rng(draw(SEEDS)), draw(st.integers(2, 60))
    positive = random.random(n) < draw(st.sampled_from([0.1, 0.5, 0.9]))
    positive[:2] = [True, False]
    score = np.round(random.normal(size=n) + positive, draw(st.integers(0, 3)))
    return positive, score, weights_of(random, n, draw(st.booleans()))


@st.composite
def predicted(draw):
    """(labels, probabilities, gold, weights); some probabilities are 0 or 1."""
    random, n = np.random.default_rng(draw(SEEDS)), draw(SIZES)
    labels = draw(st.sampled_from([[False, True], ["a", "b"], ["a", "b", "c"], [1, 2, 3, 4, 5]]))
    scores = draw(st.sampled_from([0, 1, 30, 1000])) * random.normal(size=(n, len(labels)))
    proba = np.exp(scores - scores.max(axis=1, keepdims=True))
    proba /= proba.sum(axis=1, keepdims=True)
    return labels, proba, random.choice(labels, n), weights_of(random, n, draw(st.booleans()))


# ---- the matrix ----


@given(labelled())
def test_the_matrix(rows):
    labels, gold, said, weights = rows
    matrix = ours.ConfusionMatrix.of(gold, said, labels=labels, sample_weight=weights)
    same(
        matrix.array(rows="actual"),
        theirs.confusion_matrix(gold, said, labels=labels, sample_weight=weights),
    )
    accuracy = theirs.accuracy_score(gold, said, sample_weight=weights)
    assert matrix.accuracy == near(accuracy, rel=1e-12)


@given(labelled(), st.sampled_from([0.0, 0.5, 1.0, 2.0, 30.0]))
def test_rates_of_each_class(rows, beta):
    labels, gold, said, weights = rows
    matrix = ours.ConfusionMatrix.of(gold, said, labels=labels, sample_weight=weights)
    options = {"labels": labels, "sample_weight": weights, "zero_division": 0, "beta": beta}
    wanted = theirs.precision_recall_fscore_support(gold, said, **options)
    for own, other in zip(
        (matrix.precision, matrix.recall, matrix.f_beta(beta), matrix.support), wanted, strict=True
    ):
        same(own, other)


@given(labelled(), st.sampled_from(["macro", "micro", "weighted"]))
def test_averages(rows, how):
    labels, gold, said, weights = rows
    matrix = ours.ConfusionMatrix.of(gold, said, labels=labels, sample_weight=weights)
    options = {"labels": labels, "sample_weight": weights, "zero_division": 0, "average": how}
    *wanted, _ = theirs.precision_recall_fscore_support(gold, said, **options)
    same(matrix.average(how), wanted)


@given(labelled())
def test_labels_that_occur_are_found_and_sorted(rows):
    _, gold, said, _ = rows
    matrix = ours.ConfusionMatrix.of(gold, said)
    assert list(matrix.labels) == np.unique(np.concatenate([gold, said])).tolist()
    assert matrix.array(rows="actual").tolist() == theirs.confusion_matrix(gold, said).tolist()


# ---- curves ----


@given(scored(), st.booleans())
def test_precision_recall_curve(rows, drop):
    positive, score, weights = rows
    options = {"sample_weight": weights, "drop_intermediate": drop}
    own = ours.precision_recall_curve(positive, score, **options)
    for one, other in zip(
        own, theirs.precision_recall_curve(positive, score, **options), strict=True
    ):
        same(one, other)


@given(scored(), st.booleans())
def test_roc_curve(rows, drop):
    positive, score, weights = rows
    options = {"sample_weight": weights, "drop_intermediate": drop}
    own = ours.roc_curve(positive, score, **options)
    for one, other in zip(own, theirs.roc_curve(positive, score, **options), strict=True):
        same(one, other)


@given(scored())
def test_areas(rows):
    positive, score, weights = rows
    average = theirs.average_precision_score(positive, score, sample_weight=weights)
    assert ours.average_precision(positive, score, sample_weight=weights) == near(
        average, rel=1e-12
    )
    area = theirs.roc_auc_score(positive, score, sample_weight=weights)
    assert ours.roc_auc(positive, score, sample_weight=weights) == near(area, rel=1e-12, abs=1e-12)


# ---- probabilities ----


@given(predicted())
def test_log_loss(rows):
    labels, proba, gold, weights = rows
    wanted = theirs.log_loss(gold, proba, labels=labels, sample_weight=weights)
    options = {"labels": labels, "sample_weight": weights}
    assert ours.log_loss(proba, gold, **options) == near(wanted, rel=1e-12)
    with np.errstate(divide="ignore"):
        logs = np.log(proba)
    assert ours.log_loss(logs, gold, log=True, **options) == near(wanted, rel=1e-12, abs=1e-15)


@given(predicted())
def test_brier(rows):
    labels, proba, gold, weights = rows
    options = {"labels": labels, "sample_weight": weights}
    wanted = theirs.brier_score_loss(gold, proba, **options)
    assert ours.brier(proba, gold, **options) == near(wanted, rel=1e-12, abs=1e-15)


@given(predicted(), st.integers(1, 20))
def test_reliability(rows, bins):
    labels, proba, gold, _ = rows
    right = np.array(labels)[proba.argmax(axis=1)] == gold
    own = ours.reliability_curve(proba, gold, bins, labels=labels)
    accuracy, confidence = calibration.calibration_curve(
        right, np.minimum(proba.max(axis=1), 1.0), n_bins=bins, pos_label=True
    )
    same(own.accuracy, accuracy)
    same(own.confidence, confidence)


# ---- comparison ----


@given(st.integers(0, 300), st.integers(0, 300), st.integers(0, 5))
def test_mcnemar(won, lost, tied):
    assume(won + lost)
    gold = np.ones(won + lost + tied, int)
    a = np.repeat([1, 0, 1], [won, lost, tied])
    b = np.repeat([0, 1, 1], [won, lost, tied])
    wanted = scipy.stats.binomtest(won, won + lost).pvalue
    assert ours.mcnemar(gold, a, b) == (won, tied, lost, near(wanted, rel=1e-11))


@pytest.mark.parametrize(
    ("won", "lost"), [(2501, 2500), (3000, 3100), (10_000, 0), (51_000, 50_000), (505_000, 500_000)]
)
def test_mcnemar_of_many(won, lost):
    gold = np.ones(won + lost, int)
    compared = ours.mcnemar(gold, np.repeat([1, 0], [won, lost]), np.repeat([0, 1], [won, lost]))
    assert compared.p == near(scipy.stats.binomtest(won, won + lost).pvalue, rel=1e-8, abs=1e-300)

"""Cross-validation of linear models and neighbours is training again for each fold."""

import numpy as np
import pytest

import nabi
from nabi.judging import crossval
from nabi.judging.cross_validation import group_numbers

TEXTS = ["good film", "bad film", "so good", "so bad", "a good one", "a bad one"] * 4
LABELS = ["pos", "neg"] * 12
KINDS = {
    "nbsvm": nabi.LinearClassifier("nbsvm"),
    "logistic": nabi.LinearClassifier("logistic", chars=(2, 3), binary=False),
    "neighbours": nabi.NeighboursClassifier(k=3),
}
WAYS = [{}, {"folds": 3, "seed": 1}, {"groups": [i % 5 for i in range(24)]}]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("way", WAYS, ids=["ten folds", "folds", "groups"])
def test_it_is_what_training_again_gives(kind, way):
    model = KINDS[kind]
    result = crossval(model, TEXTS, LABELS, **way)
    actual = np.array([int(label == "pos") for label in LABELS])
    options = {"folds": None, "groups": None, "seed": 0, **(way or {"folds": 10})}
    for fold in set((numbers := group_numbers(actual, **options)).tolist()):
        rest, out = np.flatnonzero(numbers != fold), np.flatnonzero(numbers == fold)
        fitted = type(model)(**model.get_params())
        fitted.fit([TEXTS[i] for i in rest], [LABELS[i] for i in rest])
        assert result.log_proba[out] == pytest.approx(
            fitted.predict_log_proba([TEXTS[i] for i in out]), abs=1e-9
        )
    assert not model.__sklearn_is_fitted__()


def test_a_class_that_is_gone_is_impossible():
    texts, labels = ["a b", "a c", "d e", "d f", "g"], ["x", "x", "y", "y", "z"]
    result = crossval(nabi.LinearClassifier("svm"), texts, labels, folds=5)
    assert result.log_proba[4].tolist()[2] == -np.inf
    assert result.log_loss == np.inf


def test_one_class_alone_is_certain():
    result = crossval(nabi.LinearClassifier(), ["a", "b", "c"], list("xxy"), groups=[1, 1, 2])
    assert result.log_proba.tolist() == [[-np.inf, 0.0], [-np.inf, 0.0], [0.0, -np.inf]]


def test_progress_counts_the_models():
    seen = []
    crossval(KINDS["neighbours"], TEXTS, LABELS, folds=4, progress=lambda *at: seen.append(at))
    assert seen == [(0, 4), (1, 4), (2, 4), (3, 4)]


def test_weights_are_those_of_the_texts_that_are_left():
    with pytest.raises(nabi.InputError, match="neighbours have no sample_weight"):
        crossval(KINDS["neighbours"], TEXTS, LABELS, sample_weight=[1.0] * 24)
    weights = [2.0, 1.0] * 12
    result = crossval(KINDS["nbsvm"], TEXTS, LABELS, folds=24, sample_weight=weights)
    again = nabi.LinearClassifier("nbsvm").fit(TEXTS[1:], LABELS[1:], sample_weight=weights[1:])
    assert result.log_proba[0] == pytest.approx(again.predict_log_proba(TEXTS[:1])[0], abs=1e-9)


def test_labels_are_suspected_by_every_kind():
    found = nabi.judging.suspects(KINDS["nbsvm"], [*TEXTS, "so good"], [*LABELS, "neg"])
    assert (found[0].at, found[0].rather) == (24, "pos")

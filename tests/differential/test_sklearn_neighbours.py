"""Neighbours against scikit-learn's, on its own matrix of real texts."""

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.neighbors import KNeighborsClassifier

import nabi

K = 5
ASKED = 400


@pytest.fixture(scope="module", params=["sms_spam", "trec6", "banking77"])
def both(request, dataset):
    """(texts asked, their matrix, our model, theirs)"""
    texts, labels, asked, _ = dataset(request.param)
    asked = asked[:ASKED]
    vectorizer = TfidfVectorizer(sublinear_tf=True)
    theirs = KNeighborsClassifier(K, metric="cosine").fit(vectorizer.fit_transform(texts), labels)
    ours = nabi.NeighboursClassifier("sklearn", k=K).fit(texts, labels)
    return asked, vectorizer.transform(asked), ours, theirs


def neighbours(theirs, X):
    """Similarities and labels of their neighbours, and in which rows the last is no tie."""
    distances, numbers = theirs.kneighbors(X, K + 1)
    near = 1 - distances
    clear = (near[:, K - 1] - near[:, K] > 1e-9) & (near[:, K - 1] > 1e-9)
    return near[:, :K], theirs._y[numbers[:, :K]], clear


def test_similarities(both):
    asked, X, ours, theirs = both
    near, _, clear = neighbours(theirs, X)
    assert clear.sum() > 200
    for i in np.flatnonzero(clear)[:60]:
        got = [each.similarity for each in ours.explain(asked[i]).neighbours]
        np.testing.assert_allclose(got, near[i], atol=1e-9)


@pytest.mark.parametrize("weights", ["cosine", "uniform"])
def test_probabilities(both, weights):
    asked, X, ours, theirs = both
    near, classes, clear = neighbours(theirs, X)
    share = ours.class_count_ / ours.class_count_.sum()
    votes = near * (K / near.sum(axis=1, keepdims=True)) if weights == "cosine" else near**0
    each = np.arange(len(share))
    wanted = ((classes[:, :, None] == each) * votes[:, :, None]).sum(axis=1) + share
    got = ours.set_params(weights=weights).predict_proba(asked)
    np.testing.assert_allclose(got[clear], wanted[clear] / (K + 1), atol=1e-9)


def test_labels(both):
    asked, X, ours, theirs = both
    votes = np.sort(theirs.predict_proba(X), axis=1)
    clear = neighbours(theirs, X)[2] & (votes[:, -1] > votes[:, -2])
    got = ours.set_params(weights="uniform").predict(asked)
    assert (got == theirs.predict(X))[clear].all()


def test_spam_is_told(dataset):
    texts, labels, asked, gold = dataset("sms_spam")
    assert nabi.NeighboursClassifier().fit(texts, labels).score(asked, gold) > 0.96

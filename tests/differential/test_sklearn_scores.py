"""The event models against scikit-learn's naive Bayes classifiers, on real sets."""

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import BernoulliNB, ComplementNB, MultinomialNB

import nabi

SETS = ["sms_spam", "20ng_stripped", "trec6", "twitter_samples", "r8"]
PEERS = {
    "multinomial": (MultinomialNB, {}),
    "binary": (MultinomialNB, {"binary": True}),
    "bernoulli": (BernoulliNB, {"binary": True}),
    "complement": (ComplementNB, {}),
}


@pytest.fixture(scope="module")
def matrices(dataset):
    """The function `name, options -> (train matrix, test matrix)`, the counts made once."""
    made = {}

    def get(name, binary=False, **options):
        key = (name, *sorted(options.items()))
        if key not in made:
            train, _, test, _ = dataset(name)
            vectorizer = CountVectorizer(**options)
            made[key] = vectorizer.fit_transform(train), vectorizer.transform(test)
        return tuple(matrix.sign() for matrix in made[key]) if binary else made[key]

    return get


def assert_same_scores(ours, theirs, asked, test):
    wanted = theirs.predict_joint_log_proba(test)
    np.testing.assert_allclose(ours.joint_log_likelihood(asked), wanted, rtol=1e-9, atol=1e-9)
    clear = np.diff(np.sort(wanted, axis=1)[:, -2:], axis=1)[:, 0] > 1e-6
    assert (ours.predict(asked) == theirs.predict(test))[clear].all()
    np.testing.assert_allclose(
        ours.predict_proba(asked), theirs.predict_proba(test), rtol=1e-6, atol=1e-12
    )


@pytest.mark.parametrize("event", PEERS)
@pytest.mark.parametrize("name", SETS)
def test_scores(dataset, matrices, name, event):
    texts, labels, asked, _ = dataset(name)
    peer, options = PEERS[event]
    train, test = matrices(name, **options)
    ours = nabi.TextClassifier("sklearn", event=event, alpha=1).fit(texts, labels)
    assert_same_scores(ours, peer().fit(train, labels), asked, test)


@pytest.mark.parametrize("alpha", [0.01, 30])
@pytest.mark.parametrize("event", PEERS)
def test_smoothing(dataset, matrices, event, alpha):
    texts, labels, asked, _ = dataset("trec6")
    peer, options = PEERS[event]
    train, test = matrices("trec6", **options)
    ours = nabi.TextClassifier("sklearn", event=event, alpha=alpha).fit(texts, labels)
    assert_same_scores(ours, peer(alpha=alpha).fit(train, labels), asked, test)


@pytest.mark.parametrize("event", ["multinomial", "bernoulli"])
def test_uniform_prior(dataset, matrices, event):
    texts, labels, asked, _ = dataset("sms_spam")
    peer, options = PEERS[event]
    train, test = matrices("sms_spam", **options)
    ours = nabi.TextClassifier("sklearn", event=event, alpha=1, prior="uniform").fit(texts, labels)
    assert_same_scores(ours, peer(fit_prior=False).fit(train, labels), asked, test)


@pytest.mark.parametrize("event", ["multinomial", "complement"])
def test_weights(dataset, matrices, event):
    """Multiples of 1/8, which both sides hold exactly; the smallest word has a count of 1."""
    texts, labels, asked, _ = dataset("trec6")
    train, test = matrices("trec6")
    weights = 1 + np.arange(len(texts)) % 16 / 8
    ours = nabi.TextClassifier("sklearn", event=event, alpha=1).fit(
        texts, labels, sample_weight=weights
    )
    theirs = PEERS[event][0]().fit(train, labels, sample_weight=weights)
    assert_same_scores(ours, theirs, asked, test)


@pytest.mark.parametrize("event", ["multinomial", "complement"])
def test_weights_below_one(dataset, matrices, event):
    texts, labels, asked, _ = dataset("trec6")
    train, test = matrices("trec6")
    weights = (1 + np.arange(len(texts)) % 16) / 16
    ours = nabi.TextClassifier("sklearn", event=event, alpha=1).fit(
        texts, labels, sample_weight=weights
    )
    theirs = PEERS[event][0]().fit(train, labels, sample_weight=weights)
    assert_same_scores(ours, theirs, asked, test)


def test_ngrams(dataset, matrices):
    texts, labels, asked, _ = dataset("sms_spam")
    train, test = matrices("sms_spam", ngram_range=(1, 2))
    ours = nabi.TextClassifier("sklearn", ngrams=(1, 2), alpha=1).fit(texts, labels)
    assert_same_scores(ours, MultinomialNB().fit(train, labels), asked, test)

"""Scores of words against scikit-learn's, on real sets."""

import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.feature_selection import chi2, mutual_info_classif

import nabi

SETS = ["sms_spam", "trec6"]


def ours(model, by):
    """The score of each word, by name."""
    return {row.word: row.score for row in model.ranked_words(by=by, top=None)}


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("event", ["multinomial", "binary"])
def test_chi2_is_scikit_learns(dataset, name, event):
    texts, labels = dataset(name)[:2]
    vectorizer = CountVectorizer(binary=event == "binary")
    wanted, _ = chi2(vectorizer.fit_transform(texts), labels)
    got = ours(nabi.TextClassifier("sklearn", event=event).fit(texts, labels), "chi2")
    words = vectorizer.get_feature_names_out().tolist()
    np.testing.assert_allclose([got[word] for word in words], wanted, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("name", SETS)
def test_mutual_info_of_documents_is_scikit_learns(dataset, name):
    texts, labels = (column[:1500] for column in dataset(name)[:2])
    vectorizer = CountVectorizer(binary=True, min_df=5)
    matrix = vectorizer.fit_transform(texts)
    wanted = mutual_info_classif(matrix, labels, discrete_features=True)
    model = nabi.TextClassifier("sklearn", event="binary", min_count=5).fit(texts, labels)
    got = ours(model, "mutual_info")
    words = vectorizer.get_feature_names_out().tolist()
    assert len(words) == len(got) > 100
    np.testing.assert_allclose([got[word] for word in words], wanted, rtol=1e-6, atol=1e-12)


def test_mutual_info_of_words_is_scikit_learns_with_a_row_for_each_word():
    texts, labels = ["a b a c", "b b d", "a d d e"], ["x", "y", "x"]
    tokens = [
        (word, label) for text, label in zip(texts, labels, strict=True) for word in text[::2]
    ]
    names = sorted({word for word, _ in tokens})
    matrix = np.array([[word == name for name in names] for word, _ in tokens], int)
    wanted = mutual_info_classif(matrix, [label for _, label in tokens], discrete_features=True)
    got = ours(nabi.TextClassifier().fit(texts, labels), "mutual_info")
    assert [got[name] for name in names] == pytest.approx(wanted, rel=1e-9)

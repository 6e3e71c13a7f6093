"""Which texts stand for many that no labelled text is like."""

import random

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

from nabi.server.labelling import coverage

WORDS = ["goal", "team", "match", "cell", "star", "light", "bank", "rate", "price", "lunch"]


def texts_of(n, seed=0, most=9):
    draw = random.Random(seed)
    return [" ".join(draw.choices(WORDS, k=draw.randint(1, most))) for _ in range(n)]


def test_likeness_is_the_cosine_of_scikit_learns_tf_idf():
    texts, some = [*texts_of(60), "alone", ""], [3, 0, 59, 60]
    vectors = TfidfVectorizer(sublinear_tf=True, min_df=2).fit_transform(texts).toarray()
    assert coverage.likeness(texts, some) == pytest.approx(vectors @ vectors[some].T, abs=1e-6)


def test_a_long_text_counts_by_its_strongest_words(monkeypatch):
    monkeypatch.setattr(coverage, "WORDS", 1)
    texts = ["the goal", "the goal", "the team", "the team", "the"]
    assert coverage.likeness(texts, [0]).tolist() == [[1.0], [1.0], [0.0], [0.0], [0.0]]


def test_no_words_at_all_are_like_nothing():
    assert coverage.likeness(["", "?"], [1]).tolist() == [[0.0], [0.0]]


def test_the_second_text_is_not_like_the_first():
    texts = ["goal team", "goal team match", "goal match", "cell star", "cell"]
    like = coverage.likeness(texts, range(5))
    first, second = coverage.in_order(np.ones(5), like, np.zeros(5, np.float32), 2)
    assert {first < 3, second < 3} == {True, False}


def test_worth_decides_where_all_is_covered():
    like = coverage.likeness(["goal team", "goal team"], [0, 1])
    found = coverage.in_order(np.array([0.1, 0.9]), like, np.ones(2, np.float32), 5)
    assert found == [1, 0]

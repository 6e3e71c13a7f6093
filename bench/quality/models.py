"""Who is measured: each learns labelled texts, and what it learned labels others."""

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from typing import Any

from sklearn.base import BaseEstimator, clone
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import ComplementNB, MultinomialNB
from sklearn.pipeline import make_pipeline, make_union
from sklearn.svm import LinearSVC

import nabi
from bench.quality import fast_text
from bench.quality.nbsvm import NBSVM
from bench.speed.corpus import Corpus
from nabi.cli.show.trials import settings_line
from nabi.search.settings import model_of

Predictor = Callable[[list[str]], Sequence[str]]
Train = Callable[[Corpus], Predictor]


def models(budget: float = 60) -> dict[str, Train]:
    """All by the name of their row, in the order of rows; the budget is that of `nabi tune`."""
    return {**ours(budget), **scikit_learn(), **fast_texts()}


def ours(budget: float) -> dict[str, Train]:
    """nabi's ways to learn labelled texts, a line for each."""
    new, best = nabi.TextClassifier, Best(budget)
    return {
        "nabi": lambda corpus: new().fit(corpus.texts, corpus.labels).predict,
        "nabi tune": lambda c: new.tune(c.texts, c.labels, budget=budget).predict,
        "nabi best": best.search,
        "nabi chosen": best.train,
    }


class Best:
    """`nabi.best`, and one training of what it chose: the search is made once for a set."""

    def __init__(self, budget: float) -> None:
        self._budget = budget
        self._chosen: tuple[Corpus, Mapping[str, Any]] | None = None

    def search(self, corpus: Corpus) -> Predictor:
        """Search, and train."""
        model = nabi.best(corpus.texts, corpus.labels, budget=self._budget)
        self._chosen = corpus, model.trials_[0].params
        print(f"chosen: {settings_line(self._chosen[1])}", file=sys.stderr)
        return model.predict

    def train(self, corpus: Corpus) -> Predictor:
        """Train what was chosen for these texts."""
        if self._chosen is None or self._chosen[0] is not corpus:
            self.search(corpus)
        assert self._chosen is not None
        return model_of(self._chosen[1]).fit(corpus.texts, corpus.labels).predict


def scikit_learn() -> dict[str, Train]:
    """As its users write them: the classifiers with their defaults."""
    words, pairs = CountVectorizer(), CountVectorizer(ngram_range=(1, 2))
    weighed = TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True)
    tokens = clone(weighed).set_params(token_pattern=r"\S+")
    in_words = TfidfVectorizer(analyzer="char_wb", ngram_range=(1, 4), sublinear_tf=True)
    across = TfidfVectorizer(analyzer="char", ngram_range=(2, 5), sublinear_tf=True)
    svm = LinearSVC(random_state=0)
    steps = {
        "MultinomialNB words": (words, MultinomialNB()),
        "MultinomialNB 1-2-grams": (pairs, MultinomialNB()),
        "ComplementNB words": (words, ComplementNB()),
        "ComplementNB 1-2-grams": (pairs, ComplementNB()),
        "ComplementNB tf-idf": (TfidfVectorizer(), ComplementNB()),
        "LogisticRegression 1-2-grams": (weighed, LogisticRegression(max_iter=1000)),
        "LinearSVC 1-2-grams": (weighed, svm),
        "LinearSVC 1-2-tokens": (tokens, svm),
        "LinearSVC chars 1-4": (in_words, svm),
        "LinearSVC chars 2-5": (across, svm),
        "LinearSVC words and chars": (make_union(weighed, in_words), svm),
        "NBSVM 1-2-grams": (_present_or_not(2), NBSVM()),
        "NBSVM 1-3-grams": (_present_or_not(3), NBSVM()),
    }
    return {name: _fitted(*both) for name, both in steps.items()}


def _present_or_not(longest: int) -> CountVectorizer:
    """Whatever stands between blanks, and n-grams of it: there, or not there."""
    return CountVectorizer(ngram_range=(1, longest), token_pattern=r"\S+", binary=True)


def _fitted(*steps: BaseEstimator) -> Train:
    # A copy learns: so nobody holds on to what it learned after the last prediction.
    return lambda corpus: make_pipeline(*map(clone, steps)).fit(corpus.texts, corpus.labels).predict


def fast_texts() -> dict[str, Train]:
    """fastText with its defaults, and as is usual for small sets."""
    often = {"wordNgrams": 2, "lr": 0.5, "epoch": 25}
    return {
        "fastText": fast_text.train,
        "fastText 1-2-grams": lambda corpus: fast_text.train(corpus, **often),
    }


def missing() -> list[str]:
    """The rows that cannot be measured here."""
    return [] if find_spec("fasttext") else list(fast_texts())

"""scikit-learn's naive Bayes classifiers by exact counting, and its vectorizers on the kernel.

Each extends scikit-learn's class, with its parameters, attributes and results; counting and scoring
are replaced. Exact counts allow more: new classes at any time, `forget`, `+` and `-`, missing
values, and another prior or smoothing without training.

>>> from nabi.estimators import MultinomialNB
>>> model = MultinomialNB().fit([[2, 0], [0, 1], [1, 1]], ["a", "b", "b"])
>>> model.forget([[1, 1]], ["b"]).feature_count_.tolist()
[[2.0, 0.0], [0.0, 1.0]]
"""

from importlib.util import find_spec

from nabi.errors import MissingExtraError

if find_spec("sklearn") is None:
    raise MissingExtraError("nabi.estimators extends scikit-learn", "sklearn")

from nabi.estimators.bernoulli import BernoulliNB
from nabi.estimators.categorical import CategoricalNB
from nabi.estimators.count_vectorizer import CountVectorizer
from nabi.estimators.gaussian import GaussianNB
from nabi.estimators.hashing_vectorizer import HashingVectorizer
from nabi.estimators.occurrences import ComplementNB, MultinomialNB
from nabi.estimators.tfidf_vectorizer import TfidfVectorizer

__all__ = [
    "BernoulliNB",
    "CategoricalNB",
    "ComplementNB",
    "CountVectorizer",
    "GaussianNB",
    "HashingVectorizer",
    "MultinomialNB",
    "TfidfVectorizer",
]

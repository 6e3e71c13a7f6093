"""Linear models of text against LIBLINEAR's solvers, through scikit-learn."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from nabi.estimators import CountVectorizer
from nabi.models.linear.classifier import LinearClassifier

WORDS = [f"w{i}" for i in range(60)]


def made(n: int, classes: int, seed: int) -> tuple[list[str], list[int]]:
    """Texts whose words depend on their class, not too clearly."""
    random = np.random.default_rng(seed)
    labels = random.integers(0, classes, n)
    likes = random.dirichlet(np.full(len(WORDS), 0.5), classes) / 2 + 0.5 / len(WORDS)
    texts = [" ".join(random.choice(WORDS, 12, p=likes[c])) for c in labels]
    return texts, labels.tolist()


def scaled(X: np.ndarray, y: np.ndarray, model: str, normalize: bool) -> np.ndarray:  # type: ignore[type-arg]
    """The matrix that the paper's model is fitted to."""
    seen = X.sum(axis=0)
    if model.startswith("nb"):
        own, rest = X[y].sum(axis=0) + 1, X[~y].sum(axis=0) + 1
        scale = np.log((own / own.sum()) / (rest / rest.sum()))
        length = np.sqrt(X.sum(axis=1, keepdims=True))
    else:
        scale = 1 + np.log((1 + len(X)) / (1 + seen))
        length = np.sqrt(np.square(X * scale).sum(axis=1, keepdims=True))
    return X * scale / (length if normalize else 1)


def objective(w: np.ndarray, b: float, Z: np.ndarray, y: np.ndarray, C: float, model: str) -> float:  # type: ignore[type-arg]
    margins = np.where(y, 1, -1) * (Z @ w + b)
    losses = np.square(np.maximum(0, 1 - margins)) if "svm" in model else np.logaddexp(0, -margins)
    return float((w @ w + b * b) / 2 + C * losses.sum())


def theirs(Z: np.ndarray, y: np.ndarray, C: float, model: str) -> tuple[np.ndarray, float]:  # type: ignore[type-arg]
    if "svm" in model:
        fitted = LinearSVC(C=C, tol=1e-8, max_iter=100_000).fit(Z, y)
        return fitted.coef_[0], float(fitted.intercept_[0])
    ones = np.hstack([Z, np.ones((len(Z), 1))])  # their own bias is not part of the sum
    fitted = LogisticRegression(C=C, tol=1e-8, fit_intercept=False, max_iter=10_000).fit(ones, y)
    return fitted.coef_[0, :-1], float(fitted.coef_[0, -1])


@pytest.mark.parametrize("normalize", [True, False])
@pytest.mark.parametrize("model", ["nbsvm", "nblr", "svm", "logistic"])
def test_scores_are_near_those_of_liblinear(model: str, normalize: bool) -> None:
    texts, labels = made(300, 2, seed=1)
    C = 1.0 if normalize else 0.1
    vectorizer = CountVectorizer(binary=True)
    X = vectorizer.fit_transform(texts).toarray().astype(float)
    y = np.array(labels) == 1
    Z = scaled(X, y, model, normalize)
    w, b = theirs(Z, y, C, model)
    ours = LinearClassifier(model, ngrams=(1, 1), C=C, unit_length=normalize, sharpness=1.0)
    scores = ours.fit(texts, labels).decision_function(texts)
    assert np.abs(scores - (Z @ w + b)).max() < 0.08
    solution = np.linalg.lstsq(np.hstack([Z, np.ones((len(Z), 1))]), scores, rcond=None)[0]
    found = objective(solution[:-1], solution[-1], Z, y, C, model)
    assert found <= objective(w, b, Z, y, C, model) * 1.005


@pytest.mark.parametrize("model", ["nbsvm", "svm"])
def test_balanced_classes_are_those_of_scikit_learn(model: str) -> None:
    texts, labels = made(300, 4, seed=3)
    y = np.array(labels) == 1  # a fourth of them
    X = CountVectorizer(binary=True).fit_transform(texts).toarray().astype(float)
    Z = scaled(X, y, model, normalize=True)
    fitted = LinearSVC(class_weight="balanced", tol=1e-8, max_iter=100_000).fit(Z, y)
    ours = LinearClassifier(model, ngrams=(1, 1), C=1.0, class_weight="balanced", sharpness=1.0)
    scores = ours.fit(texts, y).decision_function(texts)
    assert np.abs(scores - fitted.decision_function(Z)).max() < 0.08


@pytest.mark.parametrize("model", ["nbsvm", "svm"])
def test_of_more_classes_each_is_against_all_others(model: str) -> None:
    texts, labels = made(300, 11, seed=2)
    X = CountVectorizer(binary=True).fit_transform(texts).toarray().astype(float)
    ours = LinearClassifier(model, ngrams=(1, 1), C=1.0, sharpness=1.0).fit(texts, labels)
    scores = ours.decision_function(texts)
    for c in range(11):
        y = np.array(labels) == c
        Z = scaled(X, y, model, normalize=True)
        w, b = theirs(Z, y, 1.0, model)
        assert np.abs(scores[:, c] - (Z @ w + b)).max() < 0.08

"""Wang and Manning (2012), "Baselines and Bigrams": an SVM on the features of naive Bayes."""

import numpy as np
from scipy.sparse import csr_matrix, diags_array
from sklearn.base import BaseEstimator
from sklearn.svm import LinearSVC


class NBSVM(BaseEstimator):
    """With the paper's values; of more than two classes, each against the rest."""

    def __init__(self, C: float = 0.1, beta: float = 0.25, alpha: float = 1.0) -> None:
        self.C, self.beta, self.alpha = C, beta, alpha

    def fit(self, X: csr_matrix, y: list[str]) -> "NBSVM":
        self.classes_ = np.unique(y)
        told_apart = self.classes_[1:] if len(self.classes_) == 2 else self.classes_
        planes = [self._plane(X, np.asarray(y) == label) for label in told_apart]
        self.coef_ = np.stack([w for w, _ in planes], axis=1)
        self.intercept_ = np.array([b for _, b in planes])
        return self

    def _plane(self, X: csr_matrix, positive: np.ndarray) -> tuple[np.ndarray, float]:
        """The weight of each feature, and the intercept."""
        r = self._log_ratio(X, positive)
        svm = LinearSVC(C=self.C, random_state=0).fit(X @ diags_array(r), positive)
        w = svm.coef_[0]
        mean = np.abs(w).mean()
        return r * ((1 - self.beta) * mean + self.beta * w), svm.intercept_[0]

    def _log_ratio(self, X: csr_matrix, positive: np.ndarray) -> np.ndarray:
        """log (p / |p|) / (q / |q|), of the smoothed counts in either class"""
        p, q = (self.alpha + X[rows].sum(axis=0) for rows in (positive, ~positive))
        return np.asarray(np.log(p / p.sum()) - np.log(q / q.sum())).ravel()

    def predict(self, X: csr_matrix) -> np.ndarray:
        scores = X @ self.coef_ + self.intercept_
        if len(self.classes_) == 2:
            return self.classes_[(scores[:, 0] > 0).astype(int)]
        return self.classes_[scores.argmax(axis=1)]

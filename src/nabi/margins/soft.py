"""SoftMargin: a margin that samples may violate, at a price."""

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from scipy.sparse import issparse
from sklearn.metrics.pairwise import pairwise_kernels
from sklearn.svm import SVC
from sklearn.utils._param_validation import StrOptions

from nabi.base.arrays import F64
from nabi.margins.hyperplanes import dense, norm, signs
from nabi.margins.optimal import Binary, two_classes
from nabi.margins.optimality import kkt, upper_limits

MOST_FREE = 1000  # support vectors between 0 and C: a second or so for their equations


class SoftMargin(Binary, SVC):
    """The soft margin classifier: a large margin, at a price C for each violation.

    Minimise 1/2 ||w||^2 + C (xi_1 + xi_2 + ...) subject to y_i f(x_i) >= 1 - xi_i and xi_i >= 0.
    f(x) is w.x + b, or its counterpart with another kernel. The class is scikit-learn's `SVC` for
    two classes, with the slack xi_i of each sample, and polished to double precision, unless
    samples are sparse or more than 1000 support vectors are between 0 and C.

    Parameters
    ----------
    C : float
        The price of slack. The larger, the fewer violations, and the narrower the margin.
    kernel : {"linear", "poly", "rbf"}
        The product of two samples: x.z, (gamma x.z + coef0)^degree or exp(-gamma ||x - z||^2).
    degree, gamma, coef0
        Parameters of the kernel, as in `SVC`.
    tol : float
        Tolerance at which LIBSVM stops, before the polish.
    max_iter : int
        The most steps of the solver; -1 for as many as it takes.

    Attributes
    ----------
    slack_ : ndarray of shape (n_samples,)
        xi_i = max(0, 1 - y_i f(x_i)) of each sample learned: 0 beyond the margin, above 1 on the
        wrong side.
    margin_ : float
        1 / ||w||; of the linear kernel only, like `coef_`.
    classes_, support_, support_vectors_, dual_coef_, intercept_
        As in `SVC`. The second class is +1.

    Examples
    --------
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["a", "b", "a", "b"]
    >>> model = SoftMargin(C=10).fit(X, y)
    >>> model.slack_.round(3).tolist(), round(model.margin_, 3)
    ([0.0, 1.333, 1.333, 0.0], 1.5)
    """

    _parameter_constraints = {  # noqa: RUF012
        **SVC._parameter_constraints,
        "kernel": [StrOptions({"linear", "poly", "rbf"})],
    }

    slack_: F64
    support_: npt.NDArray[np.int32]

    def __init__(
        self,
        C: float = 1.0,
        *,
        kernel: str = "linear",
        degree: int = 3,
        gamma: Any = "scale",
        coef0: float = 0.0,
        tol: float = 1e-7,
        max_iter: int = -1,
    ) -> None:
        super().__init__(
            C=C, kernel=kernel, degree=degree, gamma=gamma, coef0=coef0, tol=tol, max_iter=max_iter
        )

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the plane, and the slack of each sample."""
        super().fit(X, y, sample_weight)
        if sample_weight is not None:  # LIBSVM numbers only the samples that have a weight
            weighted = np.flatnonzero(np.asarray(sample_weight) > 0).astype(np.int32)
            self.support_ = weighted[self.support_]
        y = np.asarray(y).ravel()
        sign = signs(y, self.shape_fit_[0], self.classes_)
        if not issparse(self.support_vectors_):
            solution, before = self._solution(), kkt(self, X, y, sample_weight=sample_weight)
            self._set(self._polished(sign, upper_limits(self, len(sign), sample_weight)))
            if not kkt(self, X, y, sample_weight=sample_weight) <= before:
                self._set(solution)
        self.slack_ = np.maximum(0.0, 1.0 - sign * self.decision_function(X))
        return self

    def _solution(self) -> tuple[F64, float]:
        """Return (alpha_i y_i of the support vectors, b)."""
        return self.dual_coef_[0], float(self.intercept_[0])

    def _set(self, solution: tuple[F64, float]) -> None:
        """Store a solution; LIBSVM has the signs of two classes the other way round."""
        dual, b = solution[0][None, :], np.array([solution[1]])
        self.dual_coef_, self.intercept_ = dual, b
        self._dual_coef_, self._intercept_ = -dual, -b

    def _polished(self, sign: F64, limit: F64) -> tuple[F64, float]:
        """Return the solution whose samples between 0 and C are exactly on the margin.

        LIBSVM keeps its kernel in single precision, which leaves five digits. The samples that it
        finds between 0 and C give a system of linear equations for the exact solution.
        """
        dual, b = self._solution()
        side, most = sign[self.support_], limit[self.support_]
        free = np.abs(dual) < most
        if not 0 < free.sum() <= MOST_FREE:
            return dual, b
        options = {"gamma": self._gamma, "degree": self.degree, "coef0": self.coef0}
        vectors, own = self.support_vectors_, self.support_vectors_[free]
        K = pairwise_kernels(own, vectors, metric=self.kernel, filter_params=True, **options)
        ones = np.ones((len(K), 1))
        left = np.block([[K[:, free], ones], [ones.T, np.zeros((1, 1))]])
        right = np.append(side[free] - K[:, ~free] @ dual[~free], -dual[~free].sum())
        # The least change, since of equal samples only the sum of their alphas is known.
        now = np.append(dual[free], b)
        solved = now + np.linalg.lstsq(left, right - left @ now, rcond=None)[0]
        polished = dual.copy()
        polished[free] = side[free] * np.clip(solved[:-1] * side[free], 0.0, most[free])
        return polished, float(solved[-1])

    def _validate_targets(self, y: Any) -> Any:
        two_classes(y)
        return super()._validate_targets(y)

    @property
    def margin_(self) -> float:
        """Return 1 / ||w|| of a linear kernel."""
        if self.kernel != "linear":
            raise AttributeError(f"margin_ is of the linear kernel only, and this is {self.kernel}")
        return 1.0 / norm(dense(self.coef_)[0])

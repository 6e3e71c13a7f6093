"""The Karush-Kuhn-Tucker conditions: whether a margin is the largest."""

from typing import Any

import numpy as np

from nabi.base.arrays import F64
from nabi.errors import NotFittedError
from nabi.margins.hyperplanes import dense, norm, signs


def kkt(model: Any, X: Any, y: Any, *, sample_weight: Any = None) -> float:
    """Return the largest violation of the Karush-Kuhn-Tucker conditions; 0 at the best margin.

    With m_i = y_i f(x_i), and no upper limit C for the optimal margin:

    - m_i >= 1 where alpha_i = 0, m_i = 1 where 0 < alpha_i < C, and m_i <= 1 where alpha_i = C
    - 0 <= alpha_i <= C, and the sum of alpha_i y_i = 0, as part of the sum of alpha_i
    - w = sum of alpha_i y_i x_i, as part of ||w||, with a linear kernel

    Parameters
    ----------
    model : OptimalMargin or SoftMargin
        A fitted model.
    X, y, sample_weight
        The samples, labels and weights that it was fitted on.

    Examples
    --------
    >>> from nabi.margins import OptimalMargin
    >>> X, y = [[0, 0], [0, 1], [3, 0]], [-1, -1, 1]
    >>> kkt(OptimalMargin().fit(X, y), X, y) < 1e-9
    True
    """
    if not hasattr(model, "classes_"):
        raise NotFittedError(f"this {type(model).__name__} has learned nothing yet; call fit first")
    sign = signs(y, len(y), model.classes_)
    alpha = np.zeros(len(sign))
    alpha[model.support_] = dense(model.dual_coef_)[0] * sign[model.support_]
    limit = upper_limits(model, len(sign), sample_weight)
    margins = sign * model.decision_function(X)
    return max(_margin_violation(alpha, limit, margins), _sum_violation(model, alpha, sign, limit))


def upper_limits(model: Any, number: int, sample_weight: Any = None) -> F64:
    """Return the upper limit of each sample's alpha: C times its weight, or infinity."""
    weights = np.ones(number) if sample_weight is None else np.asarray(sample_weight, np.float64)
    return getattr(model, "C", np.inf) * weights


def _margin_violation(alpha: F64, limit: F64, margins: F64) -> float:
    """Return the largest distance of a sample from the side of the margin that its alpha allows."""
    short = np.where(alpha < limit, 1 - margins, 0.0)
    beyond = np.where(alpha > 0, margins - 1, 0.0)
    return float(np.maximum(short, beyond).max(initial=0.0))


def _sum_violation(model: Any, alpha: F64, sign: F64, limit: F64) -> float:
    """Return the largest violation of the limits of alpha, of sum alpha y = 0, and of w."""
    total = float(alpha.sum()) or 1.0
    outside = np.maximum(-alpha, alpha - limit)
    found = [abs(float(alpha @ sign)) / total, float(outside.max(initial=0.0)) / total]
    if getattr(model, "kernel", "linear") == "linear":
        w, total_w = dense(model.coef_)[0], dense(model.dual_coef_ @ model.support_vectors_)[0]
        found.append(norm(w - total_w) / (norm(w) or 1.0))
    return max(found)

"""Whether a margin is the best one: the conditions of Karush, Kuhn and Tucker."""

from typing import TYPE_CHECKING, Any

import numpy as np

from nabi.base.arrays import F64
from nabi.errors import NotFittedError
from nabi.margins.margins import dense, norm, signs

if TYPE_CHECKING:
    from nabi.margins.optimal import OptimalMargin
    from nabi.margins.soft import SoftMargin


def kkt(model: "OptimalMargin | SoftMargin", X: Any, y: Any, *, sample_weight: Any = None) -> float:
    """The largest violation of the conditions under which a margin is the best; 0 if there is none.

    With m_i = y_i f(x_i), and no upper limit C for the optimal margin:

    - m_i >= 1 where alpha_i = 0, m_i = 1 where 0 < alpha_i < C, and m_i <= 1 where alpha_i = C
    - 0 <= alpha_i <= C, and the sum of alpha_i y_i = 0, as part of the sum of alpha_i
    - w = sum of alpha_i y_i x_i, as part of ||w||, with a linear kernel

    Parameters
    ----------
    model : OptimalMargin or SoftMargin
        A fitted model.
    X, y, sample_weight
        What it was fitted on.

    Examples
    --------
    >>> from nabi.margins import OptimalMargin
    >>> X, y = [[0, 0], [0, 1], [3, 0]], [-1, -1, 1]
    >>> kkt(OptimalMargin().fit(X, y), X, y) < 1e-9
    True
    """
    if not hasattr(model, "classes_"):
        raise NotFittedError(f"this {type(model).__name__} has learned nothing yet; call fit first")
    own = signs(y, len(y), model.classes_)
    alpha = np.zeros(len(own))
    alpha[model.support_] = dense(model.dual_coef_)[0] * own[model.support_]
    limit = limits(model, len(own), sample_weight)
    margins = own * model.decision_function(X)
    return max(_of_margins(alpha, limit, margins), _of_sums(model, alpha, own, limit))


def limits(model: Any, number: int, sample_weight: Any = None) -> F64:
    """How large the alpha of each sample may be: C times its weight, or anything."""
    weights = np.ones(number) if sample_weight is None else np.asarray(sample_weight, np.float64)
    return getattr(model, "C", np.inf) * weights


def _of_margins(alpha: F64, limit: F64, margins: F64) -> float:
    """By how much a sample is on the wrong side of its margin, or off it."""
    short = np.where(alpha < limit, 1 - margins, 0.0)
    beyond = np.where(alpha > 0, margins - 1, 0.0)
    return float(np.maximum(short, beyond).max(initial=0.0))


def _of_sums(model: Any, alpha: F64, own: F64, limit: F64) -> float:
    """By how much alpha and its sums are not what they have to be."""
    total = float(alpha.sum()) or 1.0
    outside = np.maximum(-alpha, alpha - limit)
    found = [abs(float(alpha @ own)) / total, float(outside.max(initial=0.0)) / total]
    if getattr(model, "kernel", "linear") == "linear":
        w, summed = dense(model.coef_)[0], dense(model.dual_coef_ @ model.support_vectors_)[0]
        found.append(norm(w - summed) / (norm(w) or 1.0))
    return max(found)

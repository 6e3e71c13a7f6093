"""Log probabilities: from scores, and their log loss."""

import numpy as np

from nabi.base.arrays import F64, Array

LEAST_LOG = float(np.log(np.finfo(np.float64).eps))  # scikit-learn's least probability, as a log


def log_softmax(scores: F64) -> F64:
    """Return log P(c|d), row by row, of scores that are log probabilities up to a constant."""
    shifted = scores - scores.max(axis=1, keepdims=True, initial=-np.inf)
    logs: F64 = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return logs


def mean_log_loss(log_proba: F64, actual: Array, *, least: float = -np.inf) -> float:
    """Return the mean of -log P(actual class); a log probability below `least` counts as `least`.

    `actual` is the column of each row's class. `least=LEAST_LOG` gives scikit-learn's log loss.
    """
    return mean_loss(log_proba[np.arange(len(actual)), actual], least=least)


def mean_loss(own: F64, *, least: float = -np.inf) -> float:
    """Return the mean of -log P(actual class), from these log probabilities alone."""
    return abs(float(np.maximum(own, least).mean()))

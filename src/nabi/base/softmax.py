"""Log probabilities: from scores, and their log loss."""

from functools import reduce

import numpy as np

from nabi.base.arrays import F64, Array

LEAST_LOG = float(np.log(np.finfo(np.float64).eps))  # scikit-learn's least probability, as a log


# Columns up to which a row is taken column by column: NumPy takes 37 times as long for rows of two.
FEW_TO_COMPARE = 32
FEW_TO_ADD = 7  # from eight on, NumPy adds in another order


def log_softmax(scores: F64) -> F64:
    """Return log P(c|d), row by row, of scores that are log probabilities up to a constant."""
    shifted = scores - row_max(scores)[:, None]
    logs: F64 = shifted - np.log(_row_sum(np.exp(shifted)))[:, None]
    return logs


def row_max(scores: F64) -> F64:
    """Return the largest number of each row; -inf for rows of no columns."""
    if 0 < scores.shape[1] <= FEW_TO_COMPARE:
        return np.array(reduce(np.maximum, scores.T))
    return np.asarray(scores.max(axis=1, initial=-np.inf))


def _row_sum(numbers: F64) -> F64:
    if 0 < numbers.shape[1] <= FEW_TO_ADD:
        return np.array(reduce(np.add, numbers.T))
    return np.asarray(numbers.sum(axis=1))


def mean_log_loss(log_proba: F64, actual: Array, *, least: float = -np.inf) -> float:
    """Return the mean of -log P(actual class); a log probability below `least` counts as `least`.

    `actual` is the column of each row's class. `least=LEAST_LOG` gives scikit-learn's log loss.
    """
    return mean_loss(log_proba[np.arange(len(actual)), actual], least=least)


def mean_loss(own: F64, *, least: float = -np.inf) -> float:
    """Return the mean of -log P(actual class), from these log probabilities alone."""
    return abs(float(np.maximum(own, least).mean()))

"""Log-softmax: scores to log probabilities."""

import numpy as np

from nabi.base.arrays import F64


def log_softmax(scores: F64) -> F64:
    """Return log P(c|d), row by row, of scores that are log probabilities up to a constant."""
    shifted = scores - scores.max(axis=1, keepdims=True, initial=-np.inf)
    logs: F64 = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    return logs

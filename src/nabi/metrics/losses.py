"""Log loss and Brier score of probabilities. The smaller the better."""

from typing import Any

import numpy as np

from nabi.metrics.inputs import Predictions, mean, real_table


def log_loss(
    proba: Any, actual: Any, *, labels: Any = None, sample_weight: Any = None, log: bool = False
) -> float:
    """The mean of -log P(actual label), as scikit-learn's.

    Parameters
    ----------
    proba : array
        A row for each text, a column for each class, from `predict_proba`; or one column, of the
        second of two classes.
    actual : list or array
        The actual labels.
    labels : list, optional
        The class of each column, such as `model.classes_`; by default the sorted labels of actual.
    sample_weight : list or array, optional
        How much each row counts.
    log : bool
        Whether `proba` holds logarithms, from `predict_log_proba`.

    Notes
    -----
    A probability counts as at least eps and at most 1 - eps, where eps is that of its type
    (2.2e-16 for float64): a sure mistake costs 36, not infinity.

    Examples
    --------
    >>> round(log_loss([[0.9, 0.1], [0.2, 0.8]], ["ham", "spam"]), 4)
    0.1643
    """
    predictions = Predictions.of(proba, actual, labels, log=log)
    eps = np.finfo(real_table(proba, "proba").dtype).eps
    if log:
        logs = np.clip(predictions.of_actual, np.log(eps), np.log1p(-eps))
    else:
        logs = np.log(np.clip(predictions.of_actual, eps, 1.0 - eps))
    return mean(-logs, sample_weight)


def brier(proba: Any, actual: Any, *, labels: Any = None, sample_weight: Any = None) -> float:
    """The mean squared distance of the probabilities from the truth, as scikit-learn's.

    Squared differences from 0 or 1 are summed over the classes. Of two classes only one counts, as
    the other repeats it: the score is from 0 to 1, with more classes from 0 to 2. The parameters
    are those of `log_loss`.

    Examples
    --------
    >>> round(brier([0.1, 0.8], [False, True]), 4)
    0.025
    """
    predictions = Predictions.of(proba, actual, labels)
    wrong = predictions.proba.copy()
    wrong[np.arange(len(predictions.actual)), predictions.actual] -= 1.0
    halved = 0.5 if predictions.proba.shape[1] == 2 else 1.0
    return mean(halved * (wrong**2).sum(axis=1), sample_weight)

"""F with another beta, against scikit-learn's."""

import numpy as np
import pytest
from sklearn.metrics import fbeta_score

from nabi.metrics import ConfusionMatrix

FEW, MANY = 5, 10**5


@pytest.mark.parametrize("beta", [1e-8, 1e-4, 0.01, 1.0, 100.0, 1e4, 1e8])
@pytest.mark.parametrize("counts", [[[1, 0], [MANY, FEW]], [[1, MANY], [0, FEW]]])
def test_small_and_large_betas_are_those_of_scikit_learn(counts, beta):
    said, gold = np.array([[0, 0], [0, 1], [1, 0], [1, 1]]).T
    times = np.ravel(counts)
    wanted = fbeta_score(gold, said, beta=beta, average=None, sample_weight=times)
    got = ConfusionMatrix.of_counts(counts, ["a", "b"]).f_beta(beta)
    assert got == pytest.approx(wanted, rel=1e-12)

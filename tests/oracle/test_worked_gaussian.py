"""The worked examples of the text books with numbers, against GaussianNB."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs
from sklearn.model_selection import train_test_split

from nabi.estimators import GaussianNB

MALE = [(6, 180, 12), (5.92, 190, 11), (5.58, 170, 12), (5.92, 165, 10)]
FEMALE = [(5, 100, 6), (5.5, 150, 8), (5.42, 130, 7), (5.75, 150, 9)]
SEXES = ["male"] * 4 + ["female"] * 4


def people(ddof):
    return GaussianNB(var_smoothing=0, ddof=ddof).fit(MALE + FEMALE, SEXES)


def test_means_and_variances():
    model = people(ddof=1)
    assert model.classes_.tolist() == ["female", "male"]
    np.testing.assert_allclose(model.theta_, [[5.4175, 132.5, 7.5], [5.855, 176.25, 11.25]])
    variances = [[9.7225e-2, 5.5833e2, 1.6667], [3.5033e-2, 1.2292e2, 9.1667e-1]]
    np.testing.assert_allclose(model.var_, variances, rtol=5e-5)


@pytest.mark.parametrize(
    ("ddof", "female", "male"), [(1, 5.37791e-4, 6.19707e-9), (0, 4.50553e-4, 6.95783e-11)]
)
def test_joint(ddof, female, male):
    model = people(ddof)
    joint = np.exp(model.predict_joint_log_proba([(6, 130, 8)])[0])
    assert joint.tolist() == pytest.approx([female, male], rel=1e-5)
    assert model.predict([(6, 130, 8)]).tolist() == ["female"]


def test_densities():
    model = people(ddof=1)
    for column, female, male in [(0, 2.23459e-1, 1.57888), (1, 1.67893e-2, 5.98674e-6)]:
        x = np.full((1, 3), np.nan)
        x[0, column] = (6, 130, 8)[column]
        densities = np.exp(model.predict_joint_log_proba(x)[0]) / 0.5
        assert densities.tolist() == pytest.approx([female, male], rel=1e-5)


def test_two_blobs():
    X, y = make_blobs(n_samples=200, centers=2, n_features=2, random_state=0, cluster_std=0.4)
    train, test, y_train, y_test = train_test_split(X, y, test_size=50, random_state=0)
    assert GaussianNB().fit(train, y_train).score(test, y_test) == 1.0

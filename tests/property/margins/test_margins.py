"""Margins: what scaling leaves alone, and that no plane has a larger one than the best."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.optimize import linprog

from nabi import NotSeparableError
from nabi.margins import (
    OptimalMargin,
    SoftMargin,
    functional_margin,
    geometric_margin,
    kkt,
    normalised,
)

whole = st.integers(-9, 9)
scales = st.floats(1e-100, 1e100)


@st.composite
def planes(draw, features=2):
    """(w, b), w not 0"""
    w = draw(st.lists(whole, min_size=features, max_size=features).filter(any))
    return np.array(w, float), float(draw(whole))


@st.composite
def labelled(draw):
    """(X, y): points of two or three features, with any labels of both classes."""
    features = draw(st.integers(2, 3))
    point = st.tuples(st.lists(whole, min_size=features, max_size=features), st.booleans())
    points = draw(st.lists(point, min_size=2, max_size=14))
    y = np.where([up for _, up in points], 1, -1)
    assume(len(set(y.tolist())) == 2)
    return np.array([x for x, _ in points], float), y


@st.composite
def separated(draw):
    """(X, y, (w, b)): points and a plane that has each of them on its side."""
    (w, b), X = draw(planes()), draw(st.lists(st.tuples(whole, whole), min_size=2, max_size=20))
    points = np.array(X, float)
    sides = points @ w + b
    points, sides = points[sides != 0], sides[sides != 0]
    assume((sides > 0).any() and (sides < 0).any())
    return points, np.sign(sides), (w, b)


@given(labelled(), st.data(), scales)
def test_geometric_margins_do_not_depend_on_the_scale_of_w_and_b(points, data, scale):
    X, y = points
    w, b = data.draw(planes(X.shape[1]))
    assert_allclose(
        geometric_margin(w * scale, b * scale, X, y), geometric_margin(w, b, X, y), atol=1e-12
    )
    assert_allclose(
        functional_margin(w * scale, b * scale, X, y) / scale,
        functional_margin(w, b, X, y),
        atol=1e-12,
    )


@given(planes(), scales)
def test_normalising_twice_is_normalising_once(plane, scale):
    w, b = normalised(plane[0] * scale, plane[1] * scale)
    again, b_again = normalised(w, b)
    assert_allclose(np.linalg.norm(w), 1, rtol=1e-15)
    assert_allclose([*again, b_again], [*w, b], rtol=1e-14)


@given(separated())
def test_no_separating_plane_has_a_larger_margin_than_the_optimal_one(given):
    X, y, plane = given
    model = OptimalMargin().fit(X, y)
    best = geometric_margin(model.coef_, model.intercept_, X, y).min()
    assert best >= geometric_margin(*plane, X, y).min() * (1 - 1e-9)
    assert_allclose(best, model.margin_, rtol=1e-9)


def separable(X, y):
    """Whether some (w, b) has y (w.x + b) >= 1 for all samples, by linear programming."""
    rows = -y[:, None] * np.column_stack([X, np.ones(len(X))])
    found = linprog(np.zeros(rows.shape[1]), rows, -np.ones(len(X)), bounds=(None, None))
    return found.status == 0


@given(labelled())
def test_there_is_a_best_plane_or_an_error_that_shows_a_sample(points):
    X, y = points
    if separable(X, y):
        model = OptimalMargin().fit(X, y)
        assert kkt(model, X, y) < 1e-9
        assert model.score(X, y) == 1.0
        return
    with pytest.raises(NotSeparableError) as caught:
        OptimalMargin().fit(X, y)
    at = caught.value.at
    assert (caught.value.values, caught.value.label) == (X[at].tolist(), y[at])
    assert caught.value.margin <= 1e-6
    assert SoftMargin(C=10).fit(X, y).slack_.max() >= 1 - 1e-6


@given(labelled(), st.sampled_from([0.01, 1.0, 100.0]), st.sampled_from(["linear", "rbf"]))
def test_soft_margins_satisfy_the_conditions(points, C, kernel):
    X, y = points
    model = SoftMargin(C=C, kernel=kernel).fit(X, y)
    assert kkt(model, X, y) < 1e-6


@given(separated(), st.sampled_from([1e-6, 3.0, 1e6]), st.integers(-1000, 1000))
def test_the_margin_grows_with_the_samples_and_stays_when_they_move(given, scale, shift):
    X, y, _ = given
    margin = OptimalMargin().fit(X, y).margin_
    assert_allclose(
        OptimalMargin().fit(X * scale + shift * scale, y).margin_, margin * scale, rtol=1e-7
    )
    turned = X @ np.array([[0.6, -0.8], [0.8, 0.6]])
    assert_allclose(OptimalMargin().fit(turned, -y).margin_, margin, rtol=1e-9)

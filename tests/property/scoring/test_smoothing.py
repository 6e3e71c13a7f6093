"""The smoothing that `alpha="auto"` chooses, against its plain definition."""

import math
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import reference
from nabi.events import event_of, weights
from nabi.events.weights import repeated
from nabi.scoring.smoothing import GRID, ROUNDING, SAME
from strategies import documents, learned, models, plain

pytestmark = [
    pytest.mark.filterwarnings("ignore::nabi.InputWarning"),
    pytest.mark.filterwarnings("ignore::nabi.ImpossibleWarning"),
]


def losses_of(model, docs):
    """The plain losses of what a model has learned, for each alpha of the grid."""
    recipe = plain(model.recipe, model.event)
    counts = reference.count(*docs.columns[:2], recipe, docs.weights)
    return [reference.surprise(counts, recipe, model.event, a) for a in GRID.tolist()]


def looked_up(model):
    """How many words are looked up, where the loss is a difference of two sums over them.

    One of `bernoulli` is a sum of what is above 0, and exact however small it is.
    """
    if model.event == "bernoulli":
        return 0
    sums = model.scoring().sums
    return (sums.tokens_elsewhere if model.event == "complement" else sums.tokens).sum()


@given(models(), documents())
def test_losses_are_those_of_leaving_out_each_word(model, docs):
    model = learned(model, docs)
    scoring = model.scoring()
    cells = scoring._viewed
    got = event_of(model.event).leave_one_out_losses(scoring.sums, cells, GRID)
    rounding = ROUNDING * looked_up(model)
    assert got == pytest.approx(losses_of(model, docs), rel=1e-12, abs=rounding)


@given(models(), documents())
def test_the_least_of_them_is_chosen(model, docs):
    model = learned(model, docs, alpha="auto")
    losses = dict(zip(GRID.tolist(), losses_of(model, docs), strict=True))
    least = min(losses.values())
    rounding = SAME * max(losses.values()) + ROUNDING * model.scoring().sums.tokens.sum()
    assert math.isclose(losses[model.alpha_], least, rel_tol=1e-12, abs_tol=2 * rounding)
    assert all(loss > least for alpha, loss in losses.items() if alpha > model.alpha_)


@given(
    st.lists(st.tuples(st.integers(0, 2**40), st.integers(1, 10**6)), max_size=40),
    st.sampled_from([1, 7, 123456]),
)
def test_losses_of_all_alphas_at_once_are_those_of_each(counted, outcomes):
    units, times = np.array(counted, np.float64).reshape(-1, 2).T
    at_once = repeated(units / 2**24, times, GRID, outcomes=outcomes)
    one_by_one = [
        repeated(units / 2**24, times, GRID[i : i + 1], outcomes=outcomes) for i in range(31)
    ]
    with mock.patch.object(weights, "AT_ONCE", -1):
        looped = repeated(units / 2**24, times, GRID, outcomes=outcomes)
    assert at_once.tobytes() == looped.tobytes() == np.concatenate(one_by_one).tobytes()

"""Curves are thinned, and every point that stays is exact."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nabi import report
from nabi.metrics import precision_recall_curve, threshold_for
from nabi.metrics.curves import cumulative_counts
from nabi.report.rates import log_odds, short, thinned

SCORES = st.lists(
    st.tuples(st.floats(-50, 50, allow_subnormal=False), st.booleans()), min_size=1, max_size=60
)


@given(SCORES, st.integers(2, 40))
def test_each_point_that_stays_counts_right(rows, points):
    score, positive = (np.array(column) for column in zip(*rows, strict=True))
    false, true, threshold = (column[::-1] for column in cumulative_counts(positive, score))
    kept = thinned(true, false, points, also=0)
    below = np.append(-np.inf, threshold[:-1])
    for at, tp, fp in zip(short(threshold, below)[kept], true[kept], false[kept], strict=True):
        said = score >= at
        assert (tp, fp) == ((said & positive).sum(), (said & ~positive).sum())
    assert len(kept) <= points + 1 or len(kept) == len(threshold) <= points


def test_a_page_of_many_texts_shows_exact_counts():
    draw = np.random.default_rng(0)
    score = draw.normal(size=5000).round(3)
    positive = score + draw.normal(size=5000) > 0.5
    false, true, threshold = (column[::-1] for column in cumulative_counts(positive, score))
    kept = thinned(true, false, 400, also=7)
    assert 7 in kept
    assert len(kept) <= 401 < len(threshold)
    best = threshold_for(precision_recall_curve(positive, score), precision=0.9)
    reaching = [i for i in kept if true[i] / (true[i] + false[i]) >= 0.9]
    assert max(true[i] for i in reaching) / positive.sum() == pytest.approx(best.recall, abs=0.01)


def test_log_odds_tell_apart_what_rounds_to_one():
    logs = np.array([[-1e-17, -40.0, -45.0], [-1e-18, -42.0, -45.0], np.log([0.5, 0.3, 0.2])])
    odds = log_odds(logs, 0)
    assert np.exp(logs[:2, 0]).tolist() == [1.0, 1.0]
    assert odds.tolist() == pytest.approx([39.9933, 41.9514, 0.0], abs=1e-4)
    assert odds[0] < odds[1]


def test_thresholds_are_written_as_short_as_they_can_be():
    threshold = np.array([-1.23456789, 0.5000001, 0.5000002, 7.0])
    below = np.append(-np.inf, threshold[:-1])
    assert short(threshold, below).tolist() == [-1.3, 0.5, 0.5000002, 7.0]


def test_the_curve_of_a_class_is_that_of_its_probability(model, test_set):
    texts, gold = test_set
    data = report.of_test(model, texts, gold).data
    proba = model.predict_proba(texts)[:, 1]
    is_gold = np.array(gold) == "science"
    curve = data["curves"]["1"]
    for at, tp, fp in zip(curve["threshold"], curve["true"], curve["false"], strict=True):
        said = proba >= 1 / (1 + np.exp(-at)) - 1e-12
        assert (tp, fp) == ((said & is_gold).sum(), (said & ~is_gold).sum())

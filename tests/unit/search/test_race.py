"""Successive halving by a clock that the test drives."""

import pytest

from nabi.search import Trial, all_kinds, counting
from nabi.search.race import Judge, LabelledTexts, Race
from nabi.search.settings import Setting, counting_settings, linear_settings

TEXTS = [f"text {i}" for i in range(40_000)]
LABELS = ["+", "-"] * 20_000
MODELS = [Setting({"ngrams": (1, n), "min_count": m}) for n in (1, 2, 3, 4) for m in (1, 2, 3, 4)]
NOW = [0.0]


class Known(Judge):
    """A second to count, and another for each trial; a larger min_count is better."""

    halving, last_growth, whole_recipes = 2, 4, False

    def __init__(self, sample, recipe, rules):
        NOW[0] += 1
        self.n = len(sample)

    def trial(self, setting):
        NOW[0] += 1
        accuracy = setting.params["min_count"] / 10 + setting.params["ngrams"][1] / 100
        return Trial(setting.params, accuracy, 0.0, self.n)


def race(budget, **rules):
    NOW[0] = 0.0
    judge = type("Judge", (Known,), rules)
    return Race(LabelledTexts.of(TEXTS, LABELS), judge, budget=budget, clock=lambda: NOW[0])


def test_half_of_the_settings_go_on_to_a_sample_four_times_as_large():
    run = race(1e9)
    last = run.halve(run.round(MODELS, {}))
    sizes = [trial.texts for trial in run.results()]
    assert {n: sizes.count(n) for n in sizes} == {40_000: 4, 8000: 4, 2000: 8}
    assert [trial.params["min_count"] for trial in last.values()] == [4, 4, 4, 4]


@pytest.mark.parametrize(
    ("last_growth", "sizes"), [(4, [8000, 32_000, 40_000]), (8, [8000, 40_000])]
)
def test_the_last_step_may_be_a_longer_one(last_growth, sizes):
    run, seen = race(1e9, last_growth=last_growth), []
    run.watch = lambda trial, done, total: seen.append(trial.texts)
    run.halve(run.round(MODELS, {}))
    assert list(dict.fromkeys(seen)) == [2000, *sizes]


def test_counting_is_shared_by_the_settings_of_a_recipe():
    assert [trial.seconds for trial in race(1e9).round(MODELS, {}).values()] == [1.25] * 16


@pytest.mark.parametrize(("whole_recipes", "tried"), [(True, 8), (False, 6)])
def test_when_the_time_is_over_a_recipe_is_finished_or_not(whole_recipes, tried):
    assert len(race(7.5, whole_recipes=whole_recipes).round(MODELS, {})) == tried


def test_the_first_setting_is_tried_in_any_case():
    assert list(race(1e-9).round(MODELS, {})) == MODELS[:1]


def test_what_is_reserved_is_left():
    run = race(20)
    run.round(MODELS, {}, reserve=14)
    assert run.left == 14


def test_what_would_take_too_long_is_not_tried():
    run = race(33)
    first = run.round(MODELS, {})  # 20 s, 1.25 each
    assert len(run.round(MODELS, {**first, MODELS[0]: Trial({}, 0.0, 0.0, 2000, 99.0)})) == 9


@pytest.mark.parametrize("search", [counting.trials, all_kinds.trials])
def test_equal_clocks_choose_alike(search):
    texts, labels = ["good film", "bad film", "so good", "so bad"] * 9, ["+", "-"] * 18
    one, other = (search(texts, labels, budget=1, clock=lambda: 0.0) for _ in range(2))
    assert one == other
    assert (
        len(one)
        == {
            counting.trials: len(counting_settings()),
            all_kinds.trials: len(linear_settings()) + all_kinds.COUNTING_MODELS,
        }[search]
    )


def test_the_last_sample_is_all_texts():
    run = race(1e9)
    assert len(set(run.sample.batch.to_list())) == 2000
    run.halve({MODELS[0]: Trial({}, 0.0, 0.0, 2000, 1.0)})
    assert run.sample.batch.to_list() == TEXTS


# ---- the choice by the last common sample ----


def chosen(run, judge):
    """The parameters that a race of 20 s chooses: so many seconds take the best on 2,000 texts."""
    run.judge = type("Judge", (Known,), {"trial": judge})
    run.halve(run.round(MODELS, {}))
    return run, dict(run.choice()[0].params)


def slow_if_good(self, setting):
    NOW[0] += 10 if setting.params["min_count"] == 4 else -0.9
    return Known.trial(self, setting)


def test_what_has_no_time_for_more_texts_is_not_beaten_by_what_has():
    run, params = chosen(race(70), slow_if_good)
    assert params == {"ngrams": (1, 4), "min_count": 4}
    assert run.common == max(run.tried) == 2000


def jumps_on_more_texts(self, setting):
    NOW[0] += 1000 if self.n > 2000 else 0
    return Known.trial(self, setting)


def test_a_sample_that_some_did_not_reach_is_no_common_one():
    run, params = chosen(race(100), jumps_on_more_texts)
    assert [len(run.tried[n]) for n in (2000, 8000)] == [16, 1]
    assert run.common == 2000
    assert params == {"ngrams": (1, 4), "min_count": 4}


def test_the_larger_sample_decides_among_those_that_are_tied():
    run = race(1e9)
    one, other, third = MODELS[:3]
    small = {one: 0.9, other: 0.9, third: 0.8}
    run.tried = {2000: {s: Trial(s.params, score, 0.0, 2000) for s, score in small.items()}}
    run.tried[40_000] = {s: Trial(s.params, 0.5, s is one, 40_000) for s in (one, other)}
    run.tried[40_000][third] = Trial(third.params, 0.95, 0.0, 40_000)
    assert run.choice()[0] is other  # and not the third, which lost clearly on the common sample
    del run.tried[40_000][one]
    assert run.choice()[0] is one


@pytest.mark.parametrize(("passes", "chosen"), [(5, 1), (2, 0)])
def test_a_small_model_is_preferred_where_all_passes_were_made(passes, chosen):
    run = race(1e9, passes=staticmethod(lambda texts, size, classes: 5))
    run.common, run.passes = 40_000, {40_000: passes}
    trials = [Trial({}, 0.9, loss, 40_000, features=n) for loss, n in ((0.1, 100), (0.2, 10))]
    run.sample, run.tried = run.texts, {40_000: dict(zip(MODELS, trials, strict=False))}
    assert run.choice()[1] is trials[chosen]


def test_with_little_time_trials_make_fewer_passes():
    run = race(200, passes=staticmethod(lambda texts, size, classes: 10))
    run.pace(MODELS[0], times=16, share=0.5)
    assert run.passes == {2000: 5}
    assert run.left == 198


def test_a_smaller_step_is_taken_where_a_large_one_takes_too_long():
    run = race(50)
    run.tried = {2000: {s: Trial(s.params, 0.5, 0.0, 2000, 7.0) for s in MODELS}}
    run.halve(run.tried[2000])
    assert list(run.tried)[:2] == [2000, 4000]


def test_when_the_clock_jumps_the_best_of_the_first_sample_is_chosen():
    texts = [f"{word} film {i}" for i in range(1500) for word in ("good", "bad")]
    jump = [0.0]

    def watch(trial, done, total):
        jump[0] += 1e9 if trial.params.get("model") == "svm" else 0.0

    found = all_kinds.trials(texts, ["+", "-"] * 1500, watch=watch, clock=lambda: jump[0])
    assert [trial.params["model"] for trial in found] == ["nbsvm", "svm"]
    assert {trial.texts for trial in found} == {2000}

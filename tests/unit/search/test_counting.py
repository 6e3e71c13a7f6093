"""The best of many ways, found without training any of them."""

import numpy as np
import pytest

import nabi
from nabi import TextClassifier
from nabi.judging import crossval
from nabi.metrics.rates import Totals
from nabi.search import Trial, choice_accuracy, race
from nabi.search.counting import trials
from nabi.search.settings import counting_settings
from nabi.search.trial import FoldTotals

PAIRS = ["not good", "not bad", "good film", "bad film", "a good one", "a bad one"] * 12
LABELS = ["neg", "pos", "pos", "neg", "pos", "neg"] * 12


@pytest.fixture(scope="module")
def tuned():
    return TextClassifier.tune(PAIRS, LABELS, budget=30)


def test_what_only_pairs_tell_needs_pairs(tuned):
    assert tuned.trials_[0].accuracy == 1.0
    assert tuned.predict(["not good", "not bad"]).tolist() == ["neg", "pos"]
    assert tuned.ngrams[1] > 1 or tuned.chars


def test_the_best_comes_first_and_is_the_model(tuned):
    assert tuned.trials_ == sorted(tuned.trials_, key=lambda t: (-t.texts, *t.rank))
    best = tuned.trials_[0].params
    assert {name: tuned.get_params()[name] for name in best} == best


def test_every_event_and_recipe_is_tried(tuned):
    tried = {(t.params["features"], t.params["event"]) for t in tuned.trials_}
    assert {("words", event) for event in ("multinomial", "binary", "complement")} < tried
    assert {name for name, _ in tried} == {"words", "sklearn", "tweets", "chars"}
    assert len(tuned.trials_) == len(counting_settings())


def test_figures_are_those_of_cross_validation():
    for trial in trials(PAIRS, LABELS, budget=30)[::25]:
        result = crossval(TextClassifier(**trial.params), PAIRS, LABELS)
        assert (trial.accuracy, trial.texts) == (result.accuracy, len(PAIRS))
        assert trial.outcome.predicted.tolist() == result.predicted.tolist()


def test_when_time_is_short_the_first_is_tried():
    model = TextClassifier.tune(PAIRS, LABELS, budget=1e-9)
    assert {t.params["features"] for t in model.trials_} == {"words"}


def test_larger_samples_follow_smaller_ones(monkeypatch):
    monkeypatch.setattr(race, "FIRST_SAMPLE", 20)
    found = trials(PAIRS, LABELS, budget=30)
    sizes = [trial.texts for trial in found]
    assert sizes == sorted(sizes, reverse=True)
    assert {20, 72} <= set(sizes)


def test_each_trial_is_told():
    heard = []
    found = trials(PAIRS[:12], LABELS[:12], budget=30, watch=lambda *given: heard.append(given))
    assert [trial for trial, _, _ in heard[:3]] == [t for t, _, _ in heard[:3] if t in found]
    assert heard[-1][1:] == (len(found), len(found))


@pytest.mark.parametrize(
    ("texts", "labels", "options", "message"),
    [
        (["a", "b"], ["x"], {}, "2 texts and 1 labels do not pair up"),
        (["a", "b", "c"], ["x"] * 3, {}, "expected three texts of two classes"),
        (["a", "b", "c"], ["x", "y", "x"], {"budget": 0}, "budget=0; expected seconds"),
        (["a", "b", "c"], ["x", "y", "x"], {"budget": "60s"}, "budget='60s'; expected seconds"),
    ],
)
def test_what_cannot_be_tuned_is_refused(texts, labels, options, message):
    with pytest.raises(nabi.InputError, match=message):
        TextClassifier.tune(texts, labels, **options)


def noise(n, seed):
    """Random words with random labels."""
    draw = np.random.default_rng(seed)
    texts = [" ".join(f"w{word}" for word in row) for row in draw.integers(0, 200, (n, 10))]
    return texts, draw.choice(["a", "b"], n).tolist()


def test_the_best_of_many_is_lucky_and_the_choice_is_not():
    searches = [trials(*noise(200, seed), budget=60) for seed in range(6)]
    best = np.mean([found[0].accuracy for found in searches])
    choice = np.mean([choice_accuracy(found) for found in searches])
    assert best > choice + 0.02
    assert choice < 0.53


def fold_totals(right, *, texts):
    """Two folds of so many texts, with equal losses."""
    correct = np.array(right)[:, :, None]
    every = np.full(correct.shape, texts)
    return FoldTotals(Totals(correct, every, every), np.ones(correct.shape[:2]), np.ones(2))


def test_the_choice_of_each_fold_is_made_by_the_others():
    ways = [[[5.0, 1.0], [0.0, 2.0]], [[0.0], [4.0]]]  # what is right of two folds, by smoothing
    folds = [fold_totals(right, texts=5) for right in ways]
    found = [Trial({}, 0.0, 0.0, 10, folds=each) for each in folds]
    # The second fold chooses the second way, which has 0 of the first; that chooses the first way.
    assert choice_accuracy(found) == 0.0
    found[1] = Trial({}, 0.0, 0.0, 5, folds=folds[1])  # on fewer texts: not in the choice
    assert choice_accuracy(found) == 0.1


def test_one_way_that_is_certain_is_certain(tuned):
    assert choice_accuracy(tuned.trials_) == 1.0


def test_texts_that_say_nothing_are_told_by_the_log_loss():
    best = trials(["same text"] * 10, ["a", "b"] * 5)[0]
    assert (best.params["event"], best.accuracy) == ("complement", 1.0)
    assert best.log_loss == pytest.approx(np.log(2), abs=1e-9)


def test_what_lost_on_the_common_sample_cannot_win_by_more_texts(monkeypatch):
    monkeypatch.setattr(race, "FIRST_SAMPLE", 20)
    now = [0.0]

    def watch(trial, done, total):
        now[0] += 1e9 if trial.texts > 20 else 0.0

    found = trials(PAIRS, LABELS, budget=30, watch=watch, clock=lambda: now[0])
    first = min((t for t in found if t.texts == found[0].texts), key=lambda t: t.rank)
    assert found[0] == first
    assert found[0].accuracy >= max(t.accuracy for t in found if t.texts == 20)

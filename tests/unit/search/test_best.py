"""The best model, chosen by texts left out."""

import numpy as np
import pytest

import nabi
from nabi.errors import InputError
from nabi.models.linear.classifier import LinearClassifier
from nabi.search import counting
from nabi.search.all_kinds import text_folds, trials
from nabi.search.best import best
from nabi.search.compare import compare, held_out_fifth
from nabi.search.settings import linear_settings, model_of

TEXTS = [f"good film number {i}" for i in range(20)] + [f"bad film number {i}" for i in range(20)]
LABELS = ["+"] * 20 + ["-"] * 20


def stopped() -> float:
    """Return the time of a clock that stands: what is tried depends on no busy machine."""
    return 0.0


def test_the_chosen_is_the_first_of_its_trials() -> None:
    model = best(TEXTS, LABELS, budget=3)
    assert model.trials_[0].accuracy == max(t.accuracy for t in model.trials_) == 1.0
    assert model.predict(["good", "bad"]).tolist() == ["+", "-"]


def test_the_others_follow_by_their_ranks() -> None:
    _, *others = trials(TEXTS, LABELS, clock=stopped)
    assert [t.rank for t in others] == sorted(t.rank for t in others)


def test_of_level_ways_one_with_far_fewer_words_is_taken() -> None:
    chosen, *others = trials(TEXTS, LABELS, clock=stopped)
    assert "chars" not in chosen.params
    assert any("chars" in t.params and t.accuracy == 1.0 for t in others)


def test_both_kinds_are_tried() -> None:
    kinds = {trial.params["model"] for trial in trials(TEXTS, LABELS, clock=stopped)}
    assert "nb" in kinds
    assert kinds & {"nbsvm", "svm"}


def test_counting_models_are_judged_on_all_texts_in_any_case() -> None:
    texts = [f"{text} {i}" for i in range(53) for text in TEXTS]
    counting = [t for t in trials(texts, LABELS * 53, budget=1) if t.params["model"] == "nb"]
    assert {t.texts for t in counting} == {2120}


def test_texts_and_labels_may_come_one_by_one() -> None:
    model = best(iter(TEXTS), iter(LABELS), budget=1)
    assert model.predict(["good", "bad"]).tolist() == ["+", "-"]


def test_every_way_describes_a_model() -> None:
    for setting in linear_settings():
        assert isinstance(setting.model, LinearClassifier)
        setting.model.check()


def test_the_estimate_is_that_of_refits() -> None:
    random = np.random.default_rng(0)
    words = [f"w{i}" for i in range(30)]
    texts = [" ".join(random.choice(words, 8)) for _ in range(60)]
    labels = [("a", "b", "c")[len(text) % 3] for text in texts]
    found = trials(texts, labels, clock=stopped)
    trial = next(t for t in found if t.params["model"] == "svm" and t.texts == len(texts))
    assert trial.accuracy == _by_refits(texts, labels, trial.params)


def _by_refits(texts: list[str], labels: list[str], params: dict) -> float:  # type: ignore[type-arg]
    """Ten folds as they are cut there, each by a model of its own."""
    from nabi._native import fingerprints
    from nabi.features.batch import native_batch
    from nabi.models.linear.hyperparameters import canonical
    from nabi.scoring.held_out.text import fold_numbers

    gold = np.array([sorted(set(labels)).index(label) for label in labels], np.uint32)
    order = canonical(fingerprints(native_batch(texts)), gold).astype(int)
    fold = np.empty(len(texts), int)
    fold[order] = fold_numbers(gold[order], 10, seed=None)
    right = 0
    for k in range(10):
        rest, asked = np.flatnonzero(fold != k), np.flatnonzero(fold == k)
        model = model_of(params).fit([texts[i] for i in rest], [labels[i] for i in rest])
        said = model.predict([texts[i] for i in asked]).tolist()
        right += sum(a == labels[i] for a, i in zip(said, asked, strict=True))
    return right / len(texts)


def test_watch_sees_each_trial() -> None:
    seen: list[tuple[int, int]] = []
    found = trials(TEXTS, LABELS, budget=2, watch=lambda t, done, total: seen.append((done, total)))
    assert len(seen) >= len(found)
    assert all(1 <= done <= total for done, total in seen)


@pytest.mark.parametrize("budget", [0, -1, True, "60"])
def test_a_budget_that_is_none(budget: object) -> None:
    with pytest.raises(InputError, match="budget="):
        best(TEXTS, LABELS, budget=budget)  # type: ignore[arg-type]


def test_what_is_chosen_is_calibrated() -> None:
    texts, labels = ["good film", "bad film", "so good", "so bad"] * 9, ["+", "-"] * 18
    chosen = best(texts, labels, budget=3)
    assert chosen.kind == "nb"
    assert chosen.is_calibrated


def test_trials_of_a_model_tell_ties_and_hold_no_predictions() -> None:
    first, *others = best(TEXTS, LABELS, budget=3).trials_
    assert first.tied
    assert any(trial.tied for trial in others)
    assert {trial.outcome for trial in (first, *others)} == {None}


def test_equal_texts_are_in_one_fold() -> None:
    fingerprints = np.array([3, 1, 3, 2, 1, 3, 4], np.uint64)
    folds = text_folds(fingerprints, np.array([0, 0, 0, 1, 0, 1, 1], np.uint32), 10)
    assert folds[0] == folds[2] == folds[5]
    assert folds[1] == folds[4]
    assert len(set(folds.tolist())) == 4


def test_a_class_of_one_text_is_never_right() -> None:
    found = trials([*TEXTS, "good odd"], [*LABELS, "rare"], budget=3)
    assert {trial.outcome.correct[-1] for trial in found if trial.outcome} == {False}
    assert all(np.isfinite(trial.log_loss) for trial in found)


UNEVEN = ["a b c"] * 40 + ["a b"] * 12 + ["a d"] * 3 + ["b d"] * 3


@pytest.mark.parametrize("metric", ["macro_f1", "balanced"])
def test_class_weights_are_tried_where_classes_count_alike(metric: str) -> None:
    texts = [f"{text} {i}" for i, text in enumerate(UNEVEN)]
    found = trials(texts, ["x"] * 46 + ["y"] * 12, metric=metric, budget=5)
    scores = [getattr(trial, metric) for trial in found]
    assert any("class_weight" in trial.params for trial in found)
    counted = counting.trials(texts, ["x"] * 46 + ["y"] * 12, metric=metric, budget=5)
    assert any(trial.params.get("prior") == "uniform" for trial in counted)
    assert found[0].metric == metric
    assert [trial.rank for trial in found[1:]] == sorted(trial.rank for trial in found[1:])
    assert scores[1:] == sorted(scores[1:], reverse=True)


def test_a_metric_that_is_none() -> None:
    with pytest.raises(InputError, match="metric='f1'; there are: accuracy, macro_f1"):
        best(TEXTS, LABELS, metric="f1")


def test_nothing_to_choose_by() -> None:
    with pytest.raises(InputError, match="nothing to choose by"):
        nabi.best(["a", "b"], ["x", "y"])


def test_a_fifth_of_each_class_is_left_out() -> None:
    out = held_out_fifth(LABELS, seed=3)
    assert (out[:20].sum(), out[20:].sum()) == (4, 4)
    assert (
        held_out_fifth(LABELS, seed=3).tolist()
        == out.tolist()
        != held_out_fifth(LABELS, seed=4).tolist()
    )


def test_a_label_that_no_model_knows_has_no_log_loss() -> None:
    fit = {"nb": nabi.TextClassifier().fit}
    (row,) = compare(fit, (TEXTS, LABELS), (["good", "so so"], ["+", "?"]))
    own = -row.model.predict_log_proba(["good"])[0, 0]
    assert (row.trial.accuracy, row.trial.log_loss) == (0.5, own)


def test_a_counting_model_that_wins_is_the_tuned_one() -> None:
    texts, labels = ["good film", "bad film", "so good", "so bad"] * 9, ["+", "-"] * 18
    tuned, chosen = (search(texts, labels, budget=9)[0] for search in (counting.trials, trials))
    assert chosen.params == {"model": "nb", **tuned.params}

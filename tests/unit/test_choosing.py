"""The best model, chosen by texts left out."""

import numpy as np
import pytest

import nabi
from nabi.choosing import RECIPES, WAYS, best, judged, model_of
from nabi.comparing import compared, fifth
from nabi.errors import InputError
from nabi.linear.text import LinearClassifier

TEXTS = [f"good film number {i}" for i in range(20)] + [f"bad film number {i}" for i in range(20)]
LABELS = ["+"] * 20 + ["-"] * 20


def test_the_best_is_the_first_of_its_trials() -> None:
    model = best(TEXTS, LABELS, budget=3)
    trials = model.trials_
    assert trials[0].rank == min(t.rank for t in trials if t.texts == 40)
    assert model.predict(["good", "bad"]).tolist() == ["+", "-"]


def test_both_kinds_are_tried() -> None:
    kinds = {trial.params["model"] for trial in judged(TEXTS, LABELS, budget=5)}
    assert "nb" in kinds
    assert kinds & {"nbsvm", "svm"}


def test_every_way_describes_a_model() -> None:
    for recipe in RECIPES:
        for way in WAYS:
            model = model_of({**recipe, **way})
            assert isinstance(model, LinearClassifier)
            model.check()


def test_the_estimate_is_that_of_refits() -> None:
    random = np.random.default_rng(0)
    words = [f"w{i}" for i in range(30)]
    texts = [" ".join(random.choice(words, 8)) for _ in range(60)]
    labels = [("a", "b", "c")[len(text) % 3] for text in texts]
    trial = next(t for t in judged(texts, labels, budget=4) if t.params["model"] == "svm")
    assert trial.accuracy == _by_refits(texts, labels, trial.params)


def _by_refits(texts: list[str], labels: list[str], params: dict) -> float:  # type: ignore[type-arg]
    """Ten folds as they are cut there, each by a model of its own."""
    from nabi._native import fingerprints
    from nabi.linear.ways import canonical, folds
    from nabi.texts import native_batch

    gold = np.array([sorted(set(labels)).index(label) for label in labels], np.uint32)
    order = canonical(fingerprints(native_batch(texts)), gold).astype(int)
    fold = np.empty(len(texts), int)
    fold[order] = folds(gold[order], 10)
    right = 0
    for k in range(10):
        rest, asked = np.flatnonzero(fold != k), np.flatnonzero(fold == k)
        model = model_of(params).fit([texts[i] for i in rest], [labels[i] for i in rest])
        said = model.predict([texts[i] for i in asked]).tolist()
        right += sum(a == labels[i] for a, i in zip(said, asked, strict=True))
    return right / len(texts)


def test_watch_sees_each_trial() -> None:
    seen: list[tuple[int, int]] = []
    found = judged(TEXTS, LABELS, budget=2, watch=lambda t, done, total: seen.append((done, total)))
    assert len(seen) == len(found)
    assert all(1 <= done <= total for done, total in seen)


@pytest.mark.parametrize("budget", [0, -1, True, "60"])
def test_a_budget_that_is_none(budget: object) -> None:
    with pytest.raises(InputError, match="budget="):
        best(TEXTS, LABELS, budget=budget)  # type: ignore[arg-type]


def test_nothing_to_choose_by() -> None:
    with pytest.raises(InputError, match="nothing to choose by"):
        nabi.best(["a", "b"], ["x", "y"])


def test_a_fifth_of_each_class_is_left_out() -> None:
    out = fifth(LABELS, seed=3)
    assert (out[:20].sum(), out[20:].sum()) == (4, 4)
    assert fifth(LABELS, seed=3).tolist() == out.tolist() != fifth(LABELS, seed=4).tolist()


def test_a_label_that_no_model_knows_has_no_log_loss() -> None:
    fit = {"nb": nabi.TextClassifier().fit}
    (row,) = compared(fit, (TEXTS, LABELS), (["good", "so so"], ["+", "?"]))
    assert (row.accuracy, row.log_loss) == (0.5, None)

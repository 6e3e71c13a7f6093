"""The best model for labelled texts: which kind, which recipe and which settings.

Counting models and linear models are judged alike, by what they say of texts that were left out, a
fifth of them in turn (of few texts a tenth; of many, one or two fifths). The counting models that
`nabi.tuning` finds best enter with their smoothing. All recipes are tried on a sample with two ways
of fitting, the best of them with all; the better ones on samples four times as large, up to all
texts, as long as the time lasts.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

import nabi._native as _native
from nabi.cells import U32
from nabi.features import Features
from nabi.held_out import HeldOut
from nabi.linear.problem import Problem
from nabi.linear.text import LinearClassifier
from nabi.linear.ways import canonical, folds, sharpness
from nabi.softmax import log_softmax
from nabi.text import TextClassifier
from nabi.texts import Texts
from nabi.tuning import Budget, Sample, Trial, checked, trials

# Those that take longer come later: of large texts in many classes not all can be tried.
RECIPES: tuple[Mapping[str, Any], ...] = (
    {"features": "words", "ngrams": (1, 2)},
    {"features": "words", "ngrams": (1, 2), "binary": False},
    {"features": "sklearn", "ngrams": (1, 2), "binary": False},
    {"features": "words", "ngrams": (1, 3), "min_count": 2},
    {"features": "words", "ngrams": (1, 2), "chars": (2, 5)},
    {"features": "words", "ngrams": (1, 2), "chars": (2, 5), "binary": False},
    {"features": "chars", "chars": (2, 5)},
    {"features": "chars", "chars": (2, 5), "binary": False},
)
WAYS: tuple[Mapping[str, Any], ...] = (
    {"model": "nbsvm", "C": 1.0},
    {"model": "svm", "C": 1.0},
    {"model": "nbsvm", "C": 3.0},
    {"model": "svm", "C": 3.0},
    {"model": "nbsvm", "C": 0.01, "unit_length": False},
    {"model": "nbsvm", "C": 0.3},
    {"model": "svm", "C": 0.3},
    {"model": "nblr", "C": 0.1, "unit_length": False},
    {"model": "logistic", "C": 30.0},
)
FIRST = 2  # ways with which all recipes are tried
FULLY = 3  # recipes that are tried with all ways
SPARED = (0.55, 0.35)  # of the time, after the first trials and after those of all ways
FOLDS, MORE = 5, 10  # in how many parts texts are left out, and of few texts
FEW = 1_000_000  # bytes of text, times eight classes: a model of four fifths would be another one
MANY = 20_000  # texts of which one fifth is enough to judge by
HEAVY = 8_000_000  # bytes of text, times eight classes, of which two fifths must do
COUNTING = 0.2  # of the time goes into finding counting models
ENTRANTS = 3  # counting models
SAMPLE, GROWTH = 2000, 4  # texts of the first sample, and how much larger the next ones are
KEPT = 4  # ways at the least go on to the next sample, and a third of them at the most

Key = tuple[str, int, int]  # "linear", recipe, way; or "nb", entrant, 0
Watch = Callable[[Trial, int, int], None]
Model = TextClassifier | LinearClassifier


def best(
    texts: Texts,
    labels: Any,
    *,
    budget: float = 60.0,
    seed: int = 0,
    threads: int | None = None,
    watch: Watch | None = None,
) -> Model:
    """The model that does best on texts it never saw, fitted to all of them.

    Parameters
    ----------
    texts, labels : sequences
        What to learn from. Nothing else is looked at.
    budget : float
        Seconds to search; the last fit comes on top.
    seed : int
        Draws the samples.
    watch : callable, optional
        Called with each trial, how many were done and how many there are to do.

    Returns
    -------
    TextClassifier or LinearClassifier
        With `trials_`: what was tried, the best first.

    Examples
    --------
    >>> texts, labels = ["good film", "bad film", "so good", "so bad"] * 9, ["+", "-"] * 18
    >>> model = best(texts, labels, budget=2)
    >>> model.predict(["bad"]).tolist()
    ['-']
    """
    found = judged(texts, labels, budget=budget, seed=seed, threads=threads, watch=watch)
    model = model_of(found[0].params, threads=threads).fit(texts, labels)
    model.trials_ = found
    return model


def model_of(params: Mapping[str, Any], *, threads: int | None = None) -> Model:
    """The model that a trial's parameters describe, not fitted yet."""
    given = dict(params)
    if given.get("model") == "nb":
        del given["model"]
        return TextClassifier(**given, threads=threads)
    return LinearClassifier(**given, threads=threads)


def judged(
    texts: Texts,
    labels: Any,
    *,
    budget: float = 60.0,
    seed: int = 0,
    threads: int | None = None,
    watch: Watch | None = None,
) -> list[Trial]:
    """What was tried, the best first: those on the largest sample before all others."""
    clock = Budget(budget)
    batch, names, numbers = checked(texts, labels, budget)
    entrants = _entrants(batch, labels, budget * COUNTING, seed, threads)
    order = np.random.default_rng(seed).permutation(len(numbers))
    size = min(SAMPLE, len(numbers))
    judging = _Judging(entrants, clock, watch)
    sample = Sample(batch, names, numbers, np.sort(order[:size]), threads)
    found = _first(judging, sample, budget)
    done = found
    while size < len(numbers) and done:
        # To go from nearly all texts to all of them would be the same work twice.
        size = size * GROWTH if 2 * size * GROWTH <= len(numbers) else len(numbers)
        sample = Sample(batch, names, numbers, np.sort(order[:size]), threads)
        keys = _better(done, size, clock, last=size == len(numbers))
        done = judging.round(sample, keys, found)
        found = {**found, **done}
    return sorted(found.values(), key=lambda trial: (-trial.texts, *trial.rank))


def _first(judging: "_Judging", sample: Sample, budget: float) -> dict[Key, Trial]:
    """The first trials of all recipes, and those of the best of them with all ways."""
    keys: list[Key] = [("nb", i, 0) for i in range(len(judging.entrants))]
    keys += [("linear", r, w) for r in range(len(RECIPES)) for w in range(FIRST)]
    done = judging.round(sample, keys, {}, spare=SPARED[0] * budget)
    ranked = sorted((key for key in done if key[0] == "linear"), key=lambda key: done[key].rank)
    recipes = list(dict.fromkeys(r for _, r, _ in ranked))[:FULLY]
    more: list[Key] = [("linear", r, w) for r in recipes for w in range(FIRST, len(WAYS))]
    before = {
        ("linear", r, w): done["linear", r, 0] for _, r, w in more if ("linear", r, 0) in done
    }
    return done | judging.round(sample, more, before, spare=SPARED[1] * budget)


def _entrants(
    batch: _native.Batch, labels: Any, budget: float, seed: int, threads: int | None
) -> list[Mapping[str, Any]]:
    """The parameters of the counting models that do best."""
    first = trials(batch, labels, budget=budget, seed=seed, threads=threads)
    return [{"model": "nb", **trial.params} for trial in first[:ENTRANTS]]


def _better(done: Mapping[Key, Trial], texts: int, clock: Budget, *, last: bool) -> list[Key]:
    """The ways to try on the next sample, the best first: as many as there is time for."""
    best = sorted(done, key=lambda key: done[key].rank)
    times = np.cumsum([_expected(done[key], texts) for key in best])
    affordable = int(np.searchsorted(times, clock.left * (0.9 if last else 0.5)))
    return best[: max(KEPT, min(affordable, len(best) // 3))]


def _expected(before: Trial | None, texts: int) -> float:
    """Seconds that a trial will take, from one on fewer texts; 0 where nothing is known."""
    return 0.0 if before is None else before.seconds * texts / before.texts


@dataclass(frozen=True)
class _Judging:
    """Trials, as far as the time lasts."""

    entrants: list[Mapping[str, Any]]
    clock: Budget
    watch: Watch | None

    def round(
        self,
        sample: Sample,
        keys: list[Key],
        before: Mapping[Key, Trial],
        *,
        spare: float = 0.0,
    ) -> dict[Key, Trial]:
        """A trial of each way that can be done in time; the very first always is."""
        done: dict[Key, Trial] = {}
        for recipe, alike in _alike(keys, self.entrants):
            known = {key: _expected(before.get(key), len(sample.places)) for key in alike}
            wanted = [key for key in alike if self._fits(known[key], spare, done, before)]
            if not wanted:
                continue
            start = time.perf_counter()
            judge = _Judge(sample, recipe)
            counting = (time.perf_counter() - start) / len(wanted)
            for key in wanted:
                if not self._fits(known[key], spare, done, before):
                    continue
                done[key] = judge.trial(self._params(key), counting)
                if self.watch is not None:
                    self.watch(done[key], len(done), len(keys))
        return done

    def _fits(
        self, seconds: float, spare: float, done: Mapping[Key, Trial], before: Mapping[Key, Trial]
    ) -> bool:
        if not done and not before:
            return True
        return seconds <= self.clock.left - spare and self.clock.left > spare

    def _params(self, key: Key) -> Mapping[str, Any]:
        kind, i, way = key
        return self.entrants[i] if kind == "nb" else {**RECIPES[i], **WAYS[way]}


def _alike(
    keys: list[Key], entrants: list[Mapping[str, Any]]
) -> Iterator[tuple[Features, list[Key]]]:
    """Ways that count alike, in the order of the best of them."""
    groups: dict[Features, list[Key]] = {}
    for key in keys:
        params = entrants[key[1]] if key[0] == "nb" else RECIPES[key[1]]
        groups.setdefault(_recipe(params), []).append(key)
    yield from groups.items()


def _recipe(params: Mapping[str, Any]) -> Features:
    """What is counted, of parameters of either kind of model."""
    if params.get("model") == "nb":
        given = {k: v for k, v in params.items() if k not in ("model", "alpha")}
        return TextClassifier(**given).recipe.counting
    return LinearClassifier(**params).recipe


class _Judge:
    """A sample counted by one recipe, and its texts left out in folds."""

    def __init__(self, sample: Sample, recipe: Features) -> None:
        self._sample, self._recipe = sample, recipe
        self._counts, self._counted = sample.counted(recipe)
        rank = {label: i for i, label in enumerate(self._counts.labels)}
        number = np.array([rank[label] for label in self._counted.labels], np.uint32)
        self._gold: U32 = number[self._counted.classes]
        self._problem: Problem | None = None
        order = canonical(self._counted.fingerprints, self._gold).astype(np.int64)
        self._fold = np.empty(len(order), np.uint32)
        parts, asked = self._parts()
        self._fold[order] = folds(self._gold[order], min(parts, len(order)))
        self._asked: npt.NDArray[np.bool_] = self._fold < asked

    def _parts(self) -> tuple[int, int]:
        """In how many parts texts are left out, and how many of the parts are asked."""
        if len(self._gold) >= MANY:
            return FOLDS, 1
        work = self._sample.bytes * ((len(self._counts.labels) + 7) // 8)
        if work <= FEW:
            return MORE, MORE
        return FOLDS, 2 if work > HEAVY else FOLDS

    def trial(self, params: Mapping[str, Any], counting: float) -> Trial:
        """How well a model of this recipe does."""
        start = time.perf_counter()
        if params.get("model") == "nb":
            right, loss, more = self._of_counts(params)
        else:
            right, loss, more = self._of_weights(params)
        seconds = time.perf_counter() - start + counting
        return Trial({**params, **more}, right, loss, len(self._gold), seconds)

    def _of_counts(self, params: Mapping[str, Any]) -> tuple[float, float, dict[str, Any]]:
        recipe = TextClassifier(**{k: v for k, v in params.items() if k != "model"}).recipe
        scores = HeldOut(self._counts, recipe, params["event"], np.array([params["alpha"]]))
        assert self._counted.bags is not None
        joint = scores.joint(
            self._counted.bags, self._gold, self._fold, threads=self._sample.threads
        )[:, 0, :]
        return *self._figures(joint), {}

    def _of_weights(self, params: Mapping[str, Any]) -> tuple[float, float, dict[str, Any]]:
        way = LinearClassifier(**params)._way()
        if self._problem is None:
            logs = not self._recipe.binary
            self._problem = Problem(self._counted, self._counts, way, logs=logs)
        fold = np.where(self._asked, self._fold, np.uint32(2**32 - 1)).astype(np.uint32)
        scores = self._problem.scores_of(fold, way, self._sample.threads)
        sharp = sharpness(scores[self._asked], self._gold[self._asked])
        return *self._figures(sharp * scores), {"sharpness": sharp}

    def _figures(self, scores: npt.NDArray[Any]) -> tuple[float, float]:
        """Accuracy and log loss."""
        scores, gold = scores[self._asked], self._gold[self._asked]
        right = float(np.mean(np.argmax(scores, axis=1) == gold))
        return right, -float(log_softmax(scores)[np.arange(len(gold)), gold].mean())

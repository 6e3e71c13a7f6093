"""The best model for labelled texts: which kind, which recipe and which settings.

Counting models and linear models are judged alike, by what they say of texts that were left out, a
fifth of them in turn (of few texts a tenth; of many, one or two fifths). The counting models that
`nabi.search.counting` finds best enter with their smoothing. All recipes are tried on a sample with
two ways of fitting, the best of them with all; the better ones on samples four times as large, up
to all texts; then others on all texts, as long as the time lasts.

Of models that are level with the best, as far as so many texts can tell, one is taken that counts
fewer words, if there is one: the rule of one standard error (Breiman and others 1984).
"""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

import nabi._native as _native
from nabi.features.batch import Texts
from nabi.features.recipe import Features
from nabi.models.linear.classifier import LinearClassifier
from nabi.models.text import TextClassifier
from nabi.search.counting import (
    Budget,
    Sample,
    Trial,
    checked,
    trials,
)
from nabi.search.folds import (
    LeftOut,
    is_level,
    parts_of,
    recipe_of,
)

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
COUNTING = 0.2  # of the time goes into finding counting models
ENTRANTS = 3  # counting models
SAMPLE, GROWTH = 2000, 4  # texts of the first sample, and how much larger the next ones are
AS_SMALL = 2  # times the fewest words of a model that is level with the best
AT_ONCE = 3  # ways that are tried with every recipe before the next ones are
SHARE = 0.5  # of the time that is left goes to the ways that did best on the sample before
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
    threads : int, optional
        As many as the process may have, unless given.
    watch : callable, optional
        Called with each trial, how many were done and how many there are to do.

    Returns
    -------
    TextClassifier or LinearClassifier
        With `trials_`: what was tried, the chosen one first, then the best.

    Examples
    --------
    >>> texts, labels = ["good film", "bad film", "so good", "so bad"] * 9, ["+", "-"] * 18
    >>> model = best(texts, labels, budget=2)
    >>> model.predict(["bad"]).tolist()
    ['-']
    """
    # They are read twice.
    texts = texts if hasattr(texts, "__len__") else list(texts)
    labels = labels if hasattr(labels, "__len__") else list(labels)
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
    """What was tried, the chosen one first; those on the largest sample before all others."""
    clock = Budget(budget)
    batch, names, numbers = checked(texts, labels, budget)
    entrants = _entrants(batch, labels, budget * COUNTING, seed, threads)
    order = np.random.default_rng(seed).permutation(len(numbers))
    size = min(SAMPLE, len(numbers))
    judging = _Judging(entrants, clock, watch, len(names), batch.bytes / len(batch))
    sample = Sample(batch, names, numbers, np.sort(order[:size]), threads)
    found = _first(judging, sample, budget)
    done = found
    while size < len(numbers) and done:
        # To go from nearly all texts to all of them would be the same work twice.
        size = size * GROWTH if 2 * size * GROWTH <= len(numbers) else len(numbers)
        sample = Sample(batch, names, numbers, np.sort(order[:size]), threads)
        keys = _better(done, size, judging)
        done = judging.round(sample, keys, found)
        found = {**found, **done}
    if size == len(numbers):
        done = _rest(judging, sample, found, done)
        found = {**found, **done}
    rest = sorted(found.values(), key=lambda trial: (-trial.texts, *trial.rank))
    chosen = judging.chosen({k: t for k, t in found.items() if t.texts == rest[0].texts})
    return [chosen, *(trial for trial in rest if trial is not chosen)]


def _first(judging: "_Judging", sample: Sample, budget: float) -> dict[Key, Trial]:
    """The first trials of all recipes, and those of the best of them with all ways."""
    keys: list[Key] = [("nb", i, 0) for i in range(len(judging.entrants))]
    keys += [("linear", r, w) for r in range(len(RECIPES)) for w in range(FIRST)]
    done = judging.round(sample, keys, {}, spare=SPARED[0] * budget)
    ranked = sorted((key for key in done if key[0] == "linear"), key=lambda key: done[key].rank)
    recipes = list(dict.fromkeys(r for _, r, _ in ranked))[:FULLY]
    more: list[Key] = [("linear", r, w) for r in recipes for w in range(FIRST, len(WAYS))]
    return done | judging.round(sample, more, _by_recipe(done), spare=SPARED[1] * budget)


def _rest(
    judging: "_Judging", sample: Sample, found: Mapping[Key, Trial], done: dict[Key, Trial]
) -> dict[Key, Trial]:
    """What was tried on all texts, and the counting models and more ways, of quick recipes first.

    A small recipe may be level with a large one that was tried before it.
    """
    before = _by_recipe(found)
    ranked = sorted((key for key in done if key[0] == "linear"), key=lambda key: done[key].rank)
    ways = list(dict.fromkeys([*(w for *_, w in ranked), *range(len(WAYS))]))
    recipes = sorted(
        {r for _, r, _ in before},
        key=lambda r: judging.expected(before["linear", r, 0], len(sample.places)),
    )
    counting: list[Key] = [("nb", i, 0) for i in range(len(judging.entrants))]
    done = done | judging.round(sample, [key for key in counting if key not in done], found)
    for some in range(0, len(ways), AT_ONCE):
        keys: list[Key] = [("linear", r, w) for r in recipes for w in ways[some : some + AT_ONCE]]
        done = done | judging.round(sample, [key for key in keys if key not in done], before)
    return done


def _by_recipe(done: Mapping[Key, Trial]) -> dict[Key, Trial]:
    """For each way of a recipe that was tried, the trial of it that took longest."""
    longest: dict[int, Trial] = {}
    for (kind, r, _), trial in done.items():
        if kind == "linear" and (r not in longest or longest[r].seconds < trial.seconds):
            longest[r] = trial
    return {("linear", r, w): trial for r, trial in longest.items() for w in range(len(WAYS))}


def _entrants(
    batch: _native.Batch, labels: Any, budget: float, seed: int, threads: int | None
) -> list[Mapping[str, Any]]:
    """The parameters of the counting models that do best."""
    first = trials(batch, labels, budget=budget, seed=seed, threads=threads)
    return [{"model": "nb", **trial.params} for trial in first[:ENTRANTS]]


def _better(done: Mapping[Key, Trial], texts: int, judging: "_Judging") -> list[Key]:
    """The ways to try on the next sample, the best first: as many as there is time for."""
    best = sorted(done, key=lambda key: done[key].rank)
    times = np.cumsum([judging.expected(done[key], texts) for key in best])
    affordable = int(np.searchsorted(times, judging.clock.left * SHARE))
    return best[: max(KEPT, min(affordable, len(best) // 3))]


@dataclass(frozen=True)
class _Judging:
    """Trials, as far as the time lasts."""

    entrants: list[Mapping[str, Any]]
    clock: Budget
    watch: Watch | None
    classes: int
    length: float  # of a text in bytes, about
    # Which texts the last trial of each way got right, and how many words its recipe counts.
    seen: dict[Key, tuple[npt.NDArray[np.bool_], int]] = field(default_factory=dict)

    def chosen(self, done: Mapping[Key, Trial]) -> Trial:
        """The best of the small ones among those that are level with the best."""
        best = min(done, key=lambda key: done[key].rank)
        level = [key for key in done if is_level(self.seen[best][0], self.seen[key][0])]
        least = min(self.seen[key][1] for key in level)
        small = [key for key in level if self.seen[key][1] <= AS_SMALL * least]
        return done[min(small, key=lambda key: done[key].rank)]

    def expected(self, before: Trial | None, texts: int) -> float:
        """Seconds that a trial will take, from one on fewer texts; 0 where nothing is known."""
        if before is None:
            return 0.0
        then, now = (parts_of(n, n * self.length, self.classes)[1] for n in (before.texts, texts))
        return before.seconds * texts / before.texts * now / then

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
            known = {key: self.expected(before.get(key), len(sample.places)) for key in alike}
            wanted = [key for key in alike if self._fits(known[key], spare, done, before)]
            if not wanted:
                continue
            start = time.perf_counter()
            judge = LeftOut(sample, recipe)
            counting = (time.perf_counter() - start) / len(wanted)
            for key in wanted:
                if not self._fits(known[key], spare, done, before):
                    continue
                done[key] = judge.trial(self._params(key), counting)
                self.seen[key] = judge.right, judge.words
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
        groups.setdefault(recipe_of(params), []).append(key)
    yield from groups.items()

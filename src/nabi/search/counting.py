"""The best recipe, event model and smoothing for labelled texts, without training any of them.

Each recipe is counted once. For each event model and each least count, every text is then scored by
the model that never saw it (leave-one-out), for all alphas in one pass (`scoring.held_out`). The
accuracy of that, less what is luck in the best of many (see `choice_accuracy`), is what a model
will have on new texts.
"""

from typing import Any

import numpy as np

import nabi._native as _native
from nabi.base.arrays import F64, U32
from nabi.base.checks import ABOVE_ZERO, real_number
from nabi.base.labels import Label, encode, label_codes
from nabi.counts.batch import CountedBatch
from nabi.counts.text import Counts
from nabi.errors import InputError
from nabi.features.batch import Texts, native_batch
from nabi.features.recipe import Features
from nabi.scoring.held_out.text import HeldOut, fold_numbers
from nabi.search.race import Judge, LabelledTexts, Race
from nabi.search.settings import Setting, counting_settings
from nabi.search.trial import FoldSums, Trial, with_neighbours

ALPHAS = np.array([0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 3, 10])
FOLDS = 5  # of a sample, to judge the choice itself; ten take twice as long to score


class LeaveOneOut(Judge):
    """Counting models, each text scored by the counts without it."""

    halving, last_growth, whole_recipes = 2, 4, True

    def trial(self, setting: Setting) -> Trial:
        """Try a setting with all alphas, and take the best."""
        folds, n = self._folds(setting), len(self.actual)
        correct, losses = folds.correct.sum(axis=0), folds.loss.sum(axis=0) / n
        stable = with_neighbours(correct / n)
        best = min(range(len(ALPHAS)), key=lambda a: (-stable[a], losses[a]))
        return Trial(
            {**setting.params, "alpha": float(ALPHAS[best])},
            float(correct[best] / n),
            float(losses[best]),
            n,
            folds=folds,
            stable_accuracy=float(stable[best]),
        )

    def _folds(self, setting: Setting) -> FoldSums:
        """Results of each fold, where each text is left out by itself."""
        scores = HeldOut(self.counts, setting.model.recipe, setting.params["event"], ALPHAS)
        numbers = fold_numbers(self.actual, min(FOLDS, len(self.actual)), seed=0)
        found = []
        for k in range(int(numbers.max()) + 1):
            some = np.flatnonzero(numbers == k)
            each = np.arange(len(some), dtype=np.uint32)
            bags = self.bags.taken(some.astype(np.uint64))
            loss, accuracy = scores.losses(bags, self.actual[some], each, threads=self.threads)
            found.append((np.rint(accuracy * len(some)), loss * len(some)))
        correct, losses = zip(*found, strict=True)
        return FoldSums(np.array(correct), np.array(losses))


def trials(texts: Texts, labels: Any, **options: Any) -> list[Trial]:
    """Search for the best counting model; `options` are those of `Race`, such as `budget`.

    The trials on the largest sample come first, the best before the others.
    """
    folds = [t.folds for t in found if t.texts == found[0].texts and t.folds is not None]
    right = np.concatenate([each.right for each in folds], axis=1)
    others, losses = (
        np.concatenate(both, axis=1) for both in zip(*(f.without() for f in folds), strict=True)
    )
    chosen = [np.lexsort((losses[k], -others[k]))[0] for k in range(len(right))]
    return float(sum(right[k, i] for k, i in enumerate(chosen)) / found[0].texts)


@dataclass
class Budget:
    """Seconds that may be spent."""

    seconds: float
    start: float = field(default_factory=time.perf_counter)

    @property
    def left(self) -> float:
        """What is left of them; below 0 where more was spent."""
        return self.seconds - (time.perf_counter() - self.start)


def trials(
    texts: Texts,
    labels: Any,
    *,
    budget: float = 60.0,
    seed: int = 0,
    threads: int | None = None,
    watch: Watch | None = None,
) -> list[Trial]:
    """What was tried, the best first: those on the largest sample before all others.

    `watch` is called with each trial, how many were done and how many there are to do. The sample
    and the ways depend on `seed` alone; how far they come, on the time.
    """
    batch, names, numbers = checked(texts, labels, budget)
    clock, order = Budget(budget), np.random.default_rng(seed).permutation(len(numbers))
    ways = every_way()
    found: dict[Key, Trial] = {}
    size = min(SAMPLE, len(numbers))
    while True:
        sample = Sample(batch, names, numbers, np.sort(order[:size]), threads)
        done = _round(sample, ways, found, clock, watch)
        found |= done
        if size == len(numbers) or not done:
            break
        size = min(size * GROWTH, len(numbers))
        ways = _better(done, size, clock)
    return sorted(found.values(), key=lambda trial: (-trial.texts, *trial.rank))


def _better(done: Mapping[Key, Trial], texts: int, clock: Budget) -> list[Key]:
    """The ways to try on the next sample, the best first: what takes half of the time left."""
    best = sorted(done, key=lambda key: done[key].rank)
    times = np.cumsum([_expected(done[key], texts) for key in best])
    affordable = int(np.searchsorted(times, clock.left / 2))
    return best[: max(KEPT, min(affordable, len(best) // 2))]


def every_way() -> list[Key]:
    """Every way to classify that is tried: recipe, whether it is binary, event, least count."""
    return [
        (i, binary, event, least)
        for i in range(len(RECIPES))
        for binary, events in EVENTS.items()
        for event in events
        if event != "bernoulli" or i == 0
        for least in MIN_COUNTS
    ]


def params_of(key: Key) -> dict[str, Any]:
    """The parameters of a way."""
    i, binary, event, least = key
    more: dict[str, Any] = {"binary": True} if binary and event == "complement" else {}
    more |= {"min_count": least} if least > 1 else {}
    return {**RECIPES[i], "event": event, **more}


@dataclass(frozen=True, eq=False)
class Sample:
    """Some of the texts, and their labels."""

    batch: _native.Batch
    names: list[Label]
    numbers: npt.NDArray[np.uint32]
    places: npt.NDArray[np.int64]
    threads: int | None

    @property
    def bytes(self) -> float:
        """About how long its texts are."""
        return self.batch.bytes * len(self.places) / len(self.batch)

    def counted(self, recipe: Features) -> tuple[Counts, CountedBatch]:
        """The counts of the sample, with the features of each text kept."""
        texts = self.batch.taken(self.places.astype(np.uint64))
        labels = [self.names[i] for i in self.numbers[self.places].tolist()]
        counted = CountedBatch(texts, labels, recipe, threads=self.threads, keeps=True)
        counts = Counts(recipe, ledger=False)
        counts.learn(counted)
        return counts, counted


def _round(
    sample: Sample,
    ways: list[Key],
    before: Mapping[Key, Trial],
    clock: Budget,
    watch: Watch | None,
) -> dict[Key, Trial]:
    """A trial of each way, as far as the time lasts; the first is always made."""
    done: dict[Key, Trial] = {}
    for (i, binary), keys in _alike(ways):
        expected = sum(_expected(before.get(key), len(sample.places)) for key in keys)
        if (done or before) and expected > clock.left:
            continue
        recipe = Features(**_options(RECIPES[i]), binary=binary)
        start = time.perf_counter()
        counts, counted = sample.counted(recipe)
        counting = (time.perf_counter() - start) / len(keys)
        for key in keys:
            done[key] = _judged(key, counts, counted, recipe, counting, sample.threads)
            if watch is not None:
                watch(done[key], len(done), len(ways))
    return done


def _alike(keys: list[Key]) -> Iterator[tuple[tuple[int, bool], list[Key]]]:
    """Ways that count alike, the best first among those given in the order of merit."""
    groups: dict[tuple[int, bool], list[Key]] = {}
    for key in keys:
        groups.setdefault(key[:2], []).append(key)
    yield from groups.items()


def _expected(before: Trial | None, texts: int) -> float:
    """Seconds that a trial will take, from one on fewer texts; 0 where nothing is known."""
    return 0.0 if before is None else before.seconds * texts / before.texts


def _options(recipe: Mapping[str, Any]) -> dict[str, Any]:
    return {"preset" if name == "features" else name: value for name, value in recipe.items()}


def _judged(
    key: Key,
    counts: Counts,
    counted: CountedBatch,
    recipe: Features,
    counting: float,
    threads: int | None,
) -> Trial:
    """How well a way does, with the smoothing that does best."""
    start = time.perf_counter()
    params = params_of(key)
    view = Features(**{**_fields(recipe), "min_count": params.get("min_count", 1)})
    gold = label_codes(counted.labels, counts.labels).astype(np.uint32)[counted.classes]
    folds = _by_fold(HeldOut(counts, view, params["event"], ALPHAS), counted, gold, threads)
    right, losses = folds.right.sum(axis=0), folds.loss.sum(axis=0) / len(gold)
    steady = _steady(right / len(gold))
    best = min(range(len(ALPHAS)), key=lambda a: (-steady[a], losses[a]))
    seconds = time.perf_counter() - start + counting
    params["alpha"] = float(ALPHAS[best])
    accuracy, loss = float(right[best] / len(gold)), float(losses[best])
    return Trial(params, accuracy, loss, len(gold), seconds, folds, float(steady[best]))


def _steady(right: F64) -> F64:
    """The accuracy of each smoothing, with half of that of its neighbours.

    What does best at one smoothing and not at the next does so by chance.
    """
    padded = np.concatenate([right[..., :1], right, right[..., -1:]], axis=-1)
    steady: F64 = (padded[..., :-2] + 2 * right + padded[..., 2:]) / 4
    return steady


def _by_fold(scores: HeldOut, counted: CountedBatch, gold: U32, threads: int | None) -> Folds:
    """What is right of each fold, each text left out by itself."""
    assert counted.bags is not None
    numbers = fold_numbers(gold, min(FOLDS, len(gold)), seed=0)
    found = []
    for k in range(int(numbers.max()) + 1):
        some = np.flatnonzero(numbers == k)
        each = np.arange(len(some), dtype=np.uint32)
        bags = counted.bags.taken(some.astype(np.uint64))
        loss, accuracy = scores.losses(bags, gold[some], each, threads=threads)
        found.append((np.rint(accuracy * len(some)), loss * len(some)))
    right, losses = zip(*found, strict=True)
    return Folds(np.array(right), np.array(losses))


def _fields(recipe: Features) -> dict[str, Any]:
    return {name: getattr(recipe, name) for name in recipe.__dataclass_fields__}


def checked(
    texts: Texts, labels: Any, budget: float
) -> tuple[_native.Batch, list[Label], npt.NDArray[np.uint32]]:
    """The texts, the labels and the number of each text's, if there is something to choose by."""
    batch, (names, numbers) = native_batch(texts), encode(labels)
    if len(batch) != len(numbers):
        raise InputError(f"{len(batch)} texts and {len(numbers)} labels do not pair up")
    if len(names) < 2 or len(numbers) < 3:
        raise InputError("there is nothing to choose by; expected three texts of two classes")
    real_number("budget", budget, ABOVE_ZERO, expected="seconds, such as 60")
    return batch, names, numbers

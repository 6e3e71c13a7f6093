"""Successive halving: all settings on a small sample, the better ones on larger and larger ones."""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

import nabi._native as _native
from nabi.base.arrays import I64, U32
from nabi.base.checks import ABOVE_ZERO, real_number
from nabi.base.labels import Label, encode
from nabi.counts.batch import CountedBatch
from nabi.counts.text import Counts
from nabi.errors import InputError
from nabi.features.batch import Texts, native_batch
from nabi.features.recipe import Features
from nabi.judging.cross_validation import actual_classes
from nabi.search.settings import Setting
from nabi.search.trial import Trial

FIRST_SAMPLE, GROWTH = 2000, 4  # texts of the first sample; how much larger the next ones are
MIN_SURVIVORS = 4  # settings that go on to the next sample
NEXT_SHARE = 0.5  # of the time left, for the survivors on the next sample

Trials = dict[Setting, Trial]
Watch = Callable[[Trial, int, int], None]


@dataclass(frozen=True, eq=False)
class LabelledTexts:
    """Texts and their labels: all that there are, or a sample."""

    batch: _native.Batch
    labels: list[Label]  # the different ones
    classes: U32  # the index of each text's label among them
    mean_bytes: float  # of a text, among all texts

    @classmethod
    def of(cls, texts: Texts, labels: Any) -> "LabelledTexts":
        """Convert texts and labels, if there is something to choose by."""
        batch, (names, classes) = native_batch(texts), encode(labels)
        if len(batch) != len(classes):
            raise InputError(f"{len(batch)} texts and {len(classes)} labels do not pair up")
        if len(names) < 2 or len(classes) < 3:
            raise InputError("there is nothing to choose by; expected three texts of two classes")
        return cls(batch, names, classes, batch.bytes / len(batch))

    def __len__(self) -> int:
        return len(self.classes)

    def sample(self, indices: I64) -> "LabelledTexts":
        """Take the texts at these indices, in their order."""
        if len(indices) == len(self):
            return self
        at = np.sort(indices)
        batch = self.batch.taken(at.astype(np.uint64))
        return LabelledTexts(batch, self.labels, self.classes[at], self.mean_bytes)


class Judge(ABC):
    """A sample counted by one recipe, on which settings with that recipe are tried."""

    halving: ClassVar[int]  # at most one of so many settings goes on to the next sample
    last_growth: ClassVar[int]  # the last step, to all texts, may be so many times larger
    whole_recipes: ClassVar[bool]  # settings of one recipe are tried together or not at all

    def __init__(self, sample: LabelledTexts, recipe: Features, threads: int | None) -> None:
        labels = [sample.labels[i] for i in sample.classes.tolist()]
        counted = CountedBatch(sample.batch, labels, recipe, threads=threads, keeps=True)
        assert counted.bags is not None
        self.counted, self.bags, self.threads = counted, counted.bags, threads
        self.counts = Counts(recipe, ledger=False)
        self.counts.learn(counted)
        self.actual: U32 = actual_classes(counted, self.counts.labels).astype(np.uint32)

    @abstractmethod
    def trial(self, setting: Setting) -> Trial:
        """Try a setting on texts that its model never saw."""

    @staticmethod
    def passes(texts: int, size: float, classes: int) -> int:
        """Passes that a trial makes over so many texts, of `size` bytes in all."""
        return 1


@dataclass(eq=False)
class Race:
    """Trials of settings on samples of labelled texts, as far as the time lasts.

    Samples depend on `seed` alone; how many settings are tried on them, on the time. `watch` is
    called with each trial, how many are done in this round and how many there are.
    """

    texts: LabelledTexts
    judge: type[Judge]
    budget: float = 60.0  # seconds
    seed: int = 0
    threads: int | None = None
    watch: Watch | None = None
    clock: Callable[[], float] = time.perf_counter
    found: Trials = field(init=False, default_factory=dict)  # the last trial of each setting

    def __post_init__(self) -> None:
        real_number("budget", self.budget, ABOVE_ZERO, expected="seconds, such as 60")
        self._start = self.clock()
        self._order = np.random.default_rng(self.seed).permutation(len(self.texts))
        self.sample = self.texts.sample(self._order[:FIRST_SAMPLE])

    @property
    def left(self) -> float:
        """Seconds that are left; below 0 where more were spent."""
        return self.budget - (self.clock() - self._start)

    @property
    def is_complete(self) -> bool:
        """Whether all texts are in the sample."""
        return len(self.sample) == len(self.texts)

    def results(self) -> list[Trial]:
        """The last trial of each setting: those on the largest sample first, then the best."""
        return sorted(self.found.values(), key=lambda trial: (-trial.texts, *trial.rank))

    def expected(self, before: Trial | None) -> float:
        """Seconds that a trial will take on this sample, by an earlier one; 0 without one."""
        if before is None:
            return 0.0
        now, then = len(self.sample), before.texts
        return before.seconds * now / then * self._passes(now) / self._passes(then)

    def _passes(self, texts: int) -> int:
        return self.judge.passes(texts, texts * self.texts.mean_bytes, len(self.texts.labels))

    def halve(self, done: Trials) -> Trials:
        """Try the better of the settings on larger and larger samples; the last round's trials."""
        while not self.is_complete and done:
            total, size = len(self.texts), len(self.sample)
            size = size * GROWTH if size * self.judge.last_growth <= total else total
            self.sample = self.texts.sample(self._order[:size])
            done = self.round(self._survivors(done), self.found)
        return done

    def _survivors(self, done: Trials) -> list[Setting]:
        """The settings to try next, the best first: as many as there is time for."""
        best = ranked(done)
        times = np.cumsum([self.expected(done[setting]) for setting in best])
        affordable = int(np.searchsorted(times, self.left * NEXT_SHARE))
        return best[: max(MIN_SURVIVORS, min(affordable, len(best) // self.judge.halving))]

    def round(
        self, settings: list[Setting], before: Mapping[Setting, Trial], *, reserve: float = 0.0
    ) -> Trials:
        """Try settings on this sample, if they end before only `reserve` seconds are left.

        How long they take is expected from the trials `before`; the very first is always made.
        """
        done: Trials = {}
        groups: dict[Features, list[Setting]] = {}
        for setting in settings:
            groups.setdefault(setting.recipe, []).append(setting)
        times = {setting: self.expected(before.get(setting)) for setting in settings}
        if self.judge.whole_recipes:
            times = {s: sum(times[t] for t in groups[s.recipe]) for s in settings}

        def fits(setting: Setting) -> bool:
            return not (done or before) or 0 < self.left - reserve >= times[setting]

        for recipe, group in groups.items():
            wanted = [setting for setting in group if fits(setting)]
            if not wanted:
                continue
            judge, counting = self._timed(self.judge, self.sample, recipe, self.threads)
            for setting in wanted:
                if self.judge.whole_recipes or fits(setting):
                    trial, seconds = self._timed(judge.trial, setting)
                    done[setting] = replace(trial, seconds=seconds + counting / len(wanted))
                    if self.watch is not None:
                        self.watch(done[setting], len(done), len(settings))
        self.found |= done
        return done

    def _timed(self, call: Callable[..., Any], *args: Any) -> tuple[Any, float]:
        start = self.clock()
        result = call(*args)
        return result, self.clock() - start


def ranked(trials: Trials) -> list[Setting]:
    """The settings of trials, the best first."""
    return sorted(trials, key=lambda setting: trials[setting].rank)

"""Successive halving: all settings on a small sample, the better ones on larger and larger ones."""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple

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
from nabi.search.outcome import check_metric, weighs_classes
from nabi.search.settings import Setting
from nabi.search.trial import Trial, one_standard_error

FIRST_SAMPLE, GROWTH = 2000, 4  # texts of the first sample; how much larger the next ones are
MIN_SURVIVORS = 4  # settings that go on to the next sample, if there is time for them
PASSES = (5, 2, 1)  # to choose from, where there is no time for more
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


class Rules(NamedTuple):
    """Options of the trials on a sample."""

    threads: int | None
    metric: str
    passes: int  # that each trial makes over the texts


class Judge(ABC):
    """A sample counted by one recipe, on which settings with that recipe are tried."""

    halving: ClassVar[int]  # at most one of so many settings goes on to the next sample
    last_growth: ClassVar[int]  # the last step, to all texts, may be so many times larger
    whole_recipes: ClassVar[bool]  # settings of one recipe are tried together or not at all

    def __init__(self, sample: LabelledTexts, recipe: Features, rules: Rules) -> None:
        labels = [sample.labels[i] for i in sample.classes.tolist()]
        counted = CountedBatch(sample.batch, labels, recipe, threads=rules.threads, keeps=True)
        assert counted.bags is not None
        self.counted, self.bags = counted, counted.bags
        self.threads, self.metric = rules.threads, rules.metric
        self.counts = Counts(recipe, ledger=False)
        self.counts.learn(counted)
        self.actual: U32 = actual_classes(counted, self.counts.labels).astype(np.uint32)
        self.sizes: I64 = np.bincount(self.actual)  # of each class

    @abstractmethod
    def trial(self, setting: Setting) -> Trial:
        """Try a setting on texts that its model never saw."""

    @staticmethod
    def passes(texts: int, size: float, classes: int) -> int:
        """Passes that a trial makes over texts of `size` bytes in all, if there is time."""
        return 1


@dataclass(eq=False)
class Race:
    """Trials of settings on samples of labelled texts, as far as the time lasts.

    Samples depend on `seed` alone; how many settings are tried on them, on the time. `watch` is
    called with each trial, how many are done in this round and how many there are.
    """

    texts: LabelledTexts
    judge: type[Judge]
    metric: str = "accuracy"
    budget: float = 60.0  # seconds
    seed: int = 0
    threads: int | None = None
    watch: Watch | None = None
    clock: Callable[[], float] = time.perf_counter
    # The trials on each sample, by its number of texts.
    tried: dict[int, Trials] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        real_number("budget", self.budget, ABOVE_ZERO, expected="seconds, such as 60")
        check_metric(self.metric)
        self._start = self.clock()
        self._order = np.random.default_rng(self.seed).permutation(len(self.texts))
        self.sample = self.texts.sample(self._order[:FIRST_SAMPLE])
        # Texts of the last common sample, on which all settings were tried that were to be.
        self.common = len(self.sample)
        self.passes = {self.common: self._most_passes}  # that trials make, by texts of the sample

    @property
    def left(self) -> float:
        """Seconds that are left; below 0 where more were spent."""
        return self.budget - (self.clock() - self._start)

    @property
    def is_complete(self) -> bool:
        """Whether all texts are in the last common sample."""
        return self.common == len(self.texts)

    @property
    def weighs_classes(self) -> bool:
        """Whether to try class weights."""
        return weighs_classes(self.metric, self.texts.classes)

    @property
    def found(self) -> Trials:
        """The last trial of each setting, on the largest sample."""
        return {setting: t for n in sorted(self.tried) for setting, t in self.tried[n].items()}

    def results(self, *, without: Setting | None = None) -> list[Trial]:
        """The last trial of each setting: those on the largest sample first, then the best."""
        found = [trial for setting, trial in self.found.items() if setting is not without]
        return sorted(found, key=lambda trial: (-trial.texts, *trial.rank))

    def choice(self, *, small: bool = True) -> tuple[Setting, Trial]:
        """Choose by the last common sample: what lost clearly there cannot win.

        Where the best of it was also tried on a larger sample, that decides among those that are
        tied with it; else a trial on more texts than the others had has nothing to be compared
        with. On all texts, the one-standard-error rule has the last word where a `small` model is
        preferred. On a smaller sample, or with fewer passes than there should be, more is tied than
        all texts would leave, and the best is taken; on a smaller sample a linear model before a
        counting one, since it gains more from more texts (Ng and Jordan 2001).
        """
        common = self.tried[self.common]
        best = ranked(common)[0]
        ties = [s for s, trial in common.items() if s is best or common[best].ties(trial)]
        last = self.tried[max(self.tried)]
        decisive = last if best in last else common
        entered = {s: decisive[s] for s in ties if s in decisive}
        hurried = not self.is_complete or self.passes[self.common] < self._most_passes
        if hurried or not small:
            later = not self.is_complete
            chosen = min(entered, key=lambda s: (later and not s.is_linear, *entered[s].rank))
            return chosen, entered[chosen]
        trial = one_standard_error(list(entered.values()))
        return next(s for s, each in entered.items() if each is trial), trial

    def expected(self, before: Trial | None) -> float:
        """Seconds that a trial will take on this sample, by an earlier one; 0 without one.

        Counting the texts takes about as long as a pass.
        """
        if before is None:
            return 0.0
        now, then = len(self.sample), before.texts
        return before.seconds * now / then * (1 + self.passes[now]) / (1 + self.passes[then])

    @property
    def _most_passes(self) -> int:
        n = len(self.sample)
        return self.judge.passes(n, n * self.texts.mean_bytes, len(self.texts.labels))

    def pace(self, setting: Setting, times: float, share: float) -> None:
        """Let trials on this sample make as many passes as there is time for, but one at least.

        A trial of one pass, which is not kept, tells how long they take: `times` such trials are to
        end in a share of the time that is left.
        """
        n, most = len(self.sample), self._most_passes
        if most == 1:
            return
        self.passes[n] = 1
        start = self.clock()
        self._judge(setting.recipe).trial(setting)
        seconds = max(self.clock() - start, 1e-9) * times
        can = int(2 * self.left * share / seconds) - 1
        self.passes[n] = max([1, *(each for each in (*PASSES, most) if each <= min(most, can))])

    def halve(self, done: Trials) -> Trials:
        """Try the better of the settings on larger and larger samples; the last round's trials.

        Where there is little time, trials make fewer passes over the texts. It ends where there is
        no time to try two settings on the next sample.
        """
        while len(self.sample) < len(self.texts) and done:
            survivors = next((found for found in self._larger(done) if found), [])
            done = self.round(survivors, self.found) if survivors else {}
            if len(done) < len(survivors) or not done:
                break
            self.common = len(self.sample)
        return done

    def _larger(self, done: Trials) -> Iterator[list[Setting]]:
        """Take a larger sample, and smaller ones of these; yield the settings to try on each."""
        total, size = len(self.texts), len(self.sample)
        first = size * GROWTH if size * self.judge.last_growth <= total else total
        for larger in (first, *(size * n for n in (GROWTH, 2) if size * n < first)):
            self.sample = self.texts.sample(self._order[:larger])
            yield self._survivors(done)

    def _survivors(self, done: Trials) -> list[Setting]:
        """The settings to try next, the best first: as many as there is time for."""
        best, most, n = ranked(done), self._most_passes, len(self.sample)
        wanted = max(MIN_SURVIVORS, len(best) // self.judge.halving)
        for self.passes[n] in (most, *(each for each in PASSES if each < most)):
            times = np.cumsum([self.expected(done[setting]) for setting in best])
            affordable = int(np.searchsorted(times, self.left * NEXT_SHARE))
            if affordable >= min(MIN_SURVIVORS, len(best)):
                return best[: min(affordable, wanted)]
        affordable = min(int(np.searchsorted(times, self.left)), MIN_SURVIVORS)
        return best[:affordable] if affordable > 1 else []

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
            return not (done or self.tried) or 0 < self.left - reserve >= times[setting]

        for recipe, group in groups.items():
            wanted = [setting for setting in group if fits(setting)]
            if not wanted:
                continue
            judge, counting = self._timed(self._judge, recipe)
            for setting in wanted:
                if self.judge.whole_recipes or fits(setting):
                    trial, seconds = self._timed(judge.trial, setting)
                    done[setting] = replace(trial, seconds=seconds + counting / len(wanted))
                    if self.watch is not None:
                        self.watch(done[setting], len(done), len(settings))
        if done:
            self.tried.setdefault(len(self.sample), {}).update(done)
        return done

    def _judge(self, recipe: Features) -> Judge:
        rules = Rules(self.threads, self.metric, self.passes[len(self.sample)])
        return self.judge(self.sample, recipe, rules)

    def _timed(self, call: Callable[..., Any], *args: Any) -> tuple[Any, float]:
        start = self.clock()
        result = call(*args)
        return result, self.clock() - start


def ranked(trials: Trials) -> list[Setting]:
    """The settings of trials, the best first."""
    return sorted(trials, key=lambda setting: trials[setting].rank)

"""The best model of a table: event models of its columns, which columns, alpha.

Each column is scored by the rows of the other folds (`scoring.held_out`), once for each event model
that fits its values. The scores of a setting are a sum of such terms, so that nothing is trained.
From the inferred event models on, one thing at a time is changed, and kept where the metric gets
better (greedy search): by some metrics the prior; the event model of each column; then columns that
do harm are left out (backward elimination); then alpha and what missing values say are chosen. That
is done again until nothing gets better: with another prior, another column may tell more.
"""

import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from nabi.base.arrays import F64, U32
from nabi.base.checks import ABOVE_ZERO, real_number
from nabi.base.fixed_point import UNIT
from nabi.counts.table import TableCounts
from nabi.counts.table_batch import CountedRows
from nabi.errors import InputError
from nabi.features.columns import Columns, Kind
from nabi.features.frame import Column, Frame, frame_of
from nabi.features.recipe import Features
from nabi.judging.cross_validation import actual_classes
from nabi.models.table import TableClassifier
from nabi.scoring.held_out.table import HeldOutRows
from nabi.scoring.held_out.text import log_priors
from nabi.scoring.table import Weighing
from nabi.search.all_kinds import text_folds
from nabi.search.outcome import Outcome, check_metric, is_tie, temperature, tempered, weighs_classes
from nabi.search.race import Watch
from nabi.search.trial import Trial

FOLDS = 10
ROWS, LEAST = 20_000, 500  # of a sample, at most and at least
HELD = 2**26  # scores of all terms
ALPHAS = (0.01, 0.1, 0.3, 1.0, 3.0, 10.0)
FEW = 50  # different numbers that may be categories
WORDS = 1.5  # from so many words on, strings may be texts
KINDS = 5  # of a column, at most
# How far a class is below the best at most, before the temperature: one row of a class of two rows
# would otherwise decide on the temperature of all rows.
FARTHEST = 100.0
WITHOUT_ALPHA = ("gaussian", "lognormal")


@dataclass(frozen=True)
class TableSetting:
    """Parameters of a TableClassifier: the kind of each column that counts, and the others."""

    kinds: Mapping[str, Kind]
    weighing: Weighing
    prior: str = "empirical"

    def params(self, names: list[str]) -> dict[str, Any]:
        """Return the parameters; columns that do not count are ignored."""
        kinds = {name: self.kinds.get(name, Kind("ignore")) for name in names}
        return {
            "model": "table",
            "columns": {name: kind.features or kind.model for name, kind in kinds.items()},
            "alpha": self.weighing.alpha,
            "prior": self.prior,
            "missing": self.weighing.missing,
        }

    def with_kind(self, name: str, kind: Kind | None) -> "TableSetting":
        """Return the setting with another kind of a column, or without the column."""
        others = {n: k for n, k in self.kinds.items() if n != name}
        return replace(self, kinds=others if kind is None else {**others, name: kind})

    def weighed(self, **changed: Any) -> "TableSetting":
        """Return the setting with another alpha, or another use of missing values."""
        return replace(self, weighing=replace(self.weighing, **changed))


@dataclass(eq=False)
class Sample:
    """Rows of a table in folds, and the terms of their columns by the rows of the other folds."""

    frame: Frame
    labels: list[Any]
    kinds: Mapping[str, Kind]  # as they were inferred
    threads: int | None
    _terms: dict[Any, F64] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        counts, rows = self._counted(self.kinds)
        self.classes = counts.labels
        self.actual: U32 = actual_classes(rows, counts.labels).astype(np.uint32)
        self.fold = text_folds(rows.fingerprints, self.actual, FOLDS)
        left = np.tile(np.bincount(self.actual), (int(self.fold.max()) + 1, 1))
        np.subtract.at(left, (self.fold, self.actual), 1)
        self._left = left.astype(np.uint64) * np.uint64(UNIT)

    def _counted(self, kinds: Mapping[str, Kind]) -> tuple[TableCounts, CountedRows]:
        counts = TableCounts(kinds, ledger=False)
        rows = CountedRows(self.frame, self.labels, kinds, threads=self.threads)
        counts.learn(rows)
        return counts, rows

    def joint(self, setting: TableSetting) -> F64:
        """Log joints of all rows: the log prior and the terms of all columns."""
        joint = log_priors(self._left, setting.prior, self.classes)[self.fold]
        for name, kind in setting.kinds.items():
            joint += self._term(name, kind, setting.weighing)
        return joint

    def _term(self, name: str, kind: Kind, weighing: Weighing) -> F64:
        """Terms that a column adds to the log joint of each row and class."""
        key = _key(name, kind, weighing)
        if key not in self._terms:
            held_out = HeldOutRows(*self._counted({name: kind}), self.actual, weighing)
            every = np.arange(len(self.actual))
            joint, prior = held_out.joint(every, self.fold, threads=self.threads)
            with np.errstate(invalid="ignore"):
                self._terms[key] = np.where(np.isneginf(prior), 0.0, joint - prior)
        return self._terms[key]

    def keep(self, setting: TableSetting) -> None:
        """Forget the terms that a setting does not need."""
        kept = {_key(name, kind, setting.weighing) for name, kind in setting.kinds.items()}
        self._terms = {key: term for key, term in self._terms.items() if key in kept}

    def outcome(self, joint: F64) -> Outcome:
        """Classes predicted by these scores; -inf of a class that the other folds do not have."""
        known = np.isfinite(joint[np.arange(len(joint)), self.actual])
        least = joint.max(axis=1, keepdims=True) - FARTHEST
        joint = np.where(np.isneginf(joint), joint, np.maximum(joint, least))
        number = temperature(joint, self.actual, known, exact=False)
        return Outcome.of(tempered(joint, number), self.actual, known)


def _key(name: str, kind: Kind, weighing: Weighing) -> tuple[str, Kind, Weighing]:
    has_alpha = kind.model not in WITHOUT_ALPHA or weighing.missing == "evidence"
    return name, kind, weighing if has_alpha else replace(weighing, alpha=1.0)


@dataclass(eq=False)
class Greedy:
    """Greedy search: one thing at a time is changed, and kept where the metric gets better."""

    sample: Sample
    names: list[str]  # of all columns
    fixed: Collection[str] = ()  # columns whose event model is given
    metric: str = "accuracy"
    budget: float = 60.0  # seconds
    watch: Watch | None = None
    clock: Callable[[], float] = time.perf_counter
    found: dict[str, Trial] = field(init=False, default_factory=dict)  # by their parameters

    def __post_init__(self) -> None:
        check_metric(self.metric)
        real_number("budget", self.budget, ABOVE_ZERO, expected="seconds, such as 60")
        self._start, self._total = self.clock(), 0
        self.current = TableSetting(self.sample.kinds, TableClassifier().weighing())
        self.chosen = self._trial(self.current)

    def run(self) -> None:
        """Try all that there is, again and again until nothing gets better or the time is over."""
        columns = self.sample.frame.columns
        free = {n: kind for n, kind in self.sample.kinds.items() if n not in self.fixed}
        kinds = {name: [kind, *alternatives(columns[name], kind)] for name, kind in free.items()}
        each = sum(map(len, kinds.values())) + len(kinds) + len(ALPHAS) + 1
        before = None
        while before is not self.chosen and self._in_time:
            before, self._total = self.chosen, len(self.found) + each
            self._pass(kinds)

    def _pass(self, kinds: Mapping[str, list[Kind]]) -> None:
        """Change each thing once. By macro F1, a prior that finds small classes goes first."""
        columns = self.sample.frame.columns
        if weighs_classes(self.metric, self.sample.actual):
            for prior in ("uniform", "empirical"):
                self.consider(replace(self.current, prior=prior))
        for name, others in kinds.items():
            for kind in others:
                self.consider(self.current.with_kind(name, kind))
            self.sample.keep(self.current)
        self._leave_out()
        if any(kind.model not in WITHOUT_ALPHA for kind in self.current.kinds.values()):
            for alpha in ALPHAS:
                self.consider(self.current.weighed(alpha=alpha))
                self.sample.keep(self.current)
        if any(columns[name].missing.any() for name in self.current.kinds):
            self.consider(self.current.weighed(missing="evidence"))

    def _leave_out(self) -> None:
        """Backward elimination: leave out the columns that do harm, the worst first."""
        free = self.current.kinds.keys() - self.fixed
        without = {name: self.current.with_kind(name, None) for name in sorted(free)}
        tried = {name: self._tried(setting) for name, setting in without.items() if setting.kinds}
        harmful = [(t.rank, n) for n, t in tried.items() if t and t.rank < self.chosen.rank]
        for _, name in sorted(harmful):
            if len(self.current.kinds) > 1:
                self.consider(self.current.with_kind(name, None))

    def consider(self, setting: TableSetting) -> None:
        """Try a setting, and take it where it is better than the one before.

        Where the two cannot be told apart, it has to be better by log loss too: of many that are
        tried, some would be taken for luck.
        """
        trial = self._tried(setting)
        if trial is None or trial.rank >= self.chosen.rank:
            return
        # A prior that finds small classes has a larger log loss, and is meant to.
        is_prior = setting.prior != self.current.prior
        if is_prior or trial.log_loss < self.chosen.log_loss or not self._is_tie(trial):
            self.current, self.chosen = setting, trial

    def _is_tie(self, trial: Trial) -> bool:
        """Whether a trial and the chosen one are within one standard error."""
        assert trial.outcome is not None
        assert self.chosen.outcome is not None
        return is_tie(trial.outcome, self.chosen.outcome, self.metric)

    def _tried(self, setting: TableSetting) -> Trial | None:
        """The trial of a setting; None where there is no time for it."""
        known = self.found.get(str(setting.params(self.names)))
        return known or (self._trial(setting) if self._in_time else None)

    @property
    def _in_time(self) -> bool:
        return self.clock() - self._start < self.budget

    def _trial(self, setting: TableSetting) -> Trial:
        start, params = self.clock(), setting.params(self.names)
        outcome = self.sample.outcome(self.sample.joint(setting))
        more = {"metric": self.metric, "features": len(setting.kinds)}
        trial = Trial.of(params, outcome, len(self.sample.labels), **more)
        trial = self.found[str(params)] = replace(trial, seconds=self.clock() - start)
        if self.watch is not None:
            self.watch(trial, len(self.found), max(self._total, len(self.found)))
        return trial


def trials(
    table: Any,
    labels: Any,
    *,
    columns: Columns = None,
    seed: int = 0,
    threads: int | None = None,
    **options: Any,
) -> list[Trial]:
    """Search for the best model of a table; `options` are those of `Greedy`, such as `budget`.

    Of `columns` the event models are given. The chosen trial comes first, then the best others.
    """
    counts, rows = TableClassifier(columns, threads=threads).count(table, labels)
    if len(rows.labels) < 2 or len(rows.classes) < 3:
        raise InputError("there is nothing to choose by; expected three rows of two classes")
    frame = frame_of(table)
    frame = frame.without(labels) if isinstance(labels, str) else frame
    given, names = [rows.labels[c] for c in rows.classes.tolist()], list(frame.columns)
    most = max(LEAST, min(ROWS, HELD // (len(rows.labels) * len(names) * KINDS)))
    if len(given) > most:
        some = np.sort(np.random.default_rng(seed).permutation(len(given))[:most])
        frame, given = frame.taken(some), [given[i] for i in some.tolist()]
    fixed = {str(name) for name in columns or ()}
    greedy = Greedy(Sample(frame, given, counts.kinds, threads), names, fixed, **options)
    greedy.run()
    others = [trial for trial in greedy.found.values() if trial is not greedy.chosen]
    return [greedy.chosen, *sorted(others, key=lambda trial: trial.rank)]


def alternatives(column: Column, kind: Kind) -> list[Kind]:
    """Other kinds that a column may have, by its values."""
    values = np.array([]) if column.numbers is None else column.numbers[~column.missing]
    if column.categorical or column.dtype == "bool":
        return []
    if column.numbers is None:
        found = _of_strings([text for text in column.texts if text is not None], kind)
    else:
        found = [Kind("gaussian"), Kind("histogram")]
        found += [Kind("lognormal")] if (values > 0).all() else []
        whole = bool((values == np.floor(values)).all())
        found += [Kind("poisson")] if whole and (values >= 0).all() else []
        different = len(np.unique(values))
        few = different <= FEW and 2 * different <= len(values)
        found += [Kind("categorical")] if few else []
    return [other for other in found if other != kind]


def _of_strings(texts: list[str], kind: Kind) -> list[Kind]:
    """Kinds of strings: names, words, words and pairs, characters."""
    recipe = kind.features or Features()
    words = sum(len(text.split()) for text in texts) / max(len(texts), 1)
    found = [Kind("categorical")] if 2 * len(set(texts)) <= len(texts) else []
    if words >= WORDS or kind.model == "text":
        pairs = replace(recipe, ngrams=(1, 2))
        found += [Kind("text", each) for each in (recipe, pairs, Features(preset="chars"))]
    return found

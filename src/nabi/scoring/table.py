"""Counts of a table to scores: a term for each column, and their sum."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np

import nabi._native as _native
from nabi.base.arrays import F64, I64, U64
from nabi.base.fixed_point import as_real
from nabi.base.threads import n_threads
from nabi.counts.table import TableCounts
from nabi.counts.table_batch import column_for
from nabi.counts.text import Counts
from nabi.errors import DamagedFileError, InputError
from nabi.events import gaussian, histogram, poisson
from nabi.features.columns import REAL, Kind
from nabi.features.frame import Column, Frame
from nabi.features.names import names_at
from nabi.features.values import VALUE, Values, bins, values_of
from nabi.scoring.text import Scoring

SMALL, LARGE = 1e-150, 1e150  # deviations whose squares are numbers


@dataclass(frozen=True)
class Weighing:
    """The parameters that scores depend on."""

    alpha: float
    smoothing: float  # of variances
    ddof: int
    missing: str  # "skip" or "evidence"


class TableScoring:
    """Scores of rows by the counts of a table as they are now."""

    def __init__(self, counts: TableCounts, weighing: Weighing) -> None:
        self.counts = counts
        self.weighing = weighing
        self.docs = as_real(counts.docs)

    # ---- what each column says ----

    @cached_property
    def measured(self) -> dict[str, tuple[Any, int]]:
        """By column of numbers: its weights, and its index in them."""
        found: dict[str, tuple[Any, int]] = {}
        w, kinds, names = self.weighing, self.counts.kinds, self.counts.measured
        for model in REAL:
            indexes = [i for i, name in enumerate(names) if kinds[name].model == model]
            moments = self.counts.ranked.of_columns(indexes)
            weights: Any = (
                poisson.weigh(moments, w.alpha)
                if model == "poisson"
                else gaussian.weigh(moments, w.smoothing, w.ddof)
            )
            found |= {names[index]: (weights, i) for i, index in enumerate(indexes)}
        return found

    @cached_property
    def scorings(self) -> dict[str, Scoring]:
        """By column of words or values: its scores."""
        alpha, kinds = self.weighing.alpha, self.counts.kinds
        return {
            name: Scoring(column, kinds[name].features or VALUE, "multinomial", alpha)
            for name, column in self.counts.columns.items()
        }

    @cached_property
    def histograms(self) -> dict[str, histogram.Bins]:
        """By column of a histogram that has a value: its bins."""
        found = {}
        for name, kind in self.counts.kinds.items():
            if kind.model == "histogram":
                names, counts = self.tallies(name)
                if not names:
                    continue
                fine = fine_bins(name, names)
                order = np.argsort(fine)
                found[name] = histogram.weigh(fine[order], counts[order], self.weighing.alpha)
        return found

    def tallies(self, name: str) -> tuple[list[str], F64]:
        """The values of a column, and how often each class has seen them."""
        names, counts = tallies(self.counts.columns[name], len(self.docs))
        return names, as_real(counts)

    @cached_property
    def observed(self) -> Mapping[str, F64]:
        """By column: the number of rows of each class that have a value."""
        n = as_real(self.counts.ranked.n)
        found = {name: n[:, i] for i, name in enumerate(self.counts.measured)}
        columns = self.counts.columns.items()
        return {name: as_real(column.tokens) for name, column in columns} | found

    # ---- the terms ----

    def term(self, name: str, values: Values, threads: int | None) -> F64:
        """Return the term of a column in the log joint of each row and class."""
        kind = self.counts.kinds[name]
        term = self._known_term(name, kind, values, threads)
        silent = values.missing | values.strange
        if silent.any():
            term = np.where(silent[:, None], 0.0, term)
        if self.weighing.missing == "evidence":
            term = term + self._presence(name)[values.missing.astype(int)]
        return term

    def _known_term(self, name: str, kind: Kind, values: Values, threads: int | None) -> F64:
        if kind.model in ("text", "categorical"):
            assert values.tokens is not None
            none = np.zeros(len(self.docs))
            return self.scorings[name].joint(values.tokens, none, threads, quiet=True)
        assert values.numbers is not None
        if kind.model == "histogram":
            if name not in self.histograms:  # without a value, it says nothing
                return np.zeros((len(values.numbers), len(self.docs)))
            return self.histograms[name].log_density(bins(values.numbers))
        if kind.model == "bernoulli":
            bits: F64 = self._bits[name][(values.numbers == 1).astype(int)]
            return bits
        weights, place = self.measured[name]
        # An explanation shows the terms that the kernel adds up, which has a limit for the sum.
        limit = {"least": gaussian.LOWEST} if name in self._normal else {}
        density: F64 = weights.log_density(values.numbers, place, **limit)
        return density

    @cached_property
    def _bits(self) -> dict[str, F64]:
        """By column of truth values: the logs of P(false|c) and P(true|c)."""
        found = {}
        for name, kind in self.counts.kinds.items():
            if kind.model == "bernoulli":
                names, counts = self.tallies(name)
                true = counts[names.index("True")] if "True" in names else np.zeros(len(self.docs))
                found[name] = log_bits(true, self.observed[name], self.weighing.alpha)
        return found

    def _presence(self, name: str) -> F64:
        """The logs of P(there|c) and P(missing|c)."""
        gone = np.maximum(self.docs - self.observed[name], 0)
        return log_bits(gone, self.docs, self.weighing.alpha)

    # ---- the sums ----

    def columns(self, frame: Frame) -> list[tuple[str, Column, Kind]]:
        """(name, column, kind) of each column that the model knows."""
        kinds = self.counts.kinds
        if frame.columns and not any(name in frame.columns for name in kinds):
            shown = ", ".join(map(repr, list(frame.columns)[:12])) or "none"
            raise InputError(
                f"none of the columns that the model knows ({', '.join(map(repr, kinds))}); the "
                f"table has {shown}"
            )
        return [(name, column_for(frame, name, kind), kind) for name, kind in kinds.items()]

    def joint(self, frame: Frame, log_prior: F64, threads: int | None) -> F64:
        """The joint log likelihood of each row and class."""
        read = {name: values_of(name, column, kind) for name, column, kind in self.columns(frame)}
        if self._normal:
            joint = self._normal_terms(read, log_prior, threads)
        else:
            joint = np.tile(log_prior, (len(frame), 1))
        for name, values in read.items():
            if name not in self._normal:
                joint += self.term(name, values, threads)
            elif self.weighing.missing == "evidence":
                joint += self._presence(name)[values.missing.astype(int)]
        return joint

    def joint_and_lengths(
        self, frame: Frame, log_prior: F64, threads: int | None
    ) -> tuple[F64, F64]:
        """Return the joint log likelihoods, and the length of each row, which is always 1."""
        joint = self.joint(frame, log_prior, threads)
        return joint, np.ones(len(joint))

    @cached_property
    def _normal(self) -> dict[str, tuple[F64, F64]]:
        """Mean and variance by class of the columns of normal densities, for the kernel to add up.

        Those whose variance may be no number, or is none at all, are left to `term`.
        """
        found = {}
        for name, (weights, place) in self.measured.items():
            if self.counts.kinds[name].model != "poisson":
                mean, deviation = weights.mean[:, place], weights.deviation[:, place]
                if ((deviation > SMALL) & (deviation < LARGE)).all():
                    found[name] = (mean, deviation * deviation)
        return found

    def _normal_terms(self, read: Mapping[str, Values], log_prior: F64, threads: int | None) -> F64:
        """Return the log prior and what those columns add, for each row and class."""
        numbers: list[Any] = [read[name].numbers for name in self._normal]
        mean, variance = map(np.column_stack, zip(*self._normal.values(), strict=True))
        X, what, n = np.column_stack(numbers), _native.Score.joint, n_threads(threads)
        joint: Any = _native.gaussian_scores(X, mean.ravel(), variance.ravel(), log_prior, what, n)
        return cast(F64, joint)

    def best(self, frame: Frame, log_prior: F64, threads: int | None) -> I64:
        """The best class of each row; -1 where every class is impossible."""
        joint = self.joint(frame, log_prior, threads)
        return np.where(np.isneginf(joint).all(axis=1), -1, np.argmax(joint, axis=1))


def tallies(column: Counts, n_classes: int) -> tuple[list[str], U64]:
    """The values of a column, and how often each class has seen them, in fixed point."""
    cells = column.cells()
    rows = np.flatnonzero(np.diff(cells.offsets))
    table = np.zeros((len(cells.offsets) - 1, n_classes), np.uint64)
    table[cells.features, cells.classes] = cells.counts
    return names_at(*column.table.names(), rows), table[rows]


def fine_bins(name: str, values: list[str]) -> I64:
    """The fine bins that a histogram's column has counted."""
    try:
        return np.array([int(bin_) for bin_ in values], np.int64)
    except (ValueError, OverflowError):
        raise DamagedFileError(
            f"the model file is damaged: column {name!r} has bins that are none"
        ) from None


def log_bits(yes: F64, n: F64, alpha: float) -> F64:
    """The logs of P(no|c) and P(yes|c); 0 where nothing is known."""
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(np.array([n - yes + alpha, yes + alpha]) / (n + 2 * alpha))
    return np.where(np.isnan(logs), 0.0, logs)

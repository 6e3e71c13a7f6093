"""Scores of rows by the model of a table that never saw them, without training again.

Like the held-out scores of texts: what each column has counted, less the group that is left out.
Whatever is counted is a whole number, sums of numbers too, so that what is left is what a model of
the other rows has; the formulas are the same. Words and values are left to the kernel.
"""

from functools import cached_property
from typing import Protocol

import numpy as np

from nabi.base.arrays import F64, U32, U64
from nabi.base.fixed_point import UNIT, as_real
from nabi.counts.moments import Moments
from nabi.counts.table import TableCounts
from nabi.counts.table_batch import CountedRows
from nabi.features.values import VALUE
from nabi.scoring.held_out.leaving import I64, Leaving
from nabi.scoring.held_out.numbers import (
    ColumnLeft,
    NormalsLeft,
    NormalSum,
    RatesLeft,
)
from nabi.scoring.held_out.text import log_priors
from nabi.scoring.held_out.values import BinsLeft, BitsLeft, WordsLeft
from nabi.scoring.prior import Prior
from nabi.scoring.table import Weighing, log_bits


class ColumnTerms(Protocol):
    """A column whose terms can be told without some rows."""

    def term(self, leaving: Leaving, threads: int | None) -> F64:
        """What it adds to the log joint of each of the rows, for each class; 0 where missing."""


class HeldOutRows:
    """The scores of learned rows, each by the model without its group."""

    def __init__(
        self, counts: TableCounts, rows: CountedRows, classes: U32, weighing: Weighing
    ) -> None:
        """`counts` has learned the rows and no others; `classes` are places among its labels."""
        self.counts, self.weighing = counts, weighing
        self._values, self._classes = rows.values, classes
        self._units: U64 = np.full(len(classes), UNIT, np.uint64)
        if rows.units is not None:
            self._units = rows.units

    # ---- the columns ----

    @cached_property
    def _columns(self) -> dict[str, ColumnTerms]:
        """Every column but those of normal densities, which depend on each other."""
        kinds = self.counts.kinds.items()
        normal = [name for columns in self._normals for name in columns.names]
        return {name: self._column(name, kind.model) for name, kind in kinds if name not in normal}

    def _column(self, name: str, model: str) -> ColumnTerms:
        values, alpha = self._values[name], self.weighing.alpha
        if model == "poisson":
            return RatesLeft(self._measured(name), alpha)
        if model == "histogram":
            return BinsLeft(values, self._classes, self._units, len(self.counts.labels), alpha)
        if model == "bernoulli":
            return BitsLeft(values, self._classes, self._units, len(self.counts.labels), alpha)
        recipe = self.counts.kinds[name].features or VALUE
        return WordsLeft(name, self.counts.columns[name], recipe, values, alpha)

    @cached_property
    def _normals(self) -> list[NormalsLeft]:
        """The columns of normal densities, those of one kind together."""
        w, found = self.weighing, []
        for model in ("gaussian", "lognormal"):
            names = [name for name, kind in self.counts.kinds.items() if kind.model == model]
            if names:
                columns = {name: self._measured(name) for name in names}
                found.append(NormalsLeft(columns, w.smoothing, w.ddof))
        return found

    def _measured(self, name: str) -> ColumnLeft:
        place = self.counts.measured.index(name)
        return ColumnLeft(self._ranked.of_columns([place]), self._numbers(name))

    def _numbers(self, name: str) -> F64:
        numbers = self._values[name].numbers
        assert numbers is not None
        return numbers

    @cached_property
    def _ranked(self) -> Moments:
        return self.counts.ranked

    # ---- the sums ----

    def joint(
        self,
        rows: I64,
        groups: U32,
        *,
        prior: Prior = "empirical",
        threads: int | None = None,
    ) -> tuple[F64, F64]:
        """Log P(x|c) P(c) of the rows at these places, and their log P(c); -inf: all gone.

        Groups are whole: those of one are scored without each other.
        """
        labels = self.counts.labels
        leaving = Leaving.of(rows, groups, self._classes, self._units, len(labels))
        docs = self.counts.docs - leaving.lost(np.ones(len(rows), bool))
        priors = leaving.by_row(log_priors(docs, prior, "multinomial", labels))
        normal = NormalSum(leaving, docs == 0)
        others = np.zeros(priors.shape)
        weighed = {n: w for each in self._normals for n, w in each.weigh(leaving).items()}
        with np.errstate(over="ignore"):
            for name in self.counts.kinds:
                if name in weighed:
                    others += normal.add(weighed[name], self._numbers(name)[rows])
                else:
                    others += self._columns[name].term(leaving, threads)
                if self.weighing.missing == "evidence":
                    others += self._presence(name, docs, leaving)
            return np.where(np.isneginf(priors), -np.inf, priors + normal.total + others), priors

    def _presence(self, name: str, docs: U64, leaving: Leaving) -> F64:
        """What it says of each class that a value is there, or missing."""
        missing = self._values[name].missing[leaving.rows]
        absent = self._absent[name] - leaving.lost(missing)
        there, gone = map(
            leaving.by_row,
            log_bits(as_real(absent), as_real(docs), self.weighing.alpha),
        )
        return np.where(missing[:, None], gone, there)

    @cached_property
    def _absent(self) -> dict[str, U64]:
        """The units of each class that lack a value, by column."""
        found = {}
        for name, values in self._values.items():
            found[name] = np.zeros(len(self.counts.labels), np.uint64)
            gone = values.missing
            np.add.at(found[name], self._classes[gone], self._units[gone])
        return found

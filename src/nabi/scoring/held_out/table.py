"""Leave-one-out and k-fold scores of the rows of a table, without training again.

Like the held-out scores of texts: what each column has counted, less the group that is left out.
Whatever is counted is a whole number, sums of numbers too, so that what is left is what a model of
the other rows has; the formulas are the same. Words and values are left to the kernel.
"""

from functools import cached_property, partial

import numpy as np

from nabi.base.arrays import F64, I64, U32, U64
from nabi.base.fixed_point import as_real, units_or_ones
from nabi.counts.table import TableCounts
from nabi.counts.table_batch import CountedRows
from nabi.events.gaussian import Normal
from nabi.features.values import VALUE
from nabi.scoring.held_out.groups import HeldOutGroups, Term
from nabi.scoring.held_out.numbers import ColumnRest, NormalSum, normals, rates_term
from nabi.scoring.held_out.text import log_priors
from nabi.scoring.held_out.values import BinsRest, bits_term, words_term
from nabi.scoring.prior import Prior
from nabi.scoring.table import Weighing, log_bits

NORMAL = ("gaussian", "lognormal")


class HeldOutRows:
    """Scores of learned rows, each by the model without its group."""

    def __init__(
        self, counts: TableCounts, rows: CountedRows, classes: U32, weighing: Weighing
    ) -> None:
        """`counts` has learned the rows, and others perhaps; `classes` are codes of its labels."""
        self.counts, self.weighing = counts, weighing
        self._values, self._classes = rows.values, classes
        self._units = units_or_ones(rows.units, len(classes))

    # ---- the columns ----

    @cached_property
    def _terms(self) -> dict[str, Term]:
        """The terms of all columns but those of normal densities, which depend on each other."""
        kinds = self.counts.kinds.items()
        return {n: self._term(n, kind.model) for n, kind in kinds if kind.model not in NORMAL}

    def _term(self, name: str, model: str) -> Term:
        values, alpha = self._values[name], self.weighing.alpha
        if model == "poisson":
            return partial(rates_term, self._measured(name), alpha)
        column = self.counts.columns[name]
        if model == "histogram":
            return BinsRest(name, values, column, alpha).term
        if model == "bernoulli":
            return bits_term(values, column, alpha)
        recipe = self.counts.kinds[name].features or VALUE
        return words_term(name, column, recipe, values, alpha)

    @cached_property
    def _normals(self) -> list[dict[str, ColumnRest]]:
        """The columns of normal densities, those of one kind together."""
        kinds = self.counts.kinds.items()
        by_model = ([name for name, kind in kinds if kind.model == model] for model in NORMAL)
        return [{name: self._measured(name) for name in names} for names in by_model if names]

    def _measured(self, name: str) -> ColumnRest:
        return ColumnRest(self.counts.ranked.of_columns([self._at[name]]), self._numbers(name))

    @cached_property
    def _at(self) -> dict[str, int]:
        """The indexes of columns among those with moments."""
        return {name: i for i, name in enumerate(self.counts.measured)}

    def _numbers(self, name: str) -> F64:
        numbers = self._values[name].numbers
        assert numbers is not None
        return numbers

    # ---- the sums ----

    def joint(
        self, rows: I64, groups: U32, *, prior: Prior = "empirical", threads: int | None = None
    ) -> tuple[F64, F64]:
        """Return log P(x|c) P(c) of the rows at these indexes, and log P(c); -inf: no rows left.

        Groups are whole: those of one are scored without each other.
        """
        labels = self.counts.labels
        different, numbers = np.unique(groups, return_inverse=True)
        held_out = HeldOutGroups(
            rows, self._classes[rows], numbers, self._units[rows], len(different), len(labels)
        )
        docs = self.counts.docs - held_out.lost(np.ones(len(rows), bool))
        priors = log_priors(docs, prior, labels)[held_out.groups]
        normal = NormalSum(held_out, docs == 0)
        others = np.zeros(priors.shape)
        weighed: dict[str, Normal] = {}
        for columns in self._normals:
            weighed |= normals(columns, held_out, self.weighing.smoothing, self.weighing.ddof)
        with np.errstate(over="ignore"):
            for name in self.counts.kinds:
                if name in weighed:
                    others += normal.add(weighed[name], self._numbers(name)[rows])
                else:
                    others += self._terms[name](held_out, threads)
                if self.weighing.missing == "evidence":
                    others += self._presence(name, docs, held_out)
            return np.where(np.isneginf(priors), -np.inf, priors + normal.total + others), priors

    def _presence(self, name: str, docs: U64, held_out: HeldOutGroups) -> F64:
        """Return the terms of a value being there, or missing."""
        missing = self._values[name].missing[held_out.rows]
        absent = self._absent[name] - held_out.lost(missing)
        logs = log_bits(as_real(absent), as_real(docs), self.weighing.alpha)
        terms: F64 = logs[missing.astype(int), held_out.groups]
        return terms

    @cached_property
    def _absent(self) -> dict[str, U64]:
        """The weight of the rows of each class that lack a value, by column."""
        n, names = self.counts.ranked.n, self.counts.measured
        there = {name: column.tokens for name, column in self.counts.columns.items()}
        there |= {name: n[:, i] for i, name in enumerate(names)}
        return {name: self.counts.docs - each for name, each in there.items()}

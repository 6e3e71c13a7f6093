"""The input and the output of an event model: totals of counts, and weights."""

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from nabi._native import Scorer, Table, log
from nabi.base.arrays import F64, I64, U8, U32, U64, Array
from nabi.base.fixed_point import UNIT, as_real
from nabi.counts.sparse import SparseCounts

AT_ONCE = 2**16  # numbers in a table of alphas and counts


def repeated(n: F64, times: Array, alphas: F64, *, outcomes: float = 1) -> F64:
    """For each alpha, the sum of times * n * log(n - 1 + outcomes * alpha).

    n occurrences, each looked up in what the other n - 1 and the smoothing leave.
    """
    there = n > 0
    often, rest = (times * n)[there], np.maximum(n[there] - 1, 0)
    if len(rest) * len(alphas) <= AT_ONCE:  # the same sums, in fewer calls
        logs = log(np.add.outer(outcomes * alphas, rest).ravel())
        return np.asarray((often * logs.reshape(len(alphas), -1)).sum(axis=1))
    return np.array([(often * log(rest + outcomes * alpha)).sum() for alpha in alphas.tolist()])


@dataclass(frozen=True, eq=False)
class Sums:
    """Totals of the counts that a recipe's views keep."""

    docs: F64  # D_c, by class
    units: U64  # N_c in fixed point, by class
    features: int  # |V|
    cells: SparseCounts | None = None  # every count; only for the models that ask for it

    @property
    def tokens(self) -> F64:
        """N_c, by class."""
        return as_real(self.units)

    @property
    def tokens_elsewhere(self) -> F64:
        """T - N_c, by class: exact differences, since both may be large and nearly equal."""
        total = sum(self.units.tolist())
        return np.array([(total - own) / UNIT for own in self.units.tolist()])


@dataclass(frozen=True, eq=False)
class Hard:
    """Probabilities of zero, counted: a class is impossible where the sum is above zero."""

    bias: I64  # by class
    shared: U8  # by feature
    cells: npt.NDArray[np.int8]  # by cell


NOTHING_HARD = Hard(np.empty(0, np.int64), np.empty(0, np.uint8), np.empty(0, np.int8))


@dataclass(frozen=True, eq=False)
class Weights:
    """The terms of the score. Without `hard`, no class is ever impossible."""

    bias: F64  # by class
    slope: F64  # by class
    cells: F64  # by cell
    shared: F64 = field(default_factory=lambda: np.empty(0))  # by feature; empty: none
    hard: Hard | None = None

    def scorer(
        self, table: Table, known: U8, offsets: U64, classes: U32, threads: int = 1
    ) -> Scorer:
        """The kernel's scorer by these weights; cells of feature f are offsets[f] to [f + 1]."""
        hard = self.hard or NOTHING_HARD
        return Scorer(
            table,
            bias=self.bias,
            slope=self.slope,
            known=known,
            shared=self.shared,
            offsets=offsets,
            classes=classes,
            cells=self.cells,
            hard_bias=hard.bias,
            hard_shared=hard.shared,
            hard_cells=hard.cells,
            threads=threads,
        )

"""What an event model takes, and what it gives."""

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from nabi.cells import F64, U64, Cells
from nabi.ledger import UNIT


def counted(units: U64) -> F64:
    """Units as counts: 2**24 units are a count of one."""
    return units.astype(np.float64) / UNIT


@dataclass(frozen=True, eq=False)
class Sums:
    """What a formula needs of the counts as a whole, after the recipe's views."""

    docs: F64  # D_c, by class
    tokens: F64  # N_c, by class
    features: int  # |V|
    cells: Cells | None = None  # every count; only for the models that ask for it


@dataclass(frozen=True, eq=False)
class Weights:
    """The terms of the score. Without `hard`, no class is ever impossible."""

    bias: F64  # by class
    slope: F64  # by class
    cells: F64  # by cell
    shared: F64 = field(default_factory=lambda: np.empty(0))  # by feature; empty: none
    hard: "Hard | None" = None


@dataclass(frozen=True, eq=False)
class Hard:
    """Probabilities of zero, counted: a class is impossible where the sum is above zero."""

    bias: npt.NDArray[np.int64]  # by class
    shared: npt.NDArray[np.uint8]  # by feature
    cells: npt.NDArray[np.int8]  # by cell

"""Sample weights and counts as fixed-point integers: exact whatever is added and subtracted."""

from typing import Any

import numpy as np

from nabi.base.arrays import F64, U64
from nabi.errors import InputError, RoundingWarning, warn

UNIT = 2**24  # weight 1 in fixed point: weights are whole multiples of 2**-24
LARGEST_WEIGHT = 2**20
SMALL_WEIGHT = 2**-10  # below it, rounding to 2**-24 can change the fifth digit
NO_UNITS = np.empty(0, np.uint64)  # tells the kernel that every weight is 1


def to_fixed_point(weights: Any, n: int) -> U64 | None:
    """Return n sample weights in fixed point; None where there are none."""
    if weights is None:
        return None
    try:
        given = np.asarray(weights, np.float64)
    except (TypeError, ValueError):
        raise InputError("sample_weight holds something else than numbers") from None
    if given.shape != (n,):
        raise InputError(f"sample_weight has shape {given.shape}, expected ({n},)")
    bad = ~((given >= 0) & (given <= LARGEST_WEIGHT))
    units: U64 = np.rint(np.where(bad, 0, given) * UNIT).astype(np.uint64)
    bad |= (units == 0) & (given > 0)
    if bad.any():
        at = int(np.flatnonzero(bad)[0])
        raise InputError(
            f"sample_weight[{at}] is {float(given[at])}, expected 0, or a number from 2**-24 "
            f"to 2**20"
        )
    check_room(units)
    _warn_of_rounding(given, units)
    return units


def check_room(*units: U64) -> None:
    """Refuse weights in fixed point that come to 2**64, which no count can hold."""
    # Far below it a rounded sum will do.
    near = sum(float(np.add.reduce(part, dtype=np.float64)) for part in units) >= 2**63
    if near and sum(sum(part.tolist()) for part in units) >= 2**64:
        raise InputError(
            "the weighted counts come to 2**40 or more, and no count can hold that; make "
            "sample_weight smaller; nothing was changed"
        )


def as_real(units: U64) -> F64:
    """Return fixed-point integers as real numbers."""
    return units.astype(np.float64) / UNIT


def units_or_ones(units: U64 | None, n: int) -> U64:
    """Return n weights in fixed point, each 1 where none are given."""
    return np.full(n, UNIT, np.uint64) if units is None else units


def _warn_of_rounding(given: F64, units: U64) -> None:
    small = (given > 0) & (given < SMALL_WEIGHT) & (units / UNIT != given)
    if small.any():
        least = float(given[small].min())
        warn(
            RoundingWarning(
                f"sample_weight holds {least:g}; weights are kept to 2**-24 (6e-8), which changes "
                f"it: multiply all weights by the same number, such as {1 / least:.0g}"
            )
        )

"""How often labels are right: what `score` of every model returns."""

from typing import Any

import numpy as np

from nabi.base import labels as label_kinds
from nabi.base.arrays import Array
from nabi.base.fixed_point import to_fixed_point
from nabi.errors import InputError


def accuracy(predicted: Array, labels: Any, sample_weight: Any, *, documents: str) -> float:
    """The share of labels that are right, by weight."""
    given, numbers = label_kinds.encode(labels)
    if len(predicted) != len(numbers) or not len(numbers):
        raise InputError(f"{len(predicted)} {documents} and {len(numbers)} labels have no score")
    right = predicted == label_kinds.as_array(given)[numbers]
    units = to_fixed_point(sample_weight, len(right))
    if units is not None and not units.any():
        raise InputError("every sample_weight is 0; there is nothing to score")
    return float(np.average(right, weights=units))

"""Labels as class numbers, without sorting a million of them."""

from typing import Any

import numpy as np

from nabi.base.arrays import U32, Array

NARROW = 2**16  # whole numbers in so small a range are looked up in a table


def classes_and_codes(y: Array) -> tuple[Array, U32]:
    """The labels that are there, ascending, and the place of each row's label among them."""
    span = _narrow_span(y)
    if span is None:
        classes, codes = np.unique(y, return_inverse=True)
        return classes, codes.astype(np.uint32)
    shifted = y - span[0]  # cannot overflow: the range is narrow
    there = np.zeros(span[1] - span[0] + 1, bool)
    there[shifted] = True
    table = np.cumsum(there, dtype=np.uint32) - np.uint32(1)
    places = np.flatnonzero(there)
    return (places + span[0]).astype(y.dtype), table[shifted]


def codes_of(y: Array, classes: Array) -> tuple[Array, U32, Array]:
    """The labels of y that are there, the class number of each row, and which labels are known."""
    labels, codes = classes_and_codes(y)
    places = np.searchsorted(classes, labels)
    known = places < len(classes)
    known[known] = classes[places[known]] == labels[known]
    return labels, places.astype(np.uint32)[codes], known


def _narrow_span(y: Array) -> tuple[Any, Any] | None:
    """The smallest and the largest label, where they are whole numbers not far apart."""
    if y.dtype.kind not in "iu" or not len(y):
        return None
    low, high = int(y.min()), int(y.max())
    return (low, high) if high - low < NARROW and high < 2**62 else None

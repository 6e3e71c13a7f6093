"""Codes of labels among classes that are known already."""

import numpy as np

from nabi.base.arrays import U32, Array
from nabi.base.labels import sorted_codes


def codes_of(y: Array, classes: Array) -> tuple[Array, U32, Array]:
    """Return the different labels of y, the code of each row, and which labels are known."""
    labels, codes = sorted_codes(y)
    indexes = np.searchsorted(classes, labels)
    known = indexes < len(classes)
    known[known] = classes[indexes[known]] == labels[known]
    return labels, indexes.astype(np.uint32)[codes], known

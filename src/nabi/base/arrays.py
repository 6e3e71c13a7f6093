"""The types of arrays, and the narrowest type that holds an array."""

from typing import Any

import numpy as np
import numpy.typing as npt

U8 = npt.NDArray[np.uint8]
U32 = npt.NDArray[np.uint32]
U64 = npt.NDArray[np.uint64]
F64 = npt.NDArray[np.float64]
Array = npt.NDArray[Any]


def narrow(array: Array, *kinds: Any) -> Array:
    """The array in the first of the kinds that holds its largest number."""
    most = int(array.max()) if len(array) else 0
    return next((array.astype(k) for k in kinds if most <= np.iinfo(k).max), array)

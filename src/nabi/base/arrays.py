"""Types of arrays, and the narrowest type that holds an array."""

from typing import Any

import numpy as np
import numpy.typing as npt

U8 = npt.NDArray[np.uint8]
U32 = npt.NDArray[np.uint32]
U64 = npt.NDArray[np.uint64]
I64 = npt.NDArray[np.int64]
F64 = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Array = npt.NDArray[Any]


def narrow(array: Array, *types: Any) -> Array:
    """Return the array in the first of the types that holds its largest number."""
    most = int(array.max()) if len(array) else 0
    return next((array.astype(t) for t in types if most <= np.iinfo(t).max), array)

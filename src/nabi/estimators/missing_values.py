"""Missing values: NaN in a dense matrix, stored NaN in a sparse one."""

from typing import Any

import numpy as np
from scipy import sparse


def split(X: Any) -> tuple[Any, Any]:
    """Return (X with 0 for NaN, a sparse matrix with 1 for NaN); (X, None) without NaN."""
    cells = X.data if sparse.issparse(X) else X
    if not _any_nan(cells):
        return X, None
    nan = np.isnan(cells)
    filled = np.where(nan, cells.dtype.type(0), cells)
    if not sparse.issparse(X):
        return filled, sparse.csr_matrix(nan, dtype=np.float64)
    # Copied, since eliminate_zeros changes the indices, which X shares.
    marks = sparse.csr_matrix((nan.astype(np.float64), X.indices, X.indptr), X.shape, copy=True)
    marks.eliminate_zeros()
    return sparse.csr_matrix((filled, X.indices, X.indptr), X.shape), marks


def _any_nan(cells: Any) -> bool:
    """Return whether a value is NaN; mostly the sum tells, without a mask."""
    if cells.dtype.kind != "f":
        return False
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isnan(cells.sum()) and np.isnan(cells).any())

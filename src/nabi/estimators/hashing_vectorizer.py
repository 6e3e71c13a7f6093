"""HashingVectorizer on the kernel."""

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.feature_extraction import text
from sklearn.preprocessing import normalize

import nabi._native as _native
from nabi.base.threads import n_threads
from nabi.estimators.kernel import INT32_MAX, batch_of, matrix, recipe_of, repair_shows

NORMS = {None: 0, "l1": 1, "l2": 2}
CHUNK = 2**26  # characters taken at a time from an iterator


# Without wrapped output, as scikit-learn's: the columns have no names.
class HashingVectorizer(text.HashingVectorizer, auto_wrap_output_keys=None):  # type: ignore
    """scikit-learn's `HashingVectorizer`, many times as fast.

    Parameters, errors and warnings are scikit-learn's own, and so is the work where the kernel
    cannot do it: with an analyzer, tokenizer or token pattern of your own, or texts in files.

    Examples
    --------
    >>> from nabi.estimators import HashingVectorizer
    >>> vectorizer = HashingVectorizer(n_features=4, norm=None, alternate_sign=False)
    >>> vectorizer.transform(["good film", "bad, bad film"]).toarray().tolist()
    [[0.0, 2.0, 0.0, 0.0], [0.0, 1.0, 0.0, 2.0]]
    """

    def transform(self, X: Any) -> Any:
        """Return the matrix of the documents."""
        recipe = None if isinstance(X, str) else self._recipe()
        if recipe is None:
            return super().transform(X)
        self._validate_ngram_range()
        self.build_analyzer()  # which warns of odd stop words
        parts = [self._hashed(documents, recipe) for documents in _chunks(X)]
        if not parts:
            return super().transform([])  # an error, in its words
        rows = parts[0] if len(parts) == 1 else sparse.vstack(parts, format="csr")
        # scikit-learn's configuration may ask for a sparse array.
        align = getattr(text, "_align_api_if_sparse", None)
        return rows if align is None else align(rows)

    def _recipe(self) -> _native.Recipe | None:
        whole = isinstance(self.n_features, int | np.integer)
        if not whole or not 1 <= self.n_features <= INT32_MAX or self.norm not in NORMS:
            return None
        return recipe_of(self)

    def _hashed(self, documents: list[Any], recipe: _native.Recipe) -> Any:
        batch = batch_of(self, documents)
        if batch is None:
            return super().transform(documents)
        # Sums of whole numbers are exact in float64; for other types scikit-learn normalises.
        exact = np.dtype(self.dtype) == np.float64
        rows, repaired = _native.hashed_matrix(
            batch,
            recipe,
            n_features=int(self.n_features),
            alternate_sign=bool(self.alternate_sign),
            binary=bool(self.binary),
            norm=NORMS[self.norm] if exact else 0,
            threads=n_threads(None),
        )
        if repair_shows(self, repaired):
            return super().transform(documents)
        X = matrix(rows, int(self.n_features), self.dtype)
        return X if exact or self.norm is None else normalize(X, norm=self.norm, copy=False)


def _chunks(documents: Iterable[Any]) -> Iterator[list[Any]]:
    """Yield documents in lists: all texts of an iterator may not fit into memory."""
    if isinstance(documents, list | tuple):
        if documents:
            yield list(documents)
        return
    chunk: list[Any] = []
    size = 0
    for document in documents:
        chunk.append(document)
        size += len(document) if isinstance(document, str | bytes) else 1
        if size >= CHUNK:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk

"""CountVectorizer on the kernel."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.feature_extraction import text

import nabi._native as _native
from nabi.base.arrays import offsets_of
from nabi.base.threads import n_threads
from nabi.estimators.kernel import Rows, batch_of, matrix, recipe_of, repair_shows

# Below so many bytes of text for each word of the vocabulary, it takes less time to look up the
# texts' words in the vocabulary than to make a table of it.
BYTES_PER_WORD = 25


class CountVectorizer(text.CountVectorizer):
    """scikit-learn's `CountVectorizer`, many times as fast.

    Parameters, attributes, errors and warnings are scikit-learn's own, and so is the work where
    the kernel cannot do it: with an analyzer, tokenizer or token pattern of your own, or texts in
    files. The columns of each row are in order, which scikit-learn's `fit_transform` leaves open.

    Examples
    --------
    >>> from nabi.estimators import CountVectorizer
    >>> vectorizer = CountVectorizer()
    >>> vectorizer.fit_transform(["good film", "bad, bad film"]).toarray().tolist()
    [[0, 1, 1], [2, 1, 0]]
    >>> vectorizer.get_feature_names_out().tolist()
    ['bad', 'film', 'good']
    """

    vocabulary_: dict[Any, Any]

    def fit_transform(self, raw_documents: Any, y: Any = None) -> Any:
        """Learn the vocabulary of the documents, and return their matrix."""
        X = super().fit_transform(raw_documents, y)
        if isinstance(self.vocabulary_, _Learned):
            self.vocabulary_ = dict(self.vocabulary_)
        X.sort_indices()
        return X

    # ---- the steps of scikit-learn's fit_transform and transform ----

    def _count_vocab(self, raw_documents: Any, fixed_vocab: bool) -> tuple[Any, Any]:
        recipe = recipe_of(self)
        if recipe is None:
            return super()._count_vocab(raw_documents, fixed_vocab)  # type: ignore[no-any-return]
        if not isinstance(raw_documents, list | tuple):
            raw_documents = list(raw_documents)
        self.build_analyzer()  # which warns of odd stop words
        counted = None
        if batch := batch_of(self, raw_documents):
            counted = self._known(batch, recipe) if fixed_vocab else self._learned(batch, recipe)
        return counted or super()._count_vocab(raw_documents, fixed_vocab)

    def _sort_features(self, X: Any, vocabulary: Any) -> Any:
        return X if isinstance(vocabulary, _Learned) else super()._sort_features(X, vocabulary)

    def _limit_features(
        self, X: Any, vocabulary: Any, high: Any = None, low: Any = None, limit: Any = None
    ) -> Any:
        if not isinstance(vocabulary, _Learned):
            return super()._limit_features(X, vocabulary, high, low, limit)
        keep = _kept(X, high, low, limit)
        if keep is not None and not keep.any():
            return super()._limit_features(X, {}, high, low, limit)  # an error, in its words
        vocabulary.name(keep)
        return X if keep is None else X[:, np.flatnonzero(keep)]

    # ---- with the kernel; None where it cannot do it ----

    def _learned(self, batch: _native.Batch, recipe: _native.Recipe) -> tuple[Any, Any] | None:
        rows, names, offsets, repaired = _native.learned_matrix(batch, recipe, n_threads(None))
        if repair_shows(self, repaired) or len(offsets) == 1:
            return None
        return _Learned(names, offsets), matrix(rows, len(offsets) - 1, self.dtype)

    def _known(self, batch: _native.Batch, recipe: _native.Recipe) -> tuple[Any, Any] | None:
        vocabulary = self.vocabulary_
        look_up = batch.bytes < BYTES_PER_WORD * len(vocabulary)
        found = (_looked_up if look_up else _in_table)(batch, recipe, vocabulary)
        if found is None or repair_shows(self, found[1]):
            return None
        return vocabulary, matrix(found[0], len(vocabulary), self.dtype)


class _Learned(dict[str, int]):
    """Vocabulary in the order of its columns; empty until it is known which of them stay."""

    def __init__(self, names: Any, offsets: Any) -> None:
        super().__init__()
        self._names, self._offsets = names, offsets

    def name(self, keep: Any) -> None:
        """Fill in the names of the columns that stay; None: all."""
        begins, ends = self._offsets[:-1], self._offsets[1:]
        if keep is not None:
            begins, ends = begins[keep], ends[keep]
        names = _native.strings(self._names, begins, ends)
        self.update(zip(names, range(len(names)), strict=True))


def _kept(X: Any, high: Any, low: Any, limit: Any) -> Any:
    """Mark the columns that stay, as scikit-learn decides it; None: all."""
    documents, width = X.shape
    if high >= documents and low <= 1 and (limit is None or limit >= width):
        return None
    frequency = np.bincount(X.indices, minlength=width)
    keep = (frequency <= high) & (frequency >= low)
    if limit is not None and keep.sum() > limit:
        kept = np.flatnonzero(keep)
        most = (-np.asarray(X.sum(axis=0)).ravel()[kept]).argsort()[:limit]
        keep = np.zeros(width, bool)
        keep[kept[most]] = True
    return keep


def _in_table(
    batch: _native.Batch, recipe: _native.Recipe, vocabulary: dict[Any, Any]
) -> tuple[Rows, int] | None:
    """Return the rows by a table of the whole vocabulary, and how many texts were repaired."""
    columns = _columns(list(vocabulary.values()), len(vocabulary))
    if columns is None or not set(map(type, vocabulary)) <= {str, np.str_}:
        return None
    names = _native.Batch.from_sequence(list(vocabulary))
    return _native.known_matrix(batch, recipe, names, columns.astype(np.uint32), n_threads(None))


def _looked_up(
    batch: _native.Batch, recipe: _native.Recipe, vocabulary: dict[Any, Any]
) -> tuple[Rows, int] | None:
    """Return the rows by a look-up of each word of the texts, and how many were repaired."""
    rows, names, offsets, repaired = _native.learned_matrix(batch, recipe, n_threads(None))
    words = _native.strings(names, offsets[:-1], offsets[1:])
    found = list(map(vocabulary.get, words))
    known = _columns([column for column in found if column is not None], len(vocabulary))
    if known is None:
        return None
    kept = np.fromiter((column is not None for column in found), bool, len(found))
    columns = np.zeros(len(found), np.int32)
    columns[kept] = known
    return _renumbered(rows, columns, kept), repaired


def _columns(given: Sequence[Any], width: int) -> Any:
    """Return indices of columns, each once; None where they are something else."""
    try:
        columns = np.array(given, np.int64) if given else np.empty(0, np.int64)
    except (TypeError, ValueError, OverflowError):
        return None
    if columns.ndim != 1 or ((columns < 0) | (columns >= width)).any():
        return None
    return columns if np.bincount(columns, minlength=1).max() <= 1 else None


def _renumbered(rows: Rows, columns: Any, kept: Any) -> Rows:
    """Return the rows with their new columns; words without a column are left out."""
    indptr, indices, data = rows
    stay = kept[indices]
    column, data = columns[indices[stay]], data[stay]
    ends = offsets_of(stay)[indptr]
    if (np.diff(columns[kept]) < 0).any():  # a vocabulary in an order of its own
        order = np.lexsort((column, np.repeat(np.arange(len(ends) - 1), np.diff(ends))))
        column, data = column[order], data[order]
    return ends, column, data

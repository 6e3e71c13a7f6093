"""What both vectorizers ask of the kernel, and when only scikit-learn can do it."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.feature_extraction import text

import nabi._native as _native

TOKEN_PATTERNS = (r"(?u)\b\w\w+\b", r"\b\w\w+\b")
# What a subclass may redefine, and the kernel then knows nothing of.
STEPS = ["decode", "build_analyzer", "build_preprocessor", "build_tokenizer", "_white_spaces"]
STEPS += ["_word_ngrams", "_char_ngrams", "_char_wb_ngrams"]
LONGEST = {"word": 16, "char": 64, "char_wb": 64}  # n-grams that the kernel makes
INT32_MAX = 2**31 - 1

Rows = tuple[Any, Any, Any]  # indptr, indices, data


def recipe_of(vectorizer: Any) -> _native.Recipe | None:
    """The kernel's recipe for what the vectorizer does; None where it has none."""
    analyzer, sizes = vectorizer.analyzer, _sizes(vectorizer)
    if vectorizer.input != "content" or sizes is None or not _has_own_steps(vectorizer):
        return None
    word = analyzer == "word"
    if word and not (vectorizer.tokenizer is None and vectorizer.token_pattern in TOKEN_PATTERNS):
        return None
    preset = {"word": "sklearn", "char": "text", "char_wb": "chars"}[analyzer]
    return _native.Recipe(
        preset=getattr(_native.Preset, preset),
        words=sizes if word else (0, 0),
        chars=(0, 0) if word else sizes,
        lowercase=bool(vectorizer.lowercase) and not _is_preprocessed(vectorizer),
        binary=False,
        negation=False,
        buckets=0,
        stop_words=_stop_words(vectorizer) if word else [],
    )


def batch_of(vectorizer: Any, documents: Sequence[Any]) -> _native.Batch | None:
    """The documents as the kernel is to read them; None where one of them is no text."""
    kinds = set(map(type, documents))
    if not kinds <= {str, np.str_, bytes}:
        return None
    if bytes in kinds:
        documents = [vectorizer.decode(document) for document in documents]
    if _is_preprocessed(vectorizer):
        documents = list(map(vectorizer.build_preprocessor(), documents))
        if not set(map(type, documents)) <= {str, np.str_}:
            return None
    return _native.Batch.from_sequence(documents)


def is_unlike(vectorizer: Any, repaired: int) -> bool:
    """Whether texts were repaired in a way that shows: lone surrogates are characters to Python."""
    return bool(repaired) and vectorizer.analyzer != "word"


def matrix(rows: Rows, width: int, dtype: Any) -> Any:
    """The kernel's rows as a matrix, its columns in order."""
    indptr, indices, data = rows
    if len(indices) > INT32_MAX:
        indices = indices.astype(np.int64)
    else:
        indptr = indptr.astype(np.int32)
    X = sparse.csr_matrix((data, indices, indptr), shape=(len(indptr) - 1, width), dtype=dtype)
    X.has_sorted_indices = X.has_canonical_format = True
    return X


def _sizes(vectorizer: Any) -> tuple[int, int] | None:
    """The lengths of n-grams, if the kernel makes such."""
    given, analyzer = vectorizer.ngram_range, vectorizer.analyzer
    if not isinstance(analyzer, str) or analyzer not in LONGEST:
        return None
    if not isinstance(given, tuple | list) or len(given) != 2:
        return None
    lo, hi = given
    if not all(isinstance(n, int | np.integer) for n in given):
        return None
    return (int(lo), int(hi)) if 1 <= lo <= hi <= LONGEST[analyzer] else None


def _has_own_steps(vectorizer: Any) -> bool:
    def own(name: str) -> bool:
        step = getattr(vectorizer, name)
        return getattr(step, "__func__", step) is getattr(text.CountVectorizer, name)

    return all(map(own, STEPS))


def _is_preprocessed(vectorizer: Any) -> bool:
    """Whether Python prepares the documents: lower case comes first, and cannot wait."""
    return vectorizer.preprocessor is not None or bool(vectorizer.strip_accents)


def _stop_words(vectorizer: Any) -> list[str]:
    words = vectorizer.get_stop_words() or ()
    # A lone surrogate is in no token.
    return [word for word in words if isinstance(word, str) and _is_unicode(word)]


def _is_unicode(word: str) -> bool:
    return not any(0xD800 <= ord(c) < 0xE000 for c in word)

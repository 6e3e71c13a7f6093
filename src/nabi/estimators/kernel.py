"""Kernel recipes and matrices of both vectorizers; None where only scikit-learn can do it."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.feature_extraction import text

import nabi._native as _native
from nabi.base.checks import number_range
from nabi.errors import RecipeError

TOKEN_PATTERNS = (r"(?u)\b\w\w+\b", r"\b\w\w+\b")
# Methods that a subclass may redefine; the kernel cannot follow them then.
STEPS = ["decode", "build_analyzer", "build_preprocessor", "build_tokenizer", "_white_spaces"]
STEPS += ["_word_ngrams", "_char_ngrams", "_char_wb_ngrams"]
LONGEST = {"word": 16, "char": 64, "char_wb": 64}  # n-grams that the kernel makes
INT32_MAX = 2**31 - 1

Rows = tuple[Any, Any, Any]  # indptr, indices, data


def recipe_of(vectorizer: Any) -> _native.Recipe | None:
    """Return the kernel's recipe of the vectorizer; None where it has none."""
    analyzer, sizes = vectorizer.analyzer, _sizes(vectorizer)
    if vectorizer.input != "content" or sizes is None or not _has_sklearn_steps(vectorizer):
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
    """Return the documents as a kernel Batch; None where one of them is no text."""
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


def repair_shows(vectorizer: Any, repaired: int) -> bool:
    """Return whether repaired texts give other n-grams: Python counts lone surrogates."""
    return bool(repaired) and vectorizer.analyzer != "word"


def matrix(rows: Rows, width: int, dtype: Any) -> Any:
    """Return the kernel's rows as a matrix, its columns in order."""
    indptr, indices, data = rows
    if len(indices) > INT32_MAX:
        indices = indices.astype(np.int64)
    else:
        indptr = indptr.astype(np.int32)
    X = sparse.csr_matrix((data, indices, indptr), shape=(len(indptr) - 1, width), dtype=dtype)
    X.has_sorted_indices = X.has_canonical_format = True
    return X


def _sizes(vectorizer: Any) -> tuple[int, int] | None:
    """Return the lengths of n-grams, if the kernel makes such."""
    sizes, analyzer = vectorizer.ngram_range, vectorizer.analyzer
    if not isinstance(analyzer, str) or analyzer not in LONGEST:
        return None
    try:
        return number_range("ngram_range", sizes, LONGEST[analyzer])
    except RecipeError:
        return None


def _has_sklearn_steps(vectorizer: Any) -> bool:
    steps = ((getattr(vectorizer, name), getattr(text.CountVectorizer, name)) for name in STEPS)
    return all(getattr(step, "__func__", step) is theirs for step, theirs in steps)


def _is_preprocessed(vectorizer: Any) -> bool:
    """Return whether Python prepares the documents; it then also makes them lower case."""
    return vectorizer.preprocessor is not None or bool(vectorizer.strip_accents)


def _stop_words(vectorizer: Any) -> list[str]:
    words = vectorizer.get_stop_words() or ()
    # A lone surrogate is in no token.
    texts = (word for word in words if isinstance(word, str))
    return [text for text in texts if not any(0xD800 <= ord(c) < 0xE000 for c in text)]

"""Convert lists, arrays, Series or Arrow columns of texts to batches of the kernel."""

import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

import nabi._native as _native
from nabi.base.arrays import Array
from nabi.base.fixed_point import NO_UNITS
from nabi.base.threads import n_threads
from nabi.errors import InputError, InputTypeError, InputWarning, warn
from nabi.features import entities, normal_form
from nabi.features.entities import decoded, decoded_batch
from nabi.features.names import name_list
from nabi.features.stems import SEPARATOR, changed

Texts = Any  # a list of str, a NumPy array, a pandas or polars Series, an Arrow array, ...
Recipe = Any  # nabi.Features, whose module imports this one


def batch_of(texts: Texts, features: Recipe, threads: int | None = 1) -> _native.Batch:
    """Return the texts as the kernel is to count them; it knows them by what was given."""
    return batch_and_tokens(texts, features, threads)[1]


def batch_and_tokens(
    texts: Texts, features: Recipe, threads: int | None = 1
) -> tuple[_native.Batch, _native.Batch]:
    """Return the texts as they are, and as the kernel is to count them."""
    if features.tokenizer is None and features.normalize is None:
        batch = tokens = native_batch(texts)
        if features.entities:
            tokens = decoded_batch(batch, n_threads(threads))
        return batch, _stemmed(tokens, features)
    ready = given = _as_list(texts)
    if features.entities:
        ready = [text and decoded(text) for text in given]
    if features.normalize is not None:
        ready = [text and unicodedata.normalize(features.normalize, text) for text in ready]
    if features.tokenizer is not None:
        ready = _tokenized(ready, features)
    batch, every = native_batch(given), np.arange(len(given), dtype=np.uint64)
    return batch, _stemmed(batch.replaced(every, native_batch(ready)), features)


def given_spans(text: str, features: Recipe, begin: Array, end: Array) -> tuple[Array, Array]:
    """Return the spans of a text as it was given, from those of the text as it is counted."""
    written = decoded(text) if features.entities else text
    if features.normalize is not None:
        begin, end = normal_form.given_spans(written, features.normalize, begin, end)
    return (begin, end) if written == text else entities.given_spans(text, begin, end)


def native_batch(texts: Texts) -> _native.Batch:
    """Return the texts as a batch, read where they lie in memory."""
    if isinstance(texts, str | bytes):
        raise InputError(
            f"texts is one {type(texts).__name__}, expected a list of str: write [text] for one"
        )
    if isinstance(texts, _native.Batch):
        return texts
    try:
        if _is_arrow(texts):
            return _native.Batch.from_arrow(texts)
        return _native.Batch.from_sequence(_sequence(texts))
    except TypeError as error:
        raise InputTypeError(str(error)) from None
    except ValueError as error:
        raise InputTypeError(f"texts is {error}") from None


def own_features(batch: _native.Batch, recipe: _native.Recipe) -> _native.Table:
    """Return a table of the different features of a batch, all counted for one class."""
    one_class = np.zeros(len(batch), np.uint32)
    return _native.count(batch, one_class, 1, NO_UNITS, recipe, 1)[0]


def report(seen: Sequence[int], total: int) -> None:
    """Warn of texts that were missing or held invalid Unicode; `seen` is how many of each."""
    missing, repaired = seen
    if missing or repaired:
        warn(InputWarning(missing, repaired, total))


def _is_arrow(texts: object) -> bool:
    return hasattr(texts, "__arrow_c_stream__") or hasattr(texts, "__arrow_c_array__")


def _sequence(texts: Any) -> Any:
    """Return a list or tuple; NumPy arrays and other columns become lists."""
    if isinstance(texts, list | tuple):
        return texts
    shape = tuple(getattr(texts, "shape", (0,)))
    if len(shape) == 2 and shape[1] == 1 and hasattr(texts, "ravel"):
        texts = texts.ravel()
    elif len(shape) != 1:
        raise InputTypeError(f"texts has shape {shape}, expected one column of texts")
    to_list = getattr(texts, "to_list", getattr(texts, "tolist", None))
    if to_list is not None:
        return to_list()
    if isinstance(texts, Iterable) and not isinstance(texts, dict | set | frozenset):
        return list(texts)
    raise InputTypeError(f"texts is {type(texts).__name__}, expected a list of str")


def _as_list(texts: Texts) -> list[str | None]:
    """Return the texts as the user gave them, lone surrogates included, which a batch repairs."""
    columnar = isinstance(texts, _native.Batch) or _is_arrow(texts)
    given = native_batch(texts).to_list() if columnar else _sequence(texts)
    native_batch(given)  # refuses what is no text
    return [text if isinstance(text, str) else None for text in given]


def _tokenized(texts: list[str | None], features: Recipe) -> list[str | None]:
    if isinstance(features.tokenizer, str):
        raise InputError(
            f"the model was trained with the tokenizer {features.tokenizer}, which a file cannot "
            f"hold; give it: nabi.load(path, tokenizer=...)"
        )
    return [None if text is None else _joined(text, features) for text in texts]


def _stemmed(batch: _native.Batch, features: Recipe) -> _native.Batch:
    """Return the batch with words that count by their stems, where the recipe says so."""
    if features.stem is None and not features.korean:
        return batch
    different = name_list(*own_features(batch, features.native_words).names())
    words, pieces = changed(different, stem=features.stem, korean=features.korean)
    return batch.stemmed(native_batch(words), native_batch(pieces))


def _joined(text: str, features: Recipe) -> str:
    tokens = features.tokenizer(text)
    if isinstance(tokens, str) or not isinstance(tokens, Iterable):
        raise InputTypeError(f"the tokenizer returned {type(tokens).__name__}, expected tokens")
    tokens = list(tokens)
    # N-grams are joined by spaces, so that a token with one would be two features in one name.
    banned = SEPARATOR if features.ngrams == (1, 1) else SEPARATOR + " "
    for token in tokens:
        if not isinstance(token, str):
            raise InputTypeError(f"the tokenizer returned the token {token!r}, expected str")
        if any(c in token for c in banned):
            raise InputError(
                f"the tokenizer returned the token {token!r}; with word n-grams a token cannot "
                f"hold a space, and none can hold U+001F"
            )
    return SEPARATOR.join(tokens)

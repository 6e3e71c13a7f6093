"""Fingerprints of texts and rows: what a ledger knows a document by.

`first` (in old files) and `plain` have 64 bits, and tell apart documents that nobody has made to be
mistaken for each other. `strong` is BLAKE3 cut to 128 bits: nobody can make two of one fingerprint.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

import nabi._native as _native
from nabi._native import Fingerprint
from nabi.base.arrays import U64, Array
from nabi.base.threads import n_threads
from nabi.features.values import Values

STRONG = np.dtype("S16")  # bytes sort as they are


def type_of(kind: Fingerprint) -> np.dtype[Any]:
    """Return the type of an array of fingerprints."""
    return STRONG if kind == Fingerprint.strong else np.dtype(np.uint64)


def text_fingerprints(batch: _native.Batch, kind: Fingerprint, threads: int | None = None) -> Array:
    """Return the fingerprint of each text."""
    return _native.fingerprints(batch, kind, n_threads(threads)).view(type_of(kind))


def row_fingerprints(
    read: Mapping[str, Values], kind: Fingerprint, threads: int | None = None
) -> Array:
    """Return the fingerprint of each row; the order of the columns does not change it."""
    if kind == Fingerprint.first:
        n = len(next(iter(read.values())).missing)
        return sum((_first(read[name], name) for name in read), np.zeros(n, np.uint64))
    rows: Array = np.zeros(1, np.uint64)
    for name in sorted(read):
        values = _words(read[name], kind, threads)
        named = _native.fingerprints(_native.Batch.from_sequence([name]), kind)
        columns = [np.broadcast_to(part, values.shape) for part in (rows, named, values)]
        rows = _native.row_fingerprints(np.hstack(columns, dtype=np.uint64), kind)
        rows = rows.reshape(values.shape)
    return rows.view(type_of(kind))[:, 0]


def _words(values: Values, kind: Fingerprint, threads: int | None) -> U64:
    """Return a row of 64-bit words for each value: a number itself, the fingerprint of a text."""
    words = np.zeros((len(values.missing), type_of(kind).itemsize // 8), np.uint64)
    if values.numbers is not None:
        words[:, 0] = _bits(values)
    else:
        found = text_fingerprints(_texts(values), kind, threads)
        words[:] = found.view(np.uint64).reshape(words.shape)
    words[values.missing] = 2**64 - 1  # of no number: it would be NaN
    return words


def _bits(values: Values) -> U64:
    assert values.numbers is not None
    return (values.numbers + 0.0).view(np.uint64)  # -0.0 and 0.0 are one number


def _texts(values: Values) -> _native.Batch:
    assert values.tokens is not None
    return values.tokens if values.texts is None else values.texts


# ---- the first kind, in old files ----

_MIX = [np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)]
_ABSENT = np.uint64(0x9E3779B97F4A7C15)


def _first(values: Values, name: str) -> U64:
    """A number for each value that tells it from others, also from those of other columns."""
    numeric = values.numbers is not None
    own = _bits(values) if numeric else _native.fingerprints(_texts(values))
    seed = _native.fingerprints(_native.Batch.from_sequence([name]))[0]
    return _mixed(_mixed(np.where(values.missing, _ABSENT, _mixed(own))) ^ seed)


def _mixed(x: U64) -> U64:
    """The finaliser of SplitMix64 (Steele, Lea and Flood 2014): every bit depends on every bit."""
    for shift, factor in zip((30, 27), _MIX, strict=True):
        x = (x ^ (x >> np.uint64(shift))) * factor
    return x ^ (x >> np.uint64(31))

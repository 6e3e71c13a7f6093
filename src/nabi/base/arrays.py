"""Types of arrays, and what is done with arrays in many rooms."""

import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from nabi.errors import InputTypeError

U8 = npt.NDArray[np.uint8]
U32 = npt.NDArray[np.uint32]
U64 = npt.NDArray[np.uint64]
I64 = npt.NDArray[np.int64]
F64 = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Array = npt.NDArray[Any]

SPAN = 2**18  # numbers of an array that are worked on at once
T = TypeVar("T")


class Blocks:
    """A one-dimensional array in blocks, which are made when they are needed.

    >>> np.asarray(Blocks(np.uint8, 3, lambda: map(np.uint8, [[1, 2], [3]]))).tolist()
    [1, 2, 3]
    """

    ndim = 1

    def __init__(self, dtype: Any, size: int, make: Callable[[], Iterable[Array]]) -> None:
        self.dtype, self._size, self._make = np.dtype(dtype), size, make

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Array]:
        """Yield the blocks; the bytes of items of another type are taken as they are."""
        return (np.ascontiguousarray(block).view(self.dtype) for block in self._make())

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        """Return the whole array."""
        whole = np.concatenate([np.empty(0, self.dtype), *self])
        return whole if dtype is None else whole.astype(dtype)

    def __reduce__(self) -> Any:
        """Pickle the whole array."""
        return np.asarray(self).__reduce__()


def real_array(values: Any, name: str) -> Array:
    """Return the values as an array of floats: of their own float type, else of float64."""
    try:
        array = np.asarray(values)
        return array if array.dtype.kind == "f" else array.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputTypeError(f"{name} holds something else than numbers ({error})") from None


def narrow(array: Array, *types: Any, shift: int = 0, threads: int = 1) -> Array:
    """Return the array in the first of the types that holds its largest number.

    With `shift`, its numbers without so many low bits.
    """
    most = max(in_spans(len(array), lambda span: int(array[span].max()), threads), default=0)
    fits = [t for t in types if most >> shift <= np.iinfo(t).max]
    if not (fits or shift):
        return array
    narrowed = np.empty(len(array), fits[0] if fits else array.dtype)

    def fill(span: slice) -> None:
        narrowed[span] = array[span] >> array.dtype.type(shift) if shift else array[span]

    in_spans(len(array), fill, threads)
    return narrowed


def in_spans(n: int, work: Callable[[slice], T], threads: int = 1) -> list[T]:
    """Return work(span) for each span of n numbers; NumPy lets several threads work at once.

    A span is small enough for what is made of it to stay in the cache.
    """
    spans = [slice(start, start + SPAN) for start in range(0, n, SPAN)]
    if threads < 2 or len(spans) < 2:
        return list(map(work, spans))
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(work, spans))


def offsets_of(lengths: Array, dtype: Any = np.int64) -> Array:
    """Return where each part starts, and where the last one ends: [2, 3] -> [0, 2, 5]"""
    return np.concatenate([np.zeros(1, dtype), np.cumsum(lengths, dtype=dtype)])


def spans(starts: I64, lengths: I64) -> tuple[I64, I64]:
    """Return the indexes start, start + 1, ... of each span, end to end, and where each begins.

    >>> [part.tolist() for part in spans(np.array([5, 0]), np.array([2, 3]))]
    [[5, 6, 0, 1, 2], [0, 2, 5]]
    """
    offsets = offsets_of(lengths)
    return np.arange(offsets[-1]) + np.repeat(starts - offsets[:-1], lengths), offsets


def spans_at(offsets: Array, which: I64) -> tuple[I64, I64]:
    """Return the indexes of what some parts hold, end to end, and where each part begins."""
    edges = offsets.astype(np.int64)
    return spans(edges[:-1][which], np.diff(edges)[which])


def part_of_each(offsets: Array) -> I64:
    """Return the part that each entry is in: [0, 2, 5] -> [0, 0, 1, 1, 1]"""
    lengths = np.diff(offsets).astype(np.int64)
    return np.repeat(np.arange(len(lengths)), lengths)


def sums_at(shape: int | tuple[int, ...], at: Any, values: Array) -> Array:
    """Return the sum of the values at each index: 3, [0, 2, 0], [5, 6, 7] -> [12, 0, 6]"""
    # Of the very type of the values: between two names of u64, add.at is twenty times as slow.
    sums = np.zeros(shape, values.dtype)
    np.add.at(sums, at, values)
    return sums


def exact_sum(numbers: Iterable[float]) -> float:
    """Return a sum that is rounded once, whatever cancels out; finite for finite numbers."""
    given = list(numbers)
    try:
        return math.fsum(given)
    except OverflowError:
        most = float(np.finfo(np.float64).max)
        return max(-1.0, min(math.fsum(x / most for x in given), 1.0)) * most
    except ValueError:  # inf and -inf
        return math.nan


def run_starts(*keys: Array) -> I64:
    """Return where equal rows start, in sorted columns: [3, 3, 5], [1, 2, 2] -> [0, 1, 2]"""
    first = np.zeros(len(keys[0]), bool)
    first[:1] = True
    for key in keys:
        first[1:] |= key[1:] != key[:-1]
    return np.flatnonzero(first)

"""The kernel: tokenise, hash, count, score. Written in C++; native/bindings is its other side."""

from collections.abc import Callable, Sequence
from enum import Enum
from typing import Any

import numpy as np
import numpy.typing as npt

UNIT: int
UNICODE_VERSION: str

_U8 = npt.NDArray[np.uint8]
_U32 = npt.NDArray[np.uint32]
_U64 = npt.NDArray[np.uint64]
_I64 = npt.NDArray[np.int64]
_F64 = npt.NDArray[np.float64]
_F32 = npt.NDArray[np.float32]
_I32 = npt.NDArray[np.int32]

class Preset(Enum):
    words = ...
    sklearn = ...
    tweets = ...
    chars = ...
    custom = ...
    text = ...

class Score(Enum):
    joint = ...
    log_probability = ...
    probability = ...

class Recipe:
    def __init__(
        self,
        *,
        preset: Preset,
        words: tuple[int, int],
        chars: tuple[int, int],
        lowercase: bool,
        binary: bool,
        negation: bool,
        buckets: int,
        stop_words: Sequence[str],
        strip_accents: bool = ...,
        unspaced: tuple[int, int] = ...,
    ) -> None: ...

class Batch:
    @staticmethod
    def from_sequence(texts: Sequence[Any]) -> Batch: ...
    @staticmethod
    def from_arrow(texts: object) -> Batch: ...
    @staticmethod
    def joined(batches: list[Batch]) -> Batch: ...
    def taken(self, places: _U64) -> Batch: ...
    def stemmed(self, words: Batch, stems: Batch) -> Batch: ...
    def to_list(self) -> list[str | None]: ...
    def numbers(self) -> tuple[_F64, _U8, bool, bool]: ...
    @property
    def bytes(self) -> int: ...
    def __len__(self) -> int: ...

class Rows:
    def column(self, i: int) -> Batch: ...
    def numbers(self, i: int) -> _F64: ...
    def __len__(self) -> int: ...

class Stream:
    def __init__(self, source: object) -> None: ...
    @property
    def names(self) -> list[str]: ...
    def next(self) -> Rows | None: ...

class CsvBlock:
    def __init__(
        self,
        block: _U8,
        *,
        size: int,
        final: bool,
        delimiter: int,
        quote: int,
        line_end: int,
        columns: int,
        wanted: list[int],
        longest: int,
    ) -> None: ...
    @property
    def consumed(self) -> int: ...
    @property
    def begins(self) -> _U64: ...
    @property
    def ends(self) -> _U64: ...
    @property
    def bad(self) -> list[tuple[int, int, int, int]]: ...
    def column(self, i: int) -> Batch: ...
    def __len__(self) -> int: ...

class Joined:
    def __init__(
        self, names: list[str], next: Callable[[], tuple[Rows | None, list[Any]] | None]
    ) -> None: ...
    def __arrow_c_stream__(self, requested_schema: object = None) -> object: ...

class Table:
    @staticmethod
    def from_arrays(
        recipe: Recipe,
        words: npt.NDArray[np.uint8],
        word_offsets: _U64,
        cell_offsets: _U64,
        classes: _U32,
        counts: _U64,
        docs: _U64,
    ) -> Table: ...
    def add(self, other: Table, class_map: _U32) -> None: ...
    def subtract(self, other: Table, class_map: _U32) -> bytes | None: ...
    def copy(self) -> Table: ...
    def names(self) -> tuple[_U8, _U64]: ...
    def cells(self) -> tuple[_U64, _U32, _U64]: ...
    def find(self, names: _U8, offsets: _U64) -> tuple[_U64, _U32, _U64]: ...
    def to_arrays(self, class_rank: _U32) -> tuple[_U8, _U64, _U64, _U32, _U64, _U32]: ...
    @property
    def docs(self) -> _U64: ...
    @property
    def tokens(self) -> _U64: ...
    @property
    def size(self) -> int: ...
    @property
    def words(self) -> int: ...
    @property
    def features(self) -> int: ...

class Scorer:
    def __init__(
        self,
        table: Table,
        *,
        bias: _F64,
        slope: _F64,
        known: _U8,
        shared: _F64,
        offsets: _U64,
        classes: _U32,
        cells: _F64,
        hard_bias: _I64,
        hard_shared: _U8,
        hard_cells: npt.NDArray[np.int8],
    ) -> None: ...
    def joint(self, batch: Batch, prior: _F64, threads: int) -> tuple[_F64, _F64, int, int]: ...
    def best(self, batch: Batch, prior: _F64, threads: int) -> tuple[_U32, int, int]: ...

def count(
    batch: Batch, classes: _U32, n_classes: int, units: _U64, recipe: Recipe, threads: int
) -> tuple[Table, _U64, int, int]: ...
def learned_matrix(
    batch: Batch, recipe: Recipe, threads: int
) -> tuple[tuple[_I64, _I32, _I64], _U8, _U64, int]: ...
def known_matrix(
    batch: Batch, recipe: Recipe, names: Batch, columns: _U32, threads: int
) -> tuple[tuple[_I64, _I32, _I64], int]: ...
def hashed_matrix(
    batch: Batch,
    recipe: Recipe,
    n_features: int,
    alternate_sign: bool,
    binary: bool,
    norm: int,
    threads: int,
) -> tuple[tuple[_I64, _I32, _F64], int]: ...
def strings(names: _U8, begins: _U64, ends: _U64) -> list[str]: ...

class Event(Enum):
    multinomial = ...
    bernoulli = ...
    complement = ...

class Bags:
    @staticmethod
    def read(batch: Batch, table: Table, threads: int) -> Bags: ...
    def taken(self, places: _U64) -> Bags: ...
    def __len__(self) -> int: ...

def count_and_keep(
    batch: Batch, classes: _U32, n_classes: int, units: _U64, recipe: Recipe, threads: int
) -> tuple[Table, _U64, int, int, Bags]: ...

class HeldOut:
    def __init__(
        self, table: Table, *, event: Event, least: int, alphas: _F64, order: _U32
    ) -> None: ...
    def score(
        self,
        bags: Bags,
        classes: _U32,
        units: _U64,
        groups: _U32,
        prior: _F64,
        sums_to_one: bool,
        threads: int,
    ) -> tuple[_F64, _F64]: ...
    def score_chosen(
        self,
        bags: Bags,
        classes: _U32,
        units: _U64,
        groups: _U32,
        prior: _F64,
        sums_to_one: bool,
        threads: int,
    ) -> tuple[_F64, _F64, _U32]: ...
    def losses(
        self,
        bags: Bags,
        classes: _U32,
        units: _U64,
        groups: _U32,
        prior: _F64,
        sums_to_one: bool,
        threads: int,
    ) -> tuple[_F64, _U64]: ...

class Loss(Enum):
    squared_hinge = ...
    logistic = ...

class Scale(Enum):
    one = ...
    idf = ...
    ratio = ...

class LinearWay:
    def __init__(
        self,
        *,
        loss: Loss,
        scale: Scale,
        cost: float,
        alpha: float,
        own: float,
        normalised: bool,
        least: float,
    ) -> None: ...

class FeatureSets:
    def __init__(
        self,
        bags: Bags,
        classes: _U32,
        n_classes: int,
        weights: _F64,
        least: float,
        logs: bool,
    ) -> None: ...
    def solve(self, places: _U64, way: LinearWay, threads: int) -> tuple[_F32, _F64, _F32]: ...
    def left_out(self, places: _U64, folds: _U32, way: LinearWay, threads: int) -> _F64: ...

class LinearScorer:
    def __init__(
        self,
        table: Table,
        *,
        weights: _F32,
        scales: _F32,
        bias: _F64,
        normalised: bool,
        logs: bool,
    ) -> None: ...
    def score(self, batch: Batch, threads: int) -> tuple[_F64, int, int]: ...

def fingerprints(batch: Batch) -> _U64: ...
def trace(batch: Batch, recipe: Recipe) -> tuple[_U8, _U64, _U32, _U64, _U64]: ...
def locate(words: _U8, offsets: npt.NDArray[Any], names: _U8, name_offsets: _U64) -> _I64: ...
def moments(
    X: npt.NDArray[np.floating[Any]], classes: _U32, n_classes: int, units: _U64, threads: int
) -> tuple[_U32, _U32, _U64, _U8, _U64, _U64]: ...
def gaussian_scores(
    X: npt.NDArray[np.floating[Any]],
    mean: _F64,
    variance: _F64,
    log_prior: _F64,
    what: Score,
    threads: int,
) -> npt.NDArray[np.floating[Any]]: ...
def log(x: _F64) -> _F64: ...
def log1p(x: _F64) -> _F64: ...

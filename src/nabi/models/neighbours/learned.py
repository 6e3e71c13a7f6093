"""LearnedTexts: which words each learned text has, how often, and its class."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import nabi._native as _native
from nabi.base.arrays import U8, U32, U64, Array, narrow, spans_at
from nabi.base.fixed_point import NO_UNITS, UNIT
from nabi.base.threads import n_threads
from nabi.counts.sparse import SparseCounts
from nabi.errors import DamagedFileError, InputError
from nabi.explain.builder import encoded
from nabi.features.batch import Texts, batch_and_tokens, report
from nabi.features.names import names_at
from nabi.features.recipe import Features
from nabi.scoring.text import most_frequent

SHIFT = np.uint64(24)  # from the kernel's units to times


@dataclass(frozen=True, eq=False)
class LearnedTexts:
    """Texts in the order of their fingerprints, then of their classes, and the words they have.

    The order is the same however the texts are given, and has nothing to do with what they say:
    the first thousand are a sample.
    """

    words: U8  # sorted, end to end
    word_offsets: U64
    cell_offsets: U64  # word f is in cell_texts[cell_offsets[f] : cell_offsets[f + 1]]
    cell_texts: U32
    cell_counts: U64
    classes: U32  # of each text
    fingerprints: U64
    texts: tuple[U8, U64] | None  # their bytes end to end and offsets, where they are kept

    @classmethod
    def of(
        cls, texts: Texts, classes: U32, recipe: Features, *, keeps: bool, threads: int | None
    ) -> "LearnedTexts":
        """The words of texts; those that the recipe leaves out by their counts are not kept."""
        batch, tokens = batch_and_tokens(texts, recipe)
        if len(batch) != len(classes):
            pair = f"{len(batch)} texts but {len(classes)} labels"
            raise InputError(f"{pair}; expected one label for each")
        if not len(batch):
            raise InputError("no texts at all; expected at least one text and its label")
        table, seen = counts_of_texts(tokens, recipe, threads)
        report(seen, len(batch))
        given = batch.to_list()
        prints = fingerprints(given)
        order = np.lexsort((classes, prints))
        rank = np.argsort(order).astype(np.uint32)
        kept = encoded([given[i] or "" for i in order.tolist()]) if keeps else None
        return cls(*_viewed(table, rank, recipe), classes[order], prints[order], kept)

    def __len__(self) -> int:
        return len(self.classes)

    def text(self, number: int) -> str | None:
        """A text by its number, where texts are kept."""
        return None if self.texts is None else names_at(*self.texts, [number])[0]

    # ---- files ----

    def arrays(self) -> dict[str, Array]:
        """The arrays of a model file."""
        arrays: dict[str, Array] = {
            "words": self.words,
            "word_offsets": narrow(self.word_offsets, np.uint32),
            "cell_offsets": narrow(self.cell_offsets, np.uint32),
            "cell_texts": self.cell_texts,
            "cell_counts": narrow(self.cell_counts, np.uint8, np.uint16, np.uint32),
            "text_classes": narrow(self.classes, np.uint8, np.uint16),
        }
        if self.texts is None:
            return {**arrays, "fingerprints": self.fingerprints}
        texts, offsets = self.texts
        return {**arrays, "texts": texts, "text_offsets": narrow(offsets, np.uint32)}

    @classmethod
    def from_arrays(
        cls, recipe: Features, arrays: Mapping[str, Array], n_classes: int, *, keeps: bool
    ) -> "LearnedTexts":
        """The texts that `arrays` gave; arrays that it would not give are refused."""
        wanted = {"words", "word_offsets", "cell_offsets", "cell_texts", "cell_counts"}
        wanted |= {"text_classes", *(("texts", "text_offsets") if keeps else ("fingerprints",))}
        if set(arrays) != wanted or any(array.dtype.kind != "u" for array in arrays.values()):
            raise DamagedFileError("its arrays are not those of texts and their neighbours")
        classes = arrays["text_classes"].astype(np.uint32)
        there = classes.max(initial=0) < n_classes  # before a number sizes an array
        if not there or not np.bincount(classes, minlength=n_classes).all():
            raise DamagedFileError("classes that are not there, or have no text")
        learned = cls(
            _of(arrays, "words", np.uint8),
            arrays["word_offsets"].astype(np.uint64),
            arrays["cell_offsets"].astype(np.uint64),
            _of(arrays, "cell_texts", np.uint32),
            arrays["cell_counts"].astype(np.uint64),
            classes,
            *_stored_texts(arrays, len(classes), keeps=keeps),
        )
        learned._check(recipe, arrays)
        return learned

    def _check(self, recipe: Features, arrays: Mapping[str, Array]) -> None:
        """Refuse texts that `of` does not make, or that `arrays` writes otherwise."""
        own = self.arrays()
        if any(own[name].dtype != array.dtype for name, array in arrays.items()):
            raise DamagedFileError("numbers that are wider than they need be")
        if len(self.fingerprints) != len(self):
            raise DamagedFileError("its arrays do not fit together")
        if (np.lexsort((self.classes, self.fingerprints)) != np.arange(len(self))).any():
            raise DamagedFileError("texts out of order")
        if (self.cell_counts >> np.uint64(39)).any():
            raise DamagedFileError("counts that are too large")
        _native.Table.from_arrays(  # which checks the rest
            recipe.native,
            self.words,
            self.word_offsets,
            self.cell_offsets,
            self.cell_texts,
            self.cell_counts << SHIFT,
            np.full(len(self), UNIT, np.uint64),
        )


def counts_of_texts(
    tokens: _native.Batch, recipe: Features, threads: int | None
) -> tuple[_native.Table, tuple[int, int]]:
    """The counts of texts, each a class of its own; how many were missing, how many repaired."""
    each = np.arange(len(tokens), dtype=np.uint32)
    try:
        table, _, missing, repaired = _native.count(
            tokens, each, len(each), NO_UNITS, recipe.native, n_threads(threads)
        )
    except (ValueError, OverflowError) as error:
        raise InputError(str(error)) from None
    return table, (missing, repaired)


def fingerprints(texts: Sequence[str | None]) -> U64:
    """The fingerprints of texts; a missing text is an empty one."""
    return _native.fingerprints(_native.Batch.from_sequence([text or "" for text in texts]))


def _viewed(table: _native.Table, rank: U32, recipe: Features) -> tuple[U8, U64, U64, U32, U64]:
    """The words, and the texts that have them, without those that the recipe's views leave out."""
    words, word_offsets, offsets, texts, counts, features = table.to_arrays(rank)
    cells = SparseCounts(offsets, texts, counts)
    if recipe.views:
        totals = SparseCounts(*table.cells()).totals
        known = totals >= recipe.min_count * UNIT
        if isinstance(recipe.stop_words, int):
            known[list(most_frequent(table, totals, recipe.stop_words).values())] = False
        kept = np.flatnonzero(known[features])
        letters, ends = spans_at(word_offsets, kept)
        words, word_offsets, cells = words[letters], ends.astype(np.uint64), cells.taken(kept)
    return words, word_offsets, cells.offsets, cells.classes, cells.counts >> SHIFT


def _of(arrays: Mapping[str, Array], name: str, dtype: Any) -> Array:
    if arrays[name].dtype != dtype:
        raise DamagedFileError(f"{name} of another type")
    return arrays[name]


def _stored_texts(
    arrays: Mapping[str, Array], n: int, *, keeps: bool
) -> tuple[U64, tuple[U8, U64] | None]:
    """The fingerprints of texts, and the texts if a file keeps them: each whole, and Unicode."""
    if not keeps:
        return _of(arrays, "fingerprints", np.uint64), None
    texts, offsets = _of(arrays, "texts", np.uint8), arrays["text_offsets"].astype(np.uint64)
    falls = len(offsets) != n + 1 or (offsets[1:] < offsets[:-1]).any()
    if falls or offsets[0] != 0 or offsets[-1] != len(texts):
        raise DamagedFileError("texts whose ends do not fit")
    return fingerprints(_native.strings(texts, offsets[:-1], offsets[1:])), (texts, offsets)

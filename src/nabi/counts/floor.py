"""The floor: rare features are dropped for good, which makes a large model small."""

from dataclasses import replace

import numpy as np

import nabi._native as _native
from nabi.base.arrays import spans_at
from nabi.base.fixed_point import UNIT
from nabi.counts.text import Counts


def floored(counts: Counts, least: int) -> Counts:
    """The counts without the features that were seen fewer than `least` times in all."""
    least = max(least, counts.floor or 1)  # what is gone already does not come back
    words, offsets, cells = counts.sorted_cells()
    # A floor of 1 drops nothing, as min_count=1 does: not what was seen with a weight below 1.
    kept = np.flatnonzero(cells.totals >= (least * UNIT if least > 1 else 1))
    letters, word_offsets = spans_at(offsets, kept)
    at, cell_offsets = spans_at(cells.offsets, kept)
    table = _native.Table.from_arrays(
        counts.recipe.native,
        words[letters],
        word_offsets.astype(np.uint64),
        cell_offsets.astype(np.uint64),
        cells.classes[at],
        cells.counts[at],
        counts.docs,
    )[0]
    ledger = counts.ledger
    if ledger is not None:
        every = np.arange(len(counts.labels), dtype=np.uint32)
        ledger = ledger.renamed(every, len(counts.labels), counts.order)
    recipe = replace(counts.recipe, tokenizer=counts.tokenizer)
    twin = Counts.of(recipe, counts.labels, table, ledger)
    twin.unicode, twin.floor = counts.unicode, least
    return twin

"""Rename, join or drop classes without training again."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

import nabi._native as _native
from nabi.base.arrays import I64, U32, U64, run_starts, spans_at, sums_at
from nabi.base.labels import Label, encode, label_codes, shown
from nabi.counts.text import Counts
from nabi.errors import InputError, RecipeError

Relabelling = Mapping[Label, Label | None]  # from a class to its new name; None: dropped


def new_labels(labels: list[Label], mapping: Relabelling) -> list[Label | None]:
    """The new label of each class; None for those that go."""
    known = set(labels)
    unknown = [label for label in mapping if label not in known]
    if unknown:
        raise InputError(f"no class {shown(unknown)}; the classes are {shown(labels)}")
    new = [mapping.get(label, label) for label in labels]
    kept = [label for label in new if label is not None]
    if not kept:
        raise InputError("no class would be left; keep at least one")
    names, numbers = encode(kept)  # as it does for documents: all of one kind
    plain = iter(numbers.tolist())
    return [None if label is None else names[next(plain)] for label in new]


def class_map_of(labels: list[Label], mapping: Relabelling) -> tuple[list[Label], U32]:
    """Return the new classes, and the index of each old class among them; n for those that go."""
    new = new_labels(labels, mapping)
    names = list(dict.fromkeys(label for label in new if label is not None))
    codes = label_codes(new, names, unknown=len(names))
    return names, codes.astype(np.uint32)


def relabelled(counts: Counts, mapping: Relabelling) -> Counts:
    """The counts of the same documents with their labels changed, those of dropped ones gone."""
    renamed = _renamed(counts, mapping)
    if renamed is not None:
        return renamed
    names, class_map = class_map_of(counts.labels, mapping)
    if counts.floor is not None and class_map.max() == len(names):
        raise RecipeError(
            f"the model has a floor of {counts.floor} counts in all classes, so that no class can "
            f"be dropped; drop it from the model that it was made of, and floor that again"
        )
    table = _table(counts, class_map, len(names))
    ledger = counts.ledger
    if ledger is not None:
        ledger = ledger.renamed(class_map, len(names), counts.order)
    recipe = replace(counts.recipe, tokenizer=counts.tokenizer)
    twin = Counts.of(recipe, names, table, ledger)
    twin.unicode, twin.floor = counts.unicode, counts.floor
    return twin


def _renamed(counts: Counts, mapping: Relabelling) -> Counts | None:
    """The counts with other names of the same classes; None where classes are joined or dropped.

    A class is a number in the table and in the ledger: no pass over the vocabulary is needed.
    """
    if not counts.in_memory:  # in a file, the classes are in the order of their labels
        return None
    new = dict(zip(counts.labels, new_labels(counts.labels, mapping), strict=True))
    labels = [new.get(label, label) for label in counts.numbered_labels]
    if None in labels or len(set(labels)) < len(labels):
        return None
    twin = counts.copy()
    twin._set_classes([label for label in labels if label is not None])
    twin._changed()
    return twin


def _table(counts: Counts, class_map: U32, n: int) -> _native.Table:
    """The kernel's table of the cells that stay; class n is that of those that go."""
    words, offsets, cells = counts.sorted_cells()
    features, classes, units = _summed(cells.features, class_map[cells.classes], cells.counts, n)
    kept = np.unique(features)
    edges = np.searchsorted(features, np.append(kept, len(offsets)))
    at, word_offsets = spans_at(offsets, kept)
    return _native.Table.from_arrays(
        counts.recipe.native,
        words[at],
        word_offsets.astype(np.uint64),
        edges.astype(np.uint64),
        classes,
        units,
        sums_at(n + 1, class_map, counts.docs)[:n],
    )[0]


def _summed(features: I64, classes: U32, units: U64, n: int) -> tuple[I64, U32, U64]:
    """Sum the counts by feature and class; counts of class n are left out."""
    stay = classes < n
    features, classes, units = features[stay], classes[stay], units[stay]
    order = np.lexsort((classes, features))
    features, classes, units = features[order], classes[order], units[order]
    starts = run_starts(features, classes)
    sums = np.add.reduceat(units, starts) if len(starts) else units
    return features[starts], classes[starts], sums

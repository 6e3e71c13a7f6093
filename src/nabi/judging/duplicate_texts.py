"""Texts that come more than once, equal or nearly so; and texts of a test set that were learned.

groups = duplicates(texts, labels)         # those with different labels first
leaks = leakage(train_texts, test_texts)   # a test set is to hold none of them
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from nabi.base.arrays import F64, I64, run_starts
from nabi.base.checks import ABOVE_ZERO, real_number
from nabi.base.labels import Label, codes_by_coming, encode
from nabi.errors import InputError
from nabi.features.batch import Texts, native_batch
from nabi.judging.near_pairs import WordSets, near_pairs

NEIGHBOURS = 4
# The texts, their labels, and the file and line of each.
Side = tuple[Sequence[str | None], Sequence[Label], Callable[[int], str]]


@dataclass(frozen=True)
class DuplicateGroup:
    """Texts of which each is equal or nearly equal to another of the group."""

    at: tuple[int, ...]  # their indices among the texts
    similarity: float  # of the first and the one least like it; 1 where all are equal
    labels: tuple[Label, ...] = ()  # of each, where labels were given

    @property
    def differ(self) -> bool:
        """Whether their labels differ."""
        return len(set(self.labels)) > 1

    def to_dict(self, texts: Sequence[str | None], where: Callable[[int], str]) -> dict[str, Any]:
        """The group with the texts, their labels, and the file and line of each."""
        members = [
            {"where": where(at), "label": label, "text": texts[at]}
            for at, label in zip(self.at, self.labels, strict=True)
        ]
        return {"similarity": self.similarity, "different_labels": self.differ, "texts": members}


@dataclass(frozen=True)
class Leak:
    """A text, and the learned one that is most like it."""

    at: int  # its index among the texts
    of: int  # the index of the learned one
    similarity: float

    def to_dict(self, test: Side, learned: Side) -> dict[str, Any]:
        """The leak with both texts, their labels, and the file and line of each."""
        found: dict[str, Any] = {"similarity": self.similarity}
        for suffix, at, side in (("", self.at, test), ("_of", self.of, learned)):
            texts, labels, where = side
            row = {"where": where(at), "label": labels[at], "text": texts[at]}
            found |= {f"{name}{suffix}": value for name, value in row.items()}
        return found


def duplicates(
    texts: Texts, labels: Any = None, *, similarity: float = 0.8
) -> list[DuplicateGroup]:
    """Groups of texts that are equal or nearly so: those with different labels first, then by size.

    Parameters
    ----------
    texts : list, array, Series or Arrow array
        Texts are equal that differ in white space and case alone. A missing text counts as empty.
    labels : list, array or Series, optional
        Their labels.
    similarity : float
        How large a part of the words and pairs of neighbouring words of two texts have to be
        those that both have: their Jaccard similarity. Every such pair is found, and no other.
        Texts of fewer than three different words have to be equal.

    Examples
    --------
    >>> texts = ["Call now to win a prize!", "see you", "call now to win  a prize", "See you"]
    >>> for group in duplicates(texts, ["spam", "ham", "ham", "ham"]):
    ...     print(group.at, group.labels, group.similarity)
    (0, 2) ('spam', 'ham') 1.0
    (1, 3) ('ham', 'ham') 1.0
    """
    least = _checked(similarity)
    distinct, numbers = _distinct(native_batch(texts).to_list())
    names = _labels(labels, len(numbers))
    sets = WordSets.of(distinct)
    roots = _roots(sets, least)
    alike = _least_alike(sets, roots)[roots[numbers]].tolist()
    groups = [
        DuplicateGroup(tuple(at), alike[at[0]], tuple(names[i] for i in at) if names else ())
        for at in _together(roots[numbers])
    ]
    return sorted(groups, key=lambda group: (not group.differ, -len(group.at), group.at))


def leakage(learned: Texts, texts: Texts, *, similarity: float = 0.8) -> list[Leak]:
    """Texts that are equal or nearly equal to a learned one, the most alike first.

    Parameters
    ----------
    learned, texts : list, array, Series or Arrow array
        What a model learns from, and what it is tested on.
    similarity : float
        As in `duplicates`.

    Examples
    --------
    >>> leakage(["call now to win a prize", "see you"], ["so long", "Call now to win a prize!"])
    [Leak(at=1, of=0, similarity=1.0)]
    """
    least, known = _checked(similarity), native_batch(learned).to_list()
    distinct, numbers = _distinct([*known, *native_batch(texts).to_list()])
    of_known, of_texts = numbers[: len(known)], numbers[len(known) :]
    nearest = _nearest(WordSets.of(distinct), int(of_known.max(initial=-1)) + 1, least)
    first = np.unique(of_known, return_index=True)[1]
    leaks = [
        Leak(at, int(first[nearest[i][0]]), nearest[i][1])
        for at, i in enumerate(of_texts.tolist())
        if i in nearest
    ]
    return sorted(leaks, key=lambda leak: (-leak.similarity, leak.at))


def totals(groups: Sequence[DuplicateGroup]) -> dict[str, int]:
    """The number of groups, of texts in them, and of groups with different labels."""
    return {
        "groups": len(groups),
        "texts": sum(len(group.at) for group in groups),
        "different_labels": sum(group.differ for group in groups),
    }


def _checked(similarity: Any) -> float:
    expected = "a number above 0 and at most 1, such as 0.8"
    return real_number("similarity", similarity, ABOVE_ZERO, 1, expected=expected)


def _distinct(texts: Sequence[str | None]) -> tuple[list[str], I64]:
    """The different texts, but for case and white space; and the index of each text among them."""
    distinct, codes = codes_by_coming(" ".join((text or "").casefold().split()) for text in texts)
    return distinct, codes.astype(np.int64)


def _labels(labels: Any, n: int) -> list[Any]:
    """The label of each text; empty without labels."""
    if labels is None:
        return []
    names, numbers = encode(labels)
    if len(numbers) != n:
        raise InputError(f"{n} texts and {len(numbers)} labels; expected one label for each text")
    return [names[i] for i in numbers.tolist()]


def _similar(sets: WordSets, a: I64, b: I64, least: float) -> tuple[I64, I64, F64]:
    """Keep the pairs that are similar, with their similarity."""
    alike = sets.similarity(a, b)
    near = alike >= least
    return a[near], b[near], alike[near]


def _roots(sets: WordSets, least: float) -> I64:
    """For each text, the first text of its group: of those that similar pairs connect."""
    roots = np.arange(len(sets.sizes))
    for neighbours in (NEIGHBOURS, None):
        for a, b in near_pairs(sets, least, roots, neighbours=neighbours):
            apart = roots[a] != roots[b]
            a, b, _ = _similar(sets, a[apart], b[apart], least)
            roots = _joined(roots, a, b)
    return roots


def _joined(roots: I64, a: I64, b: I64) -> I64:
    """Roots after text a[i] and text b[i] are put into one group, for each i."""
    while True:
        one, other = roots[a], roots[b]
        if np.array_equal(one, other):
            return roots
        np.minimum.at(roots, np.maximum(one, other), np.minimum(one, other))
        while not np.array_equal(roots, roots[roots]):
            roots = roots[roots]


def _least_alike(sets: WordSets, roots: I64) -> F64:
    """For each root, its similarity to the text of its group that is least like it."""
    least = np.ones(len(roots))
    others = np.flatnonzero(roots != np.arange(len(roots)))
    np.minimum.at(least, roots[others], sets.similarity(roots[others], others))
    return least


def _together(numbers: I64) -> list[list[int]]:
    """The indices of equal numbers, where there are several."""
    order = np.argsort(numbers, kind="stable")
    starts = run_starts(numbers[order])
    return [at.tolist() for at in np.split(order, starts[1:]) if len(at) > 1]


def _nearest(sets: WordSets, known: int, least: float) -> dict[int, tuple[int, float]]:
    """For each text like one of the first `known`: the first of the nearest, and its similarity."""
    nearest = {i: (i, 1.0) for i in range(known)}
    sides = (np.arange(len(sets.sizes)) >= known).astype(np.int64)
    found = [_similar(sets, a, b, least) for a, b in near_pairs(sets, least, sides)]
    if found:
        j, i, alike = map(np.concatenate, zip(*found, strict=True))
        order = np.lexsort((j, -alike, i))
        best = order[run_starts(i[order])]
        pairs = zip(j[best].tolist(), alike[best].tolist(), strict=True)
        nearest.update(zip(i[best].tolist(), pairs, strict=True))
    return nearest

"""What looks wrong in labelled data, noted while they are read: a line each, with an example.

The work is bounded: a fingerprint for each text, and one look at the first few texts for those that
are nearly equal.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping

import numpy as np

import nabi._native as _native
from nabi.base.arrays import U32, U64, Bools
from nabi.base.threads import n_threads
from nabi.readers import Part

MOST = 2**22  # texts that are looked at, at 12 bytes each
NEAR_BYTES, NEAR_TEXTS = 2**18, 2000  # those among which nearly equal ones are looked for
SHOWN = 40  # characters of a label
BLANKS = ("", *(" " * n for n in range(1, 9)), "\n", "\r\n", "\t", "\u00a0", "\u3000")

Where = Callable[[int], str]  # file and line of a row, by how many came before it


class DataNotes:
    """Notes on labelled data that are read in parts.

    Parameters
    ----------
    texts : bool
        Whether documents are texts; of the rows of a table only the labels are looked at.
    known : mapping
        How many documents of each label a model has learned before.
    """

    def __init__(self, *, texts: bool = True, known: Mapping[str, float] = {}) -> None:
        self.texts, self.known = texts, {name: int(count) for name, count in known.items()}
        self.counts: Counter[str] = Counter()
        self._index: dict[str, int] = {}  # the code of each label
        self._prints: list[U64] = []
        self._codes: list[U32] = []
        self._first: list[str | None] = []  # texts
        self._rows = self._bytes = 0

    def seen(self, parts: Iterable[Part]) -> Iterator[Part]:
        """Yield the parts, each looked at."""
        for part in parts:
            self._see(part)
            yield part

    def _see(self, part: Part) -> None:
        assert part.labels is not None
        names, codes = part.labels.names, part.labels.codes
        counted = np.bincount(codes, minlength=len(names)).tolist()
        self.counts.update(dict(zip(names, counted, strict=True)))
        if not self.texts or self._rows >= MOST:
            return
        own = [self._index.setdefault(name, len(self._index)) for name in names]
        self._prints.append(_native.fingerprints(part.texts, threads=n_threads(None)))
        self._codes.append(np.array(own, np.uint32)[codes])
        if self._rows == len(self._first):
            self._keep(part.texts)
        self._rows += len(part.texts)

    def _keep(self, texts: _native.Batch) -> None:
        """Keep the first texts."""
        share = (NEAR_BYTES - self._bytes) / max(texts.bytes, 1)
        few = min(len(texts), NEAR_TEXTS - len(self._first), int(share * len(texts)))
        first = texts.taken(np.arange(max(few, 0), dtype=np.uint64))
        self._first += first.to_list()
        self._bytes += first.bytes

    def lines(self, where: Where) -> list[str]:
        """Return the notes."""
        counts = {**self.known, **{n: c + self.known.get(n, 0) for n, c in self.counts.items()}}
        found = [_one_class(counts), _alike(counts, set(self.counts)), _objects(self.counts)]
        if self._rows:
            prints, codes = np.concatenate(self._prints), np.concatenate(self._codes)
            blank = np.isin(prints, _native.fingerprints(_native.Batch.from_sequence(BLANKS)))
            found += [_empty(blank, where), self._equal(prints, codes, blank, where)]
            found += [self._nearly_equal(prints, codes, blank, where)]
        return [line for line in found if line is not None]

    def _equal(self, prints: U64, codes: U32, blank: Bools, where: Where) -> str | None:
        order = np.argsort(prints, kind="stable")  # equal ones in the order of coming
        one, two = order[:-1], order[1:]
        apart = (prints[one] == prints[two]) & (codes[one] != codes[two]) & ~blank[one]
        one, two = one[apart], two[apart]
        if not len(one):
            return None
        number, first = len(np.unique(prints[one])), int(np.argmin(two))
        texts = "1 text comes" if number == 1 else f"{number:,} texts come"
        pair = self._pair(int(one[first]), int(two[first]), codes, where)
        among = f" among the first {self._rows:,}" if self._rows < self.counts.total() else ""
        return f"{texts} more than once{among}, with different labels: {pair}"

    def _nearly_equal(self, prints: U64, codes: U32, blank: Bools, where: Where) -> str | None:
        """Look for nearly equal texts among the first; exact copies are told of before."""
        from nabi.judging.duplicate_texts import duplicates

        groups = duplicates(self._first, codes[: len(self._first)])
        told = [group.at for group in groups if group.differ and not blank[group.at[0]]]
        pairs = [pair for at in told for pair in [_apart(at, prints, codes)] if pair is not None]
        if not pairs:
            return None
        many = "1 group" if len(pairs) == 1 else f"{len(pairs):,} groups"
        among = f" among the first {len(self._first):,}" if len(self._first) < self._rows else ""
        pair = self._pair(*pairs[0], codes, where)
        return f"{many} of nearly equal texts{among}, with different labels: {pair}"

    def _pair(self, i: int, j: int, codes: U32, where: Where) -> str:
        """`mail.csv:2 is 'ham', mail.csv:9 is 'spam'`"""
        names = list(self._index)
        return ", ".join(f"{where(k)} is {_shown(names[codes[k]])}" for k in (i, j))


def _one_class(counts: Mapping[str, int]) -> str | None:
    if len(counts) != 1:
        return None
    return f"only one class, {_shown(*counts)}: merge it with others, or it is predicted every time"


def _alike(counts: Mapping[str, int], new: set[str]) -> str | None:
    """Return the note on labels that differ only by case or blanks, of which some are new."""
    alike: dict[str, list[str]] = defaultdict(list)
    for name in counts:
        alike[" ".join(str(name).casefold().split())].append(name)
    groups = [names for names in alike.values() if len(names) > 1 and not new.isdisjoint(names)]
    if not groups:
        return None
    first = ", ".join(f"{_shown(name)} {counts[name]:,}" for name in sorted(groups[0])[:5])
    more = f"; {len(groups):,} such groups in all" if groups[1:] else ""
    return f"labels that differ only by case or blanks: {first}{more}"


def _objects(counts: Mapping[str, int]) -> str | None:
    found = [name for name in counts if _is_object(name)]
    if not found:
        return None
    many = "a label looks" if len(found) == 1 else f"{len(found):,} labels look"
    rows = "1 row" if counts[found[0]] == 1 else f"{counts[found[0]]:,} rows"
    return (
        f"{many} like an object or a list: {_shown(found[0])} ({rows}); is it the column that "
        f"--label should name?"
    )


def _is_object(label: str) -> bool:
    """Whether a label is an object, list or dict as JSON, Python or DuckDB write it."""
    text = label.strip()
    if text[:1] + text[-1:] not in ("{}", "[]") or len(text) < 2:
        return False
    if "," in text or ":" in text or len(text) == 2:
        return True
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _empty(blank: Bools, where: Where) -> str | None:
    at = np.flatnonzero(blank)
    if not len(at):
        return None
    are = "is empty:" if len(at) == 1 else "are empty, the first is"
    return f"{len(at):,} of {len(blank):,} texts {are} {where(int(at[0]))}"


def _apart(at: tuple[int, ...], prints: U64, codes: U32) -> tuple[int, int] | None:
    """Return the first two of some texts that are not equal and have different labels."""
    i = at[0]
    return next(((i, j) for j in at if prints[i] != prints[j] and codes[i] != codes[j]), None)


def _shown(label: str) -> str:
    return repr(label if len(label) <= SHOWN else label[: SHOWN - 3] + "...")

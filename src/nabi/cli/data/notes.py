"""Notes on what looks wrong in labelled data, made while they are read: a line and an example each.

The work is bounded: a fingerprint for each text, up to a number; and only where texts are few, a
look for those that are nearly equal.
"""

import contextlib
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping

import numpy as np

import nabi._native as _native
from nabi.base.arrays import I64, U32, U64, Bools
from nabi.cli.options.strict import Strictness
from nabi.cli.show.screen import how_many, note
from nabi.errors import InputError
from nabi.readers import Part, Reader
from nabi.readers.rejects import located

MOST = 2**22  # texts that are looked at, at 12 bytes each
NEAR_TEXTS, NEAR_BYTES = 2000, 2**18  # up to so many, nearly equal ones are looked for: 0.03 s
SHOWN = 40  # characters of a label
BLANKS = ("", *(" " * n for n in range(1, 9)), "\n", "\r\n", "\t", "\u00a0", "\u3000")

Where = Callable[[int], str]  # file and line of a row, by how many came before it
Watch = Callable[[Iterable[Part]], Iterable[Part]]  # looks at parts on their way
Pair = tuple[int, int]  # two rows
NO_PAIRS = np.empty((0, 2), np.int64)


@contextlib.contextmanager
def watching(
    strictness: Strictness | None, reader: Reader, known: Mapping[str, float] = {}
) -> Iterator[Watch]:
    """Yield a function that looks at parts; at the end tell what looks wrong, or refuse it.

    `known` has the number of documents that a model has learned before, by label. Without
    strictness nothing is looked at.
    """
    if strictness is None:
        yield lambda parts: parts
        return
    notes = DataNotes(texts=not reader.is_table, known=known)
    yield notes.seen
    lines = notes.lines(reader.where)
    if notes.missing and strictness.strict:
        lines.append(f"missing texts: {notes.missing:,}")
    if lines and strictness.strict:
        raise InputError(f"--strict: {'; '.join(lines)}")
    for line in lines:
        note(line)


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
        self._rows = self._empty = self._first = self._near = 0
        self.missing = 0  # texts; a warning tells of them in any case
        self._blanks = np.sort(_fingerprints(_native.Batch.from_sequence(BLANKS)))
        self._pairs: I64 = NO_PAIRS  # of the part that was looked at last
        self._examples: dict[str, list[str]] = {}  # of each note: file, line and label of rows

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
        if self.texts and self._rows < MOST:
            own = [self._index.setdefault(name, len(self._index)) for name in names]
            self._see_texts(part, np.array(own, np.uint32)[codes])

    def _see_texts(self, part: Part, codes: U32) -> None:
        """Keep fingerprints; find examples now, while the part can tell its lines."""
        prints = _fingerprints(part.texts)
        blank = _among(prints, self._blanks)
        found: dict[str, tuple[int, ...]] = {}
        rows = np.flatnonzero(blank).astype(np.uint64)
        texts = part.texts.taken(rows).to_list()
        empty = [row for row, text in zip(rows.tolist(), texts, strict=True) if text is not None]
        if empty:
            found["empty"] = (empty[0],)
        if "equal" not in self._examples:
            self._pairs = _conflicts(prints, codes, blank)
            found |= {"equal": tuple(self._pairs[0].tolist())} if len(self._pairs) else {}
        if not self._rows and (near := self._nearly_equal(part.texts, prints, codes, blank)):
            found["near"] = near[0]
        self._keep_examples(part, codes, found)
        self._prints.append(np.where(blank, 0, prints))
        self._codes.append(codes)
        self._empty += len(empty)
        self.missing += len(rows) - len(empty)
        self._rows += len(prints)

    def _nearly_equal(
        self, texts: _native.Batch, prints: U64, codes: U32, blank: Bools
    ) -> list[Pair]:
        """Return a pair of each group of nearly equal texts with different labels, if few come."""
        if len(texts) > NEAR_TEXTS or texts.bytes > NEAR_BYTES:
            return []
        from nabi.judging.duplicate_texts import duplicates

        groups = [group.at for group in duplicates(texts.to_list(), codes) if group.differ]
        apart = (_apart(at, prints, codes) for at in groups if not blank[at[0]])
        pairs = [pair for pair in apart if pair is not None]
        self._first, self._near = len(texts), len(pairs)
        return pairs

    def _keep_examples(self, part: Part, codes: U32, found: Mapping[str, tuple[int, ...]]) -> None:
        new = {what: at for what, at in found.items() if what not in self._examples}
        rows = [row for at in new.values() for row in at]
        places = dict(
            zip(rows, part.places(np.array(rows, np.uint64)), strict=True) if rows else ()
        )
        for what, at in new.items():
            self._examples[what] = [self._example(located(*places[i]), codes[i]) for i in at]

    def _example(self, place: str, code: int) -> str:
        return f"{place} is {_shown(list(self._index)[code])}"

    def lines(self, where: Where) -> list[str]:
        """Return the notes."""
        counts = {**self.known, **{n: c + self.known.get(n, 0) for n, c in self.counts.items()}}
        found = [_one_class(counts), _alike(counts, set(self.counts)), _objects(self.counts)]
        if self._rows:
            found += [self._of_empty_texts(), self._of_equal_texts(where), self._of_near_texts()]
        return [line for line in found if line is not None]

    def _of_empty_texts(self) -> str | None:
        if not self._empty:
            return None
        are = "is empty:" if self._empty == 1 else "are empty, the first is"
        place = self._examples["empty"][0].rpartition(" is ")[0]
        return f"{self._empty:,} of {how_many(self._rows, 'text')} {are} {place}"

    def _of_equal_texts(self, where: Where) -> str | None:
        prints, codes = np.concatenate(self._prints), np.concatenate(self._codes)
        one_part = len(self._prints) == 1
        pairs = self._pairs if one_part else _conflicts(prints, codes, prints == 0)
        if not len(pairs):
            return None
        number = len(np.unique(prints[pairs[:, 0]]))
        texts = "1 text comes" if number == 1 else f"{number:,} texts come"
        among = f" among the first {self._rows:,}" if self._rows < self.counts.total() else ""
        # Where equal texts are in different parts, the rows have to be found again.
        shown = self._examples.get("equal") or [self._example(where(i), codes[i]) for i in pairs[0]]
        return f"{texts} more than once{among}, with different labels: {', '.join(shown)}"

    def _of_near_texts(self) -> str | None:
        if not self._near:
            return None
        many = "1 group" if self._near == 1 else f"{self._near:,} groups"
        among = f" among the first {self._first:,}" if self._first < self._rows else ""
        shown = ", ".join(self._examples["near"])
        return f"{many} of nearly equal texts{among}, with different labels: {shown}"


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


def _fingerprints(texts: _native.Batch) -> U64:
    """Return the fingerprint of each text, of the kind that most ledgers take up again."""
    return _native.fingerprints(texts, _native.Fingerprint.plain)


def _among(values: U64, known: U64) -> Bools:
    """Whether each value is one of those known, which are sorted."""
    at = np.searchsorted(known, values)
    return np.asarray(known[np.minimum(at, len(known) - 1)] == values)


def _conflicts(prints: U64, codes: U32, blank: Bools) -> I64:
    """Return rows of equal texts with different labels, that whose second row comes first before.

    Only texts that come twice are put in order: NumPy sorts ten times as fast as it ranks.
    """
    ordered = np.sort(prints)
    twice = np.unique(ordered[1:][ordered[1:] == ordered[:-1]])
    if not len(twice):
        return NO_PAIRS
    rows = np.flatnonzero(_among(prints, twice) & ~blank)
    rows = rows[np.argsort(prints[rows], kind="stable")]  # equal ones in the order of coming
    one, two = rows[:-1], rows[1:]
    apart = (prints[one] == prints[two]) & (codes[one] != codes[two])
    pairs = np.stack([one[apart], two[apart]], axis=1)
    return pairs[np.argsort(pairs[:, 1], kind="stable")]


def _apart(at: tuple[int, ...], prints: U64, codes: U32) -> tuple[int, int] | None:
    """Return the first two of some texts that are not equal and have different labels."""
    i = at[0]
    return next(((i, j) for j in at if prints[i] != prints[j] and codes[i] != codes[j]), None)


def _shown(label: str) -> str:
    return repr(label if len(label) <= SHOWN else label[: SHOWN - 3] + "...")

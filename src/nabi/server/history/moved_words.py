"""Words whose counts moved most between two times, by G squared in each class.

The question is whether the model's P(word | class) still holds. So in each class the texts with a
word are compared before and after, and the G squared of the classes are added. Texts are counted,
not occurrences: texts come one by one, and the words of a text do not.
"""

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from nabi.base.arrays import F64, I64, U8, U64
from nabi.base.fixed_point import as_real
from nabi.features.names import names_at
from nabi.models.text import TextClassifier
from nabi.server.journal.interface import Journal, Sql
from nabi.server.store.counting import blank
from nabi.server.store.replay.state import CHUNK
from nabi.server.store.settings import empty_model

SUPPORT = 5  # texts that must have a word


class MovedWord(NamedTuple):
    """A word, and in how many texts it is before and after, in all and by class."""

    word: str
    g2: float
    p: float  # that any of the words has as much by chance (Bonferroni)
    before: int
    after: int
    classes: dict[str, tuple[int, int]]  # those whose G squared is largest first


class MovedWords(NamedTuple):
    """What was learned before `since` beside what came then, up to `until`."""

    since: float
    until: float
    texts: dict[str, tuple[int, int]]  # of each class, before and after
    tested: int
    words: list[MovedWord]


def moved_words(journal: Journal, sql: Sql, since: float, until: float, top: int) -> MovedWords:
    """Return the words that moved most, by the labels that their texts have now."""
    before, after = (blank(_by_texts(journal, sql)) for _ in range(2))
    for texts, labels, times in _examples(sql, until):
        for model, is_late in ((before, False), (after, True)):
            at = [i for i, time in enumerate(times) if (time >= since) == is_late]
            if at:
                model.partial_fit([texts[i] for i in at], [labels[i] for i in at])
    if not before.__sklearn_is_fitted__() or not after.__sklearn_is_fitted__():
        return MovedWords(since, until, {}, 0, [])
    return _compared(before, after, since, until, top)


def _by_texts(journal: Journal, sql: Sql) -> TextClassifier:
    """Return a model that counts the texts that have a word."""
    model = empty_model(journal, sql).set_params(ledger=False)
    return model if model.recipe.binary else model.set_params(binary=True)


def _examples(sql: Sql, until: float) -> Iterator[tuple[list[str], list[str], list[float]]]:
    """Yield the texts, labels and times of some examples at a time."""
    query = (
        "select position, text, current.label, time from entries join current using (position) "
        "where what = 'learn' and current.label is not null and time <= ? and position > ? "
        f"order by 1 limit {CHUNK}"
    )
    last = 0
    while rows := sql.execute(query, (until, last)).fetchall():
        positions, texts, labels, times = map(list, zip(*rows, strict=True))
        yield texts, labels, times
        last = positions[-1]


def _compared(
    before: TextClassifier, after: TextClassifier, since: float, until: float, top: int
) -> MovedWords:
    cells = _Cells.of(before, after)
    sums, support = cells.by_word(cells.g2), cells.by_word(cells.before + cells.after)
    tested = np.flatnonzero(support >= SUPPORT)
    best = tested[np.argsort(-sums[tested], kind="stable")[:top]]
    names = names_at(*cells.names, best)
    words = [
        _word(cells, at, name, len(tested)) for at, name in zip(best.tolist(), names, strict=True)
    ]
    return MovedWords(since, until, cells.texts, len(tested), words)


def _word(cells: "_Cells", at: int, name: str, tested: int) -> MovedWord:
    own = np.flatnonzero(cells.words == at)
    own = own[np.argsort(-cells.g2[own], kind="stable")]
    labels = [cells.labels[i] for i in cells.classes[own].tolist()]
    counts = cells.before[own].astype(int).tolist(), cells.after[own].astype(int).tolist()
    total = float(cells.g2[own].sum())
    freedom = sum(min(cells.texts[label]) > 0 for label in labels)
    return MovedWord(
        name,
        total,
        min(1.0, tested * chi2_tail(total, freedom)),
        sum(counts[0]),
        sum(counts[1]),
        dict(zip(labels, zip(*counts, strict=True), strict=True)),
    )


class _Cells(NamedTuple):
    """The texts with a word in a class, before and after, where there are any; and their G squared.

    `texts` are those of each class.
    """

    labels: list[str]
    names: tuple[U8, U64]  # of the words, end to end, and their offsets
    texts: dict[str, tuple[int, int]]
    words: I64
    classes: I64
    before: F64
    after: F64
    g2: F64

    @classmethod
    def of(cls, before: TextClassifier, after: TextClassifier) -> "_Cells":
        """Join the counts of two models by word and class."""
        both: Any = sum([before, after])
        labels = [str(label) for label in both.classes_.tolist()]
        names = both.counts.sorted_cells()[:2]
        found = [_counted(model, labels, names) for model in (before, after)]
        keys = np.union1d(found[0][0], found[1][0])
        a, b = np.zeros(len(keys)), np.zeros(len(keys))
        for count, (own, value) in zip((a, b), found, strict=True):
            count[np.searchsorted(keys, own)] = value
        n, m = (_docs(model, labels) for model in (before, after))
        words, classes = np.divmod(keys, len(labels))
        texts = {c: (int(x), int(y)) for c, x, y in zip(labels, n, m, strict=True)}
        parts = g2(a, b, n[classes], m[classes])
        return cls(labels, names, texts, words, classes, a, b, parts)

    def by_word(self, values: F64) -> F64:
        """Return the sum of each word."""
        return np.bincount(self.words, values, minlength=len(self.names[1]) - 1).astype(np.float64)


def _counted(model: TextClassifier, labels: list[str], names: tuple[U8, U64]) -> tuple[I64, F64]:
    """Return word * classes + class of the cells of a model, and their counts."""
    index = {label: i for i, label in enumerate(labels)}
    own = np.array([index[str(label)] for label in model.counts.labels], np.int64)
    found = model.counts.find(*names)
    return found.features.astype(np.int64) * len(labels) + own[found.classes], as_real(found.counts)


def _docs(model: TextClassifier, labels: list[str]) -> F64:
    """Return the texts of each class; 0 for a class that a model does not have."""
    known = dict(zip(map(str, model.counts.labels), as_real(model.counts.docs), strict=True))
    return np.array([known.get(label, 0.0) for label in labels])


def g2(a: F64, b: F64, n: F64, m: F64) -> F64:
    """Return the G squared of tables: a of n texts have a word before, and b of m after.

    2 sum O log(O / E), the log-likelihood ratio that the share is the same.

    >>> g2(*(np.array([float(x)]) for x in (10, 20, 100, 100))).round(4).tolist()
    [3.9866]
    """
    both = (a + b) / (n + m)
    return 2.0 * (
        _share(a, n * both)
        + _share(b, m * both)
        + _share(n - a, n * (1.0 - both))
        + _share(m - b, m * (1.0 - both))
    )


def _share(seen: F64, expected: F64) -> F64:
    """Return seen * log(seen / expected), 0 for none."""
    found = np.zeros_like(seen)
    at = seen > 0
    found[at] = seen[at] * np.log(seen[at] / expected[at])
    return found


def chi2_tail(x: float, freedom: int) -> float:
    """Return the probability that a chi-squared variable is at least x.

    By Q(a + 1, y) = Q(a, y) + y**a exp(-y) / Gamma(a + 1), from a = 1/2 or 1 on.

    >>> [round(chi2_tail(x, k), 4) for x, k in ((3.8415, 1), (5.9915, 2), (11.0705, 5))]
    [0.05, 0.05, 0.05]
    """
    if freedom < 1 or x <= 0:
        return 1.0
    y, a = x / 2.0, 0.5 if freedom % 2 else 1.0
    tail = math.erfc(math.sqrt(y)) if freedom % 2 else math.exp(-y)
    while a < freedom / 2.0:
        tail += math.exp(a * math.log(y) - y - math.lgamma(a + 1.0))
        a += 1.0
    return min(1.0, tail)

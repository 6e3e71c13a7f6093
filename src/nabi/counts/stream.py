"""Counting texts that come batch by batch, while the next ones are read."""

from typing import Any

import numpy as np

import nabi._native as _native
from nabi.base.arrays import U32
from nabi.base.labels import Label, check_same_kind, encode, label_index
from nabi.base.threads import n_threads
from nabi.counts.ledger import Ledger
from nabi.counts.text import Counts
from nabi.errors import InputError
from nabi.features.batch import Texts, batch_of, report
from nabi.features.fingerprints import type_of
from nabi.features.recipe import Features


class CountStream:
    """Counts batches of texts on threads of its own; `finish` gives the counts of all.

    The threads keep their vocabularies from batch to batch, and are merged once, at the end.

    Parameters
    ----------
    features : Features
        How texts are counted.
    ledger : Ledger, optional
        An empty ledger, which the documents are entered into.
    threads : int, optional
        How many threads count, by default all that the process may use. With one, `add` counts.

    Examples
    --------
    >>> stream = CountStream(Features())
    >>> stream.add(["good film", "bad film"], ["pos", "neg"])
    >>> stream.add(["so good"], ["pos"])
    >>> stream.finish().labels
    ['neg', 'pos']
    """

    def __init__(
        self, features: Features, *, ledger: Ledger | None = None, threads: int | None = None
    ) -> None:
        self._features, self._threads, self._ledger = features, threads, ledger
        self._kind = _native.Fingerprint.first if self._ledger is None else self._ledger.kind
        self._stream = _native.CountStream(features.native, n_threads(threads), self._kind)
        self._labels: dict[Label, int] = {}
        self._waiting: list[U32] = []  # classes of batches whose ledger entries are to come
        self._n = 0

    def add(self, texts: Texts, labels: Any) -> None:
        """Count a batch; waits while too much is waiting already."""
        names, codes = encode(labels)
        check_same_kind(list(self._labels)[:1], names)
        batch = batch_of(texts, self._features, self._threads)
        if len(batch) != len(codes):
            raise InputError(f"{len(batch)} texts but {len(codes)} labels; expected one for each")
        self._labels |= label_index((x for x in names if x not in self._labels), len(self._labels))
        numbers = np.array([self._labels[name] for name in names], np.uint32)[codes]
        self._waiting.append(numbers)
        self._n += len(numbers)
        try:
            self._stream.push(batch, numbers, len(self._labels))
        except (ValueError, OverflowError) as error:
            raise InputError(str(error)) from None
        self._enter()

    def _enter(self) -> None:
        """Enter the documents of batches that are counted into the ledger."""
        while (prints := self._stream.take()) is not None:
            numbers = self._waiting.pop(0)
            if self._ledger is not None:
                self._ledger.learn(numbers, prints.view(type_of(self._kind)))

    def finish(self) -> Counts:
        """Return the counts of all batches; nothing can be added then."""
        try:
            table, *seen = self._stream.finish()
        except (ValueError, OverflowError) as error:
            raise InputError(str(error)) from None
        self._enter()
        report(seen, self._n)
        return Counts.of(self._features, list(self._labels), table, self._ledger)

"""Automated labellers: a real store, its queue and its figures, answered by the known labels."""

import contextlib
import csv
import gzip
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from nabi.server import AddTexts, Learn, PoolText, Store
from nabi.server.labelling.loading import chunks
from nabi.server.labelling.queue import Queue, Wanted

DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data"
POOL, TEST = 4000, 1000  # texts of a set that are used, at most
AHEAD = 5  # texts that a page takes together
PAGE = ("labeller", "tab")


@dataclass(frozen=True)
class Set:
    """The texts of a pool with the labels that a labeller gives, and those of a test."""

    name: str
    texts: list[str]
    labels: list[str]
    test: list[str]
    test_labels: list[str]


def rows(path: Path) -> tuple[list[str], list[str]]:
    """Return the texts and labels of a compressed CSV file."""
    csv.field_size_limit(sys.maxsize)
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        found = [(row["text"], row["label"]) for row in csv.DictReader(file)]
    return [text for text, _ in found], [label for _, label in found]


def read(name: str, folder: Path) -> Set:
    """Return a set: its own test half, or three tenths of it; texts come once.

    `name:a` has the classes at even places of the sorted names alone, `name:b` the others.
    """
    name, _, part = name.partition(":")
    random = np.random.default_rng(1)
    whole = folder / name / "all.csv.gz"
    if whole.exists():
        texts, labels = rows(whole)
        order = random.permutation(len(texts)).tolist()
        cut = len(order) * 7 // 10
        train, test = ([(texts[i], labels[i]) for i in some] for some in (order[:cut], order[cut:]))
    else:
        train, test = (
            list(zip(*rows(folder / name / f"{part}.csv.gz"), strict=True))
            for part in ("train", "test")
        )
        train, test = ([some[i] for i in random.permutation(len(some))] for some in (train, test))
    if part:
        kept = set(sorted({label for _, label in train})["ab".index(part) :: 2])
        train, test = ([row for row in rows if row[1] in kept] for rows in (train, test))
    once = {" ".join(text.casefold().split()): (text, label) for text, label in reversed(train)}
    once.pop("", None)
    pool = list(reversed(once.values()))[:POOL]
    return Set(
        f"{name}:{part}" if part else name,
        *map(list, zip(*pool, strict=True)),
        *map(list, zip(*test[:TEST], strict=True)),
    )


@contextlib.contextmanager
def opened(some: Set) -> Iterator[Store]:
    """Open a store in memory (where the system has such a folder) with a set as its pool."""
    shm = Path("/dev/shm")
    folder = shm if shm.is_dir() else None
    with tempfile.TemporaryDirectory(dir=folder) as path, Store(path) as store:
        texts = (PoolText(text, id=str(i)) for i, text in enumerate(some.texts))
        for chunk in chunks(texts):
            store.submit([AddTexts(tuple(chunk))], who="bench").result()
        yield store


def session(some: Set, store: Store, *, by: str, seed: int, keys: int) -> Iterator[int]:
    """Label texts as a page asks for them, a few ahead; yield the number of labels after these."""
    queue, n = Queue(store, seed=seed), 0
    while n < keys:
        if by != "random" or n == 0:
            queue.ranking.refresh()
        learns = [
            Learn(
                item.text, some.labels[int(item.id)], item.id, audit=queue.leases.is_audit(item.id)
            )
            for item in queue.next(Wanted(PAGE, by, min(AHEAD, keys - n)))
        ]
        store.submit(learns, who=PAGE[0]).result()
        n += len(learns)
        yield n

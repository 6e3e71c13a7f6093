"""The data sets, each cut into texts to learn and texts to be tested on."""

import random
from pathlib import Path

from bench.speed.corpus import IMDB, Corpus, read_csv

DATA = IMDB.parents[1]
SETS = (
    *("mr", "cr", "sst2", "trec6", "r8", "imdb", "nsmc"),
    *("20ng_stripped", "banking77", "sms_spam"),
)


def split(name: str, data: Path = DATA) -> tuple[Corpus, Corpus]:
    """The standard split; of a set without one, four fifths of the shuffled rows are learned."""
    folder = data / name
    if (folder / "train.csv.gz").exists():
        return read_csv(folder / "train.csv.gz"), read_csv(folder / "test.csv.gz")
    whole = read_csv(folder / "all.csv.gz")
    rows = list(zip(whole.texts, whole.labels, strict=True))
    random.Random(0).shuffle(rows)
    cut = len(rows) * 4 // 5
    return _corpus(rows[:cut]), _corpus(rows[cut:])


def _corpus(rows: list[tuple[str, str]]) -> Corpus:
    return Corpus([text for text, _ in rows], [label for _, label in rows])

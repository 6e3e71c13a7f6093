"""Labelled texts to measure with: from a CSV file, or generated."""

import csv
import gzip
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

IMDB = Path(__file__).resolve().parents[3] / "shared" / "data" / "imdb" / "train.csv.gz"
TOPICS = IMDB.parents[1] / "20ng_stripped" / "train.csv.gz"
CHUNK = 1 << 20  # words that are drawn at a time


@dataclass(frozen=True, eq=False)
class Corpus:
    """Texts and their labels."""

    texts: list[str]
    labels: list[str]

    @property
    def megabytes(self) -> float:
        """The size of the texts in UTF-8."""
        return sum(len(text.encode()) for text in self.texts) / 1e6

    def thinned(self, step: int) -> "Corpus":
        """Every step-th text: a file often has its classes one after another."""
        return Corpus(self.texts[::step], self.labels[::step])


def default_corpus() -> tuple[str, Corpus]:
    """The film reviews where they are, else 33 MB of generated text; and what it is."""
    if IMDB.exists():
        return str(IMDB), read_csv(IMDB)
    return "generated text", generated(texts=25_000, words=280, classes=2, vocabulary=100_000)


def topics() -> tuple[Corpus, Corpus]:
    """Messages of 20 groups to learn and to predict where they are, else the default corpus."""
    if TOPICS.exists():
        return read_csv(TOPICS), read_csv(TOPICS.with_name("test.csv.gz"))
    corpus = default_corpus()[1]
    return corpus, corpus


def read_csv(path: str | Path) -> Corpus:
    """The columns text and label of a CSV file, perhaps gzipped."""
    csv.field_size_limit(sys.maxsize)
    opened = gzip.open if str(path).endswith(".gz") else open
    texts, labels = [], []
    with opened(path, "rt", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            texts.append(row["text"])
            labels.append(sys.intern(row["label"]))
    return Corpus(texts, labels)


def write_csv(path: Path, corpus: Corpus) -> None:
    with open(path, "w", encoding="utf-8", newline="") as file:
        out = csv.writer(file)
        out.writerow(["text", "label"])
        out.writerows(zip(corpus.texts, corpus.labels, strict=True))


def generated(*, texts: int, words: int, classes: int, vocabulary: int, seed: int = 7) -> Corpus:
    """Texts of so many words each, by Zipf's law; one word in five is of the class's own."""
    rng = np.random.default_rng(seed)
    names = np.array([spelled(n) for n in range(vocabulary)], object)
    label = [f"class {c}" for c in range(classes)]
    of_class = rng.permutation(np.arange(texts) % classes)
    written: list[str] = []
    for start in range(0, texts, max(1, CHUNK // words)):
        here = of_class[start : start + max(1, CHUNK // words)]
        drawn = _drawn(rng, here, words, vocabulary, classes)
        written += (_sentences(row) for row in names[drawn])
    return Corpus(written, [label[c] for c in of_class])


def _drawn(
    rng: np.random.Generator, of_class: np.ndarray, words: int, vocabulary: int, classes: int
) -> np.ndarray:
    """The numbers of the words, a row for each text: number n comes in proportion to 1/(n+1)."""
    shape = (len(of_class), words)
    numbers = np.exp(rng.random(shape) * np.log(vocabulary)).astype(np.int64)
    own = np.minimum(numbers // classes * classes + of_class[:, None], vocabulary - 1)
    return np.where(rng.random(shape) < 0.2, own, numbers) % vocabulary


def _sentences(row: np.ndarray) -> str:
    words = row.tolist()
    return " ".join(_sentence(words[i : i + 15]) for i in range(0, len(words), 15))


def _sentence(words: list[str]) -> str:
    return " ".join(words).capitalize() + "."


def spelled(n: int) -> str:
    """A word for a number, short for a small one: 0 -> 'ba', 25 -> 'ha', 1234 -> 'jude'."""
    return "".join(_syllables(n))


def _syllables(n: int) -> Iterator[str]:
    while True:
        n, digit = divmod(n, 100)
        yield "bcdfghjklmnprstvwyzq"[digit // 5] + "aeiou"[digit % 5]
        if not n:
            return
        n -= 1

"""fastText as a function of labelled texts: it learns from a file, a line for each text."""

import contextlib
import ctypes
import re
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

from bench.speed.corpus import Corpus

LABEL = "__label__"
M_PERTURB = -6  # of glibc's mallopt


def train(corpus: Corpus, **options: Any) -> Callable[[list[str]], list[str]]:
    """What labels texts.

    One thread, for with several of them each run gives another model.
    """
    import fasttext

    labels = sorted(set(corpus.labels))
    with tempfile.TemporaryDirectory() as folder, zeroed_memory():
        path = Path(folder) / "train.txt"
        path.write_text("".join(_lines(corpus, labels)), encoding="utf-8")
        model = fasttext.train_supervised(str(path), verbose=0, thread=1, **options)

    def predict(texts: list[str]) -> list[str]:
        found, _ = model.predict([line(text) for text in texts])
        # A text without a known word has no label.
        return [labels[int(f[0].removeprefix(LABEL))] if f else "" for f in found]

    return predict


@contextlib.contextmanager
def zeroed_memory() -> Iterator[None]:
    """Within it, memory that the C library gives is zero.

    fastText 0.9.3 leaves a part of its matrix as the memory was: after other programs' numbers it
    is a model of noise, or "Encountered NaN".
    """
    mallopt = ctypes.CDLL(None).mallopt
    mallopt(M_PERTURB, 0xFF)  # what is allocated is filled with the complement
    try:
        yield
    finally:
        mallopt(M_PERTURB, 0)


def _lines(corpus: Corpus, labels: list[str]) -> list[str]:
    number = {label: i for i, label in enumerate(labels)}
    both = zip(corpus.texts, corpus.labels, strict=True)
    lines = [f"{LABEL}{number[label]} {line(text)}\n" for text, label in both]
    Random(7).shuffle(lines)  # it learns in the order of lines, and files are often sorted by class
    return lines


def line(text: str) -> str:
    """Lower-cased, punctuation on its own: "Good.\\nSo good!" -> "good . so good !" """
    return " ".join(re.sub(r"([.!?,'/()])", r" \1 ", text.lower()).split())

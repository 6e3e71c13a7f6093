"""Who is measured: nabi and its peers, each with its defaults, each as its users call it."""

import os
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Any, Protocol

from bench.speed.corpus import Corpus

NGRAMS = {"words": (1, 1), "1-2-grams": (1, 2)}
CORES = len(os.sched_getaffinity(0))


class Contender(Protocol):
    """One that trains and predicts. What `ready_to_` gives is made before the clock starts."""

    name: str
    key: str  # its name on the command line of `bench.speed.peak`

    def ready_to_train(self, corpus: Corpus, folder: Path) -> Any: ...
    def ready_to_predict(self, texts: list[str]) -> Any: ...
    def train(self, ready: Any) -> Any: ...
    def predict(self, model: Any, ready: Any) -> Sequence[str]: ...


class _FromLists:
    """Takes the lists as they are."""

    def ready_to_train(self, corpus: Corpus, folder: Path) -> Corpus:
        return corpus

    def ready_to_predict(self, texts: list[str]) -> list[str]:
        return texts


class Nabi(_FromLists):
    """nabi. Its first prediction also works out the weights, which others do in training."""

    def __init__(self, recipe: str, threads: int, preset: str = "words") -> None:
        import nabi

        self.key = f"nabi-{threads}"
        self.name = f"nabi, {threads} thread{'s' if threads > 1 else ''}"
        self._new = lambda: nabi.TextClassifier(
            preset, ngrams=NGRAMS[recipe], alpha=1.0, threads=threads
        )

    def train(self, ready: Corpus) -> Any:
        return self._new().fit(ready.texts, ready.labels)

    def predict(self, model: Any, ready: list[str]) -> Sequence[str]:
        return model.predict(ready)


class ScikitLearn(_FromLists):
    """CountVectorizer and MultinomialNB. They have one thread."""

    key = "sklearn"
    name = "scikit-learn"

    def __init__(self, recipe: str) -> None:
        from sklearn.feature_extraction.text import CountVectorizer
        from sklearn.naive_bayes import MultinomialNB
        from sklearn.pipeline import make_pipeline

        ngrams = NGRAMS[recipe]
        self._new = lambda: make_pipeline(CountVectorizer(ngram_range=ngrams), MultinomialNB())

    def train(self, ready: Corpus) -> Any:
        return self._new().fit(ready.texts, ready.labels)

    def predict(self, model: Any, ready: list[str]) -> Sequence[str]:
        return model.predict(ready)


class FastText:
    """fastText, supervised, with its default of 5 epochs and all cores (its default: all but one).

    It trains from a file, whose writing is not counted, and predicts on one thread.
    """

    key = "fasttext"
    EPOCHS = 5

    def __init__(self, recipe: str) -> None:
        import fasttext

        self.name = f"fastText, {CORES} thread{'s' if CORES > 1 else ''}"
        self._train = fasttext.train_supervised
        self._options = {"wordNgrams": NGRAMS[recipe][1], "thread": CORES, "epoch": self.EPOCHS}
        self._labels: list[str] = []

    def ready_to_train(self, corpus: Corpus, folder: Path) -> str:
        self._labels = sorted(set(corpus.labels))
        number = {label: i for i, label in enumerate(self._labels)}
        lines = [
            f"__label__{number[label]} {_one_line(text)}\n"
            for text, label in zip(corpus.texts, corpus.labels, strict=True)
        ]
        # Of the film reviews, sorted by class, one thread would see only one class, the other
        # the other: an accuracy of 0.52.
        Random(7).shuffle(lines)
        path = folder / "fasttext.txt"
        path.write_text("".join(lines), encoding="utf-8")
        return str(path)

    def ready_to_predict(self, texts: list[str]) -> list[str]:
        return [_one_line(text) for text in texts]

    def train(self, ready: str) -> Any:
        return self._train(ready, verbose=0, **self._options)

    def predict(self, model: Any, ready: list[str]) -> Sequence[str]:
        found, _ = model.predict(ready)
        # A text without a known word has no label.
        return [self._labels[int(f[0].removeprefix("__label__"))] if f else "" for f in found]


def _one_line(text: str) -> str:
    return text.replace("\n", " ")


def contender(key: str, recipe: str) -> Contender:
    """('nabi-2', 'words') -> nabi on two threads"""
    if key == FastText.key:
        return FastText(recipe)
    if key == ScikitLearn.key:
        return ScikitLearn(recipe)
    return Nabi(recipe, int(key.removeprefix("nabi-")))


def present(recipe: str) -> list[Contender]:
    """All that are installed here."""
    keys = [f"nabi-{n}" for n in sorted({1, CORES})] + [ScikitLearn.key]
    if find_spec("fasttext"):
        keys.append(FastText.key)
    return [contender(key, recipe) for key in keys]

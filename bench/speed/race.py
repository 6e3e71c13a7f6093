"""The race: every contender trains and predicts the same texts, round after round."""

import gc
import os
import resource
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from bench.speed.contenders import NGRAMS, Contender, Nabi, ScikitLearn, present
from bench.speed.corpus import Corpus
from bench.speed.output import progress

NEVER = float("inf")


@dataclass(frozen=True)
class Seconds:
    """By the clock, and of all cores: other programs on the machine disturb the second less."""

    wall: float = NEVER
    cpu: float = NEVER

    def best(self, other: "Seconds") -> "Seconds":
        return Seconds(min(self.wall, other.wall), min(self.cpu, other.cpu))


@dataclass(eq=False)
class Entry:
    """A contender with one recipe, and the best that it did."""

    recipe: str
    one: Contender
    train: Seconds = Seconds()
    predict: Seconds = Seconds()
    predicted: Sequence[str] = ()
    memory: dict[str, float] = field(default_factory=dict)


def race(corpus: Corpus, test: Corpus, folder: Path, repeat: int) -> tuple[list[Entry], Seconds]:
    """Every entry, and the time of `wc -w` on the training texts.

    In turns, A B C A B C: a noisy moment of the machine then hits all alike.
    """
    entries = [Entry(recipe, one) for recipe in NGRAMS for one in present(recipe)]
    text_file = folder / "texts.txt"
    text_file.write_text("\n".join(corpus.texts), encoding="utf-8")
    wc = Seconds()
    for turn in range(1, repeat + 1):
        for entry in entries:
            progress(f"{turn} of {repeat}: {entry.one.name}, {entry.recipe}")
            _take_turn(entry, corpus, test, folder)
        wc = wc.best(timed(_count_words, text_file)[0])
    return entries, wc


def _take_turn(entry: Entry, corpus: Corpus, test: Corpus, folder: Path) -> None:
    one = entry.one
    ready = one.ready_to_train(corpus, folder)
    seconds, model = timed(one.train, ready)
    entry.train = entry.train.best(seconds)
    texts = one.ready_to_predict(test.texts)
    seconds, entry.predicted = timed(one.predict, model, texts)
    entry.predict = entry.predict.best(seconds)


def timed(function: Callable[..., Any], *arguments: Any) -> tuple[Seconds, Any]:
    gc.collect()
    wall, cpu = time.perf_counter(), _cpu()
    result = function(*arguments)
    return Seconds(time.perf_counter() - wall, _cpu() - cpu), result


def _cpu() -> float:
    """The seconds of all threads of this process, and of processes it waited for."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def _count_words(path: Path) -> None:
    # In this locale GNU wc 9.1 takes two thirds of the time it takes in C.
    environment = {**os.environ, "LC_ALL": "C.UTF-8"}
    subprocess.run(["wc", "-w", str(path)], capture_output=True, env=environment, check=True)


def accuracy(entry: Entry, test: Corpus) -> float:
    return float(np.mean([a == b for a, b in zip(entry.predicted, test.labels, strict=True)]))


def differing(entries: list[Entry], corpus: Corpus, test: Corpus) -> dict[str, int]:
    """By recipe, how many predictions of nabi's preset `sklearn` are not scikit-learn's."""
    found = {}
    for entry in entries:
        if isinstance(entry.one, ScikitLearn):
            progress(f"comparing the predictions, {entry.recipe}")
            nabi = Nabi(entry.recipe, 1, "sklearn")
            ours = nabi.predict(nabi.train(corpus), test.texts)
            found[entry.recipe] = int(np.sum(np.asarray(ours) != np.asarray(entry.predicted)))
    return found

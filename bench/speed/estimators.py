"""Fitting and predicting with nabi.estimators, against scikit-learn's classes in the same run."""

import argparse
import gc
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn import naive_bayes
from sklearn.feature_extraction.text import CountVectorizer

from bench.speed.corpus import Corpus, read_csv, topics
from bench.speed.output import Figures, add_json_option, progress, save, say, table
from nabi import estimators

QUICK = 20  # every so many texts or rows
FEW = 10  # rows that are learned later, at a time
STEPS = ("fit", "predict", "predict again", "predict one", "learn few")
ROWS, COLUMNS, CATEGORIES, CLASSES = 50_000, 40, 10, 8


@dataclass(frozen=True, eq=False)
class Task:
    """A class by its name, what it learns and what it is asked."""

    name: str
    rows: Any
    labels: np.ndarray
    asked: Any


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.speed.estimators", description=__doc__)
    parser.add_argument("--data", metavar="FILE", help="CSV of text,label to fit; .gz too")
    parser.add_argument("--test", metavar="FILE", help="CSV to predict; by default the same texts")
    parser.add_argument("--repeat", type=int, default=7, metavar="N", help="best of so many (7)")
    parser.add_argument("--quick", action="store_true", help=f"one row in {QUICK}, once")
    add_json_option(parser)
    return parser.parse_args()


def main() -> None:
    args = arguments()
    corpus, test = topics() if args.data is None else (read_csv(args.data),) * 2
    if args.test:
        test = read_csv(args.test)
    step = QUICK if args.quick else 1
    tasks = [*of_words(corpus.thinned(step), test.thinned(step)), *of_tables(ROWS // step)]
    figures = {task.name: measured(task, 1 if args.quick else args.repeat) for task in tasks}
    say(page(figures), args.json)
    save(figures, args.json)


def of_words(corpus: Corpus, test: Corpus) -> list[Task]:
    """The counts of words, for the classes that take such."""
    progress("counting the words")
    vectorizer = CountVectorizer()
    rows, labels = vectorizer.fit_transform(corpus.texts), np.array(corpus.labels)
    asked = vectorizer.transform(test.texts)
    names = ("MultinomialNB", "BernoulliNB", "ComplementNB")
    return [Task(name, rows, labels, asked) for name in names]


def of_tables(n: int) -> list[Task]:
    """Random tables, for the classes that take such."""
    rng = np.random.default_rng(7)
    labels = rng.integers(0, CLASSES, n)
    categories = rng.integers(0, CATEGORIES, (n, COLUMNS))
    return [Task("CategoricalNB", categories, labels, categories)]


def measured(task: Task, repeat: int) -> Figures:
    """The best seconds of each step, ours and theirs, taken in turns; and how far they differ."""
    classes = {"nabi": getattr(estimators, task.name), "sklearn": getattr(naive_bayes, task.name)}
    best: Figures = {who: dict.fromkeys(STEPS, float("inf")) for who in classes}
    said = {}
    for turn in range(1, repeat + 1):
        for who, model in classes.items():
            progress(f"{turn} of {repeat}: {task.name}, {who}")
            taken, said[who] = _one_turn(model(), task)
            best[who] = {step: min(best[who][step], taken[step]) for step in STEPS}
    ratios = {step: best["sklearn"][step] / best["nabi"][step] for step in STEPS}
    differ = float(np.abs(said["nabi"] - said["sklearn"]).max())
    return {"seconds": best, "times_as_fast": ratios, "largest_difference": differ}


def _one_turn(model: Any, task: Task) -> tuple[dict[str, float], np.ndarray]:
    """The seconds of each step, and the probabilities that the fitted model gives."""
    few, one = slice(FEW), slice(1)
    taken = {
        "fit": _seconds(model.fit, task.rows, task.labels),
        "predict": _seconds(model.predict, task.asked),
        "predict again": _seconds(model.predict, task.asked),
        "predict one": _seconds(model.predict, task.asked[one]),
    }
    said = model.predict_proba(task.asked)
    taken["learn few"] = _seconds(model.partial_fit, task.rows[few], task.labels[few])
    return taken, said


def _seconds(function: Callable[..., Any], *given: Any) -> float:
    gc.collect()
    start = time.perf_counter()
    function(*given)
    return time.perf_counter() - start


def page(figures: Figures) -> str:
    rows = [["milliseconds", *STEPS]]
    for name, found in figures.items():
        for who, seconds in found["seconds"].items():
            rows.append([f"{name}, {who}", *(f"{seconds[step] * 1e3:.2f}" for step in STEPS)])
        rows.append(["  times as fast", *(f"{found['times_as_fast'][s]:.1f}" for s in STEPS)])
    largest = max(found["largest_difference"] for found in figures.values())
    return f"{table(rows)}\n\nProbabilities differ by {largest:.1e} at most."


if __name__ == "__main__":
    main()

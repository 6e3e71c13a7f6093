"""The default queue against random texts: area under the curve of macro F1 on the test half.

python -m bench.labelling.queue [--sets chosen|judged|a,b] [--seeds 20] [--keys 300] [--no-peers]

What the queue asks was chosen by the sets of CHOSEN. Those of JUDGED were written here before
the queue as it is was run on them, and nothing was chosen by them since: they are what the command
measures if no sets are named. `name:a` and `name:b` are two halves of the classes of a set.

Beside them a plain uncertainty sampler: scikit-learn's counts and multinomial naive Bayes, the text
of the smallest margin first, with its own random start and its own random rival.
"""

import argparse
import math
import multiprocessing
import time
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB

from bench.labelling.sessions import DATA, Set, opened, read, session
from nabi.metrics import ConfusionMatrix

CHOSEN = ("trec6", "r8", "mr", "banking77:a", "20ng_stripped:a", "lingua_sentences:a")
JUDGED = ("sms_spam", "banking77:b", "lingua_sentences:b", "bbc_news", "20ng_stripped:b", "imdb")
GROUPS = {"chosen": CHOSEN, "judged": JUDGED}
STEP = 20  # keys between two points of the curve
START, AHEAD, CANDIDATES = 10, 5, 2000
T975 = {20: 2.093, 10: 2.262, 8: 2.365, 6: 2.571, 5: 2.776, 4: 3.182, 3: 4.303}  # Student's t


def macro_f1(actual: list[str], predicted: list[str]) -> float:
    """Return the macro F1 on a test."""
    return float(ConfusionMatrix.of(actual, predicted).average("macro").f)


def area(points: list[tuple[int, float]]) -> float:
    """Return the area under a curve that begins at 0, by the trapezoidal rule, as a mean height."""
    x, y = zip((0, 0.0), *points, strict=True)
    return float(np.trapezoid(y, x)) / x[-1]


@cache
def cached(name: str, folder: Path) -> Set:
    """Return a set, read once a process."""
    return read(name, folder)


def ours(some: Set, by: str, seed: int, keys: int) -> float:
    """Return the area of a session of the store's own queue."""
    points = []
    with opened(some) as store:
        for n in session(some, store, by=by, seed=seed, keys=keys):
            if n % STEP == 0:
                with store.view() as view:
                    predicted = view.model.predict(some.test).tolist()
                points.append((n, macro_f1(some.test_labels, predicted)))
    return area(points)


@cache
def counted(name: str, folder: Path) -> tuple[Any, Any]:
    """Return the pool and the test as scikit-learn's counts."""
    some, vectorizer = cached(name, folder), CountVectorizer()
    pool = vectorizer.fit_transform(some.texts)
    return pool, vectorizer.transform(some.test)


def peers(some: Set, folder: Path, by: str, seed: int, keys: int) -> float:
    """Return the area of scikit-learn's model with uncertain texts, or random ones."""
    pool, test = counted(some.name, folder)
    random = np.random.default_rng(seed)
    left, chosen, points = random.permutation(pool.shape[0]).tolist(), [], []
    while len(chosen) < keys:
        labels = [some.labels[i] for i in chosen]
        if by == "random" or len(chosen) < START or len(set(labels)) < 2:
            picked = left[:AHEAD]
        else:
            model = MultinomialNB().fit(pool[chosen], labels)
            some_left = left[:CANDIDATES]
            best = np.partition(model.predict_proba(pool[some_left]), -2, axis=1)[:, -2:]
            order = np.argsort(best[:, 1] - best[:, 0], kind="stable")[:AHEAD]
            picked = [some_left[i] for i in order.tolist()]
        gone = set(picked)
        left = [i for i in left if i not in gone]
        for i in picked:
            chosen.append(i)
            if len(chosen) % STEP == 0 and len(chosen) <= keys:
                labels = [some.labels[i] for i in chosen]
                model = MultinomialNB().fit(pool[chosen], labels)
                points.append(
                    (len(chosen), macro_f1(some.test_labels, model.predict(test).tolist()))
                )
    return area(points)


def measured(job: tuple[str, Path, str, int, int]) -> tuple[float, float]:
    """Return the area of one session, and its CPU time."""
    name, folder, how, seed, keys = job
    started, some = time.process_time(), cached(name, folder)
    if how.startswith("sklearn "):
        found = peers(some, folder, how.split()[1], seed, keys)
    else:
        found = ours(some, how, seed, keys)
    return found, time.process_time() - started


OURS = ("doubt", "random")
PEERS = ("sklearn doubt", "sklearn random")


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", default="judged")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--keys", type=int, default=300)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--no-peers", action="store_true", help="without scikit-learn")
    parser.add_argument("--data", type=Path, default=DATA)
    given = parser.parse_args()
    print(f"mean macro F1 over {given.keys} keys, {given.seeds} seeds; gain of doubt over random")
    kinds = OURS if given.no_peers else (*OURS, *PEERS)
    heads = ["set", "random", "queue", "gain", "scikit-learn random", "uncertain", "gain"]
    heads = heads[: 1 + 3 * len(kinds) // 2]
    print(f"| {' | '.join(heads)} |\n|{'---|' * len(heads)}")
    spent = 0.0
    with multiprocessing.get_context("forkserver").Pool(given.processes) as pool:
        for name in GROUPS.get(given.sets) or given.sets.split(","):
            jobs = [
                (name, given.data, how, seed, given.keys)
                for how in kinds
                for seed in range(given.seeds)
            ]
            found, seconds = np.array(pool.map(measured, jobs, chunksize=1)).T
            spent += float(seconds.sum())
            by_how = dict(zip(kinds, found.reshape(len(kinds), -1), strict=True))
            print(line(name, by_how), flush=True)
    print(f"CPU time: {spent:.0f} s")


def line(name: str, found: dict[str, Any]) -> str:
    """Return a row of the table."""
    cells = [name]
    for prefix in ("", "sklearn ")[: len(found) // 2]:
        one, other = found[f"{prefix}doubt"], found[f"{prefix}random"]
        gain, half = paired(one - other)
        cells += [f"{other.mean():.4f}", f"{one.mean():.4f}", f"{gain:+.4f} ± {half:.4f}"]
    return f"| {' | '.join(cells)} |"


def paired(gains: Any) -> tuple[float, float]:
    """Return the mean of differences, and half of its 95 % interval by Student's t."""
    n = len(gains)
    return float(gains.mean()), T975.get(n, 1.96) * float(gains.std(ddof=1)) / math.sqrt(n)


if __name__ == "__main__":
    main()

"""The vectorizers of nabi.estimators against scikit-learn's: the same matrices, in less time."""

import argparse
import gc
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.feature_extraction import text as theirs

from bench.speed.contenders import CORES
from bench.speed.corpus import default_corpus, read_csv
from bench.speed.output import Figures, add_json_option, progress, save, say, table
from nabi import estimators as ours

QUICK = 20  # every so many texts
NEVER = float("inf")
Task = Callable[[Any, list[str]], Any]  # of a library and the texts: what to time


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.speed.vectorizers", description=__doc__)
    parser.add_argument("--data", metavar="FILE", help="CSV with a column text; .gz too")
    parser.add_argument("--repeat", type=int, default=5, metavar="N", help="best of so many (5)")
    parser.add_argument("--quick", action="store_true", help=f"one text in {QUICK}, once")
    parser.add_argument("--all", action="store_true", help="n-grams as well")
    add_json_option(parser)
    return parser.parse_args()


def main() -> None:
    args = arguments()
    source, corpus = (args.data, read_csv(args.data)) if args.data else default_corpus()
    if args.quick:
        corpus = corpus.thinned(QUICK)
    tasks = TASKS | (NGRAMS if args.all else {})
    figures: Figures = {"data": source, "texts": len(corpus.texts), "mb": corpus.megabytes}
    figures |= {"cores": CORES, "best_of": 1 if args.quick else args.repeat}
    figures["tasks"] = {
        name: measured(name, task, corpus.texts, figures["best_of"]) for name, task in tasks.items()
    }
    say(page(figures), args.json)
    save(figures, args.json)


def counting(**options: Any) -> Task:
    return lambda library, texts: lambda: library.CountVectorizer(**options).fit_transform(texts)


def counting_known(library: Any, texts: list[str]) -> Callable[[], Any]:
    vectorizer = library.CountVectorizer().fit(texts)
    return lambda: vectorizer.transform(texts)


def hashing(**options: Any) -> Task:
    return lambda library, texts: lambda: library.HashingVectorizer(**options).transform(texts)


def weighing(**options: Any) -> Task:
    return lambda library, texts: lambda: library.TfidfVectorizer(**options).fit_transform(texts)


TASKS: dict[str, Task] = {
    "CountVectorizer().fit_transform": counting(),
    "CountVectorizer().transform": counting_known,
    "HashingVectorizer().transform": hashing(),
    "TfidfVectorizer().fit_transform": weighing(),
}
NGRAMS: dict[str, Task] = {
    "Count, 1-2-grams, fit_transform": counting(ngram_range=(1, 2)),
    "Count, 1-2-grams, min_df=5": counting(ngram_range=(1, 2), min_df=5),
    "Count, char_wb 2-4, fit_transform": counting(analyzer="char_wb", ngram_range=(2, 4)),
    "Hashing, 1-2-grams": hashing(ngram_range=(1, 2)),
}


def measured(name: str, task: Task, texts: list[str], repeat: int) -> Figures:
    """The best seconds of each, in turns, and whether the matrices are the same."""
    runs = {"ours": task(ours, texts), "theirs": task(theirs, texts)}
    found: Figures = {who: {"s": NEVER, "cpu_s": NEVER} for who in runs}
    for turn in range(1, repeat + 1):
        matrices = []
        for who, run in runs.items():
            progress(f"{turn} of {repeat}: {name}, {who}")
            gc.collect()
            wall, cpu = time.perf_counter(), time.process_time()
            matrices.append(run())
            seconds = {"s": time.perf_counter() - wall, "cpu_s": time.process_time() - cpu}
            found[who] = {k: min(found[who][k], seconds[k]) for k in seconds}
        found["same"] = found.get("same", True) and same(*matrices)
    return found | {"ratio": found["theirs"]["s"] / found["ours"]["s"]}


def same(X: Any, Y: Any) -> bool:
    """Whether two matrices are the same; tf-idf to 1e-12."""
    Y.sort_indices()
    parts = [(getattr(X, name), getattr(Y, name)) for name in ("indptr", "indices", "data")]
    near = all(a.shape == b.shape and np.allclose(a, b, rtol=0, atol=1e-12) for a, b in parts)
    return X.shape == Y.shape and near and all(a.dtype == b.dtype for a, b in parts)


def page(figures: Figures) -> str:
    rows = [["", "nabi s", "CPU s", "MB/s", "scikit-learn s", "ratio", "same matrix"]]
    for name, found in figures["tasks"].items():
        mine, peer = found["ours"], found["theirs"]
        times = [f"{mine['s']:.3f}", f"{mine['cpu_s']:.3f}", f"{figures['mb'] / mine['s']:.0f}"]
        ratio = [f"{peer['s']:.2f}", f"{found['ratio']:.1f}"]
        rows.append([name, *times, *ratio, "yes" if found["same"] else "NO"])
    return (
        f"{figures['data']}\n{figures['texts']:,} texts, {figures['mb']:.1f} MB; "
        f"{figures['cores']} threads; best of {figures['best_of']}\n\n{table(rows)}"
    )


if __name__ == "__main__":
    main()

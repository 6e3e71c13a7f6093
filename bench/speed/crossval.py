"""Cross-validation from one counting pass, against training once and scikit-learn's way."""

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import PredefinedSplit, cross_val_score
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline

import nabi
from bench.speed.contenders import CORES
from bench.speed.corpus import Corpus, default_corpus, read_csv
from bench.speed.output import Figures, add_json_option, progress, save, say, table
from nabi.counts.batch import CountedBatch
from nabi.counts.text import Counts
from nabi.judging import crossval
from nabi.scoring.held_out.text import HeldOut, fold_numbers

ALPHAS = np.geomspace(0.01, 10, 15)
QUICK = 20  # every so many texts


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.speed.crossval", description=__doc__)
    parser.add_argument("--data", metavar="FILE", help="CSV of text,label; .gz too")
    parser.add_argument("--repeat", type=int, default=5, metavar="N", help="best of so many (5)")
    parser.add_argument("--quick", action="store_true", help=f"one text in {QUICK}")
    add_json_option(parser)
    return parser.parse_args()


def main() -> None:
    args = arguments()
    source, corpus = (args.data, read_csv(args.data)) if args.data else default_corpus()
    corpus = corpus.thinned(QUICK) if args.quick else corpus
    figures: Figures = {"data": source, "texts": len(corpus.texts), "cores": CORES}
    figures |= measured(corpus, args.repeat)
    say(page(figures), args.json)
    save(figures, args.json)


def measured(corpus: Corpus, repeat: int) -> Figures:
    """Seconds of each way, the best of several but for scikit-learn's, which takes long."""
    model, auto = nabi.TextClassifier("sklearn", alpha=1.0), nabi.TextClassifier("sklearn")
    texts, labels = corpus.texts, corpus.labels
    tasks: dict[str, Callable[[], Any]] = {
        "train once": lambda: nabi.TextClassifier("sklearn").fit(texts, labels),
        "leave one out": lambda: crossval(model, texts, labels),
        f"leave one out, {len(ALPHAS)} alphas": lambda: many_alphas(model, texts, labels),
        f"their {len(ALPHAS)} log losses alone": lambda: many_losses(model, texts, labels),
        "leave one out, alpha auto": lambda: crossval(auto, texts, labels),
        "10 folds": lambda: crossval(model, texts, labels, folds=10),
    }
    seconds = dict.fromkeys(tasks, float("inf"))
    for _ in range(repeat):
        for name, task in tasks.items():
            progress(name)
            seconds[name] = min(seconds[name], timed(task)[0])
    progress("scikit-learn, 10 folds")
    result = crossval(model, texts, labels, folds=10)
    split = PredefinedSplit(fold_numbers(result.actual.astype(np.uint32), 10, 0))
    pipeline = make_pipeline(CountVectorizer(), MultinomialNB())
    theirs, scores = timed(lambda: cross_val_score(pipeline, texts, labels, cv=split))
    seconds["scikit-learn, the same 10 folds"] = theirs
    accuracy = [float(np.mean(scores)), result.accuracy]
    return {"seconds": seconds, "accuracy": accuracy}


def many_alphas(model: nabi.TextClassifier, texts: list[str], labels: list[str]) -> Any:
    """Count once, and score each text by the model without it, for each smoothing."""
    held_out, documents = learned(model, texts, labels)
    return held_out.joint(*documents)[0]


def many_losses(model: nabi.TextClassifier, texts: list[str], labels: list[str]) -> Any:
    """The same, but for the scores themselves."""
    held_out, documents = learned(model, texts, labels)
    return held_out.losses(*documents)


def learned(model: nabi.TextClassifier, texts: list[str], labels: list[str]) -> tuple[HeldOut, Any]:
    """All texts counted, and (bags, classes, groups) that leave one out."""
    recipe = model.recipe
    counted = CountedBatch(texts, labels, recipe, keeps=True)
    counts = Counts(recipe, ledger=False)
    counts.learn(counted)
    rank = np.argsort(np.argsort(counted.labels)).astype(np.uint32)
    one_by_one = np.arange(len(texts), dtype=np.uint32)
    held_out = HeldOut(counts, recipe, model.event, ALPHAS)
    return held_out, (counted.bags, rank[counted.classes], one_by_one)


def timed(task: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    result = task()
    return time.perf_counter() - start, result


def page(figures: Figures) -> str:
    once = figures["seconds"]["train once"]
    rows = [
        [name, f"{seconds:.3f}", f"{seconds / once:.1f}"]
        for name, seconds in figures["seconds"].items()
    ]
    theirs, ours = figures["accuracy"]
    head = f"{figures['data']}, {figures['texts']:,} texts, {figures['cores']} cores\n\n"
    tail = f"\nAccuracy of 10 folds: scikit-learn {theirs:.4f}, nabi {ours:.4f}.\n"
    return head + table([["", "s", "x train once"], *rows]) + "\n" + tail


if __name__ == "__main__":
    main()

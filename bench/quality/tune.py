"""`nabi tune` against scikit-learn's naive Bayes, of many settings the best on the test set."""

import argparse
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import ComplementNB, MultinomialNB

import nabi
from bench.quality.sets import DATA, SETS, split
from bench.speed.corpus import Corpus
from bench.speed.output import Figures, add_json_option, progress, save, say, table
from nabi.cli.show.trials import recipe_line

ALPHAS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0)
MOST_CHARACTERS = 6_000_000  # of a training set whose characters scikit-learn is to count


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.quality.tune", description=__doc__)
    parser.add_argument("sets", nargs="*", default=SETS, help=f"among {', '.join(SETS)}")
    parser.add_argument("--data", type=Path, default=DATA, metavar="FOLDER", help="where they are")
    parser.add_argument("--budget", type=float, default=60, metavar="S", help="of the search (60)")
    add_json_option(parser)
    return parser.parse_args()


def main() -> None:
    args = arguments()
    figures: Figures = {"budget": args.budget, "sets": {}}
    for name in args.sets:
        progress(name)
        figures["sets"][name] = measured(*split(name, args.data), args.budget)
        say(page({"sets": {name: figures["sets"][name]}}), args.json)
    say(f"\n{page(figures)}", args.json)
    save(figures, args.json)


def measured(train: Corpus, test: Corpus, budget: float) -> Figures:
    """What the search finds, how that does on the test set, and the best of scikit-learn's ways."""
    start = time.perf_counter()
    model = nabi.TextClassifier.tune(train.texts, train.labels, budget=budget)
    seconds = time.perf_counter() - start
    best = model.trials_[0]
    theirs = {"MultinomialNB": 0.0, "ComplementNB": 0.0}
    start = time.perf_counter()
    for kind, accuracy in peers(train, test):
        theirs[kind] = max(theirs[kind], accuracy)
    return {
        "accuracy": model.score(test.texts, test.labels),
        "left_out": best.accuracy,
        "judged_on": best.texts,
        "seconds": seconds,
        "params": dict(best.params),
        "peers": theirs,
        "peer_seconds": time.perf_counter() - start,
    }


def peers(train: Corpus, test: Corpus) -> Iterator[tuple[str, float]]:
    """The test accuracy of each of scikit-learn's settings."""
    gold = np.array(test.labels)
    for way in ways(train):
        vectorizer = CountVectorizer(**way)
        learned, asked = vectorizer.fit_transform(train.texts), vectorizer.transform(test.texts)
        for binary in (False, True):
            counts = [(X > 0).astype(np.int64) if binary else X for X in (learned, asked)]
            for kind in (MultinomialNB, ComplementNB):
                for alpha in ALPHAS:
                    model = kind(alpha=alpha).fit(counts[0], train.labels)
                    yield kind.__name__, float(np.mean(model.predict(counts[1]) == gold))


def ways(train: Corpus) -> Iterator[dict[str, Any]]:
    """scikit-learn's ways to cut a text: words up to three, one-letter words too, characters."""
    for pattern in (r"(?u)\b\w\w+\b", r"(?u)\b\w+\b"):
        for longest in (1, 2, 3):
            yield {"token_pattern": pattern, "ngram_range": (1, longest)}
    if sum(map(len, train.texts)) <= MOST_CHARACTERS:
        for analyzer in ("char_wb", "char"):
            yield {"analyzer": analyzer, "ngram_range": (2, 4)}


def page(figures: Figures) -> str:
    head = ["set", "nabi tune", "left out", "s", "MultinomialNB", "ComplementNB", "chosen"]
    rows = [head]
    for name, found in figures["sets"].items():
        params = found["params"]
        chosen = f"{params['event']}, {recipe_line(params)}, alpha {params['alpha']:g}"
        numbers = [found["accuracy"], found["left_out"]]
        theirs = [f"{value:.4f}" for value in found["peers"].values()]
        shown = [f"{value:.4f}" for value in numbers]
        rows.append([name, *shown, f"{found['seconds']:.1f}", *theirs, chosen])
    return table(rows)


if __name__ == "__main__":
    main()

"""What pruning a model to a size costs in accuracy."""

import argparse
import os
import tempfile
from pathlib import Path

import nabi
from bench.quality.sets import DATA, SETS, split
from bench.speed.corpus import Corpus
from bench.speed.output import Figures, add_json_option, progress, save, say, table
from nabi.models.pruned.classifier import PrunedClassifier

SIZES = (1_000_000, 100_000, 20_000)
MODELS = {
    "words": {},
    "words 1-2": {"ngrams": (1, 2)},
    "complement 1-3": {
        "event": "complement",
        "ngrams": (1, 3),
        "binary": True,
        "min_count": 2,
        "alpha": 0.1,
    },
}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.quality.prune", description=__doc__)
    sets = ("imdb", "20ng_stripped", "sms_spam")
    parser.add_argument("sets", nargs="*", default=sets, help=f"among {', '.join(SETS)}")
    parser.add_argument("--data", type=Path, default=DATA, metavar="FOLDER", help="where they are")
    add_json_option(parser)
    return parser.parse_args()


def main() -> None:
    args = arguments()
    figures: Figures = {"sets": {}}
    for name in args.sets:
        corpora = split(name, args.data)
        figures["sets"][name] = {}
        for kind, options in MODELS.items():
            progress(f"{name}, {kind}")
            figures["sets"][name][kind] = measured(*corpora, options)
    say(page(figures), args.json)
    save(figures, args.json)


def measured(train: Corpus, test: Corpus, options: dict[str, object]) -> Figures:
    """The model, and what is left of it at each size."""
    model = nabi.TextClassifier(**options).fit(train.texts, train.labels)
    return {
        "words": model.n_features_,
        "bytes": file_size(model),
        "accuracy": model.score(test.texts, test.labels),
        "pruned": {size: left(model, test, size) for size in SIZES},
    }


def left(model: nabi.TextClassifier, test: Corpus, size: int) -> float:
    """The accuracy of a model of that size."""
    small = PrunedClassifier.of(model, size=size)
    assert file_size(small) <= size
    return small.score(test.texts, test.labels)


def file_size(model: nabi.TextClassifier | PrunedClassifier) -> int:
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "model.nabi")
        model.save(path)
        return os.path.getsize(path)


def page(figures: Figures) -> str:
    """The table of the page on small models."""
    rows = [["set, model", "words", "file", "accuracy", "1 MB", "100 kB", "20 kB"]]
    for name, kinds in figures["sets"].items():
        for kind, got in kinds.items():
            small = [f"{got['pruned'][size]:.4f}" for size in SIZES]
            whole = [f"{got['words']:,}", f"{got['bytes'] / 1e6:.1f} MB", f"{got['accuracy']:.4f}"]
            rows.append([f"{name}, {kind}", *whole, *small])
    return table(rows)


if __name__ == "__main__":
    main()

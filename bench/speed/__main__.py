"""Training and predicting, against scikit-learn, fastText and `wc -w` in the same run."""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.speed.corpus import Corpus, default_corpus, read_csv, write_csv
from bench.speed.figures import data_of, machine, page, ratios, result, speed
from bench.speed.output import Figures, add_json_option, progress, save, say
from bench.speed.peak import peak_of
from bench.speed.race import differing, race

QUICK = 20  # every so many texts


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.speed", description=__doc__)
    parser.add_argument("--data", metavar="FILE", help="CSV of text,label to train with; .gz too")
    parser.add_argument("--test", metavar="FILE", help="CSV to predict; by default the same texts")
    parser.add_argument("--repeat", type=int, default=3, metavar="N", help="best of so many (3)")
    parser.add_argument("--quick", action="store_true", help=f"one text in {QUICK}, once")
    parser.add_argument("--all", action="store_true", help="many_classes and start as well")
    add_json_option(parser)
    return parser.parse_args()


def main() -> None:
    args = arguments()
    source, corpus = (args.data, read_csv(args.data)) if args.data else default_corpus()
    test = read_csv(args.test) if args.test else corpus
    if args.quick:
        corpus, test = corpus.thinned(QUICK), test.thinned(QUICK)
    figures = measured(corpus, test, 1 if args.quick else args.repeat)
    figures["data"] |= {"train": source, "test": args.test or source}
    say(page(figures), args.json)
    if args.all:
        figures |= others(args.quick, silent=args.json == "-")
    save(figures, args.json)


def measured(corpus: Corpus, test: Corpus, repeat: int) -> Figures:
    """All figures of the race."""
    data = data_of(corpus, test)
    with tempfile.TemporaryDirectory() as folder:
        entries, wc = race(corpus, test, Path(folder), repeat)
        path = Path(folder) / "train.csv"
        write_csv(path, corpus)
        for entry in entries:
            progress(f"memory of {entry.one.name}, {entry.recipe}")
            entry.memory = peak_of(entry.one.key, entry.recipe, path)
    figures = {
        "data": data,
        "machine": machine(),
        "best_of": repeat,
        "results": [result(entry, data, test) for entry in entries],
        "wc": speed(wc, data["mb"]),
        "predictions_unlike_scikit_learn": differing(entries, corpus, test),
    }
    return figures | {"ratios": ratios(figures)}


def others(quick: bool, *, silent: bool) -> Figures:
    """The figures of the two other scripts, each in a process of its own."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in ("many_classes", "start"):
            say("", "-" if silent else None)
            path = Path(folder) / name
            command = [sys.executable, "-m", f"bench.speed.{name}", "--json", str(path)]
            out = subprocess.DEVNULL if silent else None
            subprocess.run(command + ["--quick"] * quick, check=True, stdout=out)
            found[name] = json.loads(path.read_text())
    return found


if __name__ == "__main__":
    main()

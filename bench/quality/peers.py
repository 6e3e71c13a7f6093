"""Accuracy and time of nabi and its peers: on each set the same texts, one after another."""

import argparse
import json
from pathlib import Path

import numpy as np

from bench.quality.models import Train, missing, models
from bench.quality.sets import DATA, SETS, split
from bench.speed.corpus import Corpus
from bench.speed.figures import data_of, machine
from bench.speed.output import Figures, add_json_option, progress, save, say, table
from bench.speed.race import Seconds, timed


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.quality.peers", description=__doc__)
    parser.add_argument("sets", nargs="*", default=SETS, help=f"among {', '.join(SETS)}")
    parser.add_argument("--only", metavar="NAME,...", help=f"among {', '.join(models())}")
    parser.add_argument("--data", type=Path, default=DATA, metavar="FOLDER", help="where they are")
    parser.add_argument("--budget", type=float, default=60, metavar="S", help="of nabi tune (60)")
    parser.add_argument("--repeat", type=int, default=1, metavar="N", help="best of so many (1)")
    add_json_option(parser)
    args = parser.parse_args()
    args.only = args.only.split(",") if args.only else list(models())
    if unknown := sorted({*args.only} - {*models()}):
        parser.error(f"there is no {unknown[0]!r}, but {', '.join(models())}")
    return args


def main() -> None:
    args = arguments()
    for name in missing():
        say(f"{name} is left out: pip install '.[bench-fasttext]'", args.json)
    chosen = {
        name: train
        for name, train in models(args.budget).items()
        if name in args.only and name not in missing()
    }
    figures = earlier(args.json) | {"machine": machine()}
    for name in args.sets:
        train, test = split(name, args.data)
        found = figures["sets"].setdefault(name, {"data": data_of(train, test), "models": {}})
        for model, learn in chosen.items():
            progress(f"{name}: {model}")
            found["models"][model] = measured(learn, train, test, args.repeat)
            if args.json != "-":
                save(figures, args.json)
        say(f"{page(name, found)}\n", args.json)
    if args.json == "-":
        save(figures, "-")


def earlier(json_to: str | None) -> Figures:
    """What the file has already: figures of this run take the place of those of the same name."""
    if json_to in (None, "-") or not Path(json_to).exists():
        return {"sets": {}}
    return json.loads(Path(json_to).read_text("utf-8"))


def measured(learn: Train, train: Corpus, test: Corpus, repeat: int) -> Figures:
    """How often it is right, and the best times: from lists of texts, vectorising included."""
    trained, predicted = Seconds(), Seconds()
    for _ in range(repeat):
        seconds, predict = timed(learn, train)
        trained = trained.best(seconds)
        seconds, found = timed(predict, test.texts)
        predicted = predicted.best(seconds)
    return {
        "accuracy": float(np.mean(np.asarray(found) == np.asarray(test.labels))),
        "train": {"s": trained.wall, "cpu_s": trained.cpu},
        "predict": {"s": predicted.wall, "cpu_s": predicted.cpu},
        "best_of": repeat,
    }


def page(name: str, found: Figures) -> str:
    rows = [[name, "accuracy", "train s", "predict s"]]
    for model, one in found["models"].items():
        seconds = [f"{one[step]['s']:.3f}" for step in ("train", "predict")]
        rows.append([model, f"{one['accuracy']:.4f}", *seconds])
    return table(rows)


if __name__ == "__main__":
    main()

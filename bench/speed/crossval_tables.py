"""Leaving rows of a table out, column by column, against training once and for each row."""

import argparse
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import nabi
from bench.speed.contenders import CORES
from bench.speed.output import Figures, add_json_option, progress, save, say, table
from nabi.judging import crossval

ROWS, CLASSES = 100_000, 3
Columns = dict[str, Any]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench.speed.crossval_tables", description=__doc__
    )
    parser.add_argument("--rows", type=int, default=ROWS, help=f"of the table ({ROWS:,})")
    parser.add_argument("--repeat", type=int, default=3, metavar="N", help="best of so many (3)")
    parser.add_argument("--quick", action="store_true", help="the same as --rows 5000 --repeat 1")
    add_json_option(parser)
    return parser.parse_args()


def main() -> None:
    args = arguments()
    rows, repeat = (5_000, 1) if args.quick else (args.rows, args.repeat)
    figures: Figures = {"rows": rows, "cores": CORES, "best_of": repeat}
    columns, y = random_table(rows)
    names = [*([name] for name in columns), list(columns)]
    figures["results"] = [measured({n: columns[n] for n in some}, y, repeat) for some in names]
    say(page(figures), args.json)
    save(figures, args.json)


def random_table(rows: int) -> tuple[Columns, Any]:
    """A column for each model, named by it, and classes."""
    draw = np.random.default_rng(0)
    y = draw.integers(0, CLASSES, rows)
    words = np.array([f"w{i}" for i in range(500)])
    return {
        "text": [" ".join(words[some]) for some in draw.integers(0, 500, (rows, 8))],
        "categorical": words[draw.integers(0, 20, rows)].tolist(),
        "bernoulli": draw.random(rows) < 0.3 + 0.1 * y,
        "gaussian": draw.normal(y, 1.5),
        "lognormal": np.exp(draw.normal(y, 1)),
        "poisson": draw.poisson(1 + y),
        "histogram": draw.normal(y, 2),
    }, y


def measured(columns: Columns, y: Any, repeat: int) -> Figures:
    """Seconds of each way, the best of several, in turns."""
    model = nabi.TableClassifier({name: name for name in columns}, ledger=False)
    tasks: dict[str, Callable[[], Any]] = {
        "train": lambda: model.fit(columns, y),
        "leave one out": partial(crossval, model, columns, y),
        "10 folds": partial(crossval, model, columns, y, folds=10),
        "groups of 3": partial(crossval, model, columns, y, groups=np.arange(len(y)) // 3),
    }
    best = dict.fromkeys(tasks, float("inf"))
    for _ in range(repeat):
        for name, task in tasks.items():
            progress(f"{', '.join(columns)}: {name}")
            start = time.perf_counter()
            task()
            best[name] = min(best[name], time.perf_counter() - start)
    return {"columns": "all" if len(columns) > 1 else next(iter(columns)), "seconds": best}


def page(figures: Figures) -> str:
    ways = ["train", "leave one out", "10 folds", "groups of 3"]
    rows = [["column", *(f"{way}, s" for way in ways), "x train", "train for each, h"]]
    for one in figures["results"]:
        seconds = one["seconds"]
        again = figures["rows"] * seconds["train"] / 3600
        ratio = seconds["leave one out"] / seconds["train"]
        shown = [f"{seconds[way]:.3f}" for way in ways]
        rows.append([one["columns"], *shown, f"{ratio:.1f}", f"{again:.2f}"])
    head = f"{figures['rows']:,} rows, {CLASSES} classes, {figures['cores']} cores\n\n"
    return head + table(rows) + "\n"


if __name__ == "__main__":
    main()

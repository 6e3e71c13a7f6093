"""GaussianNB against scikit-learn's: fit and predict_proba of random rows, in the same run."""

import argparse
import time
from collections.abc import Callable
from functools import partial

import numpy as np
from sklearn.naive_bayes import GaussianNB as Theirs

from bench.speed.contenders import CORES
from bench.speed.output import Figures, add_json_option, progress, save, say, table
from nabi.estimators import GaussianNB as Ours

ROWS, COLUMNS, CLASSES = 1_000_000, 30, (2, 10)
STEPS = ("fit", "predict_proba")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.speed.gaussian", description=__doc__)
    parser.add_argument("--rows", type=int, default=ROWS, help=f"to fit and predict ({ROWS:,})")
    parser.add_argument("--columns", type=int, default=COLUMNS, help=f"of numbers ({COLUMNS})")
    parser.add_argument("--repeat", type=int, default=5, metavar="N", help="best of so many (5)")
    parser.add_argument("--quick", action="store_true", help="the same as --rows 20000 --repeat 2")
    add_json_option(parser)
    return parser.parse_args()


def main() -> None:
    args = arguments()
    rows, repeat = (20_000, 2) if args.quick else (args.rows, args.repeat)
    figures: Figures = {"rows": rows, "columns": args.columns, "cores": CORES, "best_of": repeat}
    figures["results"] = [one for n in CLASSES for one in measured(rows, args.columns, n, repeat)]
    say(page(figures), args.json)
    save(figures, args.json)


def measured(rows: int, columns: int, classes: int, repeat: int) -> list[Figures]:
    """The seconds of each contender, which take turns: a busy machine hurts all alike."""
    random = np.random.default_rng(0)
    X, y = random.standard_normal((rows, columns)), random.integers(0, classes, rows)
    models = {"scikit-learn": Theirs()}
    models |= {f"nabi, {t} thread{'s' * (t > 1)}": Ours(threads=t) for t in sorted({1, CORES})}
    best = {name: dict.fromkeys(STEPS, float("inf")) for name in models}
    for i in range(repeat):
        for name, model in models.items():
            progress(f"{classes} classes, {name}, {i + 1} of {repeat}")
            took = {
                "fit": seconds(partial(model.fit, X, y)),
                "predict_proba": seconds(partial(model.predict_proba, X)),
            }
            best[name] = {step: min(best[name][step], took[step]) for step in STEPS}
    return [{"classes": classes, "name": name, **steps} for name, steps in best.items()]


def seconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def page(figures: Figures) -> str:
    rows = [["", *(f"{step}{what}" for step in STEPS for what in (" s", " x"))]]
    peers = {one["classes"]: one for one in figures["results"] if one["name"] == "scikit-learn"}
    for one in figures["results"]:
        row = [f"{one['classes']} classes: {one['name']}"]
        for step in STEPS:
            row += [f"{one[step]:.3f}", f"{peers[one['classes']][step] / one[step]:.1f}"]
        rows.append(row)
    head = f"{figures['rows']:,} rows of {figures['columns']} numbers, best of {figures['best_of']}"
    return f"{head}, {figures['cores']} cores\n\n{table(rows)}"


if __name__ == "__main__":
    main()

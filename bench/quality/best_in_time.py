"""`nabi.best` with little time and beside busy loops: how far behind a quiet search it stays.

python -m bench.quality.best_in_time                          # ten sets: an hour
python -m bench.quality.best_in_time cr mr --budgets 10,60    # two sets, no busy loops
python -m bench.quality.best_in_time cr --budgets 60,10,60+2  # +2: beside two busy loops
"""

import argparse
import contextlib
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import nabi
from bench.quality.sets import DATA, SETS, split
from bench.speed.corpus import Corpus
from bench.speed.output import Figures, add_json_option, progress, save, say, table
from nabi.cli.show.trials import settings_line

POINTS = 1.0  # that a hurried search may be behind the first one


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench.quality.best_in_time",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("sets", nargs="*", default=SETS, help=f"among {', '.join(SETS)}")
    parser.add_argument("--data", type=Path, default=DATA, metavar="FOLDER", help="where they are")
    parser.add_argument(
        "--budgets",
        default="60,10,60+2",
        metavar="S[+N],...",
        help="seconds of each search, beside N busy loops; the first is what others are held to",
    )
    parser.add_argument("--no-tune", action="store_true", help="leave out nabi tune, for 60 s")
    add_json_option(parser)
    return parser.parse_args()


def main() -> None:
    args = arguments()
    budgets = args.budgets.split(",")
    figures: Figures = {"budgets": budgets, "sets": {}}
    for name in args.sets:
        train, test = split(name, args.data)
        found = figures["sets"][name] = {}
        for budget in budgets:
            progress(f"{name}: {budget}")
            found[budget] = measured(budget, train, test)
            say(f"{name} {budget}: {found[budget]}", args.json)
        if not args.no_tune:
            progress(f"{name}: tune")
            tuned = nabi.TextClassifier.tune(train.texts, train.labels, budget=60)
            found["tune"] = {"accuracy": tuned.score(test.texts, test.labels)}
    say(f"\n{page(figures)}", args.json)
    save(figures, args.json)


def measured(budget: str, train: Corpus, test: Corpus) -> Figures:
    """Accuracy on the test texts of what is chosen within a budget such as 60+2."""
    seconds, _, loops = budget.partition("+")
    start = time.perf_counter()
    with busy(int(loops or 0)):
        model = nabi.best(train.texts, train.labels, budget=float(seconds))
    chosen = model.trials_[0]
    return {
        "accuracy": model.score(test.texts, test.labels),
        "seconds": round(time.perf_counter() - start, 1),
        "chosen": settings_line(chosen.params),
        "judged_on": chosen.texts,
        "trials": len(model.trials_),
    }


@contextlib.contextmanager
def busy(loops: int) -> Iterator[None]:
    """Let so many processes do nothing as fast as they can."""
    running = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(loops)]
    try:
        yield
    finally:
        for process in running:
            process.kill()
            process.wait()


def page(figures: Figures) -> str:
    """A row for each set; what is too far behind the first search, or behind tune, is marked."""
    first, *others = figures["budgets"]
    rows = [["set", *figures["budgets"], "tune", ""]]
    for name, found in figures["sets"].items():
        accuracy = {budget: figure["accuracy"] for budget, figure in found.items()}
        late = [b for b in others if accuracy[b] < accuracy[first] - POINTS / 100]
        below = [b for b in (first, *others) if accuracy[b] < accuracy.get("tune", 0)]
        marks = [f"{b}: too far behind" for b in late] + [f"{b}: below tune" for b in below]
        shown = [f"{accuracy[b]:.4f}" for b in figures["budgets"]]
        tuned = f"{accuracy['tune']:.4f}" if "tune" in accuracy else ""
        rows.append([name, *shown, tuned, "; ".join(marks)])
    return table(rows)


if __name__ == "__main__":
    main()

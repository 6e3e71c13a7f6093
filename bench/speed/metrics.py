"""nabi.metrics against scikit-learn's: millions of random rows, in the same run."""

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn import metrics as theirs

from bench.speed.output import Figures, add_json_option, progress, save, say, table
from nabi import metrics as ours

ROWS, CLASSES = 2_000_000, 20
Race = tuple[Callable[[], Any], Callable[[], Any] | None]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.speed.metrics", description=__doc__)
    parser.add_argument("--rows", type=int, default=ROWS, help=f"to judge ({ROWS:,})")
    parser.add_argument("--repeat", type=int, default=5, metavar="N", help="best of so many (5)")
    parser.add_argument("--quick", action="store_true", help="the same as --rows 50000 --repeat 2")
    add_json_option(parser)
    return parser.parse_args()


def main() -> None:
    args = arguments()
    rows, repeat = (50_000, 2) if args.quick else (args.rows, args.repeat)
    figures: Figures = {"rows": rows, "classes": CLASSES, "best_of": repeat}
    figures["results"] = [measured(name, race, repeat) for name, race in races(rows).items()]
    say(page(figures), args.json)
    save(figures, args.json)


def races(rows: int) -> dict[str, Race]:
    """What is measured: nabi's call and scikit-learn's, where it has one."""
    random = np.random.default_rng(0)
    gold = random.integers(0, CLASSES, rows)
    said = np.where(random.random(rows) < 0.8, gold, random.integers(0, CLASSES, rows))
    names = np.array([f"class {i}" for i in range(CLASSES)])
    gold_names, said_names = names[gold].tolist(), names[said].tolist()
    yes, score = gold < CLASSES / 2, random.normal(size=rows) + gold / CLASSES
    few = gold[: rows // 10]
    proba = random.dirichlet(np.ones(CLASSES), len(few))
    matrix = ours.ConfusionMatrix.of(gold, said)
    return {
        "matrix, numbers": (
            lambda: ours.ConfusionMatrix.of(gold, said),
            lambda: theirs.confusion_matrix(gold, said),
        ),
        "matrix, strings": (
            lambda: ours.ConfusionMatrix.of(gold_names, said_names),
            lambda: theirs.confusion_matrix(gold_names, said_names),
        ),
        "precision-recall curve": (
            lambda: ours.precision_recall_curve(yes, score),
            lambda: theirs.precision_recall_curve(yes, score),
        ),
        "area below ROC": (
            lambda: ours.roc_auc(yes, score),
            lambda: theirs.roc_auc_score(yes, score),
        ),
        "log loss, a tenth": (
            lambda: ours.log_loss(proba, few),
            lambda: theirs.log_loss(few, proba),
        ),
        "Brier, a tenth": (
            lambda: ours.brier(proba, few),
            lambda: theirs.brier_score_loss(few, proba),
        ),
        "2000 bootstraps": (lambda: matrix.average_interval("macro"), None),
        "McNemar": (lambda: ours.mcnemar(gold, said, said[::-1]), None),
    }


def measured(name: str, race: Race, repeat: int) -> Figures:
    """The best seconds of each, who take turns: a busy machine hurts both alike."""
    best = [float("inf")] * 2
    for i in range(repeat):
        progress(f"{name}, {i + 1} of {repeat}")
        for who, call in enumerate(race):
            if call is not None:
                best[who] = min(best[who], seconds(call))
    return {"name": name, "nabi": best[0], "scikit-learn": best[1] if race[1] else None}


def seconds(call: Callable[[], Any]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def page(figures: Figures) -> str:
    rows = [["", "nabi s", "scikit-learn s", "x"]]
    for one in figures["results"]:
        peer = one["scikit-learn"]
        times = ["", ""] if peer is None else [f"{peer:.3f}", f"{peer / one['nabi']:.1f}"]
        rows.append([one["name"], f"{one['nabi']:.3f}", *times])
    head = f"{figures['rows']:,} rows of {figures['classes']} classes, best of {figures['best_of']}"
    return f"{head}\n\n{table(rows)}"


if __name__ == "__main__":
    main()

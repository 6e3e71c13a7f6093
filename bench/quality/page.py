"""The Markdown tables of docs/quality.md, from the files that bench.quality.peers writes."""

import argparse
import json
from collections.abc import Callable, Sequence
from pathlib import Path

from bench.quality.models import models
from bench.quality.sets import SETS
from bench.speed.output import Figures

SparseCounts = dict[str, dict[str, str]]  # by set and model


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.quality.page", description=__doc__)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="a later one counts")
    sets = merged([json.loads(path.read_text("utf-8")) for path in parser.parse_args().files])
    print(page(sets))


def merged(files: Sequence[Figures]) -> Figures:
    """By set and model what was found; of what several files have, the last."""
    found: Figures = {}
    for figures in files:
        for name, one in figures["sets"].items():
            found.setdefault(name, {}).update(one["models"])
    return found


def page(sets: Figures) -> str:
    """Both tables: a row for each model, a column for each set."""
    accuracy = {name: _accuracies(found) for name, found in sets.items()}
    seconds = {
        name: {model: duration(one["train"]["s"]) for model, one in found.items()}
        for name, found in sets.items()
    }
    tables = ["Accuracy on the test texts:", markdown(accuracy)]
    return "\n\n".join([*tables, "Seconds to train:", markdown(seconds)])


def _accuracies(found: Figures) -> dict[str, str]:
    best = max(one["accuracy"] for one in found.values())
    marks = {model: "**" if one["accuracy"] == best else "" for model, one in found.items()}
    return {m: f"{marks[m]}{one['accuracy']:.4f}{marks[m]}" for m, one in found.items()}


def duration(seconds: float) -> str:
    """Two digits, or whole seconds: 0.0123 -> '0.012', 4.56 -> '4.6', 123.4 -> '123'"""
    return f"{seconds:.0f}" if seconds >= 10 else f"{seconds:.2g}"


def markdown(cells: SparseCounts) -> str:
    """Sets and models in the order of their modules, what these do not know at the end."""
    sets = sorted(cells, key=_place(SETS))
    known = dict.fromkeys(model for name in sets for model in cells[name])
    rows = sorted(known, key=_place(list(models())))
    head = [["model", *sets], ["---"] * (len(sets) + 1)]
    body = [[model, *(cells[name].get(model, "") for name in sets)] for model in rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in head + body)


def _place(order: Sequence[str]) -> Callable[[str], int]:
    return lambda name: order.index(name) if name in order else len(order)


if __name__ == "__main__":
    main()

"""`nabi compare`."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from click import UsageError

from nabi._native import Batch
from nabi.cli.data.labelled import read_texts
from nabi.cli.options import common as o
from nabi.cli.options.declare import option
from nabi.cli.options.model import COST, KINDS, NEIGHBOURS, Choice, as_seconds
from nabi.cli.options.recipe import Recipe
from nabi.cli.options.source import LabelledTexts
from nabi.cli.show import screen
from nabi.cli.show.trials import settings_line

ALL = (*(kind for kind in KINDS if kind != "rules"), "best")


def compare(
    *,
    source: LabelledTexts,
    test: str | None = option(
        "Labelled texts to test on (default: a fifth of DATA is held out).", "FILE"
    ),
    models: str = option(
        f"Kinds to train: {', '.join(ALL)}.", "KIND,...", default="nb,nbsvm,nblr,svm,logistic,knn"
    ),
    budget: str = option("Time limit for best: 60s, 5m, or seconds.", "TIME", default="60s"),
    seed: int = option("Seed of the held-out fifth.", "N", default=0, first=False),
    cost: float | None = COST,
    neighbours: str = NEIGHBOURS,
    recipe: Recipe,
    out: o.Findings,
) -> None:
    """Train models of several kinds on the same texts, and compare accuracy, speed and size.

    ```
    nabi compare reviews.csv
    nabi compare reviews.csv --test test.csv --models nb,nbsvm,best --budget 30s
    ```
    """
    from nabi.search.compare import compare as results

    wanted = _wanted(models)
    as_seconds(budget)  # refuses a bad one, also where it says nothing
    chosen = Choice(budget=budget, cost=cost, neighbours=neighbours)
    makers = {kind: _maker(replace(chosen, model=kind), recipe, source.threads) for kind in wanted}
    reader = source.reader(beside="compare", reads=[test], table=False)
    whole = read_texts(reader, out)
    if test is None:
        learned, asked = _parted(*whole, seed)
    else:
        other = replace(source, data=[test], sql=None, skip_bad=False, rejects=None)
        learned, asked = whole, read_texts(other.reader(beside="compare", table=False), out)
    rows = []
    with out.steps("training") as step:
        found = results(makers, learned, asked)
        for i, name in enumerate(wanted):
            step(f"training {name}", i, len(wanted))
            rows.append(next(found))
    result = {
        "learned": len(learned[1]),
        "asked": len(asked[1]),
        "models": [{**row.to_dict(), "is": o.facts(row.model)} for row in rows],
    }

    def show_all(result: dict[str, Any]) -> None:
        _show(result, test)
        for row in rows:
            if row.name == "best":
                screen.say(f"best: {settings_line(row.model.trials_[0].params)}")

    out.print(result, show_all, source.finish(reader))


def _wanted(typed: str) -> list[str]:
    wanted = [name.strip() for name in typed.split(",") if name.strip()]
    for name in wanted:
        if name not in ALL:
            raise UsageError(f"--models {typed}: no {name!r}; there are {', '.join(ALL)}.")
    if not wanted:
        raise UsageError(f"--models {typed!r}: expected some of {', '.join(ALL)}.")
    return list(dict.fromkeys(wanted))


def _maker(choice: Choice, recipe: Recipe, threads: int | None) -> Callable[[Any, Any], Any]:
    """Return a function that trains a model of a kind; refuse bad options at once."""
    kind = choice.model
    if kind == "best":
        from nabi.search.best import best

        return partial(best, budget=as_seconds(choice.budget), threads=threads)
    own = recipe if kind == "nb" else replace(recipe, event="multinomial", prior="empirical")
    own = own if kind.startswith("nb") else replace(own, alpha="auto")
    fit: Callable[[Any, Any], Any] = choice.made(own, threads).fit
    return fit


def _parted(texts: Batch, labels: list[str], seed: int) -> tuple[Any, Any]:
    """Return texts and labels to learn from, and the fifth to test on."""
    from nabi.search.compare import held_out_fifth

    out = held_out_fifth(labels, seed=seed)
    parts = [np.flatnonzero(which).astype(np.uint64) for which in (~out, out)]
    learned, asked = ((texts.taken(at), [labels[i] for i in at.tolist()]) for at in parts)
    return learned, asked


def _show(result: dict[str, Any], test: str | None) -> None:
    where = f"of {test}" if test else "left out, a fifth"
    screen.say(f"{result['learned']:,} texts learned, {result['asked']:,} asked ({where})", "")
    names = ("accuracy", "macro F1", "log loss", "train", "predict", "size")
    rows = sorted(result["models"], key=lambda row: -row["accuracy"])
    cells = [_cells(row, rows[0]["accuracy"]) for row in rows]
    screen.print_table(["model", *(f">{name}" for name in names)], cells)
    screen.say("", "* right most often")


def _cells(row: dict[str, Any], best: float) -> list[str]:
    star = " *" if row["accuracy"] == best else "  "
    loss = "unknown" if row["log_loss"] is None else f"{row['log_loss']:.4f}"
    times = [f"{row[name]:.2f} s" for name in ("train_seconds", "predict_seconds")]
    scores = [f"{row['accuracy']:.4f}", f"{row['macro_f1']:.4f}", loss]
    return [row["name"] + star, *scores, *times, screen.as_size(row["bytes"])]

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
from nabi.cli.options.model import (
    CLASS_WEIGHT,
    COST,
    KINDS,
    LINEAR,
    METRIC,
    NEIGHBOURS,
    Choice,
    as_seconds,
)
from nabi.cli.options.recipe import Recipe
from nabi.cli.options.source import LabelledTexts
from nabi.cli.show import screen
from nabi.cli.show.trials import print_trials, settings_line
from nabi.search.compare import ModelResult
from nabi.search.compare import compare as results
from nabi.search.trial import with_ties

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
    metric: str = METRIC,
    budget: str = option("Time limit for best: 60s, 5m, or seconds.", "TIME", default="60s"),
    seed: int = option("Seed of the held-out fifth.", "N", default=0, first=False),
    cost: float | None = COST,
    class_weight: str | None = CLASS_WEIGHT,
    neighbours: str = NEIGHBOURS,
    recipe: Recipe,
    out: o.Findings,
) -> None:
    """Train models of several kinds on the same texts, and compare accuracy, speed and size.

    Each kind has the settings of the options; `best` is what `nabi train --best` finds.

    ```
    nabi compare reviews.csv
    nabi compare reviews.csv --test test.csv --models nb,nbsvm,best
    ```
    """
    wanted = _wanted(models)
    as_seconds(budget)  # refuses a bad one, also where it says nothing
    chosen = Choice(
        budget=budget, metric=metric, cost=cost, class_weight=class_weight, neighbours=neighbours
    )
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
        found = results(makers, learned, asked, metric=metric)
        for i, name in enumerate(wanted):
            step(f"training {name}", i, len(wanted))
            rows.append(next(found))
    result = {
        "learned": len(learned[1]),
        "asked": len(asked[1]),
        "metric": metric,
        "models": [{**row.to_dict(), "is": o.facts(row.model)} for row in rows],
    }

    out.print(result, lambda result: _show(result, rows, test), source.finish(reader))


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

        options: dict[str, Any] = {"metric": choice.metric, "threads": threads}
        return partial(best, budget=as_seconds(choice.budget), **options)
    choice = choice if kind in LINEAR else replace(choice, class_weight=None)
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


def _show(result: dict[str, Any], rows: list[ModelResult], test: str | None) -> None:
    where = f"of {test}" if test else "left out, a fifth"
    screen.say(f"{result['learned']:,} texts learned, {result['asked']:,} asked ({where})", "")
    rows = sorted(rows, key=lambda row: row.trial.rank)
    more = {
        "predict s": [f"{row.predict_seconds:.2f}" for row in rows],
        "size": [screen.as_size(row.bytes) for row in rows],
    }
    names = [row.name for row in rows]
    trials = with_ties([row.trial for row in rows])
    print_trials(trials, names, first_is="best", more=more)
    for row in rows:
        if row.name == "best":
            screen.say(f"best: {settings_line(row.model.trials_[0].params)}")

"""`nabi compare`."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from click import UsageError

from nabi._native import Batch
from nabi.cli.data.labelled import LabelledData, read_alike, read_labelled
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
from nabi.cli.options.recipe import TableRecipe, columns_of
from nabi.cli.options.source import LabelledTexts
from nabi.cli.options.strict import Strictness
from nabi.cli.show import screen
from nabi.cli.show.columns import column_facts, show_columns
from nabi.cli.show.trials import print_trials, settings_line
from nabi.search.compare import ModelResult
from nabi.search.compare import compare as results
from nabi.search.trial import with_ties

ALL = (*(kind for kind in KINDS if kind != "rules"), "best")
OF_TEXTS, OF_TABLES = ALL[:-1], ("nb", "best")  # the default


def compare(
    *,
    source: LabelledTexts,
    strictness: Strictness,
    test: str | None = option(
        "Labelled data to test on (default: a fifth of DATA is held out).", "FILE"
    ),
    models: str | None = option(
        f"Kinds to train: {', '.join(ALL)}; of tables nb and best (default: of texts all but best, "
        "of tables both).",
        "KIND,...",
    ),
    metric: str = METRIC,
    budget: str = option("Time limit for best: 60s, 5m, or seconds.", "TIME", default="60s"),
    seed: int = option("Seed of the held-out fifth.", "N", default=0, first=False),
    cost: float | None = COST,
    class_weight: str | None = CLASS_WEIGHT,
    neighbours: str = NEIGHBOURS,
    recipe: TableRecipe,
    out: o.Findings,
) -> None:
    """Train models of several kinds on the same data, and compare accuracy, speed and size.

    Each kind has the settings of the options; `best` is what `nabi train --best` finds.

    ```
    nabi compare reviews.csv
    nabi compare reviews.csv --test test.csv --models nb,nbsvm,best
    nabi compare people.csv --label job --columns age=gaussian
    ```
    """
    wanted = None if models is None else _wanted(models)
    as_seconds(budget)  # refuses a bad one, also where it says nothing
    chosen = Choice(
        budget=budget, metric=metric, cost=cost, class_weight=class_weight, neighbours=neighbours
    )
    for kind in () if recipe.columns or wanted is None else wanted:
        _maker(replace(chosen, model=kind), recipe, source.threads)  # refuses bad options at once
    data = read_labelled(source, recipe, out, beside="compare", reads=[test], strictness=strictness)
    is_table = data.model.is_table
    wanted = wanted or list(OF_TABLES if is_table else OF_TEXTS)
    if is_table:
        makers = {kind: _table_maker(replace(chosen, model=kind), data, recipe) for kind in wanted}
    else:
        options = ((kind, replace(chosen, model=kind)) for kind in wanted)
        makers = {kind: _maker(choice, recipe, source.threads) for kind, choice in options}
    whole = data.documents, data.labels
    if test is None:
        learned, asked = _parted(*whole, seed)
    else:
        other = replace(source, data=[test], sql=None, skip_bad=False, rejects=None)
        learned, asked = (
            whole,
            read_alike(other.reader(beside="compare", table=is_table), data, out),
        )
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
        **column_facts(data.reader, source.text),
    }
    noun = f"{data.model.noun}s"
    out.print(result, lambda result: _show(result, rows, test, noun), source.finish(data.reader))


def _wanted(typed: str) -> list[str]:
    wanted = [name.strip() for name in typed.split(",") if name.strip()]
    for name in wanted:
        if name not in ALL:
            raise UsageError(f"--models {typed}: no {name!r}; there are {', '.join(ALL)}.")
    if not wanted:
        raise UsageError(f"--models {typed!r}: expected some of {', '.join(ALL)}.")
    return list(dict.fromkeys(wanted))


def _maker(choice: Choice, recipe: TableRecipe, threads: int | None) -> Callable[[Any, Any], Any]:
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


def _table_maker(
    choice: Choice, data: LabelledData, recipe: TableRecipe
) -> Callable[[Any, Any], Any]:
    """Return a function that trains a model of a table."""
    model, kind = data.model, choice.model
    if kind not in OF_TABLES:
        raise UsageError(
            f"{kind} is for texts, and these are rows of a table; give --models nb,best, or name "
            f"the column of the texts: --text COL."
        )
    if kind == "nb":
        return lambda frame, labels: type(model)(**model.get_params()).fit(frame, labels)
    from nabi.search.best import best

    given = columns_of(recipe.columns) or {}
    columns = {name: given[name] for name in given if name in data.documents.columns}
    options: dict[str, Any] = {"metric": choice.metric, "threads": model.threads}
    return partial(best, columns=columns, budget=as_seconds(choice.budget), **options)


def _parted(documents: Any, labels: Sequence[str], seed: int) -> tuple[Any, Any]:
    """Return documents and labels to learn from, and the fifth to test on."""
    from nabi.search.compare import held_out_fifth

    out = held_out_fifth(labels, seed=seed)
    number = np.uint64 if isinstance(documents, Batch) else np.int64
    parts = [np.flatnonzero(which).astype(number) for which in (~out, out)]
    learned, asked = ((documents.taken(at), [labels[i] for i in at.tolist()]) for at in parts)
    return learned, asked


def _show(result: dict[str, Any], rows: list[ModelResult], test: str | None, noun: str) -> None:
    show_columns(result)
    where = f"of {test}" if test else "left out, a fifth"
    screen.say(f"{result['learned']:,} {noun} learned, {result['asked']:,} asked ({where})", "")
    rows = sorted(rows, key=lambda row: row.trial.rank)
    more = {
        "predict s": [f"{row.predict_seconds:.2f}" for row in rows],
        "size": [screen.as_size(row.bytes) for row in rows],
    }
    names = [row.name for row in rows]
    trials = with_ties([row.trial for row in rows])
    print_trials(trials, names, noun=noun[:-1], first_is="best", more=more)
    for row in rows:
        if row.name == "best":
            screen.say(f"best: {settings_line(row.model.trials_[0].params)}")

"""`nabi compare`."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from click import UsageError

from nabi._native import Batch
from nabi.cli.data.labelled import read_texts
from nabi.cli.options import common as o
from nabi.cli.options.declare import option
from nabi.cli.options.model import COST, KINDS, NEIGHBOURS, as_seconds, made
from nabi.cli.options.recipe import Recipe
from nabi.cli.options.source import LabelledTexts
from nabi.cli.show import screen
from nabi.cli.show.trials import settings_line

if TYPE_CHECKING:
    from nabi.search.compare import ModelResult

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
    seed: int = option("Seed of the held-out fifth.", "N", default=0),
    cost: float | None = COST,
    neighbours: str = NEIGHBOURS,
    recipe: Recipe,
    json: bool = o.JSON,
    quiet: bool = o.NO_PROGRESS,
) -> None:
    """Train models of several kinds on the same texts, and compare accuracy, speed and size.

    ```
    nabi compare reviews.csv
    nabi compare reviews.csv --test test.csv --models nb,nbsvm,best --budget 30s
    ```
    """
    from nabi.search.compare import compare as results

    wanted = _wanted(models)
    makers = {
        kind: _maker(kind, recipe, cost, neighbours, as_seconds(budget), source.threads)
        for kind in wanted
    }
    reader = source.reader(beside="compare", reads=[test] if test else [], table=False)
    whole = read_texts(reader, quiet=quiet)
    learned, asked = _parted(whole, seed) if test is None else (whole, _test(source, test, quiet))
    rows: list[ModelResult] = []
    with screen.steps("training", quiet=quiet) as step:
        for row in _followed(results(makers, learned, asked), wanted, step):
            rows.append(row)
    rejected = source.write_rejects(reader)
    sizes = {"learned": len(learned[1]), "asked": len(asked[1])}
    if json:
        said = {"rows": screen.rows(reader), **sizes, "models": list(map(_as_json, rows))}
        screen.print_json(said)
    else:
        print(screen.rows_line(screen.rows(reader), rejected))
        _show(rows, sizes, test)


def _wanted(given: str) -> list[str]:
    wanted = [name.strip() for name in given.split(",") if name.strip()]
    for name in wanted:
        if name not in ALL:
            raise UsageError(f"--models {given}: no {name!r}; there are {', '.join(ALL)}.")
    if not wanted:
        raise UsageError(f"--models {given!r}: expected some of {', '.join(ALL)}.")
    return list(dict.fromkeys(wanted))


def _maker(
    kind: str,
    recipe: Recipe,
    cost: float | None,
    neighbours: str,
    budget: float,
    threads: int | None,
) -> Callable[[Any, Any], Any]:
    """What trains a model of a kind; bad options are refused at once."""
    if kind == "best":
        from nabi.search.best import best

        return partial(best, budget=budget, threads=threads)
    own = recipe if kind == "nb" else replace(recipe, event="multinomial", prior="empirical")
    own = own if kind.startswith("nb") else replace(own, alpha="auto")
    model = made(kind, own, cost=cost, neighbours=neighbours, threads=threads)
    fit: Callable[[Any, Any], Any] = model.fit
    return fit


def _parted(whole: tuple[Batch, list[str]], seed: int) -> tuple[Any, Any]:
    """What is learned, and the fifth that is asked."""
    from nabi.search.compare import held_out_fifth

    texts, labels = whole
    out = held_out_fifth(labels, seed=seed)
    parts = [np.flatnonzero(which).astype(np.uint64) for which in (~out, out)]
    learned, asked = ((texts.taken(at), [labels[i] for i in at.tolist()]) for at in parts)
    return learned, asked


def _test(source: LabelledTexts, path: str, quiet: bool) -> tuple[Batch, list[str]]:
    other = replace(source, data=[path], sql=None, skip_bad=False, rejects=None)
    reader = other.reader(beside="compare", table=False)
    return read_texts(reader, quiet=quiet)


def _followed(
    rows: "Iterator[ModelResult]", names: list[str], step: screen.Step | None
) -> "Iterator[ModelResult]":
    for i, name in enumerate(names):
        if step:
            step(f"training {name}", i, len(names))
        yield next(rows)


def _as_json(row: "ModelResult") -> dict[str, Any]:
    return {**row.to_dict(), "is": o.facts(row.model)}


def _show(rows: "list[ModelResult]", sizes: dict[str, int], test: str | None) -> None:
    where = f"of {test}" if test else "left out, a fifth"
    print(f"{sizes['learned']:,} texts learned, {sizes['asked']:,} asked ({where})\n")
    names = ("accuracy", "macro F1", "log loss", "train", "predict", "size")
    best = max(row.accuracy for row in rows)
    screen.print_table(
        ["model", *(f">{name}" for name in names)],
        [_cells(row, best) for row in sorted(rows, key=lambda row: -row.accuracy)],
    )
    print("\n* right most often")
    for row in rows:
        if row.name == "best":
            print(f"best: {settings_line(row.model.trials_[0].params)}")


def _cells(row: "ModelResult", best: float) -> list[str]:
    star = " *" if row.accuracy == best else "  "
    loss = "unknown" if row.log_loss is None else f"{row.log_loss:.4f}"
    times = [f"{s:.2f} s" for s in (row.train_seconds, row.predict_seconds)]
    scores = [f"{row.accuracy:.4f}", f"{row.macro_f1:.4f}", loss]
    return [row.name + star, *scores, *times, screen.as_size(row.bytes)]

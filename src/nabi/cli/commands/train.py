"""`nabi train`."""

import json
import os
import time
from shlex import quote
from typing import Any

from nabi.cli.data.labelled import read_texts
from nabi.cli.options import common as o
from nabi.cli.options.model import Choice, as_seconds, read_rules
from nabi.cli.options.recipe import TableRecipe
from nabi.cli.options.source import LabelledTexts
from nabi.cli.saving import save_new
from nabi.cli.show import screen
from nabi.cli.show.trials import settings_line, show_trials, trial_watch
from nabi.explain.parts import visible
from nabi.models import streaming
from nabi.readers import Reader
from nabi.scoring.prior import probabilities
from nabi.search import Trial
from nabi.search.training import fitted_model


def train(
    *,
    output: str = o.NEW_MODEL,
    source: LabelledTexts,
    choice: Choice,
    recipe: TableRecipe,
    out: o.Summary,
) -> None:
    """Train a model on labelled texts, or on all columns of a table, and save it.

    ```
    nabi train mail.csv -o mail.nabi --text body --label folder
    nabi train reviews.csv -o reviews.nabi --best --budget 30s
    nabi train reviews.csv -o reviews.nabi --model nbsvm --chars 2-5
    nabi train people.parquet -o people.nabi --label job --columns age=gaussian,about=text
    ```
    """
    o.check_apart(output, source.data)
    choice.check(recipe)
    if choice.counts:
        model, reader, seconds = _train_by_parts(recipe, source, output, out)
        facts = {**model.extent, "alpha": model.alpha_}
        speed = {"mb_per_second": round(reader.done / 1e6 / seconds, 1)}
    else:
        model, reader, seconds = _train_in_memory(choice, recipe, source, output, out)
        facts, speed = o.facts(model), {}
    trials = getattr(model, "trials_", [])
    result = {
        "classes": o.class_counts(model),
        **facts,
        "seconds": round(seconds, 3),
        "bytes": reader.done,
        **speed,
        "model": output,
        "model_bytes": os.path.getsize(output),
        **({"trials": [trial.to_dict() for trial in trials]} if trials else {}),
    }
    out.print(result, lambda result: _show(result, trials), source.finish(reader))


def _train_by_parts(
    recipe: TableRecipe, source: LabelledTexts, output: str, out: o.Summary
) -> tuple[Any, Reader, float]:
    """Train a counting model part by part, and save it; return model, reader and seconds."""
    recipe.classifier(source.threads)  # refuses bad options before anything is read
    start = time.perf_counter()
    reader = source.reader(beside=output, writes=[output], table=True if recipe.columns else None)
    model = recipe.model(source, reader, table=reader.is_table)
    with out.progress(reader, "training") as parts:
        streaming.learn(model, reader, parts)
    probabilities(model.prior, o.labels_of(model), model.class_count_)  # refused before it is saved
    save_new(model, output)
    return model, reader, time.perf_counter() - start


def _train_in_memory(
    choice: Choice, recipe: TableRecipe, source: LabelledTexts, output: str, out: o.Summary
) -> tuple[Any, Reader, float]:
    """Fit a model of another kind, or the best, to all texts at once, and save it."""
    rules = None if choice.rules is None else read_rules(choice.rules, choice.time_limit)
    model: Any = None
    if not choice.best and choice.model != "rules":
        model = choice.made(recipe, source.threads)  # refuses bad options before anything is read
    reader = source.reader(beside=output, reads=[choice.rules], writes=[output], table=False)
    texts, labels = read_texts(reader, out)
    start = time.perf_counter()
    what = "trying" if choice.best else f"fitting {choice.model}"
    with out.steps(what) as step:
        if choice.best:
            from nabi.search.best import best

            watch, budget = trial_watch(step, settings_line), as_seconds(choice.budget)
            model = best(texts, labels, budget=budget, threads=source.threads, watch=watch)
        else:
            step(what, 0, 1)
            model = _fitted(model, rules, texts, labels, source.threads)
    seconds = time.perf_counter() - start
    save_new(model, output)
    return model, reader, seconds


def _fitted(model: Any, rules: Any, texts: Any, labels: list[str], threads: int | None) -> Any:
    """Fit the model, with rules before it where there are some, or make one of rules alone."""
    return fitted_model(model, rules, texts, labels, threads=threads)


def _show(result: dict[str, Any], trials: list[Trial]) -> None:
    screen.say(screen.classes_line(result["classes"]))
    path, size, example = quote(result["model"]), result["bytes"], '"a text of yours"'
    following = [f"predict {path} more.csv -o labelled.csv", f"words {path}"]
    if "kind" in result:
        if trials:
            show_trials(trials, result["seconds"])
        else:
            known = [f"{n} {v:,}" for n, v in result.items() if n in ("vocabulary", "neighbours")]
            screen.say(", ".join([result["kind"], *known]))
            screen.say(f"trained in {screen.as_time(result['seconds'], size)}")
        following = [f"evaluate {path} test.csv"]
    elif "columns" in result:
        for name, model in result["columns"].items():
            screen.say(f"  {visible(name):<20} {model}")
        screen.say(f"trained in {screen.as_time(result['seconds'], 0)}")
        example, following[1] = _row(result["columns"]), f"info {path}"
    else:
        screen.say(f"vocabulary: {result['vocabulary']:,}, alpha {result['alpha']:g}")
        screen.say(f"{screen.as_size(size)} of text in {screen.as_time(result['seconds'], size)}")
    screen.say(f"model: {path} ({screen.as_size(result['model_bytes'])})", "", "Next:")
    for command in (f"explain {path} {example}", *following):
        screen.say(f"  nabi {command}")


def _row(columns: dict[str, str]) -> str:
    """Return a row of a table as it is typed in a shell; columns left out are missing."""
    name, model = next(iter(columns.items()))
    value = "..." if model in ("text", "categorical") else model == "bernoulli" or 1
    return quote(json.dumps({name: value}, ensure_ascii=False))

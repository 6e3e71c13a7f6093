"""`nabi train`."""

import os
import time
from collections import Counter
from dataclasses import replace
from shlex import quote
from typing import Any

from nabi.cli.data.labelled import read_texts
from nabi.cli.data.notes import watching
from nabi.cli.options import common as o
from nabi.cli.options.model import Choice, as_seconds, read_rules
from nabi.cli.options.recipe import TableRecipe
from nabi.cli.options.source import LabelledTexts
from nabi.cli.options.strict import Strictness
from nabi.cli.saving import save_new
from nabi.cli.show import screen
from nabi.cli.show.following import following
from nabi.cli.show.trials import settings_line, show_trials, trial_watch
from nabi.explain.parts import visible
from nabi.models import streaming
from nabi.readers import Reader
from nabi.scoring.prior import probabilities
from nabi.search import Trial


def train(
    *,
    output: str = o.NEW_MODEL,
    source: LabelledTexts,
    strictness: Strictness,
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
        model, reader, seconds = _train_by_parts(recipe, source, strictness, output, out)
        facts = {**model.extent, "alpha": model.alpha_}
        speed = {"mb_per_second": round(reader.done / 1e6 / seconds, 1)}
    else:
        model, reader, seconds = _train_in_memory(choice, recipe, source, strictness, output, out)
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
    steps = following(model, output, source.again(), reader.names)
    out.print(result, lambda result: _show(result, trials, steps), source.finish(reader))


def _train_by_parts(
    recipe: TableRecipe, source: LabelledTexts, strictness: Strictness, output: str, out: o.Summary
) -> tuple[Any, Reader, float]:
    """Train a counting model part by part, and save it; return model, reader and seconds."""
    recipe.classifier(source.threads)  # refuses bad options before anything is read
    start = time.perf_counter()
    reader = source.reader(beside=output, writes=[output], table=True if recipe.columns else None)
    model = recipe.model(source, reader, table=reader.is_table)
    with watching(strictness, reader) as watch, out.progress(reader, "training") as parts:
        streaming.learn(model, reader, watch(parts))
    probabilities(model.prior, o.labels_of(model), model.class_count_)  # refused before it is saved
    model.source_columns = reader.columns
    save_new(model, output)
    return model, reader, time.perf_counter() - start


def _train_in_memory(
    choice: Choice,
    recipe: TableRecipe,
    source: LabelledTexts,
    strictness: Strictness,
    output: str,
    out: o.Summary,
) -> tuple[Any, Reader, float]:
    """Fit a model of another kind, or the best, to all texts at once, and save it."""
    rules = None if choice.rules is None else read_rules(choice.rules, choice.time_limit)
    model: Any = None
    if not choice.best and choice.model != "rules":
        model = choice.made(recipe, source.threads)  # refuses bad options before anything is read
    reader = source.reader(beside=output, reads=[choice.rules], writes=[output], table=False)
    texts, labels = read_texts(reader, out, strictness)
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
    model.source_columns = reader.columns
    save_new(model, output)
    return model, reader, seconds


def _fitted(model: Any, rules: Any, texts: Any, labels: list[str], threads: int | None) -> Any:
    """Fit the model, with rules before it where there are some, or make one of rules alone."""
    if rules is None:
        return model.fit(texts, labels)
    from nabi.rules import RuledClassifier, RulesClassifier

    if model is not None:
        return RuledClassifier(model, rules).fit(texts.to_list(), labels)
    # Where no rule holds, the most frequent label is the best guess.
    most = min(Counter(labels).items(), key=lambda item: (-item[1], item[0]))[0]
    return RulesClassifier(replace(rules, default=most), threads=threads)


def _show(result: dict[str, Any], trials: list[Trial], steps: list[str]) -> None:
    screen.say(screen.classes_line(result["classes"]))
    path, size = quote(result["model"]), result["bytes"]
    if "kind" in result:
        if trials:
            show_trials(trials, result["seconds"])
        else:
            known = [f"{n} {v:,}" for n, v in result.items() if n in ("vocabulary", "neighbours")]
            screen.say(", ".join([result["kind"], *known]))
            screen.say(f"trained in {screen.as_time(result['seconds'], size)}")
    elif "columns" in result:
        for name, model in result["columns"].items():
            screen.say(f"  {visible(name):<20} {model}")
        screen.say(f"trained in {screen.as_time(result['seconds'], 0)}")
    else:
        screen.say(f"vocabulary: {result['vocabulary']:,}, alpha {result['alpha']:g}")
        screen.say(f"{screen.as_size(size)} of text in {screen.as_time(result['seconds'], size)}")
    screen.say(f"model: {path} ({screen.as_size(result['model_bytes'])})")
    screen.print_next(steps)

"""`nabi train`."""

import os
import time
from shlex import quote
from typing import TYPE_CHECKING, Any, NamedTuple

from nabi.cli.data.labelled import read_texts
from nabi.cli.data.notes import watching
from nabi.cli.options import common as o
from nabi.cli.options.declare import retyped
from nabi.cli.options.model import Choice, read_rules
from nabi.cli.options.recipe import TableRecipe
from nabi.cli.options.score import Score
from nabi.cli.options.source import LabelledTexts
from nabi.cli.options.strict import Strictness
from nabi.cli.saving import save_new
from nabi.cli.searching import figures, searched
from nabi.cli.show import screen
from nabi.cli.show.following import following as next_steps
from nabi.cli.show.score import show_score
from nabi.cli.show.trials import show_search
from nabi.explain.parts import visible
from nabi.models import streaming
from nabi.models.sample import DocumentSample
from nabi.readers import Reader
from nabi.scoring.prior import probabilities
from nabi.search import Trial
from nabi.search.training import fitted_model

if TYPE_CHECKING:
    from nabi.search.best import Found

FEW = 20  # documents: fewer are not worth a search


def train(
    *,
    output: str = o.NEW_MODEL,
    source: LabelledTexts,
    strictness: Strictness,
    choice: Choice,
    score: Score,
    recipe: TableRecipe,
    out: o.Summary,
) -> None:
    """Train a model on labelled texts, or on all columns of a table, and save it.

    It says how good the model is: each text is predicted by the model without it.

    ```
    nabi train mail.csv -o mail.nabi --text body --label folder
    nabi train reviews.csv -o reviews.nabi --test test.csv
    nabi train reviews.csv -o reviews.nabi --best --budget 30s --metric macro_f1
    nabi train reviews.csv -o reviews.nabi --model nbsvm --chars 2-5
    nabi train people.parquet -o people.nabi --label job --columns age=gaussian,about=text
    ```
    """
    o.check_apart(output, [*source.data, *([score.test] if score.test else [])])
    choice.check(recipe)
    score.check(choice)
    best = None
    if choice.counts:
        done = _train_by_parts(recipe, source, strictness, score, output, out)
    elif choice.best:
        best, done = _search(choice, source, strictness, score, output, out)
    else:
        done = _train_in_memory(choice, recipe, source, strictness, score, output, out)
    model, reader = done.model, done.reader
    model.source_columns = reader.columns
    found = score.found(model, done.sample, done.test, source, out)
    start = time.perf_counter()
    save_new(model, output)
    seconds = done.seconds + time.perf_counter() - start
    if choice.counts:
        facts = {**model.extent, "alpha": model.alpha_}
        speed = {"mb_per_second": round(reader.done / 1e6 / seconds, 1)}
    else:
        facts, speed = o.facts(model) | ({} if best is None else figures(best)), {}
    trials = [] if best is None else best.trials
    result = {
        "classes": o.class_counts(model),
        **facts,
        "seconds": round(seconds, 3),
        "bytes": reader.done,
        **speed,
        "model": output,
        "model_bytes": os.path.getsize(output),
        **found,
    }
    following = next_steps(model, output, source.again(), reader.names)
    again = Again(retyped(source), retyped(recipe), "-" in (source.data or ()))
    out.print(result, lambda result: _show(result, trials, following, again), source.finish(reader))


class Trained(NamedTuple):
    """A model that was trained, and what it is judged by."""

    model: Any
    reader: Reader
    seconds: float
    sample: DocumentSample | None  # of what it has learned
    test: Reader | None


class Again(NamedTuple):
    """What was typed, for commands that take the same data."""

    data: str
    recipe: str
    gone: bool  # whether there is nothing to type: standard input was read


def _train_by_parts(
    recipe: TableRecipe,
    source: LabelledTexts,
    strictness: Strictness,
    score: Score,
    output: str,
    out: o.Summary,
) -> Trained:
    """Train a counting model part by part."""
    recipe.classifier(source.threads)  # refuses bad options before anything is read
    start = time.perf_counter()
    table = True if recipe.columns else None
    reader = source.reader(beside=output, reads=[score.test], writes=[output], table=table)
    model = recipe.model(source, reader, table=reader.is_table)
    test, sample = score.reader(source, output, table=reader.is_table), score.sample(model)
    with watching(strictness, reader) as watch, out.progress(reader, "training") as parts:
        streaming.learn(model, reader, watch(parts), sample=sample)
    probabilities(model.prior, o.labels_of(model), model.class_count_)  # refused before it is saved
    return Trained(model, reader, time.perf_counter() - start, sample, test)


def _search(
    choice: Choice,
    source: LabelledTexts,
    strictness: Strictness,
    score: Score,
    output: str,
    out: o.Summary,
) -> tuple["Found", Trained]:
    """Search for the best model, and train it; return all that was found, too."""
    options = {"budget": choice.budget, "metric": choice.metric}
    found, reader, seconds = searched(source, strictness, output, out, **options)
    test = score.reader(source, output, table=reader.is_table)
    return found, Trained(found.model, reader, seconds, None, test)


def _train_in_memory(
    choice: Choice,
    recipe: TableRecipe,
    source: LabelledTexts,
    strictness: Strictness,
    score: Score,
    output: str,
    out: o.Summary,
) -> Trained:
    """Fit a model of another kind to all texts at once."""
    rules = None if choice.rules is None else read_rules(choice.rules, choice.time_limit)
    model: Any = None
    if choice.model != "rules":
        model = choice.made(recipe, source.threads)  # refuses bad options before anything is read
    reads = [choice.rules, score.test]
    reader = source.reader(beside=output, reads=reads, writes=[output], table=False)
    test = score.reader(source, output, table=False)
    texts, labels = read_texts(reader, out, strictness)
    start = time.perf_counter()
    what = f"fitting {choice.model}"
    with out.steps(what) as step:
        step(what, 0, 1)
        model = _fitted(model, rules, texts, labels, source.threads)
    seconds = time.perf_counter() - start
    return Trained(model, reader, seconds, score.sample(model, texts, labels), test)


def _fitted(model: Any, rules: Any, texts: Any, labels: list[str], threads: int | None) -> Any:
    """Fit the model, with rules before it where there are some, or make one of rules alone."""
    return fitted_model(model, rules, texts, labels, threads=threads)


def _show(result: dict[str, Any], trials: list[Trial], following: list[str], again: Again) -> None:
    screen.say(screen.classes_line(result["classes"]))
    path, size = quote(result["model"]), result["bytes"]
    if "kind" in result:
        if trials:
            show_search(result, trials)
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
    show_score({**result, "calibration": None} if trials else result)  # a search has told it
    screen.say(f"model: {path} ({screen.as_size(result['model_bytes'])})")
    screen.print_next(following)
    if "kind" not in result and not again.gone:
        documents = sum(result["classes"].values())
        _show_more(again, path, documents, is_table="columns" in result)


def _show_more(again: Again, path: str, documents: float, *, is_table: bool) -> None:
    """Name the commands that say more of the model, or make a better one, and what they bring."""
    crossval = f"nabi crossval {again.data} {again.recipe}".rstrip()
    screen.say(f"  {crossval}  # the figures of each class, and which are taken for which")
    if documents >= FEW and "--columns" not in again.recipe:  # which --best refuses
        what = "event models and columns" if is_table else "recipes and linear models"
        best = f"nabi train {again.data} -o {path} --best"
        screen.say(f"  {best}  # tries other {what} for a minute: often more accurate")

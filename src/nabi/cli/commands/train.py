"""`nabi train`."""

import os
import time
from functools import partial
from shlex import quote
from typing import TYPE_CHECKING, Any, NamedTuple

from nabi.cli.data.labelled import read_texts
from nabi.cli.data.notes import watching
from nabi.cli.data.score import Score
from nabi.cli.engines import train_by
from nabi.cli.options import common as o
from nabi.cli.options.declare import retyped
from nabi.cli.options.engine import Engine
from nabi.cli.options.model import Choice, Kind, read_rules
from nabi.cli.options.recipe import TableRecipe
from nabi.cli.options.shard import SHARD, share_of
from nabi.cli.options.source import LabelledTexts
from nabi.cli.options.strict import Strictness
from nabi.cli.saving import save_new
from nabi.cli.searching import figures, searched
from nabi.cli.sharing import check_shared, train_share
from nabi.cli.show import screen
from nabi.cli.show.columns import column_facts, show_columns
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
    shard: str | None = SHARD,
    engine: Engine,
    out: o.Summary,
) -> None:
    """Train a model on labelled texts, or on all columns of a table, and save it.

    It says how good the model is: each text is predicted by the model without it.

    ```
    nabi train mail.csv -o mail.nabi --text body --label folder
    nabi train reviews.csv -o reviews.nabi --test test.csv
    nabi train reviews.csv -o reviews.nabi --best --budget 30s
    nabi train reviews.csv -o reviews.nabi --model nbsvm --chars 2-5
    nabi train people.parquet -o jobs.nabi --label job --columns age=gaussian
    nabi train reviews.csv --shard 0/64 -o part-0.nabi
    ```
    """
    o.check_apart(output, [*source.data, *([score.test] if score.test else [])])
    choice.check(recipe)
    score.check(choice)
    share = share_of(shard)
    engine.check(shard)
    for how in (engine.typed, "--shard" if share is not None else None):
        if how is not None:
            check_shared(how, score, choice, recipe, source, strictness)
    if engine.typed:
        train_by(engine, source, recipe, output, out)
        return
    if share is not None:
        train_share(share, source, recipe, output, out)
        return
    job = Job(source, strictness, score, output, out)
    if choice.counts:
        done = job.train_by_parts(recipe)
    else:
        done = job.search(choice, recipe) if choice.best else job.train_in_memory(choice, recipe)
    model, reader = done.model, done.reader
    model.source_columns = reader.columns
    found = score.found(model, done.sample, done.test, source, out)
    start = time.perf_counter()
    save_new(model, output)
    seconds = done.seconds + time.perf_counter() - start
    result = {
        "classes": o.class_counts(model),
        **_facts(done, by_parts=choice.counts),
        "seconds": round(seconds, 3),
        "bytes": reader.done,
        **({"mb_per_second": round(reader.done / 1e6 / seconds, 1)} if choice.counts else {}),
        "model": output,
        "model_bytes": os.path.getsize(output),
        **found,
        **column_facts(reader, source.text),
    }
    following = next_steps(model, output, source.again(), reader.names)
    columns = f" --columns {quote(recipe.columns)}" if recipe.columns else ""
    rules = f" --rules {quote(choice.rules)}" if choice.rules and choice.model == "nb" else ""
    typed = " ".join(filter(None, (retyped(Kind.of(choice)), retyped(recipe))))
    again = Again(retyped(source), typed, columns, rules, "-" in (source.data or ()))
    shown = partial(_show, trials=done.trials, following=following, again=again)
    out.print(result, shown, source.finish(reader))


class Trained(NamedTuple):
    """A model that was trained, and what it is judged by."""

    model: Any
    reader: Reader
    seconds: float
    sample: DocumentSample | None  # of what it has learned
    test: Reader | None
    best: "Found | None" = None  # what a search found

    @property
    def trials(self) -> list[Trial]:
        """Return the trials of the search; nothing without one."""
        return [] if self.best is None else self.best.trials


class Again(NamedTuple):
    """Options as they were typed, for commands that take the same data."""

    data: str
    recipe: str  # and the kind of model
    columns: str  # of the recipe, which --best takes too
    rules: str  # that decide before a model
    gone: bool  # whether there is nothing to type: standard input was read


class Job(NamedTuple):
    """Task of `train`: what to read, how to judge the model, and where it goes."""

    source: LabelledTexts
    strictness: Strictness
    score: Score
    output: str
    out: o.Summary

    def train_by_parts(self, recipe: TableRecipe) -> Trained:
        """Train a counting model part by part."""
        recipe.classifier(self.source.threads)  # refuses bad options before anything is read
        start = time.perf_counter()
        reader = self._reader([self.score.test], table=True if recipe.columns else None)
        model = recipe.model(self.source, reader, table=reader.is_table)
        test, sample = self._test(reader), self.score.sample(model)
        watched = watching(self.strictness, reader)
        with watched as watch, self.out.progress(reader, "training") as parts:
            streaming.learn(model, reader, watch(parts), sample=sample)
        probabilities(model.prior, o.labels_of(model), model.class_count_)  # or refuse the prior
        return Trained(model, reader, time.perf_counter() - start, sample, test)

    def search(self, choice: Choice, recipe: TableRecipe) -> Trained:
        """Search for the best model, and train it."""
        given = (self.source, self.strictness, self.output, self.out)
        wanted: dict[str, Any] = {"budget": choice.budget, "metric": choice.metric}
        found, reader, seconds = searched(*given, **wanted, columns=recipe.columns)
        return Trained(found.model, reader, seconds, None, self._test(reader), found)

    def train_in_memory(self, choice: Choice, recipe: TableRecipe) -> Trained:
        """Fit a model of another kind to all texts at once."""
        rules = None if choice.rules is None else read_rules(choice.rules, choice.time_limit)
        model: Any = None
        if choice.model != "rules":
            model = choice.made(recipe, self.source.threads)  # refuses bad options at once
        reader = self._reader([choice.rules, self.score.test], table=False)
        test = self._test(reader)
        texts, labels = read_texts(reader, self.out, self.strictness)
        start = time.perf_counter()
        what = f"fitting {choice.model}"
        with self.out.steps(what) as step:
            step(what, 0, 1)
            model = fitted_model(model, rules, texts, labels, threads=self.source.threads)
        seconds = time.perf_counter() - start
        return Trained(model, reader, seconds, self.score.sample(model, texts, labels), test)

    def _reader(self, reads: list[str | None], *, table: bool | None) -> Reader:
        """Open the data to learn from."""
        named: dict[str, Any] = {"beside": self.output, "reads": reads, "writes": [self.output]}
        return self.source.reader(**named, table=table)

    def _test(self, reader: Reader) -> Reader | None:
        """Open the data to judge on, which are like those to learn from."""
        return self.score.reader(self.source, self.output, table=reader.is_table)


def _facts(done: Trained, *, by_parts: bool) -> dict[str, Any]:
    """Return what a model says of itself, and what a search found."""
    if by_parts:
        return {**done.model.extent, "alpha": done.model.alpha_}
    return o.facts(done.model) | ({} if done.best is None else figures(done.best))


def _show(result: dict[str, Any], trials: list[Trial], following: list[str], again: Again) -> None:
    show_columns(result)
    if any(result["classes"].values()):
        screen.say(screen.classes_line(result["classes"]))
    else:  # rules have learned none
        screen.say(f"labels: {', '.join(result['classes'])}")
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
    if again.rules and not again.gone:
        screen.say(f"  nabi crossval {again.data}{again.rules}  # how good rules and model are")
    elif not trials and any(result["classes"].values()) and not again.gone:
        _show_more(again, path, result)


def _show_more(again: Again, path: str, result: dict[str, Any]) -> None:
    """Name the commands that say more of the model, or make a better one, and what they bring."""
    crossval = f"nabi crossval {again.data} {again.recipe}".rstrip()
    screen.say(f"  {crossval}  # the figures of each class, and which are taken for which")
    if sum(result["classes"].values()) >= FEW:
        what = "event models and columns" if "columns" in result else "recipes and linear models"
        best = f"nabi train {again.data} -o {path} --best{again.columns}"
        screen.say(f"  {best}  # tries other {what} for a minute: often more accurate")

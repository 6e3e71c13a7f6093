"""Training on one share of the data: a job that can be started again, and writes one file."""

import json
import os
import time
from collections.abc import Mapping
from contextlib import closing
from itertools import islice
from shlex import quote
from typing import Any

from click import UsageError

from nabi import __version__
from nabi.cli.data.score import Score
from nabi.cli.options import common as o
from nabi.cli.options.model import Choice
from nabi.cli.options.recipe import TableRecipe
from nabi.cli.options.source import LabelledTexts
from nabi.cli.options.strict import Strictness
from nabi.cli.saving import save_new
from nabi.cli.show import screen
from nabi.errors import NabiError
from nabi.features.unicode import VERSION
from nabi.files import model_file
from nabi.models import streaming
from nabi.models.counting import CountingModel
from nabi.readers import Reader
from nabi.readers.shares import Share


def check_shared(
    how: str,
    score: Score,
    choice: Choice,
    recipe: TableRecipe,
    source: LabelledTexts,
    strictness: Strictness,
) -> None:
    """Refuse what one job of several cannot do; `how` is the option that shares the work."""
    if strictness.strict:
        raise UsageError(f"{how} and --strict: one share does not tell what looks wrong in all.")
    if not choice.counts:
        raise UsageError(f"{how} is for --model nb without --best and --rules: counts add up.")
    if score.test is not None:
        raise UsageError(f"{how} and --test: judge the merged model: nabi evaluate.")
    if source.sql is not None:
        raise UsageError(f"{how} and --sql: rows of a query have no certain order; name files.")
    if recipe.prior not in ("empirical", "uniform"):
        raise UsageError(
            f"{how} and --prior {recipe.prior}: a share may lack a class. Give the prior to "
            "`nabi predict`."
        )


def train_share(
    share: Share, source: LabelledTexts, recipe: TableRecipe, output: str, out: o.Summary
) -> None:
    """Train a counting model on a share of the data and save it, unless that has been done."""
    start = time.perf_counter()
    recipe.classifier(source.threads)  # refuses bad options before anything is read
    named: dict[str, Any] = {"beside": output, "writes": [output]}
    named["table"] = True if recipe.columns else None
    with closing(source.reader(**named, share=share)) as reader:
        model = recipe.model(source, reader, table=reader.is_table)
        told = _told(model, reader, source)
        result: dict[str, Any] = {"shard": str(share), "model": output}
        if _is_finished(output, told):
            out.print({**result, "finished": True}, _show)
            return
        if reader.is_table:
            with closing(source.reader(**{**named, "table": True})) as whole:
                model = streaming.with_columns_of(model, whole)
        with out.progress(reader, "training") as parts:
            streaming.learn(model, reader, parts)
        if model.__sklearn_is_fitted__():
            model.source_columns = reader.columns
            model.shard = told
            save_new(model, output)
            result |= {"classes": o.class_counts(model), **model.extent}
            result["model_bytes"] = os.path.getsize(output)
        result["seconds"] = round(time.perf_counter() - start, 3)
        out.print(result, _show, source.finish(reader))


def _told(model: CountingModel, reader: Reader, source: LabelledTexts) -> dict[str, Any]:
    """Return what a file tells of a job: its share, and a digest of all that it depends on."""
    from xxhash import xxh3_128_hexdigest

    assert reader.share is not None
    options = {n: v for n, v in vars(source).items() if n not in ("threads", "rejects", "data")}
    params = {n: v for n, v in model.get_params().items() if n != "threads"}
    what = [reader.stamp, options, repr(sorted(params.items())), VERSION, __version__]
    digest = xxh3_128_hexdigest(json.dumps(what, sort_keys=True).encode("utf8", "surrogatepass"))
    return {"number": reader.share.number, "of": reader.share.of, "inputs": digest}


def _is_finished(output: str, told: Mapping[str, Any]) -> bool:
    """Whether a file is what the job would write: whole, and of the same data and options."""
    if not os.path.exists(output):
        return False
    try:
        return bool(model_file.read(output, lean=True)[0].get("shard") == told)
    except (OSError, NabiError):
        return False


def _show(result: dict[str, Any]) -> None:
    what, path = f"shard {result['shard']}", quote(result["model"])
    if "finished" in result:
        screen.say(f"{what}: {path} is finished already, with the same data and options")
    elif "classes" not in result:
        screen.say(f"{what} has no rows; nothing is written")
    else:
        screen.say(f"{what}: {screen.classes_line(result['classes'])}")
        screen.say(f"model: {path} ({screen.as_size(result['model_bytes'])})")


def about_shards(told: list[Mapping[str, Any] | None]) -> tuple[bool, list[str]]:
    """Return whether models are different shards of one training, and notes on what is odd."""
    shards = [each for each in told if each is not None]
    if not shards:
        return False, []
    if len({(each["of"], each["inputs"]) for each in shards}) > 1 or len(shards) < len(told):
        return False, ["the models are not all shards of one training: data or options differ"]
    of, there = shards[0]["of"], {each["number"] for each in shards}
    missing = of - len(there)  # a file may claim any number of shards: not all are looked at
    notes = []
    if missing:
        first = islice((str(number) for number in range(of) if number not in there), 10)
        some = ", ".join(first) + (", ..." if missing > 10 else "")
        notes.append(
            f"{missing} of {of} shards are not here ({some}): if they have rows, the sum lacks them"
        )
    return len(there) == len(shards), notes

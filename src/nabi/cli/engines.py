"""Training and predicting on files that the workers of an engine read."""

import os
import time
from collections.abc import Mapping
from contextlib import closing
from shlex import quote
from typing import Any

from click import UsageError

from nabi.cli.options import common as o
from nabi.cli.options.engine import Engine
from nabi.cli.options.recipe import TableRecipe
from nabi.cli.options.source import LabelledTexts
from nabi.cli.saving import exclusive, saving
from nabi.cli.show import screen
from nabi.errors import InputError


def train_by(
    engine: Engine, source: LabelledTexts, recipe: TableRecipe, output: str, out: o.Summary
) -> None:
    """Train a counting model by the workers of an engine, and save it."""
    _check(engine, source)
    start = time.perf_counter()
    recipe.classifier(source.threads)  # refuses bad options before anything is read
    table = True if recipe.columns else None
    with closing(source.reader(beside=output, writes=[output], table=table)) as reader:
        model = recipe.model(source, reader, table=reader.is_table)
    with (
        out.steps("starting the engine") as step,
        engine.connected() as workers,
        exclusive(output),
        saving(output),
    ):
        named: dict[str, Any] = {"output": output, "watch": step, **source.reading}
        found = workers.fit_files(source.data, model, **named)
    result = {
        "engine": engine.engine,
        "classes": o.class_counts(found),
        **found.extent,
        "alpha": found.alpha_,
        "seconds": round(time.perf_counter() - start, 3),
        "model": output,
        "model_bytes": os.path.getsize(output),
    }
    out.print(result, _show_model)


def predict_by(
    engine: Engine, source: LabelledTexts, model: str, output: str, out: o.Summary, **options: Any
) -> Mapping[int, int]:
    """Label files by the workers of an engine; return how often each label was predicted."""
    _check(engine, source)
    if output == "-":
        raise UsageError(f"{engine.typed}: workers write a file for each file; name a folder: -o.")
    if os.path.exists(output) and not os.path.isdir(output):
        raise InputError(f"-o {output}: that is a file; with {engine.typed} give a folder")
    reading = {name: value for name, value in source.reading.items() if name != "label"}
    with out.steps("starting the engine") as step, engine.connected() as workers:
        named: dict[str, Any] = {"output": output, "watch": step, "reading": reading}
        return workers.predict_files(model, source.data, **named, **options)


def _check(engine: Engine, source: LabelledTexts) -> None:
    """Refuse data that workers cannot read."""
    if source.skip_bad or source.rejects:
        raise UsageError(
            f"{engine.typed} and --skip-bad: workers cannot set rows aside together; mend the "
            f"rows, or train by --shard."
        )
    if source.sql is not None:
        raise UsageError(f"{engine.typed} and --sql: workers read files; name them.")
    if not source.data or "-" in source.data:
        raise UsageError(f"{engine.typed}: workers read files that all of them see; name them.")


def _show_model(result: dict[str, Any]) -> None:
    screen.say(screen.classes_line(result["classes"]))
    screen.say(screen.extent(result))
    screen.say(f"trained by {result['engine']} in {screen.as_time(result['seconds'], 0)}")
    path = quote(result["model"])
    screen.say(f"model: {path} ({screen.as_size(result['model_bytes'])})")
    screen.print_next(
        [
            f"nabi evaluate {path} TEST  # an engine gives no score: it needs texts that are new",
            f"nabi calibrate {path} NEW --new  # and no calibration",
        ]
    )

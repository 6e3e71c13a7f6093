"""`nabi merge`."""

from shlex import quote
from typing import Any

from nabi import load
from nabi.cli.options import common as o
from nabi.cli.options.declare import argument
from nabi.cli.saving import exclusive, save_model
from nabi.cli.show import screen
from nabi.cli.show.score import calibration_facts, show_calibration
from nabi.errors import RecipeError
from nabi.models.base import require
from nabi.models.counting import CountingModel


def merge(
    models: list[str] = argument("Model files with the same recipe.", "MODELS"),
    *,
    output: str = o.REQUIRED_MODEL,
    out: o.Summary,
) -> None:
    """Merge models into one: it has exactly the counts of a model trained on all their texts.

    ```
    nabi merge monday.nabi tuesday.nabi -o week.nabi
    ```
    """
    with exclusive(output):
        merged = _sum(models)
        save_model(merged, output)
    counts = o.class_counts(merged)
    result = {
        "models": models,
        "texts": sum(counts.values()),
        "classes": counts,
        **merged.extent,
        **calibration_facts(merged),
        "model": output,
    }
    out.print(result, _show)


def _show(result: dict[str, Any]) -> None:
    total = screen.documents(result["texts"], result)
    screen.say(f"{len(result['models'])} models merged: {total}, {screen.extent(result)}")
    screen.say(screen.classes_line(result["classes"]))
    path = quote(result["model"])
    show_calibration(result, path, "rows" if "columns" in result else "texts")
    screen.say(f"model: {path}")


def _sum(paths: list[str]) -> CountingModel:
    merged: CountingModel = load(paths[0])
    for path in paths[1:]:
        try:
            add, other = require(merged, "__add__"), load(path)
            if type(merged) is not type(other):
                raise RecipeError("one is a model of texts, the other of tables")
            merged = add(other)
        except RecipeError as error:
            raise RecipeError(f"{path} does not fit {paths[0]}: {error}") from None
    return merged

"""`nabi merge`."""

from typing import Annotated, Any

import typer

from nabi.cli.commands.info import CALIBRATED
from nabi.cli.options import common as o
from nabi.cli.show import screen
from nabi.cli.show.written import writing
from nabi.models.base import require
from nabi.models.counting import CountingModel

Models = Annotated[
    list[str], typer.Argument(metavar="MODELS", help="Model files of the same recipe.")
]


def merge(models: Models, output: o.NewModel, json: o.Json = False, quiet: o.Quiet = False) -> None:
    """Add models up: the result is the model trained on all their texts, to the last bit.

    ```
    nabi merge monday.nabi tuesday.nabi -o week.nabi
    ```
    """
    merged = _sum(models)
    with writing(output):
        merged.save(output)
    counts = o.class_counts(merged)
    result: dict[str, Any] = {
        "models": models,
        "texts": sum(counts.values()),
        "classes": counts,
        **o.extent(merged),
        "calibration": merged.calibration_state,
        "model": output,
    }
    if json:
        screen.print_json(result)
    elif not quiet:
        total = screen.documents(sum(counts.values()), result)
        print(f"{len(models)} models merged: {total}, {screen.extent(result)}")
        print(screen.classes_line(counts))
        if merged.calibration_state == "stale":
            print(f"calibrated: {CALIBRATED['stale']}")
        print(f"model: {screen.quoted(output)}")


def _sum(paths: list[str]) -> CountingModel:
    from nabi import load
    from nabi.errors import RecipeError

    merged: CountingModel = load(paths[0])
    for path in paths[1:]:
        try:
            merged = require(merged, "__add__")(_of_same_kind(merged, load(path)))
        except RecipeError as error:
            raise RecipeError(f"{path} does not fit {paths[0]}: {error}") from None
    return merged


def _of_same_kind(merged: CountingModel, other: CountingModel) -> CountingModel:
    from nabi.errors import RecipeError

    if type(merged) is not type(other):
        raise RecipeError("one is a model of texts, the other of tables")
    return other

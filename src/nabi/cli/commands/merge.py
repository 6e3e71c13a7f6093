"""`nabi merge`."""

from typing import Any

from nabi.cli.commands.info import CALIBRATED
from nabi.cli.options import common as o
from nabi.cli.options.declare import argument
from nabi.cli.saving import save_model
from nabi.cli.show import screen
from nabi.models.base import require
from nabi.models.counting import CountingModel


def merge(
    models: list[str] = argument("Model files of the same recipe.", "MODELS"),
    output: str = o.REQUIRED_MODEL,
    json: bool = o.JSON,
    quiet: bool = o.QUIET,
) -> None:
    """Add models: the result is exactly the model trained on all their texts.

    ```
    nabi merge monday.nabi tuesday.nabi -o week.nabi
    ```
    """
    merged = _sum(models)
    save_model(merged, output)
    counts = o.class_counts(merged)
    result = {
        "models": models,
        "texts": sum(counts.values()),
        "classes": counts,
        **o.extent(merged),
        "calibration": merged.calibration_state,
        "model": output,
    }
    screen.print_result(result, _show, json=json, quiet=quiet)


def _show(result: dict[str, Any]) -> None:
    total = screen.documents(result["texts"], result)
    print(f"{len(result['models'])} models merged: {total}, {screen.extent(result)}")
    print(screen.classes_line(result["classes"]))
    if result["calibration"] == "stale":
        print(f"calibrated: {CALIBRATED['stale']}")
    print(f"model: {screen.quoted(result['model'])}")


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

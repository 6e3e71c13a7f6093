"""`nabi merge`."""

import os
from shlex import quote
from typing import Any

from nabi import load
from nabi.cli.options import common as o
from nabi.cli.options.declare import argument
from nabi.cli.saving import exclusive, save_model
from nabi.cli.show import screen
from nabi.cli.show.decision import decision_line
from nabi.cli.show.score import calibration_facts, show_calibration
from nabi.errors import InputError, RecipeError
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
        merged, shared, decisions = _sum(models)
        save_model(merged, output)
    for path, number in shared.items():
        _warn(path, number, merged)
    if merged.decision is not None and len(decisions) > 1:
        differ = "the models have different thresholds; the sum keeps"
        if len(decisions) == 2 and None in decisions:
            differ = "not all of the models have thresholds; the sum keeps those of one that has:"
        screen.note(f"{differ} {decision_line(merged.decision)}")
    counts = o.class_counts(merged)
    result = {
        "models": models,
        "shared": shared,
        "texts": sum(counts.values()),
        "classes": counts,
        **merged.extent,
        **calibration_facts(merged),
        "model": output,
    }
    out.print(result, _show)


def _show(result: dict[str, Any]) -> None:
    total = screen.documents(result["texts"], result)
    models = screen.how_many(len(result["models"]), "model")
    screen.say(f"{models} merged: {total}, {screen.extent(result)}")
    screen.say(screen.classes_line(result["classes"]))
    path = quote(result["model"])
    show_calibration(result, path, "rows" if "columns" in result else "texts")
    screen.say(f"model: {path}")


def _sum(paths: list[str]) -> tuple[CountingModel, dict[str, float], set[str | None]]:
    """Return the sum, how many texts of each model were in those before it, and all decisions."""
    merged = _counting(paths[0])
    shared: dict[str, float] = {}
    decisions = {_told(merged)}
    for i, path in enumerate(paths[1:], 1):
        try:
            other = _counting(path)
            if type(merged) is not type(other):
                raise RecipeError("one is a model of texts, the other of tables")
            before, merged = merged, merged + other
            decisions.add(_told(other))
            if before.ledger and other.ledger:
                shared[path] = shared.get(path, 0.0) + before.shared(other)
            elif any(os.path.samefile(path, earlier) for earlier in paths[:i]):
                shared[path] = float(other.class_count_.sum())
        except RecipeError as error:
            raise RecipeError(f"{path} does not fit {paths[0]}: {error}") from None
    return merged, {path: number for path, number in shared.items() if number}, decisions


def _counting(path: str) -> CountingModel:
    """Load a model; refuse one that cannot be merged."""
    model: CountingModel = load(path)
    try:
        require(model, "__add__")
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    return model


def _told(model: CountingModel) -> str | None:
    return None if model.decision is None else str(model.decision)


def _warn(path: str, number: float, merged: CountingModel) -> None:
    are = "is" if number == 1 else "are"
    texts = screen.documents(number, merged.extent)
    screen.note(
        f"{texts} of {path} {are} in the models before it already, with the same label, and "
        f"{'counts' if number == 1 else 'count'} once more in the sum; merge models of different "
        f"{merged.noun}s"
    )

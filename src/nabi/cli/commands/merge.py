"""`nabi merge`."""

from functools import partial
from shlex import quote
from typing import Any

from nabi.cli.options import common as o
from nabi.cli.options.declare import argument, option
from nabi.cli.saving import exclusive, save_model
from nabi.cli.sharing import about_shards
from nabi.cli.show import screen
from nabi.cli.show.decision import decision_line
from nabi.cli.show.score import calibration_facts, show_calibration
from nabi.models.counting import CountingModel
from nabi.models.merging import MergedModel, merging


def merge(
    models: list[str] = argument("Model files with the same recipe.", "MODELS"),
    *,
    floor: int | None = option(
        "Leave out words that were seen fewer than N times in all (default: none). The model can "
        "then learn and be merged no more.",
        "N",
        least=1,
    ),
    threads: int | None = option("Number of threads (default: all).", "N", least=1),
    output: str = o.REQUIRED_MODEL,
    out: o.Summary,
) -> None:
    """Merge models into one: it has exactly the counts of a model trained on all their texts.

    ```
    nabi merge monday.nabi tuesday.nabi -o week.nabi
    nabi merge monday.nabi tuesday.nabi -o week.nabi --floor 2
    ```
    """
    with exclusive(output), out.steps("merging") as step:
        watch = partial(step, "merging")
        with merging(models, output, floor=floor, threads=threads, watch=watch) as found:
            save_model(found.model, output)
            _tell(found, models, output, out)


def _tell(found: MergedModel, models: list[str], output: str, out: o.Summary) -> None:
    """Print the notes and the result."""
    merged = found.model
    apart, notes = about_shards(found.shards)
    for note in notes:
        screen.note(note)
    # Copies in the data of one training are no texts that were merged twice.
    for path, number in ({} if apart else found.shared).items():
        _warn(path, number, merged)
    decisions = {None if each is None else str(each) for each in found.decisions}
    if merged.decision is not None and len(decisions) > 1:
        differ = "the models have different thresholds; the sum keeps"
        if len(decisions) == 2 and None in decisions:
            differ = "not all of the models have thresholds; the sum keeps those of one that has:"
        screen.note(f"{differ} {decision_line(merged.decision)}")
    counts = o.class_counts(merged)
    result = {
        "models": models,
        "shared": found.shared,
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


def _warn(path: str, number: float, merged: CountingModel) -> None:
    are = "is" if number == 1 else "are"
    texts = screen.documents(number, merged.extent)
    screen.note(
        f"{texts} of {path} {are} in the models before it already, with the same label, and "
        f"{'counts' if number == 1 else 'count'} once more in the sum; merge models of different "
        f"{merged.noun}s"
    )

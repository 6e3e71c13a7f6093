"""`nabi calibrate`."""

from functools import partial
from shlex import quote
from typing import Any

from nabi.cli.commands.learn import located
from nabi.cli.options import common as o
from nabi.cli.options.declare import flag
from nabi.cli.options.source import LabelledTexts
from nabi.cli.options.threshold import note_other_probabilities
from nabi.cli.saving import exclusive, save_model
from nabi.cli.show import screen
from nabi.cli.show.score import show_impossible
from nabi.models import streaming
from nabi.models.base import require


def calibrate(
    model: str = o.MODEL,
    *,
    source: LabelledTexts,
    output: str | None = o.OTHER_MODEL,
    new: bool = flag("Calibrate on texts or rows that the model has not learned."),
    out: o.Summary,
) -> None:
    """Calibrate the probabilities of a model, from the texts or rows that it has learned.

    ```
    nabi calibrate mail.nabi mail.csv
    nabi calibrate mail.nabi test.csv --new
    nabi calibrate people.nabi people.parquet --label job
    ```
    """
    path = output or model
    with exclusive(path):
        classifier = source.model(model)
        require(classifier, "calibrate")
        reader = source.reader_for(classifier, beside="calibrate", reads=[model], writes=[path])
        others = f"; --new takes new {classifier.noun}s"
        with out.progress(reader, "reading") as parts, located(reader, others):
            found = streaming.calibrate(classifier, reader, parts, learned=not new)
        save_model(classifier, path)
    note_other_probabilities(classifier)
    result = {**found.to_dict(), "model": path}
    out.print(result, partial(_show, noun=classifier.noun), source.finish(reader))


def _show(result: dict[str, Any], noun: str) -> None:
    names = {
        "none": "as it was",
        "temperature": "a temperature",
        "length": "a temperature for each length",
        "classes": "the same, with a scale and a bias for each class",
        "isotonic": "the same, and isotonic regression for each class",
    }
    rows = [
        [names[way], f"{loss:.4f}", "taken" if way == result["way"] else ""]
        for way, loss in result["log_losses"].items()
    ]
    screen.print_table(["calibration", ">log loss", ""], rows)
    show_impossible(result, noun)
    path = quote(result["model"])
    screen.say("", f"model: {path}; `nabi predict --proba` gives the calibrated probabilities")

"""`nabi calibrate`."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from nabi.cli.commands.learn import located
from nabi.cli.options import common as o
from nabi.cli.options.source import LabelledTexts
from nabi.cli.show import screen
from nabi.cli.show.written import writing
from nabi.errors import InputError, NotLearnedError

if TYPE_CHECKING:
    from nabi.scoring.calibration import Fitted

New = Annotated[
    bool,
    typer.Option("--new", help="The texts are others than the model has learned."),
]


def calibrate(
    model: o.Model,
    *,
    source: LabelledTexts,
    output: o.OtherModel = None,
    new: New = False,
    json: o.Json = False,
    quiet: o.Quiet = False,
) -> None:
    """Make probabilities mean what they say, from the texts that the model has learned.

    ```
    nabi calibrate mail.nabi mail.csv --text body --label folder
    nabi calibrate mail.nabi test.csv --new
    ```
    """
    from nabi import load
    from nabi.files import model_file
    from nabi.models import streaming
    from nabi.models.base import require

    path = output or model
    with model_file.exclusive(path, lambda: screen.note(f"waiting: {path} is being changed")):
        classifier = load(model)
        require(classifier, "calibrate")
        if classifier.is_table:
            raise InputError(f"{model} classifies tables; calibrate takes models of texts so far")
        classifier.threads = source.threads
        reader = source.reader(beside="calibrate", reads=[model], writes=[path], table=False)
        with screen.progress(reader, "reading", quiet=quiet) as parts:
            try:
                found = streaming.calibrate(classifier, reader, parts, learned=not new)
            except NotLearnedError as error:
                raise NotLearnedError(f"{located(error, reader)}; --new takes new texts") from None
        with writing(path):
            classifier.save(path)
    rejected = source.write_rejects(reader)
    result: dict[str, Any] = {
        "rows": screen.rows(reader),
        "rejects": rejected,
        "way": found.calibration.method,
        "log_losses": found.losses,
        "model": path,
    }
    if json:
        screen.print_json(result)
    elif not quiet:
        print(screen.rows_line(result["rows"], rejected))
        show(found, path)


def show(found: "Fitted", path: str) -> None:
    """What calibration does, for a person."""
    names = {
        "none": "as it was",
        "temperature": "a temperature",
        "length": "a temperature for each length",
        "isotonic": "the same, and an isotonic curve",
    }
    rows: list[list[Any]] = [
        [names[way], f"{loss:.4f}", "taken" if way == found.calibration.method else ""]
        for way, loss in found.losses.items()
    ]
    columns = [("way", "left"), ("log loss", "right"), ("", "left")]
    screen.print_table(columns, rows)
    print(f"\nmodel: {screen.quoted(path)}; `nabi predict --proba` gives what it makes of it")

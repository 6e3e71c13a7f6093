"""`nabi forget`."""

from nabi.cli.commands.learn import change
from nabi.cli.options import common as o
from nabi.cli.options.source import LabelledTexts


def forget(
    model: str = o.MODEL, *, source: LabelledTexts, json: bool = o.JSON, quiet: bool = o.QUIET
) -> None:
    """Remove learned texts from a model, exactly; a text that was not learned is an error.

    ```
    nabi forget mail.nabi requests.csv
    ```
    """
    change(model, source, "forget", "forgot", json=json, quiet=quiet)

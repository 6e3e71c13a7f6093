"""`nabi suspects`."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from nabi.cli import options as o
from nabi.cli import screen
from nabi.cli.labelled import LabelledData, read_labelled
from nabi.cli.recipe import TableRecipe
from nabi.cli.source import LabelledTexts

if TYPE_CHECKING:
    from nabi.suspects import Suspect

SHOWN = 60  # characters of a text or row
Top = Annotated[int, typer.Option(metavar="N", min=1, help="How many to show.")]


def suspects(
    *,
    source: LabelledTexts,
    top: Top = 20,
    recipe: TableRecipe,
    json: o.Json = False,
    quiet: o.Quiet = False,
) -> None:
    """List texts or rows that are likely to have a wrong label, the most suspect first.

    ```
    nabi suspects reviews.csv --top 50
    nabi suspects people.csv --label job
    ```
    """
    from nabi.suspects import suspects as find

    data = read_labelled(source, recipe, quiet=quiet)
    reader = data.reader
    found = find(data.model, data.documents, data.labels)
    rejected = source.write_rejects(reader, "suspects")
    rows = [_row(each, data) for each in found[:top]]
    if json:
        screen.print_json({"rows": screen.rows(reader), "found": len(found), "suspects": rows})
        return
    print(screen.rows_line(screen.rows(reader), rejected))
    what = f"{data.noun}s with another label than the model of all others would give"
    print(f"{what}: {len(found):,}")
    if rows:
        print()
        columns = [("where", "left"), ("label", "left"), ("rather", "left"), ("odds", "right")]
        cells = [_cells(row) for row in rows]
        screen.print_table([*columns, (data.noun, "left")], cells)


def _row(suspect: "Suspect", data: LabelledData) -> dict[str, Any]:
    return {
        "where": data.reader.where(suspect.at),
        "label": suspect.label,
        "rather": suspect.rather,
        "log_odds": suspect.log_odds,
        **data.document(suspect.at),
    }


def _cells(row: dict[str, Any]) -> list[str]:
    values = row.get("row", {}).items()
    text = row.get("text") or ", ".join(f"{name}={value}" for name, value in values)
    text = " ".join(text.split())
    text = text if len(text) <= SHOWN else text[: SHOWN - 3] + "..."
    odds = f"{row['log_odds']:+.2f}"
    return [row["where"], str(row["label"]), str(row["rather"]), odds, screen.visible(text)]

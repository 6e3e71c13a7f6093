"""`nabi suspects`."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from nabi.cli import options as o
from nabi.cli import screen
from nabi.cli.crossval import texts_and_labels
from nabi.cli.recipe import Recipe
from nabi.cli.source import LabelledTexts
from nabi.readers import Reader

if TYPE_CHECKING:
    from nabi.suspects import Suspect

SHOWN = 60  # characters of a text
Top = Annotated[int, typer.Option(metavar="N", min=1, help="How many to show.")]


def suspects(
    *,
    source: LabelledTexts,
    top: Top = 20,
    recipe: Recipe,
    json: o.Json = False,
    quiet: o.Quiet = False,
) -> None:
    """List texts that are likely to have a wrong label, the most suspect first.

    ```
    nabi suspects reviews.csv --top 50
    ```
    """
    from nabi.suspects import suspects as find

    model = recipe.classifier(source.threads)
    reader = source.reader()
    with screen.progress(reader, "reading", quiet=quiet) as parts:
        texts, labels = texts_and_labels(parts)
    found = find(model, texts, labels)
    rejected = source.write_rejects(reader, "suspects")
    shown = texts.to_list()
    rows = [_row(each, shown, reader) for each in found[:top]]
    if json:
        screen.print_json({"rows": screen.rows(reader), "found": len(found), "suspects": rows})
        return
    print(screen.rows_line(screen.rows(reader), rejected))
    print(f"texts with another label than the model of all others would give: {len(found):,}")
    if rows:
        print()
        columns = [("where", "left"), ("label", "left"), ("rather", "left"), ("odds", "right")]
        cells = [_cells(row) for row in rows]
        screen.print_table([*columns, ("text", "left")], cells)


def _row(suspect: "Suspect", texts: list[str | None], reader: Reader) -> dict[str, Any]:
    return {
        "where": reader.where(suspect.at),
        "label": suspect.label,
        "rather": suspect.rather,
        "log_odds": suspect.log_odds,
        "text": texts[suspect.at],
    }


def _cells(row: dict[str, Any]) -> list[str]:
    text = " ".join((row["text"] or "").split())
    text = text if len(text) <= SHOWN else text[: SHOWN - 3] + "..."
    odds = f"{row['log_odds']:+.2f}"
    return [row["where"], str(row["label"]), str(row["rather"]), odds, screen.visible(text)]

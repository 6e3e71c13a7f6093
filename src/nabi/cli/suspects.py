"""`nabi suspects`."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from nabi.cli import options as o
from nabi.cli import screen
from nabi.cli.crossval import texts_and_labels
from nabi.cli.duplicates import (
    Against,
    Duplicates,
    Similarity,
    counts,
    counts_line,
    cut,
    list_duplicates,
    list_leaks,
)
from nabi.cli.options import UsageError
from nabi.cli.recipe import Recipe
from nabi.cli.source import LabelledTexts
from nabi.readers import Reader

if TYPE_CHECKING:
    from nabi.suspects import Suspect

Top = Annotated[
    int | None,
    typer.Option(metavar="N", min=1, help="How many to show; otherwise 20, and with --json all."),
]


def suspects(
    *,
    source: LabelledTexts,
    top: Top = None,
    duplicates: Duplicates = False,
    against: Against = None,
    similarity: Similarity = 0.8,
    recipe: Recipe,
    json: o.Json = False,
    quiet: o.Quiet = False,
) -> None:
    """List texts that are likely to have a wrong label, or that come more than once.

    ```
    nabi suspects reviews.csv --top 50
    nabi suspects reviews.csv --duplicates
    nabi suspects reviews.csv --against test.csv
    ```
    """
    from nabi.duplicates import duplicates as find_duplicates
    from nabi.suspects import suspects as find

    if duplicates and against is not None:
        raise UsageError("Only one of --duplicates and --against.")
    if duplicates:
        return list_duplicates(source, similarity=similarity, top=top, json=json, quiet=quiet)
    if against is not None:
        return list_leaks(source, against, similarity=similarity, top=top, json=json, quiet=quiet)
    model = recipe.classifier(source.threads)
    reader = source.reader()
    with screen.progress(reader, "reading", quiet=quiet) as parts:
        texts, labels = texts_and_labels(parts)
    found = find(model, texts, labels)
    rejected = source.write_rejects(reader, "suspects")
    shown = texts.to_list()
    rows = [_row(each, shown, reader) for each in found[: top or (None if json else 20)]]
    twice = counts(find_duplicates(texts, labels, similarity=similarity))
    if json:
        said = {"rows": screen.rows(reader), "found": len(found), "suspects": rows}
        return screen.print_json({**said, "duplicates": twice})
    print(screen.rows_line(screen.rows(reader), rejected))
    print(f"texts with another label than the model of all others would give: {len(found):,}")
    if rows:
        print()
        columns = [("where", "left"), ("label", "left"), ("rather", "left"), ("odds", "right")]
        cells = [_cells(row) for row in rows]
        screen.print_table([*columns, ("text", "left")], cells)
    if twice["groups"]:
        print(f"\n{counts_line(twice)}\nto list them: --duplicates")
    return None


def _row(suspect: "Suspect", texts: list[str | None], reader: Reader) -> dict[str, Any]:
    return {
        "where": reader.where(suspect.at),
        "label": suspect.label,
        "rather": suspect.rather,
        "log_odds": suspect.log_odds,
        "text": texts[suspect.at],
    }


def _cells(row: dict[str, Any]) -> list[str]:
    odds = f"{row['log_odds']:+.2f}"
    return [row["where"], str(row["label"]), str(row["rather"]), odds, cut(row["text"])]

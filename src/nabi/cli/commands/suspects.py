"""`nabi suspects`."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

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
from nabi.cli.labelled import LabelledData, read_labelled
from nabi.cli.options import common as o
from nabi.cli.options.common import UsageError
from nabi.cli.options.recipe import TableRecipe
from nabi.cli.options.source import LabelledTexts
from nabi.cli.show import screen

if TYPE_CHECKING:
    from nabi.judging import Suspect

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
    recipe: TableRecipe,
    json: o.Json = False,
    quiet: o.NoProgress = False,
) -> None:
    """List texts or rows that are likely to have a wrong label, or that come more than once.

    ```
    nabi suspects reviews.csv --top 50
    nabi suspects people.csv --label job
    nabi suspects reviews.csv --duplicates
    nabi suspects reviews.csv --against test.csv
    ```
    """
    from nabi.judging import duplicates as find_duplicates
    from nabi.judging import suspects as find

    if duplicates and against is not None:
        raise UsageError("Only one of --duplicates and --against.")
    recipe.classifier(source.threads)  # refuses bad options, also where they say nothing
    if duplicates:
        return list_duplicates(source, similarity=similarity, top=top, json=json, quiet=quiet)
    if against is not None:
        return list_leaks(source, against, similarity=similarity, top=top, json=json, quiet=quiet)
    data = read_labelled(source, recipe, beside="suspects", quiet=quiet)
    reader = data.reader
    found = find(data.model, data.documents, data.labels)
    rejected = source.write_rejects(reader)
    rows = [_row(each, data) for each in found[: top or (None if json else 20)]]
    twice = {"groups": 0}
    if not reader.is_table:
        twice = counts(find_duplicates(data.documents, data.labels, similarity=similarity))
    if json:
        said = {"rows": screen.rows(reader), "found": len(found), "suspects": rows}
        return screen.print_json(said if reader.is_table else {**said, "duplicates": twice})
    print(screen.rows_line(screen.rows(reader), rejected))
    what = f"{data.noun}s with another label than the model of all others would give"
    print(f"{what}: {len(found):,}")
    if rows:
        print()
        columns = [("where", "left"), ("label", "left"), ("rather", "left"), ("odds", "right")]
        cells = [_cells(row) for row in rows]
        screen.print_table([*columns, (data.noun, "left")], cells)
    if twice["groups"]:
        print(f"\n{counts_line(twice)}\nto list them: --duplicates")
    return None


def _row(suspect: "Suspect", data: LabelledData) -> dict[str, Any]:
    found = suspect.to_dict()
    at = found.pop("at")
    return {"where": data.reader.where(at), **found, **data.document(at)}


def _cells(row: dict[str, Any]) -> list[str]:
    values = row.get("row", {}).items()
    text = row.get("text") or ", ".join(f"{name}={value}" for name, value in values)
    odds = f"{row['log_odds']:+.2f}"
    return [row["where"], str(row["label"]), str(row["rather"]), odds, cut(text)]

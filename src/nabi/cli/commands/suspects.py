"""`nabi suspects`."""

import dataclasses
import os
from typing import Any

from click import UsageError

from nabi.cli.data.labelled import read_labelled, read_texts
from nabi.cli.options.declare import flag, option
from nabi.cli.options.output import Findings
from nabi.cli.options.recipe import TableRecipe
from nabi.cli.options.source import LabelledTexts
from nabi.cli.show import duplicates as repeated
from nabi.cli.show import screen

SHOWN = 20


def suspects(
    *,
    source: LabelledTexts,
    top: int | None = option(
        f"Number of texts to show (default: {SHOWN}; with --json all).", "N", least=1
    ),
    duplicates: bool = flag(
        "Instead, list texts that occur more than once, equal or nearly equal."
    ),
    against: str | None = option(
        "Instead, list the texts of TEST that are equal or nearly equal to a text of DATA.", "TEST"
    ),
    similarity: float = option(
        "Minimum similarity of near duplicates: Jaccard, of words and pairs, 0 to 1.",
        "S",
        default=0.8,
    ),
    recipe: TableRecipe,
    out: Findings,
) -> None:
    """Find texts or rows that are likely to have a wrong label, or that come more than once.

    ```
    nabi suspects reviews.csv --top 50
    nabi suspects people.csv --label job
    nabi suspects reviews.csv --duplicates
    nabi suspects reviews.csv --against test.csv
    ```
    """
    if duplicates and against is not None:
        raise UsageError("Only one of --duplicates and --against.")
    recipe.classifier(source.threads)  # refuses bad options, also where they say nothing
    limit = top or (None if out.json else SHOWN)
    if duplicates:
        _list_duplicates(source, similarity, limit, out)
    elif against is not None:
        _list_leaks(source, against, similarity, limit, out)
    else:
        _list_suspects(source, recipe, similarity, limit, out)


def _list_suspects(
    source: LabelledTexts, recipe: TableRecipe, similarity: float, limit: int | None, out: Findings
) -> None:
    """Print texts or rows with another label than the model would give."""
    from nabi.judging import duplicates as find_duplicates
    from nabi.judging import suspects as find
    from nabi.judging.duplicate_texts import totals

    data = read_labelled(source, recipe, out, beside="suspects")
    found, where = find(data.model, data.documents, data.labels), data.reader.where
    result = {
        **source.finish(data.reader),
        "found": len(found),
        "suspects": [{**each.to_dict(where), **data.document(each.at)} for each in found[:limit]],
    }
    if not data.reader.is_table:
        groups = find_duplicates(data.documents, data.labels, similarity=similarity)
        result["duplicates"] = totals(groups)
    out.print(result, lambda result: _show(result, data.noun))


def _show(result: dict[str, Any], noun: str) -> None:
    print(screen.rows_line(result))
    print(
        f"{noun}s with another label than the model of all others would give: {result['found']:,}"
    )
    if result["suspects"]:
        print()
        cells = [_cells(row) for row in result["suspects"]]
        screen.print_table(["where", "label", "rather", ">odds", noun], cells)
    twice = result.get("duplicates", {"groups": 0})
    if twice["groups"]:
        print(f"\n{repeated.totals_line(twice)}\nto list them: --duplicates")


def _cells(row: dict[str, Any]) -> list[str]:
    values = row.get("row", {}).items()
    text = row.get("text") or ", ".join(f"{name}={value}" for name, value in values)
    odds = f"{row['log_odds']:+.2f}"
    return [row["where"], str(row["label"]), str(row["rather"]), odds, screen.shortened(text)]


def _list_duplicates(
    source: LabelledTexts, similarity: float, limit: int | None, out: Findings
) -> None:
    """Print the groups of texts that are equal or nearly equal."""
    from nabi.judging import duplicates as find
    from nabi.judging.duplicate_texts import totals

    reader = source.reader(beside="suspects")
    texts, labels = read_texts(reader, out)
    rows = source.finish(reader)
    found = find(texts, labels, similarity=similarity)
    shown = texts.to_list()
    result = {
        **rows,
        "similarity": similarity,
        **totals(found),
        "duplicates": [each.to_dict(shown, reader.where) for each in found[:limit]],
    }
    out.print(result, repeated.show_duplicates)


def _list_leaks(
    source: LabelledTexts, test: str, similarity: float, limit: int | None, out: Findings
) -> None:
    """Print the texts of a test set that were learned."""
    from nabi.judging import leakage

    # The bad rows of bad.csv go to bad.against.csv.
    stem, extension = os.path.splitext(source.rejects or "")
    rejects = f"{stem}.against{extension}" if source.rejects else None
    tested = dataclasses.replace(source, data=[test], sql=None, rejects=rejects)
    readers = (
        source.reader(beside="suspects", reads=[test]),
        tested.reader(beside="against", reads=source.data, query=source.sql),
    )
    data = [read_texts(reader, out) for reader in readers]
    rows, test_rows = (source.finish(reader) for reader in readers)
    found = leakage(data[0][0], data[1][0], similarity=similarity)
    learned, asked = (
        (texts.to_list(), labels, reader.where)
        for (texts, labels), reader in zip(data, readers, strict=True)
    )
    result = {
        **rows,
        **{f"test_{name}": value for name, value in test_rows.items()},
        "similarity": similarity,
        "found": len(found),
        "different_labels": sum(asked[1][leak.at] != learned[1][leak.of] for leak in found),
        "leaks": [each.to_dict(asked, learned) for each in found[:limit]],
    }
    out.print(result, lambda result: repeated.show_leaks(result, test))

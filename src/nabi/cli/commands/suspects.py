"""`nabi suspects`."""

import dataclasses
import os
from collections.abc import Iterable
from typing import Any

from click import UsageError

from nabi.cli.data.labelled import read_labelled, read_texts
from nabi.cli.options import common as o
from nabi.cli.options.declare import flag, option
from nabi.cli.options.recipe import TableRecipe
from nabi.cli.options.source import LabelledTexts
from nabi.cli.show import screen

SHOWN = 20
MOST = 4  # texts of a group


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
        "Least Jaccard similarity (0 to 1), of words and word pairs, of nearly equal texts.",
        "S",
        default=0.8,
    ),
    recipe: TableRecipe,
    out: o.Findings,
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
    source: LabelledTexts,
    recipe: TableRecipe,
    similarity: float,
    limit: int | None,
    out: o.Findings,
) -> None:
    """Print texts or rows with another label than the model would give."""
    from nabi.judging import duplicates, suspects
    from nabi.judging.duplicate_texts import totals

    data = read_labelled(source, recipe, out, beside="suspects")
    found, where = suspects(data.model, data.documents, data.labels), data.reader.where
    result = {
        "found": len(found),
        "suspects": [{**each.to_dict(where), **data.document(each.at)} for each in found[:limit]],
    }
    if not data.reader.is_table:
        result["duplicates"] = totals(
            duplicates(data.documents, data.labels, similarity=similarity)
        )
    out.print(result, lambda result: _show(result, data.model.noun), source.finish(data.reader))


def _show(result: dict[str, Any], noun: str) -> None:
    screen.say(
        f"{noun}s with another label than the model of all others would give: {result['found']:,}"
    )
    _print_table(["where", "label", "rather", ">log odds", noun], map(_cells, result["suspects"]))
    twice = result.get("duplicates", {"groups": 0})
    if twice["groups"]:
        screen.say("", _totals_line(twice), "to list them: --duplicates")


def _cells(row: dict[str, Any]) -> list[str]:
    values = row.get("row", {}).items()
    text = row.get("text") or ", ".join(f"{name}={value}" for name, value in values)
    odds = f"{row['log_odds']:+.2f}"
    return [row["where"], str(row["label"]), str(row["rather"]), odds, screen.shortened(text)]


def _print_table(columns: list[str], rows: Iterable[list[str]]) -> None:
    """Print a table below an empty line, if it has rows."""
    listed = list(rows)
    if listed:
        screen.say("")
        screen.print_table(columns, listed)


# ---- --duplicates ----


def _list_duplicates(
    source: LabelledTexts, similarity: float, limit: int | None, out: o.Findings
) -> None:
    """Print the groups of texts that are equal or nearly equal."""
    from nabi.judging import duplicates
    from nabi.judging.duplicate_texts import totals

    reader = source.reader(beside="suspects")
    texts, labels = read_texts(reader, out)
    rows = source.finish(reader)
    found = duplicates(texts, labels, similarity=similarity)
    shown = texts.to_list()
    groups = [each.to_dict(shown, reader.where) for each in found[:limit]]
    result = {"similarity": similarity, **totals(found), "duplicates": groups}
    out.print(result, _show_duplicates, rows)


def _show_duplicates(result: dict[str, Any]) -> None:
    screen.say(_totals_line(result))
    groups = enumerate(result["duplicates"], 1)
    cells = (cells for number, group in groups for cells in _group_cells(number, group))
    _print_table([">group", ">alike", "where", "label", "text"], cells)


def _totals_line(found: dict[str, Any]) -> str:
    groups = "1 group" if found["groups"] == 1 else f"{found['groups']:,} groups"
    return (
        f"texts that come more than once, equal or nearly so: {found['texts']:,} in {groups}, "
        f"{found['different_labels']:,} of them with different labels"
    )


def _group_cells(number: int, group: dict[str, Any]) -> list[list[str]]:
    """Return rows for the first text of each label, then for others in their order."""
    members = group["texts"]
    labels = [one["label"] for one in members]
    order = sorted(range(len(members)), key=lambda i: labels.index(labels[i]) != i)
    chosen = [members[i] for i in sorted(order[:MOST])]
    rows = [["", "", one["where"], one["label"], screen.shortened(one["text"])] for one in chosen]
    rows[0][:2] = [str(number), f"{group['similarity']:.2f}"]
    left = len(members) - len(chosen)
    return [*rows, ["", "", f"and {left:,} more", "", ""]] if left else rows


# ---- --against ----


def _list_leaks(
    source: LabelledTexts, test: str, similarity: float, limit: int | None, out: o.Findings
) -> None:
    """Print the texts of a test set that were learned."""
    from nabi.judging import leakage

    # The bad rows of bad.csv go to bad.against.csv.
    stem, extension = os.path.splitext(source.rejects or "")
    rejects = f"{stem}.against{extension}" if source.rejects else None
    tested = dataclasses.replace(source, data=[test], sql=None, rejects=rejects)
    readers = (
        source.reader(beside="suspects", reads=[test]),
        tested.reader(beside="against", reads=source.data, query=source.sql or ""),
    )
    data = [read_texts(reader, out) for reader in readers]
    rows, test_rows = (source.finish(reader) for reader in readers)
    found = leakage(data[0][0], data[1][0], similarity=similarity)
    learned, asked = (
        (texts.to_list(), labels, reader.where)
        for (texts, labels), reader in zip(data, readers, strict=True)
    )
    result = {
        **{f"test_{name}": value for name, value in test_rows.items()},
        "similarity": similarity,
        "found": len(found),
        "different_labels": sum(asked[1][leak.at] != learned[1][leak.of] for leak in found),
        "leaks": [each.to_dict(asked, learned) for each in found[:limit]],
    }
    out.print(result, lambda result: _show_leaks(result, test, test_rows), rows)


def _show_leaks(result: dict[str, Any], test: str, rows: dict[str, Any]) -> None:
    screen.say(f"{test}: {screen.rows_line(rows)}")
    screen.say(
        f"texts of {test} that are equal or nearly equal to one of the data: "
        f"{result['found']:,} of {rows['rows']['used']:,}, "
        f"{result['different_labels']:,} of them with another label"
    )
    columns = ["where", "label", "of", "its label", ">alike", "text"]
    _print_table(columns, map(_leak_cells, result["leaks"]))


def _leak_cells(row: dict[str, Any]) -> list[str]:
    places = [row["where"], row["label"], row["where_of"], row["label_of"]]
    return [*places, f"{row['similarity']:.2f}", screen.shortened(row["text"])]

"""What `nabi suspects` says of texts that come more than once."""

import dataclasses
import os
from typing import TYPE_CHECKING, Annotated, Any

import typer

from nabi.cli.labelled import texts_and_labels
from nabi.cli.options.source import LabelledTexts
from nabi.cli.show import screen
from nabi.readers import Reader

if TYPE_CHECKING:
    from nabi.judging import DuplicateGroup, Leak

SHOWN = 60  # characters of a text
MOST = 4  # texts of a group
Duplicates = Annotated[
    bool,
    typer.Option(
        "--duplicates", help="List texts that come more than once, equal or nearly so, instead."
    ),
]
Against = Annotated[
    str | None,
    typer.Option(
        metavar="TEST",
        help="List the texts of this file that are equal or nearly equal to one of DATA, instead.",
    ),
]
Similarity = Annotated[
    float,
    typer.Option(
        metavar="S", help="How large a part of their words two such texts share, at the least."
    ),
]


def counts(groups: "list[DuplicateGroup]") -> dict[str, int]:
    """How many texts come more than once, for a program."""
    return {
        "groups": len(groups),
        "texts": sum(len(group.at) for group in groups),
        "different_labels": sum(group.differ for group in groups),
    }


def counts_line(found: dict[str, int]) -> str:
    """The same for a person."""
    groups = "1 group" if found["groups"] == 1 else f"{found['groups']:,} groups"
    return (
        f"texts that come more than once, equal or nearly so: {found['texts']:,} in {groups}, "
        f"{found['different_labels']:,} of them with different labels"
    )


def list_duplicates(
    source: LabelledTexts, *, similarity: float, top: int | None, json: bool, quiet: bool
) -> None:
    """Print the groups of duplicates."""
    from nabi.judging import duplicates as find

    texts, labels, reader, rejected = _read(source, source.reader(beside="suspects"), quiet)
    found = find(texts, labels, similarity=similarity)
    shown = texts.to_list()
    if json:
        groups = [_group(group, shown, reader) for group in found[:top]]
        summary = {"rows": screen.rows(reader), "similarity": similarity, **counts(found)}
        screen.print_json({**summary, "duplicates": groups})
        return
    print(screen.rows_line(screen.rows(reader), rejected))
    print(counts_line(counts(found)))
    cells = [
        cells
        for number, group in enumerate(found[: top or 20], 1)
        for cells in _group_cells(number, _group(group, shown, reader))
    ]
    if cells:
        print()
        columns = [("group", "right"), ("alike", "right"), ("where", "left"), ("label", "left")]
        screen.print_table([*columns, ("text", "left")], cells)


def list_leaks(
    source: LabelledTexts,
    test: str,
    *,
    similarity: float,
    top: int | None,
    json: bool,
    quiet: bool,
) -> None:
    """Print the texts of a test set that were learned."""
    from nabi.judging import leakage

    test_source = dataclasses.replace(
        source, data=[test], sql=None, rejects=_of_test(source.rejects)
    )
    readers = (
        source.reader(beside="suspects", reads=[test]),
        test_source.reader(beside="against", reads=source.data or (), query=source.sql),
    )
    learned, tested = (_read(source, reader, quiet) for reader in readers)
    found = leakage(learned[0], tested[0], similarity=similarity)
    other = sum(tested[1][leak.at] != learned[1][leak.of] for leak in found)
    sides = [(texts.to_list(), labels, reader) for texts, labels, reader, _ in (tested, learned)]
    rows = [screen.rows(reader) for _, _, reader in sides]
    if json:
        summary = {"rows": rows[1], "test_rows": rows[0], "similarity": similarity}
        leaks = [_leak(leak, *sides) for leak in found[:top]]
        screen.print_json(
            {**summary, "found": len(found), "different_labels": other, "leaks": leaks}
        )
        return
    print(screen.rows_line(rows[1], learned[3]))
    print(f"{test}: {screen.rows_line(rows[0], tested[3])}")
    print(
        f"texts of {test} that are equal or nearly equal to one of the data: {len(found):,} of "
        f"{rows[0]['used']:,}, {other:,} of them with another label"
    )
    cells = [_leak_cells(_leak(leak, *sides)) for leak in found[: top or 20]]
    if cells:
        print()
        columns = [("where", "left"), ("label", "left"), ("of", "left"), ("its label", "left")]
        screen.print_table([*columns, ("alike", "right"), ("text", "left")], cells)


def _of_test(rejects: str | None) -> str | None:
    """`bad.against.csv` for `bad.csv`: the bad rows of the other file have a file of their own."""
    stem, extension = os.path.splitext(rejects or "")
    return f"{stem}.against{extension}" if rejects else None


def _read(
    source: LabelledTexts, reader: Reader, quiet: bool
) -> tuple[Any, list[str], Reader, str | None]:
    """Texts, labels, the reader that has read them, and where rejected rows are."""
    with screen.progress(reader, "reading", quiet=quiet) as parts:
        texts, labels = texts_and_labels(parts)
    return texts, labels, reader, source.write_rejects(reader)


def _group(group: "DuplicateGroup", texts: list[str | None], reader: Reader) -> dict[str, Any]:
    members = [
        {"where": reader.where(at), "label": label, "text": texts[at]}
        for at, label in zip(group.at, group.labels, strict=True)
    ]
    return {
        "similarity": group.similarity,
        "different_labels": group.differ,
        "texts": members,
    }


def _group_cells(number: int, group: dict[str, Any]) -> list[list[str]]:
    """The first of each label, then others in their order."""
    members = group["texts"]
    labels = [one["label"] for one in members]
    first = [i for i, label in enumerate(labels) if labels.index(label) == i]
    others = [i for i in range(len(members)) if labels.index(labels[i]) != i]
    chosen = [members[i] for i in sorted([*first, *others][:MOST])]
    rows = [["", "", one["where"], one["label"], cut(one["text"])] for one in chosen]
    rows[0][:2] = [str(number), f"{group['similarity']:.2f}"]
    left = len(members) - len(chosen)
    return [*rows, ["", "", f"and {left:,} more", "", ""]] if left else rows


def _leak(leak: "Leak", test: tuple[Any, ...], learned: tuple[Any, ...]) -> dict[str, Any]:
    found = {"similarity": leak.similarity}
    for suffix, at, (texts, labels, reader) in (("", leak.at, test), ("_of", leak.of, learned)):
        found[f"where{suffix}"] = reader.where(at)
        found[f"label{suffix}"] = labels[at]
        found[f"text{suffix}"] = texts[at]
    return found


def _leak_cells(row: dict[str, Any]) -> list[str]:
    places = [row["where"], row["label"], row["where_of"], row["label_of"]]
    return [*places, f"{row['similarity']:.2f}", cut(row["text"])]


def cut(text: str | None) -> str:
    """As much of a text as fits on a line."""
    line = " ".join((text or "").split())
    line = line if len(line) <= SHOWN else line[: SHOWN - 3] + "..."
    return screen.visible(line)

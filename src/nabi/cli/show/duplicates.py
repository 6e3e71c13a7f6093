"""Print texts that come more than once, and texts of a test set that were learned."""

from typing import TYPE_CHECKING, Any

from nabi.cli.show import screen
from nabi.readers import Reader

if TYPE_CHECKING:
    from nabi.judging.duplicates import DuplicateGroup, Leak

MOST = 4  # texts of a group
Side = tuple[list[str | None], list[str], Reader]  # texts, labels, and where they are from


def counts(groups: "list[DuplicateGroup]") -> dict[str, int]:
    """Return the number of groups, of texts in them, and of groups with different labels."""
    return {
        "groups": len(groups),
        "texts": sum(len(group.at) for group in groups),
        "different_labels": sum(group.differ for group in groups),
    }


def counts_line(found: dict[str, Any]) -> str:
    """`texts that come more than once, equal or nearly so: 5 in 2 groups, 1 of them ...`"""
    groups = "1 group" if found["groups"] == 1 else f"{found['groups']:,} groups"
    return (
        f"texts that come more than once, equal or nearly so: {found['texts']:,} in {groups}, "
        f"{found['different_labels']:,} of them with different labels"
    )


def group(found: "DuplicateGroup", texts: list[str | None], reader: Reader) -> dict[str, Any]:
    """Return the texts of a group, with where they are and their labels."""
    members = [
        {"where": reader.where(at), "label": label, "text": texts[at]}
        for at, label in zip(found.at, found.labels, strict=True)
    ]
    return {
        "similarity": found.similarity,
        "different_labels": found.differ,
        "texts": members,
    }


def leak(found: "Leak", test: Side, learned: Side) -> dict[str, Any]:
    """Return a text of the test set, and the learned one that is like it."""
    result: dict[str, Any] = {"similarity": found.similarity}
    for suffix, at, (texts, labels, reader) in (("", found.at, test), ("_of", found.of, learned)):
        result[f"where{suffix}"] = reader.where(at)
        result[f"label{suffix}"] = labels[at]
        result[f"text{suffix}"] = texts[at]
    return result


def show_duplicates(result: dict[str, Any], rejected: str | None) -> None:
    """Print the groups of duplicates."""
    print(screen.rows_line(result["rows"], rejected))
    print(counts_line(result))
    groups = enumerate(result["duplicates"], 1)
    cells = [cells for number, group in groups for cells in _group_cells(number, group)]
    if cells:
        print()
        screen.print_table([">group", ">alike", "where", "label", "text"], cells)


def show_leaks(
    result: dict[str, Any], test: str, rejected: str | None, test_rejected: str | None
) -> None:
    """Print the texts of a test set that were learned."""
    print(screen.rows_line(result["rows"], rejected))
    print(f"{test}: {screen.rows_line(result['test_rows'], test_rejected)}")
    print(
        f"texts of {test} that are equal or nearly equal to one of the data: "
        f"{result['found']:,} of {result['test_rows']['used']:,}, "
        f"{result['different_labels']:,} of them with another label"
    )
    cells = [_leak_cells(row) for row in result["leaks"]]
    if cells:
        print()
        screen.print_table(["where", "label", "of", "its label", ">alike", "text"], cells)


def _group_cells(number: int, group: dict[str, Any]) -> list[list[str]]:
    """Return rows for the first text of each label, then for others in their order."""
    members = group["texts"]
    labels = [one["label"] for one in members]
    first = [i for i, label in enumerate(labels) if labels.index(label) == i]
    others = [i for i in range(len(members)) if labels.index(labels[i]) != i]
    chosen = [members[i] for i in sorted([*first, *others][:MOST])]
    rows = [["", "", one["where"], one["label"], screen.shortened(one["text"])] for one in chosen]
    rows[0][:2] = [str(number), f"{group['similarity']:.2f}"]
    left = len(members) - len(chosen)
    return [*rows, ["", "", f"and {left:,} more", "", ""]] if left else rows


def _leak_cells(row: dict[str, Any]) -> list[str]:
    places = [row["where"], row["label"], row["where_of"], row["label_of"]]
    return [*places, f"{row['similarity']:.2f}", screen.shortened(row["text"])]

"""Print texts that come more than once, and texts of a test set that were learned."""

from typing import Any

from nabi.cli.show import screen

MOST = 4  # texts of a group


def totals_line(found: dict[str, Any]) -> str:
    """`texts that come more than once, equal or nearly so: 5 in 2 groups, 1 of them ...`"""
    groups = "1 group" if found["groups"] == 1 else f"{found['groups']:,} groups"
    return (
        f"texts that come more than once, equal or nearly so: {found['texts']:,} in {groups}, "
        f"{found['different_labels']:,} of them with different labels"
    )


def show_duplicates(result: dict[str, Any]) -> None:
    """Print the groups of duplicates."""
    print(screen.rows_line(result))
    print(totals_line(result))
    groups = enumerate(result["duplicates"], 1)
    cells = [cells for number, group in groups for cells in _group_cells(number, group)]
    if cells:
        print()
        screen.print_table([">group", ">alike", "where", "label", "text"], cells)


def show_leaks(result: dict[str, Any], test: str) -> None:
    """Print the texts of a test set that were learned."""
    print(screen.rows_line(result))
    test_rows = {"rows": result["test_rows"], "rejects": result["test_rejects"]}
    print(f"{test}: {screen.rows_line(test_rows)}")
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

"""Changes: what others did since a position, for pages that show it within a second."""

from typing import Any

from nabi.server.journal.interface import FORGET, LEARN, OF_CLASSES, RELABEL, UNDO
from nabi.server.store.store import Store

MOST = 1000  # entries that are told at once

Row = tuple[str | None, str | None, str, str, str | None]  # id, label now, who, what, old class


def changes_after(store: Store, after: int) -> tuple[int, bool, list[Row]]:
    """Return the position up to which changes are told, whether there are more, and the changes."""
    query = (
        "select position, what, who, id, label, old, target from entries where position > ? "
        "order by position limit ?"
    )
    with store.journal.reading() as sql:
        entries: list[Any] = sql.execute(query, (after, MOST)).fetchall()
        told = [row for entry in entries for row in _told(sql, *entry)]
    return (entries[-1][0] if entries else after), len(entries) == MOST, told


def _told(
    sql: Any,
    position: int,
    what: str,
    who: str,
    id: str | None,
    label: str | None,
    old: str | None,
    target: int | None,
) -> list[Row]:
    """Return what is told of an entry: the label that its example has now."""
    if what in OF_CLASSES:
        return [(None, label, who, what, old)]
    if what == FORGET:
        return [(None, None, who, what, None)]
    learned: int | None = position if what == LEARN else target
    root = what
    while root == UNDO:
        root, position, target = sql.execute(
            "select what, position, target from entries where position = ?", (target,)
        ).get
        learned = position if root == LEARN else target
    if root not in (LEARN, RELABEL):
        return [(None, None, who, what, None)]
    row = sql.execute(
        "select entries.id, current.label from entries left join current using (position) "
        "where position = ?",
        (learned,),
    ).get
    return [] if row is None or row[0] is None else [(row[0], row[1], who, what, None)]

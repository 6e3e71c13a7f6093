"""Names of classes over time: what a class is called after it was renamed, joined or dropped."""

from collections.abc import Iterable
from typing import Any

from nabi.server.journal.interface import OF_CLASSES


def classes_moved(sql: Any, after: Any) -> list[tuple[str, str | None]]:
    """Return the old and new names of classes that were renamed, joined or dropped since."""
    query = (
        "select old, entries.label from entries left join current using (position) "
        f"where position > ? and what in {OF_CLASSES} and undone is null and old is not null "
        "order by position"
    )
    return list(sql.execute(query, (after,)))


def moved(name: Any, moves: Iterable[tuple[str, str | None]]) -> Any:
    """Return what a class is called after some moves; None: it was dropped."""
    for old, new in moves:
        name = new if name == old else name
    return name

"""Agreement of two people who labelled the same texts: Cohen's kappa."""

import math
from collections.abc import Sequence
from typing import Any

from nabi.server.labelling.project import classes_moved, moved
from nabi.server.store.store import Store


def agreement(store: Store) -> tuple[int, float] | None:
    """Return how many texts two people have labelled, and Cohen's kappa; None without such."""
    query = (
        "select seconds.label, seconds.head, current.label from seconds join pool using (number) "
        "join entries on entries.id = pool.id join current on current.position = entries.position "
        "where entries.what = 'learn' and current.label is not null"
    )
    with store.journal.reading() as sql:
        rows = sql.execute(query).fetchall()
        moves = {head: classes_moved(sql, head) for _, head, _ in rows}
    pairs = [(moved(label, moves[head]), first) for label, head, first in rows]
    both = [(one, other) for one, other in pairs if one is not None]
    return (len(both), kappa(both)) if both else None


def kappa(pairs: Sequence[tuple[Any, Any]]) -> float:
    """Return Cohen's kappa: agreement beyond what chance gives; 1 where all agree.

    >>> round(kappa([("a", "a"), ("a", "b"), ("b", "b"), ("b", "b")]), 6)
    0.5
    """
    n = len(pairs)
    agreed = sum(one == other for one, other in pairs) / n
    labels = {label for pair in pairs for label in pair}
    chance = math.fsum(
        sum(one == label for one, _ in pairs) * sum(other == label for _, other in pairs) / n**2
        for label in labels
    )
    return 1.0 if chance == 1.0 else (agreed - chance) / (1.0 - chance)

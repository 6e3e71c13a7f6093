"""Agreement of people who labelled the same texts: Cohen's kappa by pair and class, Fleiss's."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from nabi.server.store.class_names import classes_moved, moved
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


class Rated(NamedTuple):
    """A text that two people have labelled."""

    id: str
    text: str
    first: tuple[str, str]  # who, label
    second: tuple[str, str]


@dataclass(frozen=True)
class Agreed:
    """How far people agree; kappa by pair of people and by class, with the number of texts."""

    texts: int
    kappa: float
    fleiss: float
    pairs: dict[tuple[str, str], tuple[int, float]]
    classes: dict[str, float]
    disagreements: list[Rated]


def rated(store: Store) -> list[Rated]:
    """Return the texts that two people have labelled, a line for each second label."""
    query = (
        "select pool.id, pool.text, entries.who, current.label, seconds.who, seconds.label, "
        "seconds.head from seconds join pool using (number) join entries on entries.id = pool.id "
        "join current on current.position = entries.position "
        "where entries.what = 'learn' and current.label is not null order by number, seconds.who"
    )
    with store.journal.reading() as sql:
        rows = sql.execute(query).fetchall()
        moves = {head: classes_moved(sql, head) for *_, head in rows}
    named = (
        (id, text, (who, label), (other, moved(second, moves[head])))
        for id, text, who, label, other, second, head in rows
    )
    return [Rated(*row) for row in named if row[3][1] is not None]


def agreed(found: Sequence[Rated]) -> Agreed | None:
    """Return how far people agree; None where no text has two labels."""
    if not found:
        return None
    both = [(one.first[1], one.second[1]) for one in found]
    by_pair = defaultdict(list)
    for one in found:
        (who, label), (other, second) = sorted([one.first, one.second], key=lambda each: each[0])
        by_pair[who, other].append((label, second))
    labels = sorted({label for pair in both for label in pair})
    return Agreed(
        len({one.id for one in found}),
        kappa(both),
        fleiss(_ratings(found)),
        {pair: (len(labelled), kappa(labelled)) for pair, labelled in sorted(by_pair.items())},
        {c: kappa([(one == c, other == c) for one, other in both]) for c in labels},
        [one for one in found if one.first[1] != one.second[1]],
    )


def _ratings(found: Iterable[Rated]) -> list[list[str]]:
    """Return the labels of each text, one of each person."""
    by_text: dict[str, dict[str, str]] = defaultdict(dict)
    for one in found:
        by_text[one.id].update([one.first, one.second])
    return [list(labels.values()) for labels in by_text.values()]


def fleiss(ratings: Sequence[Sequence[str]]) -> float:
    """Return Fleiss's kappa of texts with two labels or more; 1 where all agree.

    >>> round(fleiss([["a", "a"], ["a", "b"], ["b", "b"], ["b", "b"]]), 6)
    0.466667
    """
    counts = [Counter(labels) for labels in ratings]
    agreement = math.fsum(_agreement(count) for count in counts) / len(counts)
    whole = sum(counts, Counter[str]())
    total = whole.total()
    chance = math.fsum((n / total) ** 2 for n in whole.values())
    return 1.0 if chance == 1.0 else (agreement - chance) / (1.0 - chance)


def _agreement(count: Counter[str]) -> float:
    """Return the share of pairs of labels of a text that are equal."""
    n = count.total()
    return sum(each * (each - 1) for each in count.values()) / (n * (n - 1))

"""Agreement of people who labelled the same texts: Cohen's kappa by pair and class, Fleiss's."""

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

from nabi.server.store.class_names import classes_moved, moved
from nabi.server.store.store import Store


def agreement(store: Store) -> tuple[int, float] | None:
    """Return how many texts two people have labelled, and Cohen's kappa; None without such."""
    both = [(one.first[1], one.second[1]) for one in rated(store)]
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
    """A text that two people have labelled, each without the other.

    `now` is the label that it has, and `settled` whether somebody has decided since.
    """

    id: str
    text: str
    first: tuple[str, str]  # who, label
    second: tuple[str, str]
    now: str
    settled: bool


@dataclass(frozen=True)
class Agreed:
    """How far people agree; kappa by pair of people and by class, with the number of texts."""

    texts: int
    kappa: float
    fleiss: float
    pairs: dict[tuple[str, str], tuple[int, float]]
    classes: dict[str, float]
    disagreements: list[Rated]


SECONDS = (
    "select pool.id, pool.text, entries.position, entries.who, entries.label, current.label, "
    "seconds.who, seconds.label, seconds.head from seconds join pool using (number) "
    "join entries on entries.id = pool.id join current on current.position = entries.position "
    "where entries.what = 'learn' and current.label is not null order by number, seconds.who"
)
RELABELS = (
    "select relabels.target, relabels.position, relabels.who, relabels.label "
    "from seconds join pool using (number) join entries on entries.id = pool.id "
    "join entries as relabels on relabels.target = entries.position "
    "left join current on current.position = relabels.position "
    "where relabels.what = 'relabel' and current.undone is null order by relabels.position"
)

Given = tuple[int, str, str]  # the position at which a label was given, by whom, and the label


def rated(store: Store) -> list[Rated]:
    """Return the texts that two people have labelled, a line for each second label.

    The first label is the one that the text had when it got its second: what somebody decided
    later is nobody's own opinion.
    """
    with store.journal.reading() as sql:
        rows = sql.execute(SECONDS).fetchall()
        later: dict[int, dict[int, Given]] = defaultdict(dict)
        for target, *given in sql.execute(RELABELS) if rows else ():
            later[target][given[0]] = (given[0], given[1], given[2])
        name = cache(lambda label, after: moved(label, classes_moved(sql, after)))
        made = [_rated(row, [*later[row[2]].values()], name) for row in rows]
    return [one for one in made if one is not None]


def _rated(row: Sequence[Any], later: list[Given], name: Callable[[str, int], Any]) -> Rated | None:
    id, text, position, who, label, now, other, second, head = row
    given = [(position, who, label), *(one for one in later if one[0] <= head)]
    at, who, label = given[-1]
    labels = name(label, at), name(second, head)
    if who == other or None in labels:
        return None
    is_settled = any(one[0] > head for one in later)
    return Rated(id, text, (who, labels[0]), (other, labels[1]), now, is_settled)


class Disagreement(NamedTuple):
    """A text on which people disagree, and what each said."""

    id: str
    text: str
    now: str
    labels: tuple[tuple[str, str], ...]  # who, label


def unsettled(store: Store) -> list[Disagreement]:
    """Return the texts on which people disagree and nobody has decided since."""
    by_text: dict[str, list[Rated]] = defaultdict(list)
    for one in rated(store):
        by_text[one.id].append(one)
    return [
        Disagreement(id, found[0].text, found[0].now, _labels(found))
        for id, found in by_text.items()
        if any(one.first[1] != one.second[1] and not one.settled for one in found)
    ]


def _labels(found: Sequence[Rated]) -> tuple[tuple[str, str], ...]:
    return tuple(dict(each for one in found for each in (one.first, one.second)).items())


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

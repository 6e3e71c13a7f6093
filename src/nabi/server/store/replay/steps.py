"""Replay: the label that each example has, from the entries alone.

Undone entries are left out, and the others are followed in order. This is the definition of the
state; the tables of the journal keep it up to date, and `nabi store check` compares the two.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from nabi.server.journal.interface import LEARN, OF_CLASSES, RELABEL, UNDO, Sql


class Step(NamedTuple):
    """An entry without its text."""

    position: int
    what: str
    label: str | None
    old: str | None
    target: int | None
    erased: int | None


STEP = ", ".join(Step._fields)
CLASSES = "('rename', 'join', 'drop')"


def undone(steps: Sequence[Step]) -> dict[int, int]:
    """Return the undo in force of each entry that is undone, by position.

    From the last undo to the first: one that is undone itself undoes nothing.
    """
    by: dict[int, int] = {}
    for step in reversed(steps):
        if step.what == UNDO and step.position not in by and step.target is not None:
            by[step.target] = step.position
    return by


def labels(steps: Sequence[Step]) -> dict[int, str | None]:
    """Return the label of each example by the position of its LEARN; None: not counted.

    Examples
    --------
    >>> learned = Step(1, "learn", "spam", None, None, None)
    >>> labels([learned, Step(2, "rename", "junk", "spam", None, None)])
    {1: 'junk'}
    >>> labels([learned, Step(2, "undo", None, None, 1, None)])
    {1: None}
    """
    left_out = undone(steps)
    now: dict[int, str | None] = {}
    members: dict[str | None, set[int]] = {}

    def move(example: int, label: str | None) -> None:
        if example in now:
            members[now[example]].discard(example)
        now[example] = label
        members.setdefault(label, set()).add(example)

    for step in steps:
        if step.erased is not None:
            continue
        if step.what == LEARN:
            move(step.position, None if step.position in left_out else step.label)
        elif step.position in left_out:
            continue
        elif step.what == RELABEL and step.target in now and step.target not in left_out:
            move(step.target, step.label)
        elif step.what in OF_CLASSES:
            for example in sorted(members.get(step.old, ())):
                move(example, step.label)
    return now


def derived(steps: Sequence[Step]) -> dict[int, tuple[str | None, int | None]]:
    """Return the rows of the table `current`: the label and the undo in force, by position."""
    erased = {step.position for step in steps if step.erased is not None}
    now, off = labels(steps), undone(steps)
    return {at: (now.get(at), off.get(at)) for at in (now.keys() | off.keys()) - erased}


def all_steps(sql: Sql, until: int | None = None) -> list[Step]:
    """Return the entries up to a position, without their texts."""
    query = f"select {STEP} from entries where position <= ? order by position"
    return steps_of(sql.execute(query, (2**62 if until is None else until,)))


def steps_of_example(sql: Sql, learned: int, until: int = 2**62) -> list[Step]:
    """Return the entries up to a position that say which label an example has."""
    query = (
        f"select {STEP} from entries where position = ?1 "
        f"union select {STEP} from entries where target = ?1 and what = 'relabel' "
        f"union select {STEP} from entries where position > ?1 and what in {CLASSES}"
    )
    found = {row[0]: Step(*row) for row in sql.execute(query, (learned,))}
    layer = list(found)
    while layer:  # undos of these, undos of those, ...
        marks = ", ".join("?" * len(layer))
        query = f"select {STEP} from entries where what = 'undo' and target in ({marks})"
        undos = sql.execute(query, layer).fetchall()
        layer = [row[0] for row in undos]
        found |= {row[0]: Step(*row) for row in undos}
    return [found[position] for position in sorted(found) if position <= until]


def steps_of(rows: Iterable[tuple[object, ...]]) -> list[Step]:
    """Return rows as steps."""
    return [Step(*row) for row in rows]  # type: ignore[arg-type]

"""The counts of a journal: the last snapshot, and what was changed since."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

from nabi.errors import ModelFileError
from nabi.models.load import load
from nabi.models.text import TextClassifier
from nabi.server.journal.interface import FORGET, LEARN, OF_CLASSES, UNDO, Journal, Sql
from nabi.server.store.counting import Delta
from nabi.server.store.replay.steps import all_steps, labels, steps_of_example

CHUNK = 20_000  # texts in memory at a time

Moved = tuple[str, str | None, str | None]  # a text, its label then and now


def head_of(sql: Sql) -> int:
    """Return the position of the last entry that a connection sees."""
    return int(sql.execute("select max(position) from entries").get or 0)


def erased_at(sql: Sql) -> int:
    """Return the position of the last FORGET that erased an entry."""
    return int(sql.execute("select max(erased) from entries").get or 0)


def restored(journal: Journal, sql: Sql, empty: TextClassifier) -> tuple[TextClassifier, int]:
    """Return the model at the head that `sql` sees, and the position of its snapshot (0: none)."""
    model, at = _snapshot(journal, sql, empty)
    for delta in deltas(moved_since(sql, at)):
        model, _ = delta.applied(model)
    return model, at


def replayed(sql: Sql, empty: TextClassifier, until: int | None = None) -> TextClassifier:
    """Return the model by the entries alone: no snapshot, no table that is derived from them.

    `until`: by the entries up to a position.
    """
    now, model = labels(all_steps(sql, until)), empty
    learned = ((text, None, now[at]) for at, text in learned_texts(sql) if at in now)
    for delta in deltas(learned):
        model, _ = delta.applied(model)
    return model


def learned_texts(sql: Sql) -> Iterator[tuple[int, str]]:
    """Yield the position and the text of each LEARN that is not erased."""
    query = (
        "select position, text from entries where what = 'learn' and text is not null "
        "and position > ?"
    )
    return _pages(sql, query)


def deltas(moved: Iterable[Moved]) -> Iterator[Delta]:
    """Yield what texts do to the counts, some at a time."""
    rest = iter(moved)
    while chunk := list(islice(rest, CHUNK)):
        delta = Delta()
        for each in chunk:
            delta.move(*each)
        yield delta


def _snapshot(journal: Journal, sql: Sql, empty: TextClassifier) -> tuple[TextClassifier, int]:
    """Return the model of the last snapshot that may be used, and its position."""
    found = journal.snapshot()
    if found is not None and erased_at(sql) <= found[0] <= head_of(sql):
        try:
            model = load(found[1])
        except (ModelFileError, FileNotFoundError):
            model = None
        if isinstance(model, TextClassifier) and repr(model) == repr(empty):
            return model, found[0]
    return empty, 0


def _pages(sql: Sql, query: str, last: int = 0) -> Iterator[Any]:
    """Rows of a query by position, some in memory at a time: it ends with `position > ?`."""
    while rows := sql.execute(f"{query} order by 1 limit {CHUNK}", (last,)).fetchall():
        yield from rows
        last = rows[-1][0]


def moved_since(sql: Sql, at: int) -> Iterator[Moved]:
    """Examples whose label is another than at a position, in the order of that position."""
    for position, label in _labels_at(sql, at).items() if at else ():
        rows = sql.execute(
            "select text, current.label from entries join current using (position) "
            "where position = ?",
            (position,),
        )
        for text, now in rows:
            yield text, label, now
    query = (
        "select position, text, current.label from entries join current using (position) "
        "where what = 'learn' and current.label is not null and position > ?"
    )
    for _, text, label in _pages(sql, query, at):
        yield text, None, label


def _labels_at(sql: Sql, at: int) -> dict[int, str | None]:
    """Return the labels that examples had at a position, if they may have changed since."""
    query = (
        "select position, what, target from entries "
        "where position > ? and what not in ('learn', 'forget')"
    )
    touched = _touched(sql, sql.execute(query, (at,)).fetchall())
    if touched is None:
        return labels(all_steps(sql, at))
    return _labels_of(sql, (position for position in sorted(touched) if position <= at), at)


def _labels_of(sql: Sql, learned: Iterable[int], at: int) -> dict[int, str | None]:
    """Return the labels that some examples had at a position."""
    return {one: labels(steps_of_example(sql, one, at)).get(one) for one in learned}


def _touched(sql: Sql, entries: Iterable[tuple[int, str, int | None]]) -> set[int] | None:
    """Return the examples that entries may give another label, besides new ones; None: all."""
    found: set[int] = set()
    for _, what, target in entries:
        while what == UNDO:
            ((what, next_target),) = sql.execute(
                "select what, target from entries where position = ?", (target,)
            ).fetchall()
            target = target if what == LEARN else next_target
        if what in OF_CLASSES:
            return None
        if target is not None:
            found.add(target)
    return found


class Written(NamedTuple):
    """An entry as a process reads it that follows."""

    position: int
    what: str
    target: int | None
    who: str
    words: int
    classes: int
    text: str | None
    label: str | None


def written(sql: Sql, after: int, until: int) -> list[Written]:
    """Return the entries after a position up to another one."""
    query = (
        f"select {', '.join(Written._fields)} from entries "
        "where position > ? and position <= ? order by position"
    )
    return [Written(*row) for row in sql.execute(query, (after, until))]


def moved_by(sql: Sql, entries: Sequence[Written], after: int) -> Iterator[Moved]:
    """Examples whose label is another after some entries than at the position before them."""
    until = entries[-1].position
    changing = [(e.position, e.what, e.target) for e in entries if e.what not in (LEARN, FORGET)]
    touched = _touched(sql, changing)
    if touched is None:
        then, now = labels(all_steps(sql, after)), labels(all_steps(sql, until))
    else:
        then = _labels_of(sql, (one for one in touched if one <= after), after)
        now = _labels_of(sql, touched, until)
    query = "select text from entries where position = ? and text is not null"
    for one in sorted(one for one in now if one <= after and now[one] != then.get(one)):
        for (text,) in sql.execute(query, (one,)):
            yield text, then.get(one), now[one]
    for entry in entries:
        if entry.what == LEARN and entry.text is not None:
            yield entry.text, None, now.get(entry.position, entry.label)

"""The counts of a journal: the last snapshot, and what was changed since."""

from collections.abc import Iterator
from itertools import islice

from nabi.errors import ModelFileError
from nabi.models.load import load
from nabi.models.text import TextClassifier
from nabi.server.journal.sqlite import SqliteJournal
from nabi.server.store.counting import Delta
from nabi.server.store.replay import all_steps, labels, steps_of_example

CHUNK = 20_000  # texts in memory at a time

Moved = tuple[str, str | None, str | None]  # a text, its label then and now


def restored(journal: SqliteJournal, empty: TextClassifier) -> tuple[TextClassifier, int]:
    """Return the model at the head of the journal, and the position of its snapshot (0: none)."""
    model, at = _snapshot(journal, empty)
    moved = _moved_since(journal, at) if at else _counted(journal)
    while chunk := list(islice(moved, CHUNK)):
        delta = Delta()
        for each in chunk:
            delta.move(*each)
        model, _ = delta.applied(model)
    return model, at


def replayed(journal: SqliteJournal, empty: TextClassifier) -> TextClassifier:
    """Return the model by the entries alone: no snapshot, no table that is derived from them."""
    model, now = empty, iter(sorted(labels(all_steps(journal)).items()))
    while chunk := list(islice(now, CHUNK)):
        delta = Delta()
        for position, label in chunk:
            text = journal.value("select text from entries where position = ?", position)
            delta.move(text, None, label)
        model, _ = delta.applied(model)
    return model


def _snapshot(journal: SqliteJournal, empty: TextClassifier) -> tuple[TextClassifier, int]:
    """Return the model of the last snapshot that may be used, and its position."""
    found = journal.snapshot()
    if found is not None and journal.last_erased <= found[0] <= journal.head():
        try:
            model = load(found[1])
        except (ModelFileError, FileNotFoundError):
            model = None
        if isinstance(model, TextClassifier) and repr(model) == repr(empty):
            return model, found[0]
    return empty, 0


def _counted(journal: SqliteJournal) -> Iterator[Moved]:
    """All examples that are counted."""
    query = (
        "select text, null, current.label from entries join current using (position) "
        "where what = 'learn' and current.label is not null order by position"
    )
    yield from journal.sql.execute(query)


def _moved_since(journal: SqliteJournal, at: int) -> Iterator[Moved]:
    """Examples whose label is another than at a position, in the order of that position."""
    then = _labels_at(journal, at)
    for position, label in then.items():
        rows = journal.rows(
            "select text, current.label from entries join current using (position) "
            "where position = ?",
            position,
        )
        for text, now in rows:
            yield text, label, now
    yield from journal.sql.execute(
        "select text, null, current.label from entries join current using (position) "
        "where position > ? and what = 'learn' and current.label is not null order by position",
        (at,),
    )


def _labels_at(journal: SqliteJournal, at: int) -> dict[int, str | None]:
    """Return the labels that examples had at a position, if they may have changed since."""
    touched: set[int] = set()
    later = (
        "select what, target from entries where position > ? and what not in ('learn', 'forget')"
    )
    for what, target in journal.rows(later, at):
        while what == "undo":
            ((what, next_target),) = journal.rows(
                "select what, target from entries where position = ?", target
            )
            target = target if what == "learn" else next_target
        if what in ("rename", "join", "drop"):
            return labels(all_steps(journal, at))
        if target is not None and target <= at:
            touched.add(target)
    return {
        position: labels(steps_of_example(journal, position, at)).get(position)
        for position in sorted(touched)
    }

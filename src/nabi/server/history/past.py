"""Models of a journal as it was at a time, and as it would be without one person's labels.

Both follow from the definition of the state (`replay/steps.py`). What was forgotten since is in
none of them.
"""

from datetime import UTC, datetime, timedelta

from nabi.errors import InputError
from nabi.models.text import TextClassifier
from nabi.server.journal.interface import LEARN, Journal, Sql
from nabi.server.store.replay.state import deltas, learned_texts, replayed
from nabi.server.store.replay.steps import Step, all_steps, labels
from nabi.server.store.settings import empty_model

DATE = len("2026-11-01")
LAST_MOMENT = timedelta(days=1) - timedelta(milliseconds=1)


def moment(given: str, *, ends: bool = False) -> float:
    """Return an ISO date or time as seconds since 1970, in UTC where it names no other zone.

    A date alone is its first moment, or with `ends` its last.

    >>> moment("1970-01-02"), moment("1970-01-01T01:00+01:00"), moment("1970-01-01", ends=True)
    (86400.0, 0.0, 86399.999)
    """
    try:
        found = datetime.fromisoformat(given)
    except ValueError:
        raise InputError(
            f"{given!r} is no date; expected 2026-11-01 or 2026-11-01T18:30+09:00"
        ) from None
    found = found if found.tzinfo else found.replace(tzinfo=UTC)
    return (found + LAST_MOMENT if ends and len(given) <= DATE else found).timestamp()


def named(when: float) -> str:
    """Return a time as a date and a time of day, in UTC."""
    return datetime.fromtimestamp(when, UTC).strftime("%Y-%m-%d %H:%M:%S")


# ---- at a time ----


def position_at(sql: Sql, when: float) -> int:
    """Return the position of the last entry that is not later than a time; 0 before the first."""
    return int(sql.execute("select max(position) from entries where time <= ?", (when,)).get or 0)


def model_at(journal: Journal, sql: Sql, when: float) -> tuple[int, TextClassifier]:
    """Return the model as of a time by a replay up to there, and its position."""
    position = position_at(sql, when)
    model = replayed(sql, empty_model(journal, sql), position)
    if not model.__sklearn_is_fitted__():
        raise InputError(f"nothing is left of what was learned by {named(when)} UTC")
    return position, model


# ---- without one person ----


def labels_without(sql: Sql, who: str) -> dict[int, str | None]:
    """Return the label that each example would have without the labels of a person.

    An example keeps the last label that somebody else gave it. Changes of classes stay.
    """
    query = "select position from entries where who = ? and what in ('learn', 'relabel')"
    theirs = {position for (position,) in sql.execute(query, (who,))}
    return labels([left for step in all_steps(sql) for left in _without(step, theirs)])


def _without(step: Step, theirs: set[int]) -> list[Step]:
    if step.position not in theirs:
        return [step]
    return [step._replace(label=None)] if step.what == LEARN else []


def model_without(journal: Journal, sql: Sql, who: str) -> TextClassifier:
    """Return the model without the labels of a person: their counts are subtracted."""
    model = replayed(sql, empty_model(journal, sql))
    now, left = labels(all_steps(sql)), labels_without(sql, who)
    moves = ((text, now.get(at), left.get(at)) for at, text in learned_texts(sql))
    for delta in deltas(each for each in moves if each[1] != each[2]):
        model, _ = delta.applied(model)
    return model

"""Drift: accuracy by day or week from audit keys, words that move, and a figure for an alarm."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import NamedTuple

from nabi.metrics.intervals import exact_interval
from nabi.server.history.guesses import Judged
from nabi.server.history.moved_words import MovedWords, moved_words
from nabi.server.journal.interface import Journal, Sql
from nabi.server.store.replay.state import head_of

DAY, WEEK = "day", "week"
RECENT = 100  # audits whose accuracy is compared
BEFORE = 400  # with that of so many before them, at most: not with the model's first days
LEAST = 100  # of these; of fewer, nothing is told


class Period(NamedTuple):
    """A day, or a week from its Monday on, and how many of its audits the model had right."""

    start: date
    audits: int
    right: int
    accuracy: float
    low: float
    high: float


def start_of(when: float, by: str) -> date:
    """Return the day of a time in UTC, or the Monday of its week.

    >>> start_of(0.0, "day"), start_of(0.0, "week")
    (datetime.date(1970, 1, 1), datetime.date(1969, 12, 29))
    """
    day = datetime.fromtimestamp(when, UTC).date()
    return day if by == DAY else day - timedelta(days=day.weekday())


def first_moment(day: date) -> float:
    """Return the time at which a day begins, in UTC."""
    return datetime(day.year, day.month, day.day, tzinfo=UTC).timestamp()


def periods(judged: Iterable[Judged], by: str) -> list[Period]:
    """Return the accuracy of each day or week that has audits, with a 95 % interval."""
    found: dict[date, list[bool]] = {}
    for one in judged:
        found.setdefault(start_of(one.time, by), []).append(one.right)
    return [Period(start, *rate(rights)) for start, rights in sorted(found.items())]


def rate(rights: Sequence[bool]) -> tuple[int, int, float, float, float]:
    """Return a number, how many of them are right, their share and its exact 95 % interval."""
    n, right = len(rights), sum(rights)
    return (n, right, right / n, *exact_interval(right, n))


@dataclass(frozen=True)
class Alert:
    """The last audits beside those before them.

    Attributes
    ----------
    recent, before : float
        Accuracy on the last 100 audits, and on up to 400 before them.
    z : float
        By how many standard errors the recent accuracy is lower; negative where it is higher.
    """

    recent: float
    before: float
    z: float


def alert(judged: Sequence[Judged]) -> Alert | None:
    """Return how the last audits differ from those before; None where there are too few."""
    rights = [one.right for one in judged]
    recent, before = rights[-RECENT:], rights[-RECENT - BEFORE : -RECENT]
    if len(before) < LEAST:
        return None
    return Alert(
        sum(recent) / len(recent),
        sum(before) / len(before),
        fallen(sum(before), len(before), sum(recent), len(recent)),
    )


def fallen(right: int, n: int, later: int, m: int) -> float:
    """Return how much lower the share `later` of m is than `right` of n, in standard errors.

    The two-sample z statistic of two shares, with the pooled share.

    >>> round(fallen(360, 400, 75, 100), 2), fallen(10, 10, 10, 10)
    (3.99, 0.0)
    """
    pooled = (right + later) / (n + m)
    error = math.sqrt(pooled * (1.0 - pooled) * (1.0 / n + 1.0 / m))
    return (right / n - later / m) / error if error > 0 else 0.0


# ---- all of it ----


@dataclass(frozen=True)
class Drift:
    """Accuracy over time, the figure for an alarm, and the words that moved; at a position."""

    position: int
    by: str
    periods: list[Period]
    alert: Alert | None
    moved: MovedWords | None


def drift(
    journal: Journal,
    judged: Sequence[Judged],
    by: str,
    *,
    since: float | None = None,
    until: float,
    top: int,
) -> Drift:
    """Return how accuracy and words have moved.

    `since` parts the texts whose words are compared (default: the start of the newest day or week
    that has labels).
    """
    with journal.reading() as sql:
        position = head_of(sql)
        start = _newest(sql, by, until) if since is None else since
        moved = None if start is None else moved_words(journal, sql, start, until, top)
    return Drift(position, by, periods(judged, by), alert(judged), moved)


def _newest(sql: Sql, by: str, until: float) -> float | None:
    """Return the start of the newest period with examples; None where there are none before it."""
    query = (
        "select min(time), max(time) from entries join current using (position) "
        "where what = 'learn' and current.label is not null and time <= ?"
    )
    ((first, last),) = sql.execute(query, (until,))
    if last is None:
        return None
    start = first_moment(start_of(last, by))
    return start if first < start else None

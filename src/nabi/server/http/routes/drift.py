"""`/drift`, `/people`, `/without`: accuracy over time, and what each person's labels do."""

import time
from datetime import date
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from nabi.server.history.drift import Alert, Drift
from nabi.server.history.moved_words import MovedWords
from nabi.server.history.past import moment
from nabi.server.http.call import Call
from nabi.server.http.endpoint import Endpoint
from nabi.server.http.shapes import After
from nabi.server.people import without as persons

When = Annotated[str, Meta(max_length=40)]


class DriftAsked(After):
    """By day or week; the two times between which words have moved; how many words."""

    by: Literal["day", "week"] = "week"
    since: When | None = None
    until: When | None = None
    top: Annotated[int, Meta(ge=0, le=1000)] = 20


class PeriodShape(msgspec.Struct):
    """A day, or a week from its Monday on: how many of its audits the model of then had right."""

    start: date
    audits: int
    right: int
    accuracy: float
    low: float
    high: float


class AlertShape(msgspec.Struct):
    """Accuracy on the last 100 audits and on up to 400 before; the fall in standard errors."""

    recent: float
    before: float
    z: float


class MovedWordShape(msgspec.Struct):
    """A word, its G squared, and in how many texts it is before and after, by class.

    `p`: the probability that any of the words has as much by chance.
    """

    word: str
    g2: float
    p: float
    before: int
    after: int
    classes: dict[str, tuple[int, int]]


class MovedShape(msgspec.Struct):
    """Words of the texts learned before `since` beside those from then on, up to `until`."""

    since: float
    until: float
    texts: dict[str, tuple[int, int]]
    tested: int
    words: list[MovedWordShape]


class DriftNow(msgspec.Struct):
    """Accuracy over time by audit texts, and the words that moved; nulls where nothing is known."""

    position: int
    by: Literal["day", "week"]
    periods: list[PeriodShape]
    alert: AlertShape | None
    moved: MovedShape | None


async def drift(call: Call, query: DriftAsked) -> DriftNow:
    """Tell accuracy by day or week from audit texts, and which words have moved most."""
    await call.reach(query.after)
    found: DriftNow = await call.in_thread(_drift, call, query)
    return found


def _drift(call: Call, query: DriftAsked) -> DriftNow:
    since = None if query.since is None else moment(query.since)
    until = time.time() if query.until is None else moment(query.until, ends=True)
    found: Drift = call.labelling.drift(query.by, since, until, query.top)
    return DriftNow(
        found.position,
        query.by,
        [PeriodShape(*one) for one in found.periods],
        None if found.alert is None else _alert(found.alert),
        None if found.moved is None else _moved(found.moved),
    )


def _alert(found: Alert) -> AlertShape:
    return AlertShape(found.recent, found.before, found.z)


def _moved(found: MovedWords) -> MovedShape:
    words = [MovedWordShape(*word) for word in found.words]
    return MovedShape(found.since, found.until, found.texts, found.tested, words)


# ---- people ----


class PersonShape(msgspec.Struct):
    """A person, the labels that they gave, and their second labels of audit texts."""

    who: str
    labels: int
    seconds: int


class PeopleNow(msgspec.Struct):
    """Who has labelled; who gave most comes first."""

    people: list[PersonShape]


async def people(call: Call) -> PeopleNow:
    """Tell who gave how many labels."""
    found: list[persons.Person] = await call.in_thread(_people, call)
    return PeopleNow([PersonShape(*one) for one in found])


def _people(call: Call) -> list[persons.Person]:
    with call.store.journal.reading() as sql:
        return persons.people(sql)


class WithoutAsked(After):
    """The person whose labels are left out."""

    who: Annotated[str, Meta(max_length=200)] = ""


class BesideShape(msgspec.Struct):
    """Accuracy of both models on the same texts, with the ends of its interval.

    `worse`, `better`: texts that only the full model has right, and only the other; `p` is
    McNemar's.
    """

    texts: int
    full: list[float]
    without: list[float]
    worse: int
    better: int
    p: float


class WithoutNow(msgspec.Struct):
    """The model without one person's labels beside the full one, on the labels of others.

    `audits`: on audit texts, which were drawn by chance; `others`: on all; `own`: how often the
    model of the others gives the label that this person gave. Nulls where there is nothing.
    """

    position: int
    who: str
    labels: int
    examples: int
    audits: BesideShape | None
    others: BesideShape | None
    own: list[float] | None


async def without(call: Call, query: WithoutAsked) -> WithoutNow:
    """Tell how the model would do without the labels of one person."""
    await call.reach(query.after)
    found: WithoutNow = await call.in_thread(_without, call, query.who)
    return found


def _without(call: Call, who: str) -> WithoutNow:
    with call.store.journal.reading() as sql:
        found = persons.without(call.store.journal, sql, who)
    return WithoutNow(
        found.position,
        found.who,
        found.labels,
        found.examples,
        _beside(found.audits),
        _beside(found.others),
        None if found.own is None else list(found.own),
    )


def _beside(found: persons.Beside | None) -> BesideShape | None:
    if found is None:
        return None
    rates = list(found.full), list(found.without)
    return BesideShape(found.texts, *rates, found.worse, found.better, found.p)


ENDPOINTS = [
    Endpoint("GET", "/drift", drift, "read"),
    Endpoint("GET", "/people", people, "read"),
    Endpoint("GET", "/without", without, "read"),
]

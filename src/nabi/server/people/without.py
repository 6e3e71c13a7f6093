"""People: who labelled how much, and how the model would do without the labels of one of them."""

from dataclasses import dataclass
from typing import NamedTuple

from nabi.errors import UnknownExampleError
from nabi.judging.learned import LEVEL, leave_one_out
from nabi.metrics.comparison import mcnemar
from nabi.metrics.intervals import exact_interval
from nabi.models.text import TextClassifier
from nabi.server.history.past import labels_without, model_without
from nabi.server.journal.interface import Journal, Sql
from nabi.server.store.replay.state import learned_texts, replayed
from nabi.server.store.replay.steps import all_steps, labels
from nabi.server.store.settings import empty_model
from nabi.server.store.work import short

AUDITS = (
    "select entries.position from audits join pool using (number) "
    "join entries on entries.id = pool.id where what = 'learn'"
)


class Person(NamedTuple):
    """A person, the labels that they gave, and their second labels of audit texts."""

    who: str
    labels: int
    seconds: int


def people(sql: Sql, *, has_pool: bool = True) -> list[Person]:
    """Return who gave labels that are counted, or second labels; who gave most comes first."""
    gave = (
        "select who, count(*) from entries left join current using (position) "
        "where what in ('learn', 'relabel') and erased is null and undone is null group by who"
    )
    first = dict(sql.execute(gave))
    query = "select who, count(*) from seconds group by who"
    second = dict(sql.execute(query)) if has_pool else {}
    found = [Person(who, first.get(who, 0), second.get(who, 0)) for who in first | second]
    return sorted(found, key=lambda one: (-one.labels, -one.seconds, one.who))


class Rate(NamedTuple):
    """Accuracy on some texts, with the ends of its 95 % interval."""

    accuracy: float
    low: float
    high: float


@dataclass(frozen=True)
class Beside:
    """Two models on the same texts, each judged by the model without it.

    `worse` and `better` are the texts that only the model with all labels has right, and only the
    model without some of them; `p` is McNemar's, that neither is better.
    """

    texts: int
    full: Rate
    without: Rate
    worse: int
    better: int
    p: float


@dataclass(frozen=True)
class Without:
    """How the model does without the labels of a person.

    Attributes
    ----------
    labels : int
        The examples whose label is theirs.
    examples : int
        Those that are left.
    audits, others : Beside, optional
        On the labels of others: those of audit texts, which were drawn by chance, and all.
    own : Rate, optional
        On the texts that this person alone has labelled: how often the others' model agrees.
    """

    position: int
    who: str
    labels: int
    examples: int
    audits: Beside | None
    others: Beside | None
    own: Rate | None


class _Text(NamedTuple):
    position: int
    text: str
    now: str | None
    left: str | None


def without(journal: Journal, sql: Sql, who: str) -> Without:
    """Return how the model would do without the labels of a person."""
    steps = all_steps(sql)
    now, left = labels(steps), labels_without(sql, who)
    texts = [_Text(at, t, now.get(at), left.get(at)) for at, t in learned_texts(sql)]
    theirs = [one for one in texts if one.now is not None and one.now != one.left]
    if not theirs and who not in {one.who for one in people(sql, has_pool=journal.has_pool)}:
        raise UnknownExampleError(f"nobody called {short(who)} has given a label")
    full = replayed(sql, empty_model(journal, sql))
    rest = model_without(journal, sql, who)
    same = [one for one in texts if one.now is not None and one.now == one.left]
    audits = {at for (at,) in sql.execute(AUDITS)} if journal.has_pool else set()
    judged = _judged(full, rest, same)
    drawn = [row for one, row in zip(same, judged, strict=False) if one.position in audits]
    return Without(
        steps[-1].position if steps else 0,
        who,
        len(theirs),
        sum(one.left is not None for one in texts),
        _beside(drawn),
        _beside(judged),
        _own(rest, [one for one in theirs if one.left is None]),
    )


Row = tuple[str, str, str]  # a label, and what the two models say


def _judged(full: TextClassifier, rest: TextClassifier, same: list[_Text]) -> list[Row]:
    """Return the label of each text, and what the two models without it say."""
    if not same or min(_classes(full), _classes(rest)) < 2:
        return []
    texts, given = [one.text for one in same], [str(one.now) for one in same]
    said = [_said(model, texts, given) for model in (full, rest)]
    return list(zip(given, *said, strict=True))


def _classes(model: TextClassifier) -> int:
    return len(model.classes_) if model.__sklearn_is_fitted__() else 0


def _said(model: TextClassifier, texts: list[str], given: list[str]) -> list[str]:
    found = leave_one_out(model, texts, given)
    return [str(found.labels[i]) for i in found.predicted.tolist()]


def _beside(rows: list[Row]) -> Beside | None:
    if not rows:
        return None
    given, *both = map(list, zip(*rows, strict=True))
    full, rest = (_rate([a == b for a, b in zip(given, said, strict=True)]) for said in both)
    found = mcnemar(given, *both)
    return Beside(len(rows), full, rest, found.won, found.lost, found.p)


def _rate(rights: list[bool]) -> Rate:
    """Return accuracy and interval; judgements by leaving one out need a wider one (honest.py)."""
    n, right = len(rights), sum(rights)
    return Rate(right / n, *exact_interval(right, n, LEVEL))


def _own(rest: TextClassifier, theirs: list[_Text]) -> Rate | None:
    if not theirs or _classes(rest) < 2:
        return None
    said = rest.predict([one.text for one in theirs]).tolist()
    return _rate([str(a) == one.now for a, one in zip(said, theirs, strict=True)])

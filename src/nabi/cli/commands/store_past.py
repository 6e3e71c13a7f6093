"""`nabi store drift`, `model` and `without`: a store over time, and without one person."""

import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from click import UsageError

from nabi.base.checks import one_of
from nabi.cli.options import common as o
from nabi.cli.options.declare import argument, option
from nabi.cli.options.place import DATA, STORE, place_of
from nabi.cli.show import screen
from nabi.errors import InputError

if TYPE_CHECKING:
    from nabi.server.history.drift import Drift
    from nabi.server.history.moved_words import MovedWord
    from nabi.server.people.without import Beside, Without

BY = ("day", "week")


def store_drift(
    *,
    data: str | None = DATA,
    store: str | None = STORE,
    by: str = option("Accuracy by day or week, in UTC.", "PERIOD", default="week"),
    since: str | None = option(
        "Compare words before and after DATE (default: the start of the newest period).", "DATE"
    ),
    until: str | None = option("Leave out what was learned after DATE.", "DATE"),
    top: int = option("Words shown.", "N", default=20, least=0),
    out: o.Output,
) -> None:
    """Show accuracy by day or week from audit texts, and the words that have moved most.

    Each audit text is judged by the model that there was before it. The server may be running.
    See docs/team.md.

    ```
    nabi store drift --data mail-data
    nabi store drift --data mail-data --by day --since 2026-11-01
    ```
    """
    from nabi.server.history.drift import drift
    from nabi.server.history.guesses import Guesses
    from nabi.server.history.past import moment
    from nabi.server.journal.opening import read_only

    one_of("by", by, BY)
    start = None if since is None else moment(since)
    end = time.time() if until is None else moment(until, ends=True)
    with read_only(place_of(data, store)) as journal:
        judged = Guesses(journal).judged()
        found = drift(journal, judged, by, since=start, until=end, top=top)
    out.print(_as_json(found), lambda _: _show_drift(found))


def store_model(
    target: str = argument("The model file to write.", "MODEL"),
    *,
    data: str | None = DATA,
    store: str | None = STORE,
    at: str | None = option(
        "The model as of DATE: 2026-11-01 is the end of that day in UTC.", "DATE"
    ),
    without: str | None = option("The model without the labels of this person.", "TOKEN"),
    out: o.Summary,
) -> None:
    """Write the model of a store, as it is, was at a time, or is without one person's labels.

    The server may be running. Texts that were forgotten since are in none of them.

    ```
    nabi store model mail.nabi --data mail-data
    nabi store model then.nabi --data mail-data --at 2030-06-30
    nabi store model rest.nabi --data mail-data --without intern
    ```
    """
    from nabi.server.history.past import model_at, model_without, moment
    from nabi.server.journal.opening import read_only
    from nabi.server.store.replay.state import head_of

    if at is not None and without is not None:
        raise UsageError("Either --at DATE or --without TOKEN; give one of them.")
    when = time.time() if at is None else moment(at, ends=True)
    with read_only(place_of(data, store)) as journal, journal.reading() as sql:
        if without is None:
            position, model = model_at(journal, sql, when)
        else:
            position, model = head_of(sql), model_without(journal, sql, without)
    if not model.__sklearn_is_fitted__():
        raise InputError(f"nothing is left without the labels of {without!r}")
    model.save(target)
    result = {
        "model": target,
        "position": position,
        "examples": round(float(model.class_count_.sum())),
    }
    words = f"{target} has {result['examples']:,} examples, up to position {position:,}"
    out.print(result, lambda _: screen.say(words))


def store_without(
    who: str = argument("The token whose labels are left out.", "TOKEN"),
    *,
    data: str | None = DATA,
    store: str | None = STORE,
    out: o.Output,
) -> None:
    """Show how the model would do without the labels of one person, beside the model with all.

    Both are judged on the labels of others, each text by the model without it.

    ```
    nabi store without intern --data mail-data
    ```
    """
    from nabi.server.journal.opening import read_only
    from nabi.server.people.without import without

    with read_only(place_of(data, store)) as journal, journal.reading() as sql:
        found = without(journal, sql, who)
    out.print(asdict(found), lambda _: _show_without(found))


# ---- what is printed ----


def _as_json(found: "Drift") -> dict[str, Any]:
    return {
        "position": found.position,
        "by": found.by,
        "periods": [{**one._asdict(), "start": str(one.start)} for one in found.periods],
        "alert": None if found.alert is None else asdict(found.alert),
        "moved": None
        if found.moved is None
        else {**found.moved._asdict(), "words": [one._asdict() for one in found.moved.words]},
    }


def _show_drift(found: "Drift") -> None:
    if found.periods:
        rows = [
            [str(one.start), f"{one.audits:,}", *map(_rate, (one.accuracy, one.low, one.high))]
            for one in found.periods
        ]
        screen.print_table([found.by, "audits", "accuracy", "from", "to"], rows)
    else:
        screen.say("no audit texts that a model has judged: people who label give them")
    if found.alert is not None:
        recent, before = map(_rate, (found.alert.recent, found.alert.before))
        moved = f"{abs(found.alert.z):.1f} standard errors {_way(found.alert.z)}"
        screen.say(f"last 100 audits: {recent}, before: {before} ({moved})")
    if found.moved is not None and found.moved.words:
        _show_words(found.moved.since, found.moved.words)


def _way(z: float) -> str:
    return "lower" if z >= 0 else "higher"


def _show_words(since: float, words: list["MovedWord"]) -> None:
    from nabi.server.history.past import named

    screen.say("", f"words that moved most, before and after {named(since)} UTC, in texts:")
    rows = [
        [one.word, f"{one.g2:.1f}", f"{one.p:.2g}", f"{one.before:,}", f"{one.after:,}", _most(one)]
        for one in words
    ]
    screen.print_table(["word", "G2", "p", "before", "after", "most in"], rows)


def _most(word: "MovedWord") -> str:
    """Return the class in which a word moved most, with its texts."""
    label, (before, after) = next(iter(word.classes.items()))
    return f"{label}: {before:,} -> {after:,}"


def _rate(value: float) -> str:
    return f"{value:.3f}"


def _show_without(found: "Without") -> None:
    screen.say(
        f"{found.labels:,} labels of {found.who} left out, {found.examples:,} examples are left"
    )
    for name, beside in (("audits", found.audits), ("labels", found.others)):
        if beside is not None:
            screen.say(f"on {beside.texts:,} {name} of others: {_beside(beside)}")
    if found.own is not None:
        screen.say(f"on the texts of {found.who} alone, the others' model: {_three(found.own)}")


def _beside(found: "Beside") -> str:
    changed = f"{found.worse:,} worse, {found.better:,} better, p = {found.p:.2g}"
    return f"with all {_three(found.full)}, without {_three(found.without)} ({changed})"


def _three(rate: tuple[float, float, float]) -> str:
    value, low, high = map(_rate, rate)
    return f"{value} ({low} to {high})"

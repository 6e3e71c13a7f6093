"""Drift: each audit judged by the model of its time, the model as of a date, words that moved."""

import random
from datetime import date

import numpy as np
import pytest
from scipy.stats import chi2, chi2_contingency

import nabi
from nabi.errors import InputError
from nabi.metrics.intervals import exact_interval
from nabi.server import AddTexts, Drop, Forget, Join, Learn, PoolText, Relabel, Rename, Undo
from nabi.server.history.drift import alert, drift, fallen, periods
from nabi.server.history.guesses import Guesses, Judged
from nabi.server.history.moved_words import chi2_tail, moved_words
from nabi.server.history.past import model_at, moment
from nabi.server.store.upkeep import saved

DAY = 86400.0
MONDAY = moment("2026-11-02")


@pytest.fixture
def at(store):
    """Say when the entries of a change were made."""

    def dated(when, outcome, entries=1):
        query = "update entries set time = ? where position > ? and position <= ?"
        last = outcome.position
        store.journal.rows(query, when, last - entries, last)
        return outcome

    return dated


@pytest.fixture
def labelled(go, at):
    """Two hundred texts with labels, twenty a day, every fourth an audit: (text, label, audit)."""
    chance, rows = random.Random(5), []
    for n in range(200):
        label = chance.choice("ab")
        words = [f"{chance.choice([label, *'abxx'])}{chance.randrange(9)}" for _ in "123"]
        rows.append((" ".join(words) + f" n{n}", label, n % 4 == 3))
    go(AddTexts(tuple(PoolText(text, id=text) for text, _, _ in rows)))
    for day in range(10):
        learned = [Learn(t, c, t, audit=a) for t, c, a in rows[20 * day : 20 * day + 20]]
        at(MONDAY + day * DAY, go(*learned, who="anna"), 20)
    return rows


def fitted(rows):
    return nabi.TextClassifier(ledger="strong").fit([r[0] for r in rows], [r[1] for r in rows])


def right(rows, text, label):
    return fitted(rows).predict([text]).tolist() == [label]


# ---- accuracy by day or week ----


def test_each_audit_is_judged_by_the_model_before_it(store, labelled):
    expected = [right(labelled[:n], t, c) for n, (t, c, audit) in enumerate(labelled) if audit]
    found = Guesses(store.journal).judged()
    assert [one.right for one in found] == expected
    assert 0.5 < np.mean(expected) < 1
    assert found[-1].time == MONDAY + 9 * DAY


def test_a_guess_does_not_change_with_what_comes_later(store, go, labelled):
    follows = Guesses(store.journal)
    before = follows.judged()
    go(*(Learn(f"a{n} x1", "b") for n in range(50)))
    assert follows.judged() == before == Guesses(store.journal).judged()


def test_many_entries_are_judged_by_a_model_that_is_a_hundredth_behind(store, go, labelled):
    go(*(Learn(f"x{n} a{n}", "ab"[n % 2]) for n in range(400)))  # positions 201 to 600
    go(AddTexts((PoolText("b1 b2 b3", id="late"),)), Learn("b1 b2 b3", "b", "late", audit=True))
    rows = [*labelled, *((f"x{n} a{n}", "ab"[n % 2]) for n in range(400))]
    at = 0
    while at + max(1, at // 100) <= 600:
        at += max(1, at // 100)
    assert 594 <= at <= 600
    assert Guesses(store.journal).judged()[-1].right == right(rows[:at], "b1 b2 b3", "b")


def test_accuracy_by_day_and_week_has_exact_intervals(store, labelled):
    judged = Guesses(store.journal).judged()
    days, weeks = periods(judged, "day"), periods(judged, "week")
    assert [one.start for one in weeks] == [date(2026, 11, 2), date(2026, 11, 9)]
    assert [one.audits for one in days] == [5] * 10
    assert sum(one.right for one in days[:7]) == weeks[0].right
    assert weeks[0][3:] == (weeks[0].right / 35, *exact_interval(weeks[0].right, 35))


def test_a_corrected_label_is_what_counts(store, go, labelled):
    follows = Guesses(store.journal)
    before = follows.judged()
    go(Relabel(labelled[199][0], "b" if labelled[199][1] == "a" else "a"))
    assert [one.right for one in follows.judged()][-1] is not before[-1].right


def test_guesses_follow_the_names_of_classes(store, go, labelled):
    follows = Guesses(store.journal)
    before = follows.judged()
    done = go(Rename("a", "z"))
    assert follows.judged() == before
    go(Undo(done.position), Join(("a",), "b"))
    assert all(one.right for one in follows.judged())
    go(Drop("b"))
    assert follows.judged() == []


def test_what_is_undone_is_no_audit_and_teaches_nothing(store, go, labelled):
    go(Undo(200))
    assert len(Guesses(store.journal).judged()) == 49


def test_forgotten_texts_are_in_no_model_that_guesses(store, go, labelled):
    follows = Guesses(store.journal)
    assert len(follows.judged()) == 50
    go(*(Forget(id=text) for text, _, _ in labelled[:60]))
    rest = labelled[60:]
    expected = [right(rest[:n], t, c) for n, (t, c, audit) in enumerate(rest) if audit]
    assert [one.right for one in follows.judged()] == expected
    found = follows._model.counts.find(*_names(b"n7", b"n170")).offsets
    assert found.tolist() == [0, 0, 1]


def test_a_store_without_a_pool_has_no_audits(store, go):
    go(Learn("good", "a"), Learn("bad", "b"))
    found = drift(store.journal, Guesses(store.journal).judged(), "week", until=2e9, top=5)
    assert (found.periods, found.alert, found.moved) == ([], None, None)


def _names(*names):
    ends = np.cumsum([0, *map(len, names)]).astype(np.uint64)
    return np.frombuffer(b"".join(names), np.uint8), ends


# ---- the alarm ----


def test_the_alarm_compares_the_last_audits_with_those_before():
    rights = [*[True] * 90, *[True, False] * 200, *[False] * 75, *[True] * 25]
    found = alert([Judged(0.0, one) for one in rights])
    assert (found.recent, found.before) == (0.25, 0.5)
    assert found.z == fallen(200, 400, 25, 100) == pytest.approx(4.4947, abs=1e-4)
    assert alert([Judged(0.0, True)] * 199) is None
    assert alert([Judged(0.0, True)] * 200).z == 0


# ---- the model as of a date ----


def model_of(store, when):
    with store.journal.reading() as sql:
        return model_at(store.journal, sql, moment(when, ends=True))


def test_the_model_as_of_a_date_has_the_bytes_of_one_that_learned_until_then(store, labelled):
    position, model = model_of(store, "2026-11-04")
    assert (position, saved(model)) == (60, saved(fitted(labelled[:60])))
    assert model_of(store, "2026-11-04T00:00")[0] == 60
    assert model_of(store, "2026-11-03T23:59+00:00")[0] == 40


def test_the_model_of_then_has_the_labels_and_classes_of_then(store, go, at, labelled):
    text = labelled[0][0]
    at(MONDAY + 20 * DAY, go(Relabel(text, "c"), Rename("a", "z"), Undo(2)), 3)
    assert saved(model_of(store, "2026-11-11")[1]) == saved(fitted(labelled))
    with store.view() as view:
        assert saved(model_of(store, "2026-12-01")[1]) == saved(view.model)


def test_the_model_of_then_has_nothing_that_was_forgotten_since(store, go, labelled):
    go(Forget(id=labelled[5][0]))
    left = [*labelled[:5], *labelled[6:60]]
    assert saved(model_of(store, "2026-11-04")[1]) == saved(fitted(left))


def test_before_the_first_entry_there_is_no_model(store, labelled):
    with pytest.raises(InputError, match="nothing is left of what was learned by 2026-10-31 23:59"):
        model_of(store, "2026-10-31")
    with pytest.raises(InputError, match="'yesterday' is no date; expected 2026-11-01"):
        moment("yesterday")


# ---- words that moved ----


@pytest.fixture
def moved(go, at, store):
    """Ninety texts; in the second half, a word comes to one class, and one leaves."""
    for n in range(90):
        label, is_late = "ab"[n % 2], n >= 45
        words = ["same", f"n{n}", *(["new"] if is_late and label == "a" else [])]
        words += ["old", "old"] if not is_late or n % 5 == 0 else []
        at(MONDAY + is_late * 7 * DAY, go(Learn(" ".join(words), label, f"id{n}")))

    def found(top=10, **given):
        with store.journal.reading() as sql:
            return moved_words(store.journal, sql, given.get("since", MONDAY + DAY), 2e9, top)

    return found


def test_g2_is_that_of_the_tables_of_texts_by_class(moved):
    found = moved()
    assert found.texts == {"a": (23, 22), "b": (22, 23)}
    words = {one.word: one for one in found.words}
    g2 = lambda table: chi2_contingency(table, False, "log-likelihood").statistic  # noqa: E731
    old = words["old"]
    rest = [(a, b, *found.texts[c]) for c, (a, b) in old.classes.items()]
    expected = sum(g2([[a, n - a], [b, m - b]]) for a, b, n, m in rest)
    assert old.g2 == pytest.approx(expected, rel=1e-9)
    assert (old.before, old.after) == (45, 9)
    assert old.p == pytest.approx(found.tested * chi2.sf(expected, 2), rel=1e-6)


def test_words_that_moved_are_first_and_few_texts_are_no_evidence(moved):
    found = moved()
    assert [one.word for one in found.words] == ["old", "new", "same"]  # n0, n1, ... in one each
    assert found.words[1].classes == {"a": (0, 22)}
    assert (found.words[2].g2, found.words[2].p) == (0.0, 1.0)
    assert [one.word for one in moved(top=1).words] == ["old"]


def test_a_forgotten_text_does_not_speak(moved, go):
    go(*(Forget(id=f"id{n}") for n in range(46, 90, 2)))
    assert "new" not in [one.word for one in moved().words]


def test_the_newest_period_is_compared_with_all_before(moved, store):
    found = drift(store.journal, [], "week", until=2e9, top=3).moved
    assert (found.since, [one.word for one in found.words]) == (
        MONDAY + 7 * DAY,
        ["old", "new", "same"],
    )
    assert drift(store.journal, [], "week", until=MONDAY + DAY, top=3).moved is None


@pytest.mark.parametrize("freedom", [1, 2, 3, 8])
def test_the_tail_of_chi_squared_is_that_of_scipy(freedom):
    for x in (0.1, 1.0, 7.5, 60.0):
        assert chi2_tail(x, freedom) == pytest.approx(chi2.sf(x, freedom), rel=1e-9)

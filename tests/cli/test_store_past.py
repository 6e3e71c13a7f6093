"""`nabi store drift`, `model` and `without`."""

import json

import pytest

import nabi
from nabi.server import AddTexts, Forget, Learn, PoolText, Store

MONDAY, WEEK = 1793577600.0, 7 * 86400.0  # 2026-11-02


@pytest.fixture
def data(folder):
    """Labels of two weeks and two people, all audits; in the second week a word is new."""
    rows = [(f"{'good' if n % 2 else 'bad'} film n{n}", "+" if n % 2 else "-") for n in range(40)]
    rows = [(text + (" sequel" if n >= 20 else ""), label) for n, (text, label) in enumerate(rows)]
    with Store(folder.path / "data") as store:
        texts = tuple(PoolText(text, id=f"id{n}") for n, (text, _) in enumerate(rows))
        store.submit([AddTexts(texts)], who="me").result()
        for n, (text, label) in enumerate(rows):
            learn = Learn(text, label, f"id{n}", audit=True)
            store.submit([learn], who="intern" if n % 4 == 0 else "me").result()
        store.journal.rows("update entries set time = ? + position / 21 * ?", MONDAY, WEEK)
    return folder


def test_drift_shows_accuracy_by_week_and_words_that_moved(data):
    shown = data.nabi("store", "drift", "--data", "data")
    assert "2026-11-02" in shown
    assert "2026-11-09" in shown
    assert "words that moved most, before and after 2026-11-09 00:00:00 UTC, in texts:" in shown
    found = json.loads(data.nabi("store", "drift", "--data", "data", "--json", "--by", "day"))
    assert [one["start"] for one in found["periods"]] == ["2026-11-02", "2026-11-09"]
    (first, *_) = found["moved"]["words"]
    assert (first["word"], first["before"], first["after"]) == ("sequel", 0, 20)
    assert found["alert"] is None


def test_drift_between_dates_and_what_is_no_date(data):
    shown = data.nabi("store", "drift", "--data", "data", "--until", "2026-11-05", "--json")
    assert json.loads(shown)["moved"] is None
    assert "'May' is no date" in data.refused("store", "drift", "--data", "data", "--since", "May")
    assert "there are: day, week" in data.refused("store", "drift", "--data", "data", "--by", "x")


def test_a_store_without_audits_says_so(folder):
    with Store(folder.path / "data") as store:
        store.submit([Learn("good", "+"), Learn("bad", "-")], who="me").result()
    shown = folder.nabi("store", "drift", "--data", "data")
    assert shown == "no audit texts that a model has judged: people who label give them\n"


def test_the_model_as_of_a_date_is_written(data):
    shown = data.nabi("store", "model", "then.nabi", "--data", "data", "--at", "2026-11-08")
    assert shown == "then.nabi has 20 examples, up to position 20\n"
    model = nabi.load(data.path / "then.nabi")
    assert model.counts.new_words([["sequel"]], model.recipe) == [1]
    data.nabi("store", "model", "now.nabi", "--data", "data")
    assert sum(nabi.load(data.path / "now.nabi").class_count_) == 40


def test_the_model_as_of_a_date_has_nothing_that_was_forgotten(data):
    with Store(data.path / "data") as store:
        store.submit([Forget(id="id3")], who="me").result()
    data.nabi("store", "model", "then.nabi", "--data", "data", "--at", "2026-11-08")
    assert b"n3" not in (data.path / "then.nabi").read_bytes()


def test_the_model_without_a_person_is_written_and_judged(data):
    shown = data.nabi("store", "model", "m.nabi", "--data", "data", "--without", "intern")
    assert shown == "m.nabi has 30 examples, up to position 40\n"
    shown = data.nabi("store", "without", "intern", "--data", "data")
    assert "10 labels of intern left out, 30 examples are left" in shown
    assert "on 30 audits of others: with all " in shown
    assert "on the texts of intern alone, the others' model: " in shown
    refused = data.refused("store", "without", "nobody", "--data", "data")
    assert "nobody called 'nobody' has given a label" in refused

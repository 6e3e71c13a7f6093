"""Several processes on one journal: each follows the others, and their counts are equal."""

import random

import psycopg
import pytest
from replicas import equal, model_bytes

from nabi.errors import ConflictError, DivergedError, ForgottenError, KeyReusedError
from nabi.server import Forget, Join, Key, Learn, Relabel, Rename, Store, Undo, Where
from nabi.server.journal.postgres.link import Link
from nabi.server.store import writer
from nabi.server.store.upkeep import check, rebuild
from store_oracle import PlainStore, made, random_change

SOME = (Learn("good film", "+", id="x"), Learn("bad film", "-", id="y"))


def test_a_process_predicts_by_what_another_has_learned(two):
    one, other = two
    done = one.submit(SOME, who="anna").result()
    assert other.wait(done.position, 10)
    with other.view() as view:
        assert view.model.predict(["so good"]).tolist() == ["+"]
    assert other.example("x").who == "anna"


def test_positions_have_no_gaps_whoever_writes(two):
    futures = [two[n % 2].submit([Learn(f"text {n}", "+")], who="me") for n in range(200)]
    positions = sorted(future.result().position for future in futures)
    assert positions == list(range(1, 201))
    assert equal(*two)


def test_a_refused_change_leaves_no_gap(two):
    one, other = two
    one.submit(SOME, who="me").result()
    with pytest.raises(ConflictError):
        other.submit([Learn("new", "+"), Learn("good", "+", id="x")], who="me").result()
    assert other.submit([Learn("new", "+")], who="me").result().position == 3


@pytest.mark.parametrize(
    "changes",
    [
        [Relabel("x", "-")],
        [Undo(1)],
        [Undo(1), Undo(3)],
        [Rename("+", "pos")],
        [Join(("+", "-"), "all"), Undo(3)],
        [Forget(id="x")],
        [Relabel("x", "-"), Forget(id="x"), Learn("good film", "-", id="x")],
    ],
)
def test_every_change_reaches_the_others(two, changes):
    one, other = two
    one.submit(SOME, who="me").result()
    for change in changes:
        one.submit([change], who="me").result()
    assert equal(one, other)
    other.submit([Learn("another", "+")], who="me").result()
    assert equal(one, other)


@pytest.mark.parametrize("seed", range(6))
def test_processes_that_take_turns_equal_a_replay(database, seed):
    chance, plain = random.Random(seed), PlainStore()
    with Store(database) as one, Store(database) as other:
        for _ in range(60):
            change = random_change(chance, plain)
            if change is not None:
                chance.choice([one, other]).submit([change], who="me").result()
                made(plain, change)
        assert equal(one, other)
        found = other.walk(Where(counted=None))
        assert {e.position: (e.id, e.text, e.label) for e in found} == plain.examples()
        expected = plain.model()
        assert model_bytes(one) == (b"" if expected is None else expected.to_bytes())
    assert check(database).problems == []


def test_a_key_counts_once_whoever_is_asked(two):
    one, other = two
    first = one.submit([Learn("a", "+")], who="me", key=Key("k", b"1")).result()
    again = other.submit([Learn("a", "+")], who="me", key=Key("k", b"1")).result()
    assert (again.position, again.ids) == (first.position, first.ids)
    with pytest.raises(KeyReusedError):
        other.submit([Learn("b", "+")], who="me", key=Key("k", b"2")).result()


def test_what_one_process_forgets_all_forget(two, database):
    one, other = two
    one.submit([*SOME, Learn("secretword here", "+", id="s", subject="ann")], who="me").result()
    assert equal(one, other)
    one.close()
    other.submit([Forget(subject="ann")], who="me").result()
    with pytest.raises(ForgottenError):
        other.example("s")
    assert b"secretword" not in model_bytes(other)
    with psycopg.connect(database) as sql:
        dump = sql.execute("select entries::text from nabi.entries").fetchall()
        assert "secretword" not in str(dump)
        assert sql.execute("select count(*) from nabi.snapshots").fetchone() == (0,)


def test_a_process_forgets_what_another_was_told_to(two):
    one, other = two
    one.submit([*SOME, Learn("secretword here", "+", id="s")], who="me").result()
    assert equal(one, other)
    assert b"secretword" in model_bytes(other)
    one.submit([Forget(id="s")], who="me").result()
    assert equal(one, other)
    assert b"secretword" not in model_bytes(other)
    other._writer.put(lambda: None).result()
    assert other.forgets == 1


def test_a_process_begins_at_a_snapshot_of_another(database):
    with Store(database) as store:
        store.submit(SOME, who="me").result()
    with Store(database) as again:
        assert (again.status().snapshot, again.position) == (2, 2)
        with again.view() as view:
            assert view.model.predict(["bad"]).tolist() == ["-"]


def test_a_new_process_has_all_that_others_have(two, database):
    two[0].submit(SOME, who="me").result()
    with Store(database) as third:
        assert equal(*two, third)


def test_digests_are_told_at_checkpoints(two, monkeypatch):
    monkeypatch.setattr("nabi.server.journal.postgres.journal.CHECKED_EVERY", 10)
    monkeypatch.setattr(writer, "IDLE", 100.0)
    one, other = two
    for n in range(40):
        one.submit([Learn(f"text {n}", "+"), Learn("again", "-")], who="me").result()
    other.wait(80, 10)
    told = one.journal.value("select count(*) from digests where digest is not null")
    assert told >= 8


def test_a_process_whose_digest_differs_answers_no_more(two):
    one, other = two
    one.submit(SOME, who="me").result()
    assert equal(one, other)
    one._writer.put(one._follower.compare).result()
    model, position = other._sides.copy()[::-1]
    model.partial_fit(["odd"], ["+"])  # as a broken memory may do
    other._writer.put(lambda: other._sides.replace(model, position)).result()
    other._writer.put(other._follower.compare).result()
    with pytest.raises(DivergedError, match="at position 2 the counts of this server have"):
        other.view()
    with pytest.raises(DivergedError, match="it answers no more: start it again"):
        other.submit([Learn("more", "+")], who="me")


def test_rebuild_counts_all_anew(database):
    with Store(database) as store:
        store.submit(SOME, who="me").result()
        store.journal.rows("delete from current")
    assert check(database).problems != []
    assert rebuild(database).problems == []


def test_a_batch_asks_once_which_classes_there_are(database, monkeypatch):
    asked, execute = [], Link.execute

    def noted(link, query, bound=()):
        if link is store.journal.link:  # the writer's; others look for news by theirs
            asked.append(query)
        return execute(link, query, bound)

    with Store(database) as store:
        some = [Learn(f"text {n}", label) for n, label in enumerate("abc")]
        store.submit(some, who="me").result()
        monkeypatch.setattr(Link, "execute", noted)
        store.submit([Learn("more", label) for label in "abca"], who="me").result()
        monkeypatch.undo()
    made = [query for query in asked if "current" in query or "savepoint" in query]
    assert [query.count("exists") for query in made] == [3]

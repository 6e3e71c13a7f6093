"""The database is away: predictions go on, changes are refused soon, and all is equal after it."""

import contextlib

import psycopg
import pytest
from replicas import equal

from nabi.errors import AwayError
from nabi.server import Learn, Store
from nabi.server.journal.postgres.link import Link
from nabi.server.store.upkeep import check
from served import served

FIRST = {"examples": [{"text": "good film", "label": "pos"}, {"text": "bad", "label": "neg"}]}
MORE = {"examples": [{"text": "so good", "label": "pos", "id": "x"}]}
ASKED = {"texts": ["good", "bad"]}


def admin(database):
    return psycopg.connect(database, autocommit=True)


def cut(database):
    """End all connections of servers, and let no new ones in; return how to let them."""
    name = database.rpartition("/")[2]
    other = database.removesuffix(name) + "postgres"
    with psycopg.connect(other, autocommit=True) as sql:
        sql.execute(f"alter database {name} allow_connections false")
        sql.execute(
            "select pg_terminate_backend(pid) from pg_stat_activity where datname = %s", (name,)
        )

    def healed():
        with psycopg.connect(other, autocommit=True) as sql:
            sql.execute(f"alter database {name} allow_connections true")

    return healed


def learned_again(store, changes):
    """The outcome of changes, once a database that was away answers again."""
    while True:
        with contextlib.suppress(AwayError):
            return store.submit(changes, who="me").result()
        store.journal.wait(2**62, timeout=0.1)


def test_a_store_whose_database_goes_predicts_on_and_learns_when_it_is_back(database):
    with Store(database) as store:
        store.submit([Learn("good film", "+"), Learn("bad", "-")], who="me").result()
        heal = cut(database)
        with pytest.raises(AwayError, match=r"does not answer .*predictions go on"):
            store.submit([Learn("so good", "+")], who="me").result()
        with pytest.raises(AwayError, match="does not answer"):
            store.page()
        with store.view() as view:
            assert view.model.predict(["good"]).tolist() == ["+"]
        heal()
        assert learned_again(store, [Learn("so good", "+")]).position == 3
    assert check(database).problems == []


def test_a_commit_whose_answer_was_lost_is_known_by_reading_back(database, monkeypatch):
    with Store(database) as store:
        together = Link.together

        def lost(link, *queries):
            found = together(link, *queries)
            if queries[-1] == ("commit", ()):
                monkeypatch.undo()
                link.cut()
                raise psycopg.OperationalError("the answer is lost")
            return found

        monkeypatch.setattr(Link, "together", lost)
        done = store.submit([Learn("good", "+", id="x")], who="me").result()
        assert (done.position, store.count()) == (1, 1)


def test_a_commit_that_never_came_is_known_by_reading_back(database, monkeypatch):
    with Store(database) as store:
        together = Link.together

        def lost(link, *queries):
            if queries[-1] == ("commit", ()):
                monkeypatch.undo()
                link.cut()
                raise psycopg.OperationalError("the question is lost")
            return together(link, *queries)

        monkeypatch.setattr(Link, "together", lost)
        with pytest.raises(AwayError, match="nothing was changed"):
            store.submit([Learn("good", "+", id="x")], who="me").result()
        assert learned_again(store, [Learn("good", "+", id="x")]).position == 1


def test_learning_is_refused_and_predictions_go_on_while_the_network_stalls(
    database, by_proxy, proxy
):
    with Store(database) as near, Store(by_proxy) as far:
        near.submit([Learn("good film", "+"), Learn("bad", "-")], who="me").result()
        assert far.wait(2, 10)
        proxy.stall()
        asked = far.submit([Learn("so good", "+", id="x")], who="me")
        with far.view() as view:
            assert view.model.predict(["good"]).tolist() == ["+"]
        assert near.submit([Learn("meanwhile", "-")], who="me").result().position == 3
        with pytest.raises(AwayError):
            asked.result()
        proxy.heal()
        learned_again(far, [Learn("later", "+")])
        assert equal(near, far)


def test_a_writer_that_stands_still_does_not_hold_the_others_up(database):
    with Store(database) as store:
        still = store.journal._connected()
        still.execute("begin")
        still.execute("select n from head for update")
        with pytest.raises(AwayError, match="held by another server for too long"):
            store.submit([Learn("good", "+")], who="me").result()
        assert learned_again(store, [Learn("good", "+")]).position == 1


def test_a_query_that_the_database_is_at_gets_more_time(database, monkeypatch):
    monkeypatch.setattr("nabi.server.journal.postgres.link.SECONDS", 0.2)
    with Store(database) as store:
        assert store.journal.rows("select 1 from pg_sleep(1)") == [(1,)]


def test_a_server_says_that_its_database_is_away(database):
    with served(data=database) as server:
        from nabi.server.http.tokens import add_token

        token = add_token(server.app.service.store.journal, "anna", "label")
        while server.ask("POST", "/learn", FIRST, token=token)[0] == 401:
            pass
        heal = cut(database)
        status, answer = server.ask("POST", "/learn", MORE, token=token)
        assert (status, answer["error"]["code"]) == (503, "away")
        assert server.ask("POST", "/predict", ASKED, token=token)[1]["position"] == 2
        status, answer = server.ask("GET", "/readyz", token=None)
        assert (status, answer["error"]["code"]) == (503, "away")
        heal()
        while server.ask("POST", "/learn", MORE, token=token)[0] == 503:
            pass
        assert server.ask("GET", "/readyz", token=None)[0] == 200

"""What a store in a database refuses, each with its sentence; passwords and tokens."""

import contextlib
import os

import psycopg
import pytest

import nabi
from nabi.cli import main
from nabi.errors import AwayError, InputError, JournalError, StoreError
from nabi.server import Learn, Store
from nabi.server.http.tokens import add_token, remove_token
from nabi.server.journal.postgres.address import Address
from nabi.server.journal.postgres.schema import migrations
from nabi.server.store.upkeep import check
from served import served

FIRST = {"examples": [{"text": "good film", "label": "pos"}]}
LAST = len(migrations())


def run(capsys, *arguments):
    """(exit code, output, errors) of a command."""
    code = main(list(arguments))
    told = capsys.readouterr()
    return code, told.out, told.err


@contextlib.contextmanager
def schema(database, number):
    """A database whose last migration is another."""
    Store(database).close()
    with psycopg.connect(database, autocommit=True) as sql:
        if number > LAST:
            sql.execute("insert into nabi.migrations values (%s, 'later.sql')", (number,))
        else:
            sql.execute("delete from nabi.migrations where number > %s", (number,))
            sql.execute("drop table nabi.tokens; alter table nabi.head drop column tokens")
            sql.execute("drop table nabi.leases, nabi.given")
    yield


def test_a_newer_schema_is_refused(database):
    with schema(database, 1000), pytest.raises(JournalError) as error:
        Store(database)
    assert str(error.value) == (
        f"{Address.of(database).name} has schema 1000, and this nabi knows {LAST}: "
        "a newer nabi has changed it; install that one"
    )


def test_an_older_schema_is_refused_by_who_only_reads(database):
    with schema(database, 1), pytest.raises(JournalError) as error:
        check(database)
    assert f"has schema 1, expected {LAST}; `nabi serve --store postgresql://" in str(error.value)


def test_an_older_schema_is_brought_up_to_date_by_a_server(database):
    with schema(database, 1), Store(database) as store:
        assert store.submit([Learn("good", "+")], who="me").result().position == 1
        assert store.journal.rows("select max(number) from migrations") == [(LAST,)]


def test_an_empty_database_holds_no_store(database):
    with pytest.raises(JournalError, match="holds no store; `nabi serve --store"):
        check(database)


def test_a_text_that_postgres_cannot_keep_is_refused(database):
    with (
        Store(database) as store,
        pytest.raises(InputError, match="text holds the character NUL, which PostgreSQL cannot"),
    ):
        store.submit([Learn("b\0d", "-")], who="me")


def test_a_database_that_is_not_there_is_one_line_without_the_password(capsys, monkeypatch):
    monkeypatch.setenv("NABI_STORE", "postgresql://anna:secret7@127.0.0.1:1/mail")
    code, out, error = run(capsys, "store", "check")
    assert (code, out) == (1, "")
    assert "postgresql://anna@127.0.0.1:1/mail cannot be reached" in error
    assert "secret7" not in error
    assert error.count("\n") == 1


def test_a_password_in_a_command_is_refused(capsys):
    code, _, error = run(capsys, "store", "check", "--store", "postgresql://anna:secret7@db/mail")
    assert (code, "secret7" in error) == (1, False)
    assert "other users of this machine see in the list of processes" in error


def test_a_malformed_address_is_not_shown():
    with pytest.raises(InputError, match="the address of the database is malformed") as error:
        Address.of("postgresql://anna:secret7@host:port:7/x?y")
    assert "secret7" not in str(error.value)
    assert "secret7" not in repr(Address.of("postgresql://anna:secret7@host/x"))


def test_another_recipe_is_refused(database):
    Store(database).close()
    with pytest.raises(JournalError, match="leave the recipe out"):
        Store(database, nabi.TextClassifier(ledger="strong", ngrams=(1, 2)))


def test_backups_of_a_database_are_those_of_postgres(capsys, database, tmp_path):
    Store(database).close()
    code, _, error = run(capsys, "store", "backup", str(tmp_path / "b"), "--store", database)
    assert (code, "back it up by PostgreSQL's own pg_dump" in error) == (1, True)
    code, _, error = run(capsys, "store", "scrub", "--store", database, "--find", os.devnull)
    assert (code, error) == (0, "")


def test_a_store_in_a_database_is_checked_exported_and_undone(capsys, database, tmp_path):
    with Store(database) as store:
        store.submit([Learn("good film", "+"), Learn("bad", "-")], who="intern").result()
    assert run(capsys, "store", "check", "--store", database)[0] == 0
    file = str(tmp_path / "out.jsonl")
    assert run(capsys, "store", "export", file, "--store", database)[1] == f"2 examples in {file}\n"
    assert run(capsys, "store", "undo", "--by", "intern", "--store", database)[1] == (
        "undid 2 changes of intern\n"
    )
    assert run(capsys, "store", "rebuild", "--store", database)[0] == 0


# ---- tokens ----


@pytest.fixture
def server(database):
    with served(data=database) as server:
        yield server


def status(server, token, *asked):
    return server.ask(*asked, token=token)[0]


def test_a_token_is_known_and_revoked_in_all_servers(server, database):
    keeper = server.app.service.store.journal
    with served(data=database) as other:
        token = add_token(keeper, "anna", "label")
        for one in (server, other):
            while status(one, token, "GET", "/session") != 200:
                pass
        remove_token(keeper, "anna")
        while status(other, token, "GET", "/session") != 401:
            pass
        _, answer = other.ask("GET", "/session", token=token)
        assert answer["error"]["message"] == "the token is not known to this server; check it"


def test_a_token_of_another_role_is_refused(server):
    token = add_token(server.app.service.store.journal, "bert", "read")
    while status(server, token, "GET", "/session") != 200:
        pass
    code, answer = server.ask("POST", "/learn", FIRST, token=token)
    assert (code, answer["error"]["code"]) == (403, "wrong_role")
    assert answer["error"]["message"] == "token 'bert' has the role read, and label is needed"


def test_a_cookie_of_one_server_is_known_to_the_others(server, database):
    token = add_token(server.app.service.store.journal, "anna", "label")
    with served(data=database) as other:
        tokens, others = server.app.service.access.tokens, other.app.service.access.tokens
        while (found := tokens.find(token.encode())) is None:
            pass
        while others.of_session(tokens.session(found)) is None:
            pass
        assert others.of_session(tokens.session(found)) == found


def test_tokens_of_a_database_are_added_listed_and_removed(capsys, database):
    Store(database).close()
    options = ("--store", database)
    code, secret, _ = run(capsys, "store", "token", "add", "anna", "--role", "read", *options)
    assert (code, len(secret.strip())) == (0, 43)
    assert run(capsys, "store", "token", "list", *options)[1] == "anna read\n"
    again = run(capsys, "store", "token", "add", "anna", *options)
    assert (again[0], "there is a token 'anna' already" in again[2]) == (1, True)
    assert run(capsys, "store", "token", "remove", "anna", *options)[1] == "token anna is removed\n"


def test_after_waits_for_what_another_server_has_learned(server, database):
    token = add_token(server.app.service.store.journal, "anna", "label")
    with served(data=database) as other:
        while status(other, token, "GET", "/session") != 200:
            pass
        position = other.ask("POST", "/learn", FIRST, token=token)[1]["position"]
        asked = f"/predict?after={position}", {"texts": ["good"]}
        code, answer = server.ask("POST", *asked, token=token)
        assert (code, answer["position"]) == (200, position)


def test_a_server_whose_counts_differ_refuses_to_answer(server, database):
    token = add_token(server.app.service.store.journal, "anna", "label")
    while status(server, token, "POST", "/learn", FIRST) == 401:
        pass
    store = server.app.service.store
    with psycopg.connect(database) as sql:
        sql.execute("delete from nabi.digests")
        sql.execute("insert into nabi.digests (position, digest) values (1, 'other')")
    store._writer.put(store._follower.compare).result()
    code, answer = server.ask("POST", "/predict", {"texts": ["good"]}, token=token)
    assert (code, answer["error"]["code"]) == (503, "diverged")
    own, other = store._sides.digest().hex(), b"other".hex()
    assert answer["error"]["message"].startswith(
        f"at position 1 the counts of this server have the digest {own}, and those of another "
        f"server {other}; it answers no more: start it again"
    )
    assert server.ask("GET", "/readyz", token=None)[1]["error"]["code"] == "diverged"
    assert server.ask("GET", "/livez", token=None)[0] == 200


def test_a_server_that_falls_behind_says_so(server, monkeypatch):
    monkeypatch.setattr("nabi.server.store.replay.follower.LATE", 0.0)
    store = server.app.service.store
    monkeypatch.setattr(store._follower, "catch_up", lambda: None)
    store.journal.noticed = 5
    code, answer = server.ask("GET", "/readyz", token=None)
    assert (code, answer["error"]["code"]) == (503, "behind")
    assert "this server is at position 0, the journal at 5" in answer["error"]["message"]


def test_two_stores_refuse_what_is_no_place(capsys):
    code, _, error = run(capsys, "store", "check", "--store", "mysql:x")
    assert (code, "expected postgresql://USER@HOST/NAME or sqlite:DIR" in error) == (2, True)
    with pytest.raises((AwayError, StoreError)):
        Store("postgresql://nobody@127.0.0.1:1/none")

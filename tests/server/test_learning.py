"""The routes of a server that learns: shapes, refusals, idempotency, and what is read after."""

import urllib.request

import duckdb
import pytest

from nabi.server.http.limits import Limits
from nabi.server.http.tokens import TokenFile, add_token
from served import served

GOOD = {"text": "good film", "label": "pos"}
BAD = {"text": "bad film", "label": "neg"}


@pytest.fixture
def server(tmp_path):
    with served(data=tmp_path / "store") as server:
        yield server


def learn(server, *examples, **more):
    return server.ask("POST", "/learn", {"examples": list(examples)}, **more)


def refused(found):
    """(status, code, message) of an answer."""
    status, answer = found
    return status, answer["error"]["code"], answer["error"]["message"]


# ---- shapes ----


def test_learning_answers_with_position_and_ids(server):
    status, answer = learn(server, {**GOOD, "id": "a"}, {**BAD, "id": "b", "subject": "anna"})
    assert (status, answer) == (200, {"position": 2, "ids": ["a", "b"]})
    asked = {"texts": ["so good"], "proba": True, "top": 1}
    _, predicted = server.ask("POST", "/predict", asked)
    (result,) = predicted["results"]
    assert (predicted["position"], result["label"], [*result["proba"]]) == (2, "pos", ["pos"])


def test_an_id_is_made_where_none_is_given(server):
    _, answer = learn(server, GOOD, GOOD)
    assert len(set(answer["ids"])) == 2


def test_predictions_before_anything_is_learned_are_refused(server):
    status, code, message = refused(server.ask("POST", "/predict", {"texts": ["good"]}))
    assert (status, code) == (409, "nothing_learned")
    assert message == "nothing is learned yet; POST /learn some examples first"


def test_relabelling_moves_an_example(server):
    learn(server, {**GOOD, "id": "a"}, BAD)
    asked = {"examples": [{"id": "a", "label": "neg"}]}
    assert server.ask("POST", "/relabel", asked)[1] == {"position": 3, "ids": ["a"]}
    assert server.ask("GET", "/classes")[1] == {"position": 3, "classes": {"neg": 2}}


@pytest.mark.parametrize(
    ("asked", "forgotten"),
    [
        ({"ids": ["a", "b"]}, 2),
        ({"examples": [GOOD]}, 1),
        ({"examples": [{"text": "good film"}], "copies": "all"}, 2),
        ({"subject": "anna"}, 2),
    ],
)
def test_forgetting_by_id_text_or_subject(server, asked, forgotten):
    one = {**GOOD, "subject": "anna"}
    learn(server, {**one, "id": "a"}, {**one, "id": "b"}, BAD)
    status, answer = server.ask("POST", "/forget", asked)
    assert (status, answer["forgotten"]) == (200, forgotten)
    assert set(answer["receipt"]) == {"digest", "position", "time"}
    assert server.ask("GET", "/examples")[1]["total"] == 3 - forgotten


def test_undo_takes_the_last_submission_back(server):
    learn(server, GOOD, BAD)
    learn(server, GOOD, GOOD)
    assert server.ask("POST", "/undo", {})[1]["undone"] == 2
    assert server.ask("GET", "/classes")[1]["classes"] == {"neg": 1, "pos": 1}


def test_classes_are_renamed_joined_and_dropped(server):
    learn(server, GOOD, BAD, {"text": "so so", "label": "meh"}, {"text": "x", "label": "old"})
    join = [{"labels": ["meh", "neg"], "into": "neg"}]
    asked = {"rename": {"pos": "plus"}, "join": join, "drop": ["old"]}
    status, answer = server.ask("POST", "/classes", asked)
    assert (status, answer["moved"]) == (200, 3)
    assert server.ask("GET", "/classes")[1]["classes"] == {"neg": 2, "plus": 1}


def test_examples_are_searched_and_paged(server):
    learn(server, *({"text": f"text {i}", "label": "a", "id": str(i)} for i in range(5)))
    _, first = server.ask("GET", "/examples?limit=2&contains=TEXT")
    _, second = server.ask("GET", f"/examples?limit=2&cursor={first['cursor']}")
    assert ([one["id"] for one in first["examples"]], first["total"]) == (["0", "1"], 5)
    assert [one["id"] for one in second["examples"]] == ["2", "3"]
    assert server.ask("GET", "/examples?contains=nothing")[1]["examples"] == []


def test_examples_are_exported(server):
    learn(server, {"text": "=1+1", "label": "a", "id": "x"}, {"text": 'a "b"', "label": "b"})
    status, headers, file = server.asked("GET", "/examples?format=csv")
    assert (status, headers["Content-Type"]) == (200, "text/csv; charset=utf-8")
    assert headers["Content-Disposition"] == 'attachment; filename="examples.csv"'
    lines = file.splitlines()
    assert lines[0] == "id,text,label,taught,subject,source,who,time,position"
    assert lines[1].startswith("x,'=1+1,a,a,,,owner,")
    assert server.ask("GET", "/examples?format=jsonl")[1].count("\n") == 2


def test_examples_are_exported_as_parquet(server, tmp_path):
    learn(server, {"text": 'a "b"\n', "label": "가", "id": "x"}, {"text": "c", "label": "b"})
    headers = {"Authorization": f"Bearer {server.tokens.owner}"}
    asked = urllib.request.Request(f"{server.address}/examples?format=parquet", headers=headers)
    with urllib.request.urlopen(asked) as answer:
        assert answer.headers["Content-Type"] == "application/vnd.apache.parquet"
        (tmp_path / "all.parquet").write_bytes(answer.read())
    rows = duckdb.sql(f"select id, text, label, position from '{tmp_path}/all.parquet'").fetchall()
    assert rows[0] == ("x", 'a "b"\n', "가", 1)
    assert [row[1:] for row in rows[1:]] == [("c", "b", 2)]


def test_figures_are_those_of_leaving_one_out(server):
    texts = ["good film", "bad film", "so good", "so bad", "very good", "very bad"]
    learn(server, *({"text": t, "label": "pos" if "good" in t else "neg"} for t in texts))
    _, answer = server.ask("GET", "/evaluate")
    assert (answer["examples"], answer["figures"]["accuracy"]) == (6, 1.0)
    learn(server, {"text": "good good", "label": "neg", "id": "wrong"})
    _, found = server.ask("GET", "/suspects?top=1")
    assert [(one["id"], one["rather"]) for one in found["suspects"]] == [("wrong", "pos")]


def test_words_are_listed(server):
    learn(server, GOOD, BAD)
    _, answer = server.ask("GET", "/words?top=1&label=pos")
    assert [one["word"] for one in answer["words"]] == ["good"]
    assert refused(server.ask("GET", "/words?label=none"))[:2] == (404, "no_such_class")


def test_what_was_learned_is_there_after_a_restart(tmp_path):
    with served(data=tmp_path / "store") as server:
        learn(server, GOOD, BAD)
    with served(data=tmp_path / "store") as server:
        assert (
            server.ask("POST", "/predict", {"texts": ["good"]})[1]["results"][0]["label"] == "pos"
        )


# ---- refusals ----


@pytest.mark.parametrize(
    ("path", "asked", "status", "code"),
    [
        ("/forget", {"ids": ["nobody"]}, 404, "unknown_example"),
        ("/forget", {"examples": [{"text": "never learned"}]}, 404, "unknown_example"),
        ("/forget", {"subject": "nobody"}, 404, "unknown_example"),
        ("/forget", {}, 422, "wrong_type"),
        ("/forget", {"ids": ["a"], "subject": "b"}, 422, "wrong_type"),
        ("/forget", {"ids": []}, 422, "wrong_type"),
        ("/relabel", {"examples": [{"id": "nobody", "label": "a"}]}, 404, "unknown_example"),
        ("/learn", {"examples": []}, 422, "wrong_type"),
        ("/learn", {"examples": [{"text": "a"}]}, 422, "wrong_type"),
        ("/learn", {"examples": [{"text": "a", "label": 7}]}, 422, "wrong_type"),
        ("/learn", {"examples": [{"text": "a", "label": ""}]}, 422, "wrong_type"),
        ("/learn", {"examples": [{**GOOD, "id": "taken"}]}, 409, "conflict"),
        ("/undo", {"position": 999}, 404, "unknown_example"),
        ("/classes", {}, 409, "nothing_to_do"),
        ("/classes", {"drop": ["nothing"]}, 404, "unknown_class"),
        ("/classes", {"rename": {"pos": "neg"}}, 409, "conflict"),
    ],
)
def test_what_cannot_be_done_is_refused_and_changes_nothing(server, path, asked, status, code):
    learn(server, {**GOOD, "id": "taken"}, BAD)
    assert refused(server.ask("POST", path, asked))[:2] == (status, code)
    assert server.ask("GET", "/readyz")[1]["position"] == 2


def test_a_second_forgetting_is_refused(server):
    learn(server, {**GOOD, "id": "a"}, BAD)
    server.ask("POST", "/forget", {"ids": ["a"]})
    status, code, message = refused(server.ask("POST", "/forget", {"ids": ["a"]}))
    assert (status, code) == (404, "forgotten")
    assert message.endswith("was forgotten at position 3; nothing of it is left")


def test_too_many_new_classes_are_refused(tmp_path):
    with served(data=tmp_path / "store", limits=Limits(new_classes=2)) as server:
        assert learn(server, GOOD, BAD)[0] == 200
        found = learn(server, {"text": "x", "label": "third"})
        assert refused(found)[:2] == (422, "allowance")
        assert server.ask("GET", "/classes")[1]["classes"] == {"neg": 1, "pos": 1}


@pytest.mark.parametrize(
    ("role", "allowed"), [("read", ["/predict"]), ("label", ["/predict", "/learn", "/undo"])]
)
def test_a_token_may_do_what_its_role_says(tmp_path, role, allowed):
    with served(data=tmp_path / "store") as server:
        learn(server, GOOD, BAD)
        token = add_token(TokenFile(tmp_path / "store" / "tokens"), "anna", role)
        server.tokens.refresh()
        bodies = {
            "/predict": {"texts": ["good"]},
            "/learn": {"examples": [GOOD]},
            "/undo": {},
            "/classes": {"drop": ["neg"]},
        }
        found = {path: server.ask("POST", path, body, token=token) for path, body in bodies.items()}
    assert [path for path, (status, _) in found.items() if status == 200] == allowed
    message = f"token 'anna' has the role {role}, and admin is needed"
    assert refused(found["/classes"]) == (403, "wrong_role", message)


def test_the_journal_knows_which_token_did_what(tmp_path):
    with served(data=tmp_path / "store") as server:
        token = add_token(TokenFile(tmp_path / "store" / "tokens"), "anna", "label")
        server.tokens.refresh()
        learn(server, GOOD, token=token)
        learn(server, BAD)
        _, answer = server.ask("GET", "/examples")
    assert [one["who"] for one in answer["examples"]] == ["anna", "owner"]


# ---- idempotency ----


def test_a_key_that_comes_again_gets_the_first_answer(server):
    first = learn(server, GOOD, Idempotency_Key="k1")
    assert learn(server, GOOD, Idempotency_Key="k1") == first
    assert server.ask("GET", "/examples")[1]["total"] == 1


def test_a_key_with_another_body_is_refused(server):
    learn(server, GOOD, Idempotency_Key="k1")
    status, code, message = refused(learn(server, BAD, Idempotency_Key="k1"))
    assert (status, code) == (422, "key_reused")
    assert message.endswith("use a new key for a new request")


def test_keys_of_two_tokens_do_not_meet(tmp_path):
    with served(data=tmp_path / "store") as server:
        token = add_token(TokenFile(tmp_path / "store" / "tokens"), "anna", "label")
        server.tokens.refresh()
        assert learn(server, GOOD, Idempotency_Key="k")[0] == 200
        assert learn(server, BAD, Idempotency_Key="k", token=token)[0] == 200


@pytest.mark.parametrize("key", ["", "a b", "x" * 201])
def test_a_key_that_is_none_is_refused(server, key):
    assert refused(learn(server, GOOD, Idempotency_Key=key))[:2] == (422, "bad_key")


# ---- trouble ----


def test_who_gave_up_waiting_for_a_position_harms_nobody(tmp_path):
    with served(data=tmp_path / "store", limits=Limits(wait_seconds=0.05)) as server:
        learn(server, GOOD, BAD)
        assert refused(server.ask("POST", "/predict?after=3", {"texts": ["a"]}))[0] == 409
        assert learn(server, GOOD)[1]["position"] == 3
        assert server.ask("GET", "/readyz")[0] == 200


def test_a_second_server_on_the_directory_is_refused(server):
    from nabi.errors import LockedError

    with pytest.raises(LockedError, match="another"), served(data=server.settings.data):
        pass


def test_a_full_queue_says_when_to_try_again(tmp_path):
    with served(data=tmp_path / "store", limits=Limits(queue=0)) as server:
        status, headers, answer = server.asked("POST", "/learn", {"examples": [GOOD]})
    assert (status, answer["error"]["code"], headers["Retry-After"]) == (429, "busy", "1")

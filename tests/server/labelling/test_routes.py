"""The labelling page's calls: shapes, roles, refusals, files, hostile texts, two pages at once."""

import contextlib
import csv
import http.client
import io
import json
import threading

import pytest

import nabi
from nabi.server.http.limits import Limits
from nabi.server.http.tokens import TokenFile, add_token
from served import served

HOSTILE = [
    "=cmd|' /C calc'!A0",
    "<script>alert(1)</script>",
    "\u202egnp.exe",
    "a\x00b\x1b[2J",
    "x" * 10**6,
]


@pytest.fixture
def server(tmp_path):
    with served(data=tmp_path / "store") as server:
        yield server


@pytest.fixture
def label_token(tmp_path, server):
    token = add_token(TokenFile(tmp_path / "store" / "tokens"), "bert", "label")
    server.app.service.access.tokens.refresh()
    return token


def pool(server, *texts, **more):
    return server.ask("POST", "/pool", {"texts": [{"text": text, **more} for text in texts]})


def next_of(server, page="a", **given):
    more = {"token": given.pop("token", True)}
    status, found = server.ask("POST", "/next", given, nabi_page=page, **more)
    assert status == 200
    return found["items"]


def learn(server, item, label, **more):
    taught = [{"text": item["text"], "id": item["id"], "label": label}]
    return server.ask("POST", "/learn", {"examples": taught}, **more)


def code(found):
    """(status, code) of a refusal."""
    return found[0], found[1]["error"]["code"]


# ---- pool ----


def test_added_texts_duplicates_and_empty_ones_are_counted(server):
    status, found = pool(server, "one", "One ", "  ", "two")
    assert (status, found) == (200, {"added": 2, "duplicates": 1, "empty": 1, "texts": 2})
    _, now = server.ask("GET", "/pool")
    assert (now["texts"], now["labelled"], now["left"], now["busy"]) == (2, 0, 2, False)


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.csv", b"text,label\none,x\none,y\n,x\ntwo,x\n"),
        ("a.tsv", b"text\tlabel\none\tx\nOne\tx\n\tx\ntwo\tx\n"),
        ("a.jsonl", b'{"text": "one"}\n{"text": "one"}\n{"text": ""}\n{"text": "two"}\n'),
        ("a.txt", b"one text\nOne text\n \ntwo\n"),
    ],
)
def test_a_file_is_read_into_the_pool(server, tmp_path, name, data):
    status, found = server.ask("POST", f"/pool/file?name={name}", data)
    rows = {key: found[key] for key in ("read", "used", "rejected", "added", "duplicates", "empty")}
    assert status == 200
    assert rows == {"read": 4, "used": 4, "rejected": 0, "added": 2, "duplicates": 1, "empty": 1}
    assert server.ask("GET", "/pool")[1]["sources"] == {name: 2}
    assert list((tmp_path / "store" / "uploads").iterdir()) == []


def test_parquet_and_labels_of_a_file_are_read(server, tmp_path):
    import duckdb

    path = str(tmp_path / "a.parquet")
    duckdb.sql("select * from (values ('one', 'x'), ('two', 'y')) t(body, kind)").write_parquet(
        path
    )
    given = {"path": path, "text": "body", "label": "kind"}
    status, found = server.ask("POST", "/pool/path", given)
    assert (status, found["added"], found["columns"]) == (200, 2, {"text": "body", "label": "kind"})
    assert server.ask("GET", "/classes")[1]["classes"] == {"x": 1, "y": 1}


def test_an_unclear_column_is_asked_for(server):
    status, found = server.ask("POST", "/pool/file?name=a.csv", b"x,y\none,1\n")
    assert (status, found["error"]["code"]) == (422, "which_column")
    assert found["error"]["candidates"] == ["x", "y"]
    status, found = server.ask("POST", "/pool/file?name=a.csv&text=x", b"x,y\none,1\n")
    assert (status, found["added"]) == (200, 1)


def test_bad_rows_are_told_and_files_that_are_none_are_refused(server):
    data = b'{"text": "one"}\n{"text": \n{"text": "two"}\n'
    _, found = server.ask("POST", "/pool/file?name=a.jsonl", data)
    assert (found["read"], found["used"], found["rejected"]) == (3, 2, 1)
    assert found["first_rejects"][0]["line"] == 2
    refused = server.ask("POST", "/pool/file?name=a.parquet", b"PAR1 nonsense")
    assert code(refused) == (422, "bad_file")
    assert "uploads" not in refused[1]["error"]["message"]
    assert code(server.ask("POST", "/pool/path", {"path": "/nowhere"})) == (404, "no_such_file")


def test_an_upload_is_limited_and_for_admins(tmp_path, label_token, server):
    found = server.ask("POST", "/pool/file?name=a.txt", b"a text", token=label_token)
    assert code(found) == (403, "wrong_role")
    with served(data=tmp_path / "other", limits=Limits(upload=1000)) as small:
        assert code(small.ask("POST", "/pool/file?name=a.txt", b"x" * 1001)) == (413, "too_large")
        assert small.ask("GET", "/pool")[1]["texts"] == 0


def test_a_browser_uploads_with_a_type_that_other_sites_cannot_send(server):
    token = {"token": server.tokens.owner}
    _, headers, _ = server.asked("POST", "/session", token, token=None)
    cookie = headers["Set-Cookie"].split(";")[0]
    for kind, status in (("text/plain", 415), ("application/octet-stream", 200)):
        sent = {"cookie": cookie, "content_type": kind}
        assert server.ask("POST", "/pool/file?name=a.txt", b"one", token=None, **sent)[0] == status


def test_removed_texts_are_gone(server):
    pool(server, "one", "two", source="a")
    pool(server, "three", source="b")
    assert server.ask("DELETE", "/pool?source=a")[1] == {"removed": 2, "texts": 1}


def test_a_file_of_more_than_one_chunk_is_read_whole(server):
    data = "\n".join(f"text number {n}" for n in range(5001)).encode()
    _, found = server.ask("POST", "/pool/file?name=a.txt", data)
    assert (found["read"], found["added"], found["texts"]) == (5001, 5001, 5001)


# ---- project ----


def test_classes_have_keys_before_they_have_examples(server):
    classes = [{"name": "spam", "key": "1"}, {"name": "ham", "key": "h"}]
    status, found = server.ask("POST", "/project", {"title": "Mails", "classes": classes})
    assert status == 200
    assert found["classes"] == [{**one, "examples": 0} for one in classes]
    pool(server, "one", label="ham")
    pool(server, "two", label="new")
    server.ask("POST", "/classes", {"rename": {"ham": "good"}})
    _, now = server.ask("GET", "/project")
    assert [(one["name"], one["key"]) for one in now["classes"]] == [
        ("spam", "1"), ("good", "h"), ("new", "2"),
    ]  # fmt: skip
    assert (now["title"], now["who"], now["role"], now["texts"]) == ("Mails", "owner", "admin", 2)


def test_two_classes_with_one_key_are_refused(server):
    classes = [{"name": "spam", "key": "1"}, {"name": "ham", "key": "1"}]
    assert code(server.ask("POST", "/project", {"classes": classes})) == (409, "bad_input")


# ---- one text at a time ----


def test_a_session_from_no_labels_to_a_figure(server):
    pool(server, *[f"{'good' if n % 2 else 'bad'} film number{n}" for n in range(60)])
    for _ in range(10):
        for item in next_of(server, count=2):
            learn(server, item, "+" if "good" in item["text"] else "-")
    _, found = server.ask("GET", "/honest")
    assert (found["labels"], found["accuracy"][1] <= found["accuracy"][0]) == (20, True)
    assert found["curve"][-1]["labels"] == 20
    (item,) = next_of(server, count=1)
    assert item["explanation"]["label"] in "+-"
    assert server.ask("POST", "/undo", {})[1]["undone"] == 1
    assert server.ask("GET", "/pool")[1]["labelled"] == 19


def test_two_people_at_once_never_get_the_same_text(server, label_token):
    pool(server, *[f"text number{n}" for n in range(120)])
    assert server.ask("POST", "/project", {"overlap": 0})[0] == 200
    given, failed = {True: [], label_token: []}, []

    def work(token, page):
        for _ in range(20):
            for item in next_of(server, page, count=2, token=token):
                given[token].append(item["id"])
                status, _ = learn(server, item, "ab"[len(item["text"]) % 2], token=token)
                failed.extend([status] * (status != 200))

    threads = [threading.Thread(target=work, args=pair) for pair in zip(given, "ab", strict=True)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert failed == []
    assert not set(given[True]) & set(given[label_token])
    assert server.ask("GET", "/pool")[1]["labelled"] == len(given[True]) + len(given[label_token])


def test_a_label_is_seen_by_whoever_waits(server):
    pool(server, "one")
    (item,) = next_of(server)
    found = []
    waiting = threading.Thread(target=lambda: found.append(server.ask("GET", "/changes?after=0")))
    waiting.start()
    learn(server, item, "x")
    waiting.join(10)
    labels = found[0][1]["labels"]
    assert [(one["id"], one["label"], one["what"]) for one in labels] == [
        (item["id"], "x", "learn")
    ]


def test_a_text_that_another_has_labelled_is_a_conflict_and_a_retry_is_none(server, label_token):
    pool(server, "one")
    (item,) = next_of(server)
    first = learn(server, item, "x", idempotency_key="k")
    assert learn(server, item, "x", idempotency_key="k") == first
    assert code(learn(server, item, "y", token=label_token)) == (409, "conflict")
    body = {"id": item["id"], "label": "x"}
    assert server.ask("POST", "/second", body, token=label_token)[0] == 200
    assert server.ask("GET", "/honest")[1]["agreement"] == {"pairs": 1, "kappa": 1.0}


def test_skipped_and_released_texts(server, label_token):
    pool(server, "one")
    (item,) = next_of(server)
    assert next_of(server, "b", token=label_token) == []
    assert server.ask("POST", "/skip", {"id": item["id"]}, nabi_page="a")[0] == 200
    assert next_of(server) == []
    assert len(next_of(server, "b", token=label_token)) == 1
    released = server.ask(
        "POST", "/release", {"ids": [item["id"]]}, nabi_page="b", token=label_token
    )
    assert released[1] == {"released": 1}
    assert server.ask("POST", "/skip", {"id": item["id"], "undo": True}, nabi_page="a")[0] == 200
    assert len(next_of(server)) == 1
    assert code(server.ask("POST", "/skip", {"id": "none"})) == (404, "unknown_example")


# ---- judge, try, out ----

FILMS = [
    {"text": text, "label": label}
    for text, label in [("good film", "+"), ("bad film", "-"), ("so good", "+"), ("so bad", "-")]
    * 3
]


def test_the_report_is_live_and_a_cell_has_its_texts(server):
    server.ask("POST", "/learn", {"examples": FILMS})
    status, found = server.ask("GET", "/judge")
    assert (status, found["report"]["judged"], len(found["report"]["classes"])) == (200, 12, 2)
    _, cell = server.ask("GET", "/judge?cell=0,0&limit=4")
    assert (cell["total"], len(cell["texts"]), cell["cursor"]) == (6, 4, 4)
    _, rest = server.ask("GET", "/judge?cell=0,0&limit=4&cursor=4")
    assert (len(rest["texts"]), rest["cursor"]) == (2, None)


def test_a_preview_of_classes_changes_nothing(server):
    server.ask("POST", "/learn", {"examples": [*FILMS, {"text": "film", "label": "x"}]})
    body = {"join": [{"labels": ["x"], "into": "+"}]}
    _, found = server.ask("POST", "/classes/preview", body)
    assert (found["moved"], found["after"]["accuracy"] > found["before"]["accuracy"]) == (1, True)
    assert server.ask("GET", "/classes")[1]["classes"] == {"+": 6, "-": 6, "x": 1}
    assert code(server.ask("POST", "/classes/preview", {"drop": ["y"]})) == (404, "unknown_class")


def test_the_fewest_words_that_flip_a_decision(server):
    server.ask("POST", "/learn", {"examples": FILMS})
    _, found = server.ask("POST", "/flip", {"text": "good good film, bad"})
    assert found["flip"] == {"words": ["good"], "label": "-"}
    assert server.ask("POST", "/flip", {"text": "unheard"})[1]["flip"] is None


def test_one_word_has_its_counts_and_weights(server):
    server.ask("POST", "/learn", {"examples": FILMS})
    _, found = server.ask("GET", "/words/one?word=Good")
    assert (found["word"], found["counts"]) == ("good", {"+": 6.0})
    assert found["weights"]["+"] > 0 > found["weights"]["-"]
    assert server.ask("GET", "/words/one?word=unheard")[1]["counts"] is None


def test_hostile_texts_come_out_as_they_went_in(server):
    pool(server, *HOSTILE[:-1], "y" * 10**6, label="=1+1")
    _, written = server.ask("GET", "/export/labels")
    csv.field_size_limit(10**7)
    rows = list(csv.DictReader(io.StringIO(written)))
    assert [row["text"] for row in rows] == ["'" + HOSTILE[0], *HOSTILE[1:-1], "y" * 10**6]
    assert {row["label"] for row in rows} == {"'=1+1"}
    _, raw = server.ask("GET", "/export/labels?format=jsonl&safe=0")
    assert next(json.loads(line)["text"] for line in raw.splitlines()) == HOSTILE[0]


def test_lines_that_are_too_long_are_set_aside(tmp_path):
    with served(data=tmp_path, limits=Limits(text=1000)) as server:
        data = b"text\nshort\n" + b"x" * 2000 + b"\n"
        _, found = server.ask("POST", "/pool/file?name=a.csv", data)
        assert (found["read"], found["used"], found["rejected"], found["added"]) == (2, 1, 1, 1)
        assert "longer than 1,000" in found["first_rejects"][0]["reason"]


def test_the_model_and_the_labels_can_be_taken_away(server, tmp_path):
    server.ask("POST", "/learn", {"examples": FILMS})
    for path, name in (("model.nabi", "m.nabi"), ("labels?format=parquet", "l.parquet")):
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", server.port, 20)) as one:
            sent = {"Authorization": f"Bearer {server.tokens.owner}"}
            one.request("GET", f"/export/{path}", None, sent)
            (tmp_path / name).write_bytes(one.getresponse().read())
    assert nabi.load(tmp_path / "m.nabi").predict(["so good"]).tolist() == ["+"]
    texts, labels = nabi.readers.read(tmp_path / "l.parquet").lists()
    assert (texts[0], labels[0], len(texts)) == ("good film", "+", 12)
    assert server.ask("GET", "/export/report.html")[1].startswith("<!doctype html>")
    assert "nabi.load" in server.ask("GET", "/export/snippet")[1]["python"]
    assert list((tmp_path / "store" / "uploads").iterdir()) == []


def test_whole_numbers_may_be_written_with_a_point(server):
    server.ask("POST", "/pool", {"texts": [{"text": "one"}, {"text": "two"}]})
    status, found = server.ask("POST", "/next", {"count": 1.0}, Nabi_Page="tab")
    assert (status, len(found["items"])) == (200, 1)
    status, found = server.ask("POST", "/project", {"audit_every": 7.0})
    assert (status, found["audit_every"]) == (200, 7)
    assert server.ask("POST", "/next", {"count": 1.5}, Nabi_Page="tab")[0] == 422


# ---- undo by two people ----


def undo(server, **body):
    token = {"token": body.pop("token")} if "token" in body else {}
    return server.ask("POST", "/undo", body, **token)


def test_nobody_undoes_the_changes_of_another_but_an_admin_who_asks_for_it(server, label_token):
    of_bert = {"examples": [{"text": "of bert", "label": "+"}]}
    one = server.ask("POST", "/learn", of_bert, token=label_token)[1]
    other = server.ask("POST", "/learn", {"examples": [{"text": "another", "label": "-"}]})[1]
    assert code(undo(server, position=other["position"], token=label_token)) == (409, "not_yours")
    assert code(undo(server, position=one["position"], own=True)) == (409, "not_yours")
    assert server.ask("GET", "/classes")[1]["classes"] == {"+": 1, "-": 1}
    assert undo(server, position=one["position"], token=label_token)[1]["undone"] == 1
    assert undo(server, position=one["position"] + 2)[0] == 200  # the admin brings it back
    assert server.ask("GET", "/classes")[1]["classes"] == {"+": 1, "-": 1}


def test_a_text_with_a_label_is_held_by_nobody(server):
    texts = [{"text": f"text {n}", "id": f"id{n}"} for n in range(3)]
    assert server.ask("POST", "/pool", {"texts": texts})[0] == 200
    items = server.ask("POST", "/next", {"count": 1}, Nabi_Page="one")[1]["items"]
    body = {"examples": [{"text": items[0]["text"], "label": "a", "id": items[0]["id"]}]}
    position = server.ask("POST", "/learn", body, Nabi_Page="one")[1]["position"]
    leases = server.app.service.labelling.queue.leases
    server.app.service.labelling.calls.submit(int).result()  # after those that came before
    server.app.service.labelling.calls.submit(int).result()
    assert leases.held() == set()
    assert server.ask("POST", "/undo", {"position": position}, Nabi_Page="one")[0] == 200
    assert leases.held() == {items[0]["id"]}
    others = server.ask("POST", "/next", {"count": 3}, Nabi_Page="two")[1]["items"]
    assert items[0]["id"] not in [one["id"] for one in others]

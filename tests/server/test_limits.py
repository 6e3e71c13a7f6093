"""Limits and deadlines: how much a client may send, and how slowly."""

import contextlib
import json
import socket
import time

import pytest

import nabi
from nabi.server.http.limits import Limits
from served import served

SMALL = Limits(
    body=2000,
    head=4096,
    texts=3,
    text=100,
    connections=20,
    head_seconds=0.3,
    body_seconds=0.3,
    body_rate=10**9,
    linger_seconds=0.5,
    wait_seconds=0.1,
    inline=50,
)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    path = tmp_path_factory.mktemp("limits") / "model.nabi"
    nabi.TextClassifier().fit(["good film", "bad film"], ["pos", "neg"]).save(path)
    with served(model=str(path), limits=SMALL) as server:
        yield server


def head(server, *lines, path="/predict", method="POST"):
    """The bytes of a request's head."""
    more = "".join(f"{line}\r\n" for line in lines)
    token = f"Authorization: Bearer {server.tokens.owner}\r\n"
    return f"{method} {path} HTTP/1.1\r\nHost: localhost\r\n{token}{more}\r\n".encode()


def told(raw):
    """(status, code) of the answer in raw bytes."""
    start, _, body = raw.partition(b"\r\n\r\n")
    return int(start.split()[1]), json.loads(body)["error"]["code"]


# ---- sizes ----


def test_a_body_that_says_it_is_too_large_is_not_read(server):
    raw = server.raw(head(server, "Content-Length: 2001"))
    assert told(raw) == (413, "too_large")
    assert b"\r\nconnection: close\r\n" in raw
    assert b"larger than 2,000 bytes; send fewer texts at a time" in raw


def test_a_body_in_chunks_is_refused_when_it_gets_too_large(server):
    chunk = b"400\r\n" + b"x" * 1024 + b"\r\n"
    raw = server.raw(head(server, "Transfer-Encoding: chunked"), *[chunk] * 50)
    assert told(raw) == (413, "too_large")


def test_headers_that_are_too_long_are_refused(server):
    raw = server.raw(b"GET /livez HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 5000)
    assert told(raw) == (431, "headers_too_large")


@pytest.mark.parametrize(
    ("texts", "code", "message"),
    [
        (["a"] * 4, "too_many_texts", "4 came at once, and 3 are allowed; send them in parts"),
        (
            ["a", "b" * 101],
            "text_too_long",
            "text 1 has 101 characters, and 100 are allowed; cut it",
        ),
    ],
)
def test_too_many_or_too_long_texts_are_refused(server, texts, code, message):
    status, answer = server.ask("POST", "/predict", {"texts": texts})
    assert (status, answer) == (422, {"error": {"code": code, "message": message}})


def test_one_connection_too_many_is_refused(server):
    held = [socket.create_connection(("127.0.0.1", server.port)) for _ in range(20)]
    try:
        raw = server.raw(head(server, path="/livez", method="GET"))
    finally:
        for one in held:
            one.close()
    assert told(raw) == (503, "too_many_connections")
    assert b"\r\nretry-after: 1\r\n" in raw


# ---- deadlines ----


def test_a_client_that_sends_no_headers_is_closed(server):
    assert told(server.raw()) == (408, "too_slow")
    assert told(server.raw(b"POST /predict HTTP/1.1\r\n")) == (408, "too_slow")


def test_a_client_that_sends_half_a_body_is_closed(server):
    raw = server.raw(head(server, "Content-Length: 100"), b'{"texts": [')
    assert told(raw) == (408, "too_slow")


def test_a_client_that_sends_a_byte_now_and_then_is_closed(server):
    with socket.create_connection(("127.0.0.1", server.port), 10) as one:
        one.settimeout(0.05)
        one.sendall(b"GET /")
        found, end = b"", time.monotonic() + 10
        while not found and time.monotonic() < end:
            one.sendall(b"x")
            with contextlib.suppress(TimeoutError):
                found = one.recv(1000)
    assert told(found) == (408, "too_slow")


def test_a_request_that_follows_another_has_a_deadline_of_its_own(server):
    raw = server.raw(head(server, path="/livez", method="GET"), b"GET /livez HT")
    assert raw.count(b"HTTP/1.1 200 OK") == 1
    assert raw.count(b"HTTP/1.1 408 Request Timeout") == 1


def test_requests_in_one_go_are_answered_in_order(server):
    asked = head(server, path="/livez", method="GET")
    last = head(server, "Connection: close", path="/nothing", method="GET")
    raw = server.raw(asked * 3 + last)
    assert [line.split()[0] for line in raw.split(b"HTTP/1.1")[1:]] == [b"200"] * 3 + [b"404"]


# ---- what is no request ----


@pytest.mark.parametrize(
    "sent",
    [b"\x00\x01\x02\r\n\r\n", b"GET\r\n\r\n", b"GET /\xff HTTP/1.1\r\n\r\n", b"\x16\x03\x01"],
)
def test_what_is_no_http_is_refused(server, sent):
    assert told(server.raw(sent)) == (400, "not_http")


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        (b"", 400, "not_json"),
        (b"{", 400, "not_json"),
        (b'{"texts": ["\xff"]}', 400, "not_json"),
        (b'{"rows": ' + b"[" * 900, 422, "wrong_type"),
        (b"[]", 422, "wrong_type"),
        (b'{"texts": "good"}', 422, "wrong_type"),
        (b'{"texts": [1]}', 422, "wrong_type"),
        (b'{"texts": ["good"], "tops": 1}', 422, "wrong_type"),
        (b'{"texts": ["good"], "top": 0}', 422, "wrong_type"),
        (b"{}", 422, "wrong_type"),
        (b'{"texts": [], "rows": []}', 422, "wrong_type"),
        (b'{"rows": []}', 409, "wrong_input"),
        (b'{"texts": [""], "prior": {"a": 1}}', 409, "wrong_prior"),
    ],
)
def test_a_body_of_another_shape_is_refused(server, body, status, code):
    found, answer = server.ask("POST", "/predict", body)
    assert (found, answer["error"]["code"]) == (status, code)


def test_the_message_says_where_the_body_is_wrong(server):
    _, answer = server.ask("POST", "/predict", {"texts": ["good", 7]})
    expected = "the body does not fit: Expected `str`, got `int` - at `$.texts[1]`"
    assert answer["error"]["message"] == expected


@pytest.mark.parametrize(
    "query", ["after=x", "after=-1", "before=1", "after", "%ff=1", "a=1&" * 60]
)
def test_a_query_of_another_shape_is_refused(server, query):
    status, answer = server.ask("POST", f"/predict?{query}", {"texts": ["good"]})
    assert (status, answer["error"]["code"]) == (422, "wrong_query")


def test_a_position_that_is_not_reached_is_refused(server):
    status, answer = server.ask("POST", "/predict?after=9", {"texts": ["good"]})
    assert (status, answer["error"]["code"]) == (409, "not_reached")
    assert answer["error"]["message"].startswith("position 9 was not reached in 0.1 s")


def test_another_method_is_refused_with_those_that_are_allowed(server):
    status, headers, answer = server.asked("GET", "/predict")
    assert (status, headers["Allow"], answer["error"]["code"]) == (405, "POST", "wrong_method")


def test_long_texts_are_scored_in_another_thread(server):
    _, answer = server.ask("POST", "/predict", {"texts": ["good " * 15, "bad " * 20]})
    assert [one["label"] for one in answer["results"]] == ["pos", "neg"]


@pytest.mark.parametrize("path", ["/explain", "/flip"])
def test_a_text_whose_explanation_would_be_too_large_is_refused(tmp_path, path):
    examples = [{"text": f"word{i}", "label": f"class{i}"} for i in range(600)]
    with served(data=tmp_path / "data") as server:
        assert server.ask("POST", "/learn", {"examples": examples})[0] == 200
        status, found = server.ask("POST", path, {"text": "word1 " * 2000})
        assert (status, found["error"]["code"]) == (422, "too_long_to_explain")
        assert "of 600 classes, at most 8,333 can be explained" in found["error"]["message"]
        assert server.ask("POST", path, {"text": "word1"})[0] == 200

"""Random and mutated requests: no status of 500 and above, no traceback in the log.

python -m bench.server.hostile [NUMBER] [SEED]
"""

import collections
import contextlib
import json
import random
import socket
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from bench.server.clients import running

EXAMPLE = {"text": "good", "label": "pos", "id": "a", "subject": "s"}
SOUND = (
    ("POST", "predict", {"texts": ["good film", "bad"], "proba": True, "top": 2}),
    ("POST", "predict", {"texts": ["good"], "prior": {"pos": 0.5, "neg": 0.5}}),
    ("POST", "explain", {"text": "good film", "top": 3}),
    ("POST", "learn", {"examples": [EXAMPLE]}),
    ("POST", "learn", {"examples": [{"text": "bad", "label": "neg"}] * 2}),
    ("POST", "relabel", {"examples": [{"id": "a", "label": "neg"}]}),
    ("POST", "forget", {"ids": ["a"]}),
    ("POST", "forget", {"examples": [{"text": "bad", "label": "neg"}], "copies": "all"}),
    ("POST", "forget", {"subject": "s"}),
    ("POST", "undo", {"position": 1}),
    ("POST", "classes", {"rename": {"pos": "plus"}, "join": [], "drop": ["x"]}),
    ("POST", "classes", {"join": [{"labels": ["a"], "into": "b"}]}),
    ("POST", "session", {"token": "x"}),
    *(("GET", path, None) for path in ("examples", "words", "evaluate", "suspects", "classes")),
    ("POST", "pool", {"texts": [{"text": "a dull film"}, {"text": "so good", "label": "pos"}]}),
    ("POST", "pool/path", {"path": "/etc/hostname", "text": "x"}),
    ("POST", "next", {"by": "doubt", "count": 3, "holding": ["a", "b"]}),
    ("POST", "next", {"by": "search", "contains": "dull"}),
    ("POST", "release", {"ids": ["a"]}),
    ("POST", "skip", {"id": "a", "undo": False}),
    ("POST", "second", {"id": "a", "label": "neg"}),
    ("POST", "flip", {"text": "good good film, bad", "prior": {"pos": 0.5, "neg": 0.5}}),
    ("POST", "project", {"title": "t", "classes": [{"name": "pos", "key": "p"}], "audit_every": 5}),
    *(("GET", path, None) for path in ("pool", "project", "words/one", "export/snippet")),
    *(("GET", path, None) for path in ("livez", "readyz", "metrics", "openapi.json", "docs", "")),
)
RARE = (  # which take long with many examples
    ("POST", "next", {"by": "suspects"}),
    ("POST", "classes/preview", {"rename": {"pos": "plus"}, "drop": ["neg"]}),
    ("DELETE", "pool", None),
    *(("GET", path, None) for path in ("honest", "judge", "export/labels", "export/model.nabi")),
    ("GET", "export/report.html", None),
)
METHODS = (
    "GET",
    "POST",
    "PUT",
    "DELETE",
    "HEAD",
    "OPTIONS",
    "PATCH",
    "TRACE",
    "CONNECT",
    "get",
    "",
)
ODD = (
    None,
    -1,
    2**63,
    1e308,
    "",
    "\x00",
    "\ud83e",
    "𝕏" * 50,
    [],
    {},
    [[]],
    True,
    "a" * 5000,
    "%s%n",
)
QUERIES = (
    "",
    "?after=0",
    "?after=-1",
    "?limit=9",
    "?contains=%00",
    "?format=csv",
    "?x=%ff",
    "?&&=",
    "?top=1",
)
ODD_PATHS = ("/../../etc/passwd", "/%2e%2e/%2e%2e/x", "//", "*", "http://x/", "/\\..", "/" * 500)


def mutated(value, rng):
    """A JSON value with something in it replaced, doubled or left out."""
    if rng.random() < 0.2:
        return rng.choice(ODD)
    if isinstance(value, dict):
        items = [(k, mutated(v, rng)) for k, v in value.items() if rng.random() < 0.9]
        if rng.random() < 0.1:
            items.append((rng.choice(("x", "", "texts")), rng.choice(ODD)))
        return dict(items)
    if isinstance(value, list):
        return [mutated(v, rng) for v in value] * rng.choice((1, 1, 1, 2, 0))
    return value


def one_request(rng, token):
    """The bytes of a request: sound, mutated, or noise; and whether it is whole."""
    if rng.random() < 0.05:
        return rng.randbytes(rng.randrange(200)), False
    method, name, sound = rng.choice(SOUND if rng.random() < 0.99 else RARE)
    value = sound if rng.random() < 0.5 else mutated(sound, rng)
    body = b"" if sound is None else json.dumps(value).encode("utf-8", "surrogatepass")
    if body and rng.random() < 0.1:
        body = bytearray(body)
        for _ in range(rng.randrange(1, 5)):
            body[rng.randrange(len(body))] = rng.randrange(256)
        body = bytes(body)
    headers = {
        "Host": rng.choice(("127.0.0.1",) * 30 + ("evil.example", "\x7f", "[::1]")),
        "Authorization": rng.choice((f"Bearer {token}",) * 30 + ("Bearer x", "Basic eDp5", "")),
        "Content-Length": rng.choice((len(body),) * 60 + (0, len(body) + 1, -1, "x", 2**40)),
        "Connection": "close",
    }
    extra = (
        *(("Idempotency-Key", key) for key in ("k", "", "\x01", "x" * 300)),
        ("Transfer-Encoding", "chunked"),
        ("Expect", "100-continue"),
        ("Upgrade", "websocket"),
        ("Cookie", "nabi-1=x; ;=;"),
        ("Origin", "null"),
        ("Sec-Fetch-Site", "cross-site"),
        ("Range", "bytes=0-99999999999,5-2"),
        *(("Nabi-Page", page) for page in ("tab", "x" * 70, "\x01")),
        ("If-None-Match", "*"),
    )
    if rng.random() < 0.3:
        header, value = rng.choice(extra)
        headers[header] = value
    path = f"/{name}{rng.choice(QUERIES) if rng.random() < 0.3 else ''}"
    if rng.random() < 0.03:
        path = rng.choice(ODD_PATHS)
    lines = [f"{rng.choice(METHODS) if rng.random() < 0.05 else method} {path} HTTP/1.1"]
    lines += [f"{name}: {value}" for name, value in headers.items() if rng.random() < 0.99]
    raw = ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1", "replace") + body
    whole = headers["Content-Length"] == len(body) and "Transfer-Encoding" not in headers
    return (raw, whole) if rng.random() < 0.97 else (raw[: rng.randrange(len(raw))], False)


def answered(port, raw, whole):
    """The status of the answer, or why there is none; what is not whole is ended."""
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 30) as one:
        one.sendall(raw)
        if not whole:
            one.shutdown(socket.SHUT_WR)
        found = b""
        while data := one.recv(65536):
            found += data
        return int(found[9:12]) if found.startswith(b"HTTP/1.1 ") else "closed"
    return "reset"


def main(number, seed):
    """Print what came; return 1 after a status of 500 or a traceback."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder, "log")
        store = Path(folder, "store")
        arguments = ("nabi.cli", "serve", "--data", str(store), "--port", "0")
        with log.open("w") as errors, running(*arguments, errors=errors) as (port, server):
            token = Path(store, "token").read_text().strip()
            rng = random.Random(seed)
            tally = collections.Counter()
            with ThreadPoolExecutor(32) as pool:
                for start in range(0, number, 1000):
                    some = [one_request(rng, token) for _ in range(min(1000, number - start))]
                    tally.update(pool.map(lambda one: answered(port, *one), some))
            alive = server.poll() is None
        said = log.read_text()
    print(f"{number:,} requests, seed {seed}:", dict(sorted(tally.items(), key=str)))
    bad = sum(n for status, n in tally.items() if isinstance(status, int) and status >= 500)
    print(f"5xx: {bad}; server alive: {alive}; log: {len(said)} characters")
    print(said[:2000])
    return int(bad > 0 or not alive or "Traceback" in said or "Error" in said)


if __name__ == "__main__":
    given = [int(each) for each in sys.argv[1:]]
    sys.exit(main(*given, *(100_000, 0)[len(given) :]))

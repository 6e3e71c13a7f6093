"""Three servers on one PostgreSQL, on loopback: learning against pgbench, and how soon all know.

python -m bench.server.team [SECONDS]

1. `/learn` with 64 clients on three processes: at least 0.7 of the rows a second that pgbench
   inserts into a table like the journal's, by three clients and in batches of the same size.
2. A label is visible to all processes within 200 ms (p99), alone and beside 100 labels a second.
"""

import contextlib
import http.client
import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psycopg

from bench.server.clients import load_many, percentile, running
from bench.server.teaching import learned

sys.path.append(str(Path(__file__).resolve().parents[2] / "tests"))
import postgres

SERVERS, CLIENTS = 3, 64
BARE = """
create schema bare;
create table bare.entries (like nabi.entries including all);
create sequence bare.numbers;
"""
INSERT = """
insert into bare.entries
    (position, what, time, who, id, text, label, first, words, classes, moved, digest)
select n, 'learn', 0, 'bench', 'id' || n, 'message ' || n || ' of many: call ' || n % 997 || ' now',
    'spam', n, 0, 0, 0, n
from (select nextval('bare.numbers') as n from generate_series(1, {rows})) as numbers;
"""


def main(seconds: float) -> int:
    """Print the figures; return 1 if one is missed."""
    with postgres.restartable() as database, contextlib.ExitStack() as stack:
        address = database.new()
        token = _token(address)
        serve = ("nabi.cli", "serve", "--store", address, "--port", "0")
        ports = [stack.enter_context(running(*serve))[0] for _ in range(SERVERS)]
        with psycopg.connect(address, autocommit=True) as sql:
            found = [_learning(sql, address, ports, token, seconds)]
        found += [_visible(ports, token, seconds, beside=rate) for rate in (0, 100)]
    return int(not all(found))


def _token(address: str) -> str:
    command = [sys.executable, "-m", "nabi.cli", "store", "token", "add", "bench"]
    options = ["--role", "label", "--store", address]
    return subprocess.run(
        [*command, *options], capture_output=True, text=True, check=True
    ).stdout.strip()


def _learning(sql: psycopg.Connection, address: str, ports, token: str, seconds: float) -> bool:
    """Compare acknowledged labels a second with the rows that pgbench inserts."""
    numbers = itertools.count()
    rate, times, statuses = load_many(
        ports, lambda _: learned(next(numbers), token), clients=CLIENTS, seconds=seconds
    )
    entries, batches = sql.execute(
        "select (select n from nabi.head), (select sum(batches) from nabi.processes)"
    ).fetchone()
    rows = max(1, round(entries / float(batches)))
    bare = _pgbench(sql, address, rows, seconds)
    ratio = rate / bare
    print(
        f"/learn, {CLIENTS} clients, {SERVERS} servers: {rate:,.0f}/s, "
        f"p99 {1000 * percentile(times, 0.99):.0f} ms, {statuses}; {rows} rows a batch; "
        f"pgbench {bare:,.0f} rows/s; ratio {ratio:.2f} (bar 0.7)"
    )
    return ratio >= 0.7


def _pgbench(sql: psycopg.Connection, address: str, rows: int, seconds: float) -> float:
    """Return the rows a second that pgbench inserts."""
    sql.execute(BARE)
    with tempfile.NamedTemporaryFile("w", suffix=".sql") as script:
        script.write(INSERT.format(rows=rows).replace("\n", " "))
        script.flush()
        command = [str(postgres.programs() / "pgbench"), "--no-vacuum", "--file", script.name]
        command += ["--client", str(SERVERS), "--time", str(max(1, round(seconds))), address]
        subprocess.run(command, capture_output=True, check=True)
    return sql.execute("select last_value from bare.numbers").fetchone()[0] / max(1, round(seconds))


def _visible(ports: list[int], token: str, seconds: float, *, beside: float) -> bool:
    """Measure the time from the acknowledgement of a label until all servers predict with it."""
    times = []
    with _teaching(ports[0], token, beside, seconds):
        ends, numbers = time.perf_counter() + seconds, itertools.count(10**6)
        while time.perf_counter() < ends:
            number = next(numbers)
            body = {"examples": [{"text": f"seen {number}", "label": "ham"}]}
            position = _asked(ports[number % SERVERS], "/learn", token, body)["position"]
            began = time.perf_counter()
            for port in ports:
                while _asked(port, "/readyz", token)["position"] < position:
                    time.sleep(0.001)
            times.append(time.perf_counter() - began)
    p50, p99 = (1000 * percentile(sorted(times), share) for share in (0.5, 0.99))
    words = f"beside {beside:g} labels a second" if beside else "alone"
    figures = f"p50 {p50:.1f} ms, p99 {p99:.1f} ms (bar 200), {len(times)} labels"
    print(f"visible in all {SERVERS}, {words}: {figures}")
    return p99 <= 200


@contextlib.contextmanager
def _teaching(port: int, token: str, rate: float, seconds: float) -> Iterator[None]:
    if not rate:
        yield
        return
    command = [sys.executable, "-m", "bench.server.teaching", str(port), str(rate), str(seconds)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:
        process.stdin.write(f"{token}\n")
        process.stdin.flush()
        process.stdout.readline()
        yield
        process.wait()


_connections: dict[int, http.client.HTTPConnection] = {}


def _asked(port: int, path: str, token: str, body: object = None) -> dict:
    """Return the answer of a server, on a connection that stays open."""
    one = _connections.setdefault(port, http.client.HTTPConnection("127.0.0.1", port, 30))
    method, data = ("GET", None) if body is None else ("POST", json.dumps(body))
    one.request(method, path, data, {"Authorization": f"Bearer {token}"})
    return json.loads(one.getresponse().read())


if __name__ == "__main__":
    os.environ.pop("NABI_STORE", None)
    sys.exit(main(float(sys.argv[1]) if len(sys.argv) > 1 else 20.0))

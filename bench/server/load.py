"""Load on loopback, as ratios in one run: predictions, batches and learning against a bare echo.

python -m bench.server.load [SECONDS]

1. `/predict` of a short text: at least 0.5 of a bare ASGI echo with the same JSON decoding.
2. Batches of 1,000 texts: at least 0.7 of the library's own speed.
3. `/learn` with 64 clients: at least 5,000 acknowledged a second, or 0.3 of the echo.
4. The p99 of predictions while others learn: at most twice that without. 64 clients teach from a
   process of their own: at 500 a second in all, and as fast as they can.
"""

import csv
import gzip
import itertools
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import nabi
from bench.server.clients import load, nabi_server, percentile, request, running
from bench.server.teaching import learned

DATA = Path(__file__).resolve().parents[3] / "shared" / "data" / "sms_spam" / "all.csv.gz"
BATCH = 1000
ROUNDS = 5


def messages() -> tuple[list[str], list[str]]:
    """Return short messages and their labels."""
    with gzip.open(DATA, "rt", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return [row["text"] for row in rows], [row["label"] for row in rows]


def seconds_of_cpu(process) -> float:
    """Return the processor time of a process so far."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Loaded:
    """A server under load: requests a second, processor time of each, and quantiles."""

    def __init__(self, server, requests, clients: int, seconds: float) -> None:
        port, process = server
        numbers = itertools.count()
        before = seconds_of_cpu(process)
        counted = lambda i: requests(next(numbers))  # noqa: E731
        self.rate, times, self.statuses = load(port, counted, clients=clients, seconds=seconds)
        self.cpu = 1e6 * (seconds_of_cpu(process) - before) / next(numbers)
        self.p50, self.p99 = (1000 * percentile(times, share) for share in (0.5, 0.99))

    def __str__(self) -> str:
        times = f"p50 {self.p50:.2f} ms, p99 {self.p99:.2f} ms, {self.cpu:.0f} us of cpu each"
        return f"{self.rate:,.0f}/s, {times}, {self.statuses}"


class Best:
    """The best figures of several runs."""

    def __init__(self, tries: "tuple[Loaded, ...]") -> None:
        self.rate = max(one.rate for one in tries)
        self.cpu, self.p50, self.p99 = (
            min(getattr(one, name) for one in tries) for name in ("cpu", "p50", "p99")
        )
        self.statuses = {status for one in tries for status in one.statuses}

    __str__ = Loaded.__str__


def main(seconds: float) -> int:
    """Print the figures; return 1 if one is missed."""
    texts, labels = messages()
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder, "store")
        with running("bench.server.echo") as echo, nabi_server(store) as ours:
            token = Path(store, "token").read_text().strip()
            with nabi.Client(f"http://127.0.0.1:{ours[0]}", token) as client:
                client.learn(texts, labels)
                found = [single(echo, ours, token, seconds)]
            found.append(batches(ours, token, texts, labels, seconds))
            found += [learning(echo, ours, token, seconds), beside(ours, token, seconds)]
    return int(not all(found))


def by_turns(seconds: float, *runs) -> list[Best]:
    """Return the best of several short runs of each, which take turns: others use the machine."""
    found = [[run(seconds / ROUNDS) for run in runs] for _ in range(ROUNDS)]
    return [Best(tries) for tries in zip(*found, strict=True)]


def single(echo, ours, token: str, seconds: float) -> bool:
    """Compare the prediction of a short text with the echo."""
    asked = {"texts": ["win a prize now, call this number"], "proba": True, "top": 3}
    ratios = []
    raw = request("/predict", asked, token)
    for clients in (1, 8, 64):
        runs = (
            lambda t, server=server, clients=clients: Loaded(server, lambda _: raw, clients, t)
            for server in (echo, ours)
        )
        bare, full = by_turns(seconds, *runs)
        ratios.append(full.rate / bare.rate)
        print(f"{clients} clients: echo {bare}")
        print(f"{clients} clients: /predict {full}")
        print(f"  ratio {ratios[-1]:.2f}, of cpu time {bare.cpu / full.cpu:.2f}; wanted 0.5")
    return min(ratios) >= 0.5


class Library:
    """The library's own speed with batches: how many a second, and processor time of each."""

    def __init__(self, model, parts: list[list[str]], seconds: float) -> None:
        number, end, used = 0, time.perf_counter() + seconds, time.process_time()
        while time.perf_counter() < end:
            model.predict(parts[number % len(parts)])
            number += 1
        self.cpu = 1e6 * (time.process_time() - used) / number
        self.rate, self.p50, self.p99, self.statuses = number / seconds, 0.0, 0.0, {}


def batches(ours, token: str, texts: list[str], labels: list[str], seconds: float) -> bool:
    """Compare batches of 1,000 texts, from two clients, with the library."""
    model = nabi.TextClassifier(ledger="strong").fit(texts, labels)
    some = [texts[i : i + BATCH] for i in range(0, 5 * BATCH, BATCH)]
    raw = [request("/predict", {"texts": part}, token) for part in some]
    alone, full = by_turns(
        seconds,
        lambda t: Library(model, some, t),
        lambda t: Loaded(ours, lambda i: raw[i % 5], 2, t),
    )
    ratio, share = full.rate / alone.rate, alone.cpu / full.cpu
    print(
        f"batches of {BATCH:,} texts: library {alone.rate:,.0f}/s, {alone.cpu:.0f} us of cpu each"
    )
    print(f"batches of {BATCH:,} texts: server {full}")
    print(f"  ratio {ratio:.2f}, of cpu time {share:.2f}; wanted 0.7")
    return ratio >= 0.7


def learning(echo, ours, token: str, seconds: float) -> bool:
    """Compare learning with 64 clients, durable, with the echo."""
    raw = request("/predict", {"texts": ["win a prize now"]}, token)
    bare, full = by_turns(
        seconds,
        lambda t: Loaded(echo, lambda _: raw, 64, t),
        lambda t: Loaded(ours, lambda i: learned(i, token), 64, t),
    )
    ratio = full.rate / bare.rate
    print(f"64 clients: echo {bare}")
    print(f"64 clients: /learn {full}")
    print(f"  ratio {ratio:.2f}, of cpu time {bare.cpu / full.cpu:.2f}; wanted 0.3 or 5,000/s")
    return ratio >= 0.3 or full.rate >= 5000


def beside(ours, token: str, seconds: float) -> bool:
    """Compare predictions while others learn with predictions alone."""
    raw = request("/predict", {"texts": ["win a prize now, call this number"]}, token)
    ask = lambda t: Loaded(ours, lambda _: raw, 8, t)  # noqa: E731
    good = []
    for rate, named in ((500, "500 a second"), (0, "as fast as they can")):
        taught: list[str] = []
        alone, both = by_turns(
            seconds,
            ask,
            lambda t, rate=rate, taught=taught: _taught(ours[0], token, rate, t, ask, taught),
        )
        good.append(both.p99 <= 2 * alone.p99)
        print(f"predictions alone: {alone}")
        print(f"while 64 clients learn, {named} ({taught[-1]}): {both}")
        print(f"  p99 x{both.p99 / alone.p99:.1f}, wanted 2")
    return all(good)


def _taught(port: int, token: str, rate: float, seconds: float, ask, taught: list[str]) -> Loaded:
    """Ask while another process teaches."""
    command = (sys.executable, "-m", "bench.server.teaching", str(port), str(rate))
    with subprocess.Popen(
        [*command, str(1.5 * seconds)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as teaching:
        teaching.stdin.write(f"{token}\n")
        teaching.stdin.flush()
        teaching.stdout.readline()  # it begins
        time.sleep(seconds / 4)
        found = ask(seconds)
        taught.append(teaching.communicate()[0].strip())
    return found


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]) if len(sys.argv) > 1 else 5.0))

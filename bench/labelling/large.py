"""Memory and the time of `/next` with many short texts, over HTTP, against `nabi label`.

python -m bench.labelling.large [--texts 100000,1000000] [--asked 200]

The texts are made of some thousand words; the server runs in a process of its own.
"""

import argparse
import http.client
import json
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

WORDS = 20_000  # of which texts are made, as often as words are in texts
LENGTHS = (5, 25)  # words of a text


def write(path: Path, texts: int) -> None:
    """Write a file of short texts."""
    random = np.random.default_rng(0)
    words = [f"word{n}" for n in range(WORDS)]
    shares = 1.0 / np.arange(1, WORDS + 1)
    with path.open("w") as file:
        for _ in range(0, texts, 10_000):
            lengths = random.integers(*LENGTHS, 10_000)
            drawn = random.choice(WORDS, lengths.sum(), p=shares / shares.sum())
            for some in np.split(drawn, np.cumsum(lengths)[:-1]):
                file.write(" ".join(words[i] for i in some.tolist()) + "\n")


class Client:
    """One connection that stays open, as a browser has it."""

    def __init__(self, port: int, token: str) -> None:
        self._one = http.client.HTTPConnection("127.0.0.1", port, 600)
        self._sent = {"Authorization": f"Bearer {token}", "Nabi-Page": "bench"}

    def ask(self, path: str, body: Any = None) -> tuple[Any, float]:
        """Return the answer, and the milliseconds that it took."""
        method, data = ("GET", None) if body is None else ("POST", json.dumps(body))
        started = time.perf_counter()
        try:
            self._one.request(method, path, data, self._sent)
            found = self._one.getresponse().read()
        except (http.client.HTTPException, ConnectionError):  # closed after a pause: once more
            self._one.close()
            self._one.request(method, path, data, self._sent)
            found = self._one.getresponse().read()
        return json.loads(found), 1000 * (time.perf_counter() - started)


def memory(pid: int, what: str = "VmRSS") -> float:
    """Return the megabytes of a process."""
    status = Path(f"/proc/{pid}/status").read_text()
    found = re.search(rf"{what}:\s+(\d+)", status)
    return int(found[1]) / 1024 if found else 0.0


def measured(texts: int, asked: int) -> str:
    """Return a row of the table."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "texts.txt"
        write(path, texts)
        command = [sys.executable, "-m", "nabi.cli", "label", str(path), "--classes", "a,b"]
        started = time.perf_counter()
        with subprocess.Popen([*command, "--no-open"], stdout=subprocess.PIPE, text=True) as server:
            assert server.stdout is not None
            line = server.stdout.readline()
            found = re.search(r":(\d+); the token is in (.*)", line)
            assert found, line
            client = Client(int(found[1]), Path(found[2]).read_text().strip())
            before, first = memory(server.pid), None
            while client.ask("/pool")[0]["busy"]:
                if first is None and client.ask("/next", {"count": 1})[0]["items"]:
                    first = time.perf_counter() - started
                time.sleep(0.5)
            loading = time.perf_counter() - started
            times, learning = session(client, asked)
            row = (texts, loading, first or loading, before, memory(server.pid))
            peak = memory(server.pid, "VmHWM")
            server.terminate()
    p50, p95 = np.percentile(times, [50, 95])
    both = np.percentile(learning, 95)
    return (
        f"| {row[0]:,} | {row[1]:.0f} s | {row[2]:.1f} s | {row[3]:.0f} MB | {row[4]:.0f} MB | "
        f"{peak:.0f} MB | {p50:.1f} ms | {p95:.1f} ms | {both:.1f} ms |"
    )


def session(client: Client, asked: int) -> tuple[list[float], list[float]]:
    """Label texts at a person's pace; return the times of /next and of /learn."""
    times, learning = [], []
    client.ask("/release", {"ids": []})
    for _ in range(asked):
        found, took = client.ask("/next", {"count": 1})
        times.append(took)
        (item,) = found["items"]
        label = "a" if len(item["text"]) % 2 else "b"
        taught = [{"text": item["text"], "id": item["id"], "label": label}]
        learning.append(client.ask("/learn", {"examples": taught})[1])
        time.sleep(0.1)
    return times, learning


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", default="100000,1000000")
    parser.add_argument("--asked", type=int, default=200)
    given = parser.parse_args()
    print("| texts | loaded | first text | empty | with texts | peak | /next | p95 | /learn p95 |")
    print("|---|---|---|---|---|---|---|---|---|")
    for texts in given.texts.split(","):
        print(measured(int(texts), given.asked), flush=True)


if __name__ == "__main__":
    main()

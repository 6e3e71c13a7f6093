"""How soon `nabi serve` answers its first request: with an empty store, and with a large one.

python -m bench.server.start [EXAMPLES]
"""

import http.client
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from random import Random

import nabi
from bench.server.clients import nabi_server

WORDS = [f"word{i}" for i in range(20_000)]


def first_answer(store: Path) -> tuple[float, float]:
    """Return the seconds from the command to the first answer, and the processor's part of them."""
    began, before = time.perf_counter(), _child_seconds()
    with nabi_server(store) as (port, _):
        one = http.client.HTTPConnection("127.0.0.1", port)
        token = (store / "token").read_text().strip()
        one.request(
            "POST",
            "/predict",
            json.dumps({"texts": ["word1"]}),
            {"Authorization": f"Bearer {token}"},
        )
        assert one.getresponse().status in (200, 409)
        spent = time.perf_counter() - began
        one.close()
    return spent, _child_seconds() - before


def _child_seconds() -> float:
    import resource

    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main(examples: int) -> int:
    """Print the times; return 1 if one is too long."""
    with tempfile.TemporaryDirectory() as folder:
        # The modules are compiled once, as pip does when it installs them.
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        os.environ["PYTHONPYCACHEPREFIX"] = str(Path(folder, "compiled"))
        store, rng = Path(folder, "store"), Random(0)
        empty = [first_answer(store) for _ in range(5)]
        texts = [" ".join(rng.choices(WORDS, k=10)) for _ in range(examples)]
        with nabi_server(store) as (port, _):
            client = nabi.Client(f"http://127.0.0.1:{port}", token_file=store / "token")
            client.learn(texts, ["a", "b"] * (examples // 2))
            client.close()
        full = [first_answer(store) for _ in range(5)]
        subprocess.run([sys.executable, "-m", "nabi.cli", "store", "check", "--data", str(store)])
    for name, times in (("empty", empty), (f"{examples:,} examples", full)):
        best, cpu = min(times)
        print(
            f"{name}: first answer after {best:.2f} s (best of 5; cpu until the stop {cpu:.2f} s)"
        )
    return int(min(empty)[0] > 1 or min(full)[0] > 3)


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000))

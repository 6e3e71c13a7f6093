"""Workers that are killed while they train: the model must be that of one process.

    python -m bench.scale.kills --engine dask

Trains a model of words and pairs of 12 files of generated text by two worker processes, time and
again, and each time kills (SIGKILL) one of them at a random moment while it runs a task. A kill
counts if the engine says before it that the worker runs the task, and after it that the worker died
with the task unfinished. Then a task that always ends its worker: how long it takes until that is
an error.
"""

import argparse
import contextlib
import os
import random
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import nabi
from bench.speed.corpus import generated, write_csv
from bench.speed.output import add_json_option, progress, save, say
from nabi.errors import EngineError

FILES = 12
MOST_S = 60  # until a task that always dies is an error


class Victim(NamedTuple):
    """A worker and a task that it runs."""

    pid: int
    worker: str
    task: str


class Engine(Protocol):
    """What is asked of an engine."""

    def fit(self, folder: Path, model: Any) -> Any:
        """Train on the files of a folder."""

    def running(self) -> list[Victim]:
        """The workers that run a task now."""

    def died_with(self, victim: Victim) -> bool:
        """Whether a worker that was killed had not finished the task."""


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.scale.kills", description=__doc__)
    parser.add_argument("--engine", choices=list(ENGINES), default="dask")
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--texts", type=int, default=2000, help="of each file (2000)")
    parser.add_argument("--seed", type=int, default=0)
    add_json_option(parser)
    return parser.parse_args()


def main() -> None:
    args = arguments()
    rnd = random.Random(args.seed)
    with tempfile.TemporaryDirectory() as name, ENGINES[args.engine]() as engine:
        folder = Path(name)
        for i in range(FILES):
            progress(f"file {i + 1} of {FILES}")
            texts = generated(texts=args.texts, words=280, classes=2, vocabulary=30_000, seed=i)
            write_csv(folder / f"{i:02}.csv", texts)
        model = nabi.TextClassifier(ngrams=(1, 2))
        expected = engine.fit(folder, model).to_bytes()
        one = nabi.train(folder / "*.csv", ngrams=(1, 2), calibrate=False).to_bytes()
        assert expected == one, "without a kill the bytes are others than those of one process"
        runs = killed_runs(engine, folder, model, expected, args.kills, rnd)
        seconds, error = always_dying(engine, folder)
    found = {
        "engine": args.engine,
        "kills": args.kills,
        "equal": sum(equal for equal, _ in runs),
        "tasks": sorted({task.split("-")[1] for _, task in runs}),
        "always_dying_s": round(seconds, 1),
        "error": error,
    }
    tasks = ", ".join(found["tasks"])
    say(f"{args.engine}: {len(runs)} kills of running tasks ({tasks})", args.json)
    say(f"{found['equal']} models equal to that of one process", args.json)
    say(f"a task that always dies: {seconds:.1f} s: {error}", args.json)
    save(found, args.json)
    if found["equal"] < args.kills or not error or seconds > MOST_S:
        sys.exit(1)


def killed_runs(
    engine: Engine, folder: Path, model: Any, expected: bytes, kills: int, rnd: random.Random
) -> list[tuple[bool, str]]:
    """Whether the model was equal after each kill of a running task, and which task it was."""
    found = []
    while len(found) < kills:
        progress(f"kill {len(found) + 1} of {kills}")
        with ThreadPoolExecutor(1) as pool:
            fitted = pool.submit(engine.fit, folder, model)
            victim = kill_one(engine, rnd.uniform(0, 3), fitted.done)
            is_equal = fitted.result().to_bytes() == expected
        if victim is None:
            continue  # it had ended before, or the task was done before the worker was
        found.append((is_equal, victim.task))
    return found


def kill_one(engine: Engine, wait: float, ended: Callable[[], bool]) -> Victim | None:
    """Kill a worker that runs a task, after some seconds; None if none was hit."""
    start = time.monotonic()
    while not ended():
        if time.monotonic() - start < wait:
            time.sleep(0.01)
            continue
        for victim in engine.running():
            os.kill(victim.pid, signal.SIGKILL)
            return victim if engine.died_with(victim) else None
    return None


def always_dying(engine: Engine, folder: Path) -> tuple[float, str]:
    """The seconds until a task that always ends its worker is an error, and the error."""

    def dying(text: str) -> list[str]:
        os.kill(os.getpid(), signal.SIGKILL)
        return text.split()

    start = time.monotonic()
    try:
        engine.fit(folder, nabi.TextClassifier(nabi.Features(tokenizer=dying)))
    except EngineError as error:
        return time.monotonic() - start, str(error)
    return time.monotonic() - start, ""


# ---- engines ----


class Dask:
    """A scheduler and two workers, which a nanny starts again."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def fit(self, folder: Path, model: Any) -> Any:
        from nabi.engines.dask import fit

        return fit(folder / "*.csv", model=model, client=self._client)

    def running(self) -> list[Victim]:
        with contextlib.suppress(Exception):  # of a worker that starts
            found = self._client.run(_executing)
            return [
                Victim(pid, worker, task)
                for worker, (pid, tasks) in found.items()
                for task in tasks
                if task.startswith(("nabi-count", "nabi-merge"))
            ]
        return []

    def died_with(self, victim: Victim) -> bool:
        for _ in range(100):
            state = self._client.run_on_scheduler(_state, *victim[1:])
            if state is not None:
                return bool(state)
            threading.Event().wait(0.1)
        return False


def _executing(dask_worker: Any) -> tuple[int, list[str]]:
    """Runs on a worker: its process, and the tasks that it runs."""
    return os.getpid(), [task.key for task in dask_worker.state.executing]


def _state(worker: str, task: str, dask_scheduler: Any) -> bool | None:
    """Runs on the scheduler: whether a worker was lost with the task; None: it is there still."""
    if worker in dask_scheduler.workers:
        return None
    state = dask_scheduler.tasks.get(task)
    return state is not None and state.suspicious > 0


@contextlib.contextmanager
def dask() -> Iterator[Engine]:
    from distributed import Client, LocalCluster

    size = {"n_workers": 2, "threads_per_worker": 1, "host": "127.0.0.1", "silence_logs": 50}
    with (
        LocalCluster(**size, dashboard_address="127.0.0.1:0") as cluster,
        Client(cluster) as client,
    ):
        yield Dask(client)


ENGINES: dict[str, Callable[[], AbstractContextManager[Engine]]] = {"dask": dask}


if __name__ == "__main__":
    main()

"""Killed workers, tasks that always die, and second attempts: Spark with two worker processes.

    python -m bench.scale.spark_kills

Kills a Python worker by SIGKILL while it runs a task, 20 times, each in a training of its own, and
compares the bytes with those of one process. A kill counts if Spark tells of a task that failed by
it; otherwise the training is repeated. Then: a task whose worker always dies must end with a clear
error within 60 s; with speculation, tasks that are started twice must change nothing; and so must a
batch that `foreachBatch` is given twice.
"""

import argparse
import os
import random
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import nabi
from bench.speed.corpus import default_corpus
from bench.speed.output import Figures, add_json_option, save, say
from nabi.engines import spark as engine
from nabi.errors import EngineError
from tests.spark_cluster import cluster

LONGEST = 60  # seconds until a task that always dies is told
SLOW = 3.0  # seconds of the first attempt of a slow task


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.scale.spark_kills", description=__doc__)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--texts", type=int, help="of the film reviews (all)")
    parser.add_argument("--seed", type=int, default=0)
    add_json_option(parser)
    return parser.parse_args()


def main() -> None:
    args = arguments()
    _, corpus = default_corpus()
    corpus = corpus.thinned(max(1, len(corpus.texts) // (args.texts or len(corpus.texts))))
    model = nabi.TextClassifier(ngrams=(1, 2))
    expected = nabi.TextClassifier(ngrams=(1, 2)).fit(corpus.texts, corpus.labels).to_bytes()
    with cluster(**{"spark.task.maxFailures": "4"}) as session:
        rows = list(zip(corpus.texts, corpus.labels, strict=True))
        frame = session.createDataFrame(rows, ["text", "label"]).repartition(16).cache()
        frame.count()
        found = killed(session, frame, model, expected, args)
        found["always_dies_s"] = always_dying(frame)
        found["replayed_equal"] = replayed(session, frame, model, expected)
    options = {"spark.speculation": "true", "spark.speculation.quantile": "0.3"}
    options |= {"spark.speculation.multiplier": "1.1", "spark.speculation.interval": "100ms"}
    with cluster(**options) as session:
        found |= speculated(session, rows[:4000])
    say("\n".join(f"{name}: {value}" for name, value in found.items()), args.json)
    save(found, args.json)
    equal = [found[name] for name in ("equal", "replayed_equal", "speculation_equal")]
    if equal != [args.kills, True, True] or not 0 < found["always_dies_s"] <= LONGEST:
        sys.exit(1)


def killed(
    session: Any, frame: Any, model: nabi.TextClassifier, expected: bytes, args: argparse.Namespace
) -> Figures:
    rnd, hit, equal, missed = random.Random(args.seed), 0, 0, 0
    while hit < args.kills:
        print(f"{hit} kills, {equal} equal, {missed} missed", file=sys.stderr, flush=True)
        killer = Killer(session, rnd.uniform(0.05, 1.5))
        killer.start()
        made = engine.fit(frame, model).to_bytes()
        killer.ended.set()
        killer.join()
        if not killer.failed:
            missed += 1
            continue
        hit += 1
        equal += made == expected
    return {"kills": hit, "equal": equal, "kills that hit no task": missed}


class Killer(threading.Thread):
    """Kills one Python worker while tasks run, and sees whether a task has failed by it."""

    def __init__(self, session: Any, wait: float) -> None:
        super().__init__(daemon=True)
        self._tracker, self._wait = session.sparkContext.statusTracker(), wait
        self.ended, self.failed, self._pid = threading.Event(), 0, None
        self._java = session.sparkContext._gateway.proc.pid

    def run(self) -> None:
        seen: set[int] = set()
        ready = time.monotonic() + self._wait
        while not self.ended.wait(0.005):
            stages = self._tracker.getActiveStageIds()
            seen |= set(stages)
            infos = [self._tracker.getStageInfo(stage) for stage in seen]
            self.failed = sum(info.numFailedTasks for info in infos if info is not None)
            if self._pid is None and stages and time.monotonic() > ready:
                workers = busy_workers(self._java)
                if workers:
                    self._pid = random.choice(workers)
                    os.kill(self._pid, signal.SIGKILL)
        infos = [self._tracker.getStageInfo(stage) for stage in seen]
        self.failed = max(self.failed, sum(i.numFailedTasks for i in infos if i is not None))


def busy_workers(java: int) -> list[int]:
    """Python workers below a Java process that are running: forks of pyspark.daemon."""
    parents, running = {}, set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                stat = (entry / "stat").read_text().rpartition(")")[2].split()
                command = (entry / "cmdline").read_bytes()
            except OSError:
                continue
            parents[int(entry.name)] = int(stat[1])
            if b"pyspark.daemon" in command and stat[0] == "R":
                running.add(int(entry.name))
    return [pid for pid in running if java in ancestors(pid, parents)]


def ancestors(pid: int, parents: dict[int, int]) -> list[int]:
    found = []
    while pid in parents:
        pid = parents[pid]
        found.append(pid)
    return found


def always_dying(frame: Any) -> float:
    """The seconds until a task that always dies is told; 0 where the error says something else."""
    driver = os.getpid()

    def dying(text: str) -> list[str]:
        if os.getpid() != driver:
            os.kill(os.getpid(), signal.SIGKILL)
        return text.split()

    start = time.perf_counter()
    try:
        engine.fit(frame, nabi.TextClassifier(tokenizer=dying))
    except EngineError as error:
        if "died at every attempt of a task" in str(error):
            return time.perf_counter() - start
    return 0.0


def replayed(session: Any, frame: Any, model: nabi.TextClassifier, expected: bytes) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        learner = engine.BatchLearner(folder, model)
        halves = frame.randomSplit([0.5, 0.5], seed=1)
        for number, half in [(0, halves[0]), (0, halves[0]), (1, halves[1]), (1, halves[1])]:
            learner(half.cache(), number)
        return learner.model().to_bytes() == expected


def speculated(session: Any, rows: list[tuple[str, str]]) -> Figures:
    """Whether tasks that Spark starts twice, since the first is slow, change the result."""
    driver = os.getpid()
    with tempfile.TemporaryDirectory() as folder:

        def slow(text: str) -> list[str]:
            if os.getpid() != driver and "slow" in text:
                with open(f"{folder}/attempts", "a") as file:
                    file.write("x")
                if os.path.getsize(f"{folder}/attempts") == 1:
                    time.sleep(SLOW)
            return text.split()

        given = [*rows, ("slow", "pos")]
        frame = session.createDataFrame(given, ["text", "label"]).repartition(12).cache()
        frame.count()
        model = nabi.TextClassifier(tokenizer=slow)
        texts, labels = (list(column) for column in zip(*given, strict=True))
        found = engine.fit(frame, model).to_bytes() == model.fit(texts, labels).to_bytes()
        attempts = os.path.getsize(f"{folder}/attempts")
    return {"speculation_equal": found, "attempts of the slow task": attempts}


if __name__ == "__main__":
    main()

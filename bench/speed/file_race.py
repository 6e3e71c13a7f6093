"""Who is measured on a file, and the race: a process for each contender, round after round."""

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench.speed.contenders import CORES
from bench.speed.corpus import read_csv, write_csv
from bench.speed.earlier import ROOT
from bench.speed.output import progress
from bench.speed.posts import write_posts
from bench.speed.race import Seconds, timed

RECIPES = {"words": "1-1", "words and pairs": "1-2"}
SKLEARN = "scikit-learn and pandas"
SLOW, QUICK = 50 * 10**6, 200 * 10**6  # bytes that a contender gets at most
PARQUET = """
import sys, duckdb
csv, path = sys.argv[1:]
rows = duckdb.read_csv(csv, parallel=False, max_line_size=10**8)
rows.write_parquet(path)
"""
# GNU wc 9.1 takes two thirds of the time in this locale that it takes in C.
LOCALE = {**os.environ, "LC_ALL": "C.UTF-8"}


@dataclass
class Files:
    """One set of rows in several files; each is made when it is asked for first."""

    csv: Path
    folder: Path
    generated: dict[str, int] | None = None  # classes and seed; None: it is the user's file

    @property
    def size(self) -> int:
        return self.csv.stat().st_size

    def path(self, kind: str, part: int) -> Path:
        """('csv', 20) -> a CSV file of one twentieth of the rows"""
        if kind == "csv":
            return self.csv if part == 1 else self._made(f"part-{part}.csv", self._write_part, part)
        return self._made(f"whole.{kind}", {"parquet": _write_parquet, "csv.gz": _write_gz}[kind])

    def _made(self, ending: str, write: Any, *options: int) -> Path:
        path = self.folder / f"{self.csv.stem}-{ending}"
        if not path.exists():
            progress(f"writing {path}")
            unfinished = path.with_name(f"unfinished-{path.name}")
            write(self.csv, unfinished, *options)
            unfinished.rename(path)
        return path

    def _write_part(self, csv: Path, path: Path, part: int) -> None:
        if self.generated is None:
            write_csv(path, read_csv(csv).thinned(part))
        else:
            write_posts(path, self.size // part, **self.generated)


def _write_parquet(csv: Path, path: Path) -> None:
    line = [sys.executable, "-c", PARQUET, str(csv), str(path)]  # DuckDB keeps its memory
    subprocess.run(line, check=True)


def _write_gz(csv: Path, path: Path) -> None:
    with open(path, "wb") as out:
        subprocess.run(["gzip", "-c", str(csv)], stdout=out, check=True)


@dataclass(eq=False)
class Entry:
    """A contender with what it does to which file, and the best that it did."""

    task: str
    who: str
    work: str | list[str]  # a name in `file_work.WORK`, or a command before the file's name
    options: dict[str, Any] = field(default_factory=dict)
    file: str = "csv"
    most: int | None = None  # bytes of the file; what it takes for them is scaled
    python: str = sys.executable
    part: int = 1  # one n-th of the rows was read
    seconds: Seconds = field(default_factory=Seconds)
    peak: float | None = None

    @property
    def name(self) -> str:
        return f"{self.task}: {self.who}"

    def take_turn(self, files: Files, folder: Path) -> None:
        """Run once, in a process of its own."""
        self.part = max(1, round(files.size / self.most)) if self.most else 1
        path = files.path(self.file, self.part)
        if isinstance(self.work, list):
            self._keep(timed(_run_command, [*self.work, str(path)])[0], None)
            return
        given = json.dumps([self.work, str(path), str(folder), self.options])
        line = [self.python, "-m", "bench.speed.file_work", given]
        done = subprocess.run(line, check=True, cwd=ROOT, stdout=subprocess.PIPE)
        found = json.loads(done.stdout.splitlines()[-1])
        self._keep(Seconds(found["s"], found["cpu_s"]), found["peak_mb"])

    def _keep(self, seconds: Seconds, peak: float | None) -> None:
        scaled = Seconds(seconds.wall * self.part, seconds.cpu * self.part)
        self.seconds = self.seconds.best(scaled)
        self.peak = peak if self.peak is None or peak is None else min(peak, self.peak)


def _run_command(line: list[str]) -> None:
    subprocess.run(line, check=True, env=LOCALE, stdout=subprocess.DEVNULL)


def entries(pythons: dict[str, str], only: str = "") -> list[Entry]:
    """All contenders whose name matches; `pythons`: one for each version of nabi."""
    every = [entry for who, python in pythons.items() for entry in _nabi(who, python)] + _peers()
    return [entry for entry in every if re.search(only, entry.name)]


def _nabi(who: str, python: str) -> list[Entry]:
    found = []
    for recipe, ngrams in RECIPES.items():
        for threads in sorted({1, CORES}):
            options = {"threads": threads, "ngrams": ngrams}
            name = f"{who}, {threads} thread{'s' if threads > 1 else ''}"
            for task, work in [
                (f"train, {recipe}", "nabi train"),
                (f"from memory: train, {recipe}", "nabi fit"),
                (f"predict, {recipe}", "nabi predict"),
                (f"from memory: predict, {recipe}", "nabi predict texts"),
            ]:
                found.append(Entry(task, name, work, options, python=python))
            for kind in ("parquet", "csv.gz"):
                if threads == CORES:
                    task = f"from {kind}: train, {recipe}"
                    found.append(Entry(task, name, "nabi train", options, kind, python=python))
    return found


def _peers() -> list[Entry]:
    found = []
    for recipe, ngrams in RECIPES.items():
        for task in ("train", "predict"):
            name, work, options = f"{task}, {recipe}", f"scikit-learn {task}", {"ngrams": ngrams}
            found.append(Entry(name, SKLEARN, work, options, most=SLOW))
    return [
        *found,
        Entry("count words by class", "polars", "polars words", most=QUICK),
        Entry("count words by class", "DuckDB", "duckdb words", most=QUICK),
        Entry("count words", "wc -w", ["wc", "-w"]),
        Entry("count words", "wc -w in C", ["env", "LC_ALL=C", "wc", "-w"]),
        Entry("read", "cat", ["cat"]),
        Entry("unpack parquet", "DuckDB", "duckdb parquet", file="parquet"),
        Entry("unpack csv.gz", "gzip -dc", ["gzip", "-dc"], file="csv.gz"),
    ]


def race(contenders: list[Entry], files: Files, folder: Path, repeat: int) -> None:
    """Let all take their turns, A B C A B C: a noisy moment of the machine then hits all alike."""
    for turn in range(1, repeat + 1):
        for entry in contenders:
            progress(f"{turn} of {repeat}: {entry.name}")
            own = folder / entry.who.split(",")[0].replace(" ", "-")
            own.mkdir(exist_ok=True)
            entry.take_turn(files, own)

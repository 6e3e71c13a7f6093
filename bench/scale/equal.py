"""Whether shared work gives the bytes of one process, on whole data sets.

    python -m bench.scale.equal

Cuts imdb and nsmc, and a generated table of numbers and categories, into 64 files, and trains on
them in each way: a job array (`nabi train --shard` in processes of their own, and `nabi merge`),
and Dask with two worker processes. Compares the files with that of one process: words, words and
pairs, with and without a ledger, and a floor of 2.
"""

import argparse
import contextlib
import csv
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, NamedTuple

import nabi
from bench.speed.corpus import IMDB, Corpus, read_csv, write_csv
from bench.speed.output import add_json_option, progress, save, say, table

NSMC = IMDB.parents[1] / "nsmc" / "train.csv.gz"
NABI = [sys.executable, "-m", "nabi.cli"]
RECIPES: dict[str, dict[str, Any]] = {"words": {}, "words and pairs": {"ngrams": (1, 2)}}
LEDGERS = {"with a ledger": True, "without": False}
FLOOR = 2


class Case(NamedTuple):
    """What is trained: on the files of a folder, with these parameters."""

    folder: Path
    files: int
    label: str
    params: dict[str, Any]
    floors: Sequence[int | None]

    @property
    def data(self) -> list[str]:
        return [f"{i:02}.csv" for i in range(self.files)]

    @property
    def model(self) -> Any:
        make: Any = nabi.TextClassifier if self.label == "label" else nabi.TableClassifier
        return make(**self.params)

    @property
    def typed(self) -> list[str]:
        """The options of `nabi train`."""
        ledger = [] if self.params["ledger"] else ["--no-ledger"]
        ngrams = ["--ngrams", "1-2"] if "ngrams" in self.params else []
        return ["--quiet", "--threads", "1", *ngrams, *ledger, "--label", self.label]


# A way to train: the bytes of the model for each floor.
Way = Callable[[Case], list[bytes]]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.scale.equal", description=__doc__)
    parser.add_argument("--parts", type=int, default=64)
    parser.add_argument("--only", help="imdb, nsmc or table")
    parser.add_argument("--ways", nargs="*", default=list(WAYS), choices=list(WAYS))
    add_json_option(parser)
    return parser.parse_args()


def main() -> None:
    args = arguments()
    rows = []
    with contextlib.ExitStack() as opened:
        ways = {name: opened.enter_context(WAYS[name]()) for name in args.ways}
        for name, write in {
            "imdb": texts_of(IMDB),
            "nsmc": texts_of(NSMC),
            "table": people,
        }.items():
            if args.only in (None, name):
                with tempfile.TemporaryDirectory() as folder:
                    write(Path(folder), args.parts)
                    rows += compared(Path(folder), name, args.parts, ways)
    say(table([["data", "recipe", "ledger", "floor", *ways], *rows]), args.json)
    save({"rows": rows}, args.json)
    if any(cell == "DIFFERENT" for row in rows for cell in row):
        sys.exit(1)


def compared(folder: Path, name: str, parts: int, ways: dict[str, Way]) -> list[list[str]]:
    is_table, found = name == "table", []
    label, floors = ("job", [None]) if is_table else ("label", [None, FLOOR])
    for recipe, params in {"columns": {}}.items() if is_table else RECIPES.items():
        for ledger, kept in LEDGERS.items():
            case = Case(folder, parts, label, {**params, "ledger": kept}, floors)
            progress(f"{name}: {recipe}, {ledger}")
            expected = one_process(case)
            given = {}
            for way, bytes_of in ways.items():
                progress(f"{name}: {recipe}, {ledger}, {way}")
                given[way] = bytes_of(case)
            for i, floor in enumerate(floors):
                cells = [equal(given[way][i], expected[i]) for way in ways]
                found.append([name, recipe, ledger, str(floor or ""), *cells])
    return found


def equal(one: bytes, other: bytes) -> str:
    return "equal" if one == other else "DIFFERENT"


def run(case: Case, *command: str, **options: Any) -> None:
    subprocess.run(command, cwd=case.folder, check=True, **options)


def one_process(case: Case) -> list[bytes]:
    plain = ["--no-score", "--no-calibrate", "-o", "one.nabi"]
    run(case, *NABI, "train", *case.data, *plain, *case.typed)
    model = nabi.load(case.folder / "one.nabi")
    return [(model if each is None else model.floor(each)).to_bytes() for each in case.floors]


# ---- ways ----


@contextlib.contextmanager
def job_array() -> Iterator[Way]:
    """Jobs of `nabi train --shard`, two at a time, and `nabi merge`."""

    def bytes_of(case: Case) -> list[bytes]:
        shard = ["--shard", "{}/" + str(case.files), "-o", "part-{}.nabi"]
        each = ["xargs", "-P", "2", "-I{}", *NABI, "train", *case.data, *shard, *case.typed]
        numbers = "\n".join(map(str, range(case.files)))
        run(case, *each, input=numbers.encode())
        return [merged(case, floor) for floor in case.floors]

    yield bytes_of


def merged(case: Case, floor: int | None) -> bytes:
    made = [f"part-{i}.nabi" for i in range(case.files)]
    typed = [] if floor is None else ["--floor", str(floor)]
    run(case, *NABI, "merge", *made, "-o", "merged.nabi", "--quiet", *typed)
    return (case.folder / "merged.nabi").read_bytes()


@contextlib.contextmanager
def dask() -> Iterator[Way]:
    """Two worker processes of Dask, which read the files."""
    from distributed import Client, LocalCluster

    from nabi.engines.dask import fit

    size = {"n_workers": 2, "threads_per_worker": 1, "host": "127.0.0.1"}
    with (
        LocalCluster(**size, dashboard_address="127.0.0.1:0") as cluster,
        Client(cluster) as client,
    ):

        def bytes_of(case: Case) -> list[bytes]:
            data = [case.folder / name for name in case.data]
            how: dict[str, Any] = {"model": case.model, "label": case.label, "client": client}
            return [fit(data, floor=floor, **how).to_bytes() for floor in case.floors]

        yield bytes_of


WAYS: dict[str, Callable[[], AbstractContextManager[Way]]] = {"job array": job_array, "dask": dask}


# ---- data ----


def texts_of(path: Path) -> Callable[[Path, int], None]:
    def write(folder: Path, parts: int) -> None:
        corpus = read_csv(path)
        for i in range(parts):
            some = Corpus(corpus.texts[i::parts], corpus.labels[i::parts])
            write_csv(folder / f"{i:02}.csv", some)

    return write


def people(folder: Path, parts: int) -> None:
    """A table of numbers and categories, some of them missing."""
    rnd = random.Random(0)
    for i in range(parts):
        with open(folder / f"{i:02}.csv", "w", encoding="utf-8", newline="") as file:
            out = csv.writer(file)
            out.writerow(["age", "pay", "city", "member", "visits", "job"])
            for _ in range(300):
                job = rnd.choice("abc")
                age = "" if rnd.random() < 0.1 else f"{rnd.gauss(40, 9):.2f}"
                city = rnd.choice(["Rome", "Oslo", "Lima", "", f"town {rnd.randrange(99)}"])
                pay, visits = f"{rnd.lognormvariate(7, 1):.3f}", rnd.randrange(40)
                out.writerow([age, pay, city, rnd.choice(["true", "false"]), visits, job])


if __name__ == "__main__":
    main()

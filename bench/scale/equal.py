"""Whether a job array gives the bytes of one process, on whole data sets.

    python -m bench.scale.equal

Cuts imdb and nsmc, and a generated table of numbers and categories, into 64 files, trains 64 shares
(`nabi train --shard`) in processes of their own, merges them, and compares the file with that of
one process: words, words and pairs, with and without a ledger, and a floor of 2.
"""

import argparse
import csv
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import nabi
from bench.speed.corpus import IMDB, Corpus, read_csv, write_csv
from bench.speed.output import add_json_option, progress, save, say, table

NSMC = IMDB.parents[1] / "nsmc" / "train.csv.gz"
NABI = [sys.executable, "-m", "nabi.cli"]
RECIPES = {"words": [], "words and pairs": ["--ngrams", "1-2"]}
LEDGERS = {"with a ledger": [], "without": ["--no-ledger"]}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.scale.equal", description=__doc__)
    parser.add_argument("--parts", type=int, default=64)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--only", help="imdb, nsmc or table")
    add_json_option(parser)
    return parser.parse_args()


def main() -> None:
    args = arguments()
    rows = []
    for name, write in {"imdb": texts_of(IMDB), "nsmc": texts_of(NSMC), "table": people}.items():
        if args.only not in (None, name):
            continue
        with tempfile.TemporaryDirectory() as folder:
            write(Path(folder), args.parts)
            rows += compared(Path(folder), name, args)
    say(table([["data", "recipe", "ledger", "floor", "bytes"], *rows]), args.json)
    save({"rows": rows}, args.json)
    if any(row[-1] != "equal" for row in rows):
        sys.exit(1)


def compared(folder: Path, name: str, args: argparse.Namespace) -> list[list[str]]:
    found = []
    label = ["--label", "job"] if name == "table" else []
    for recipe, options in RECIPES.items() if name != "table" else [("columns", [])]:
        for ledger, more in LEDGERS.items():
            progress(f"{name}: {recipe}, {ledger}")
            one, merged = trained(folder, [*options, *more, *label], args)
            found.append([name, recipe, ledger, "", equal(one, merged)])
            if name != "table":
                expected = nabi.from_bytes(one).floor(2).to_bytes()
                floored = merged_file(folder, args.parts, "--floor", "2")
                found.append([name, recipe, ledger, "2", equal(expected, floored)])
    return found


def equal(one: bytes, other: bytes) -> str:
    return "equal" if one == other else "DIFFERENT"


def trained(folder: Path, options: list[str], args: argparse.Namespace) -> tuple[bytes, bytes]:
    """The file of one process, and that of a job array."""
    typed = ["--quiet", "--threads", "1", *options]
    data = [f"{i:02}.csv" for i in range(args.parts)]
    plain = ["--no-score", "--no-calibrate", "-o", "one.nabi"]
    subprocess.run([*NABI, "train", *data, *plain, *typed], cwd=folder, check=True)
    shard = ["--shard", "{}/" + str(args.parts), "-o", "part-{}.nabi"]
    subprocess.run(
        ["xargs", "-P", str(args.processes), "-I{}", *NABI, "train", *data, *shard, *typed],
        input="\n".join(map(str, range(args.parts))).encode(),
        cwd=folder,
        check=True,
    )
    return (folder / "one.nabi").read_bytes(), merged_file(folder, args.parts)


def merged_file(folder: Path, parts: int, *options: str) -> bytes:
    made = [f"part-{i}.nabi" for i in range(parts)]
    merge = [*NABI, "merge", *made, "-o", "merged.nabi", "--quiet", *options]
    subprocess.run(merge, cwd=folder, check=True)
    return (folder / "merged.nabi").read_bytes()


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

"""From a file: nabi, nabi of an earlier commit, scikit-learn with pandas, polars, DuckDB, `wc -w`.

    python -m bench.speed.files --size 1GB --against HEAD~1 --json files.json

The file is generated (bench/speed/posts.py: texts like those of blogs, one million distinct words
in 1 GB), or is one of yours by --data. In one run, in turns, each in a process of its own with its
libraries imported: training with words and with words and pairs, on one thread and on all;
predicting from file to file; both from texts in memory; from Parquet and .gz; and the peers.
Figures are the best of N by the clock, the time of all cores, and the peak of memory.

Peers that are slow or need much memory get a part of the rows, and their time is scaled; the table
says so. A part has fewer distinct words than the whole: the whole would take longer.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path

from bench.speed.contenders import CORES
from bench.speed.earlier import installed, short_id
from bench.speed.figures import machine
from bench.speed.file_race import RECIPES, SKLEARN, Entry, Files, entries, race
from bench.speed.output import Figures, add_json_option, progress, save, say, table
from bench.speed.posts import parsed_size, write_posts

NOW = "nabi"
ALL = f"{CORES} thread{'s' if CORES > 1 else ''}"
UNPACKING = {"parquet": [("unpack parquet", "DuckDB")], "csv.gz": [("unpack csv.gz", "gzip -dc")]}
COUNTING = [("count words", "wc -w"), ("read", "cat")]
COUNTING += [("count words by class", who) for who in ("polars", "DuckDB")]
NOTES = """MB/s: bytes of the CSV file, also where the same rows come packed or from memory.
From memory: the texts are an Arrow column; its memory is part of the peak.
scikit-learn: read_csv, CountVectorizer, MultinomialNB, to_csv."""
HEAD = ["from a file", "seconds", "CPU s", "MB/s", "x wc -w", "peak MB", "rows"]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench.speed.files",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--size", type=parsed_size, default="1GB", help="of the file (1GB)")
    parser.add_argument("--classes", type=int, default=2, help="of its texts (2)")
    parser.add_argument("--seed", type=int, default=7, help="of its texts (7)")
    parser.add_argument("--data", type=Path, metavar="FILE", help="a CSV of text,label in place")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep and reuse the files here")
    parser.add_argument("--against", metavar="COMMIT", help="build and measure this commit, too")
    parser.add_argument("--only", default="", metavar="REGEX", help="rows with such a name")
    parser.add_argument("--repeat", type=int, default=3, metavar="N", help="best of so many (3)")
    parser.add_argument("--quick", action="store_true", help="the same as --size 5MB --repeat 1")
    add_json_option(parser)
    return parser.parse_args()


def main() -> None:
    args = arguments()
    if args.quick:
        args.size, args.repeat = 5 * 10**6, 1
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        pythons = {NOW: sys.executable}
        if args.against:
            name = f"nabi of {short_id(args.against)}"
            progress(f"building {name}")
            pythons[name] = stack.enter_context(installed(args.against, folder))
        files = made_files(args, args.keep or folder)
        found = entries(pythons, args.only)
        race(found, files, folder, args.repeat)
        figures = figures_of(found, files, args.repeat)
    say(page(figures), args.json)
    save(figures, args.json)


def made_files(args: argparse.Namespace, folder: Path) -> Files:
    """The user's file, or a generated one, which is reused where it was kept."""
    if args.data:
        return Files(args.data, folder)
    folder.mkdir(parents=True, exist_ok=True)
    how = {"classes": args.classes, "seed": args.seed}
    path = folder / f"posts-{args.size // 10**6}MB-{args.classes}-{args.seed}.csv"
    if not path.exists():
        progress(f"writing {path}")
        write_posts(path.with_suffix(".part"), args.size, **how).rename(path)
    return Files(path, folder, how)


def figures_of(found: list[Entry], files: Files, repeat: int) -> Figures:
    """All figures, as `--json` has them."""
    mb = files.size / 1e6
    results = [
        {
            "task": one.task,
            "who": one.who,
            "s": one.seconds.wall,
            "cpu_s": one.seconds.cpu,
            "mb_s": mb / one.seconds.wall,
            "peak_mb": one.peak,
            "part": one.part,
        }
        for one in found
    ]
    head = {"data": files.csv.name, "mb": mb, "best_of": repeat, "machine": machine()}
    return {**head, "results": results, "ratios": dict(ratios(results))}


# ---- ratios ----


def ratios(results: list[Figures]) -> Iterator[tuple[str, Figures]]:
    """How many times as long the first takes as the second, where both were measured."""
    found = {(one["task"], one["who"]): one for one in results}
    versions = sorted({who.split(",")[0] for _, who in found if who.startswith(NOW)})
    for name, *sides in _pairs(versions):
        first, second = ([found[row] for row in side if row in found] for side in sides)
        if first and second:
            yield name, {by: _most(first, by) / _most(second, by) for by in ("s", "cpu_s")}


def _most(rows: list[Figures], by: str) -> float:
    return max(row[by] for row in rows)


Row = tuple[str, str]  # task and contender


def _pairs(versions: list[str]) -> Iterator[tuple[str, list[Row], list[Row]]]:
    """Names of ratios, and the rows of each side; of several, the slowest counts."""
    for task in (f"{verb}, {recipe}" for recipe in RECIPES for verb in ("train", "predict")):
        ours = (task, f"{NOW}, {ALL}")
        for version in versions:
            own = (task, f"{version}, {ALL}")
            memory = (f"from memory: {task}", own[1])
            yield f"{task}: {version}, file / memory", [own], [memory]
            yield f"{task}: {version}, 1 thread / {ALL}", [(task, f"{version}, 1 thread")], [own]
            for kind in ("parquet", "csv.gz"):
                packed = (f"from {kind}: {task}", own[1])
                name = f"{task}: {version}, from {kind} / the slower of unpacking and counting"
                yield name, [packed], [memory, *UNPACKING[kind]]
            if version != NOW:
                yield f"{task}: {version} / {NOW}", [own], [ours]
        yield f"{task}: {SKLEARN} / {NOW}", [(task, SKLEARN)], [ours]
        for what, who in COUNTING if task.startswith("train") else []:
            yield f"{task}: {who} / {NOW}", [(what, who)], [ours]


# ---- as a page ----


def page(figures: Figures) -> str:
    head = f"{figures['data']}, {figures['mb']:.0f} MB; {CORES} cores, best of {figures['best_of']}"
    rows = [HEAD, *map(partial(_row, figures), figures["results"])]
    times = [["times as long", "by the clock", "by CPU"]]
    for name, ratio in figures["ratios"].items():
        times.append([name, f"{ratio['s']:.2f}", f"{ratio['cpu_s']:.2f}"])
    return "\n\n".join([head, table(rows), table(times), NOTES])


def _row(figures: Figures, one: Figures) -> list[str]:
    wc = next((each["s"] for each in figures["results"] if each["who"] == "wc -w"), None)
    return [
        f"{one['task']}: {one['who']}",
        f"{one['s']:.2f}",
        f"{one['cpu_s']:.2f}",
        f"{one['mb_s']:.0f}",
        f"{wc / one['s']:.2f}" if wc else "",
        f"{one['peak_mb']:.0f}" if one["peak_mb"] else "",
        "all" if one["part"] == 1 else f"1/{one['part']}, scaled",
    ]


if __name__ == "__main__":
    main()

"""Memory of commands on files that cost a careless reader more than they hold.

    python -m bench.memory

Unclosed quotes, bad rows, and rows of a few bytes: every peak has to stay below 600 MB, however
large the file; a ledger may take 12 bytes more for each row. Judging a column of ids as labels,
20,000 classes of two rows, has to stay below 1,500 MB. The files are made by tests/big_files.py;
tests/cli/test_memory.py runs small ones.
"""

import argparse
import tempfile
import time
from pathlib import Path

from bench.speed.output import Figures, add_json_option, progress, save, say, table
from tests.big_files import run_measured, write_file

MB = 10**6
BAR, JUDGING_BAR = 600, 1500  # MB
LEDGER, ROW = 12, 14  # bytes: of a ledger for each row, of a short row
SIZES = {"short rows": 2000 * MB, "ids as labels": 40_000 * 15}
OTHERS = 64 * MB
LEARN = "train {} -o m.nabi"
TRAIN, SKIP = f"{LEARN} --no-ledger", "--skip-bad"
CASES = [  # kind of rows, name of the file, command
    ("unclosed quote", "quote.csv", TRAIN),
    ("unclosed quote", "quote.csv", f"{TRAIN} {SKIP}"),
    ("unclosed quote", "quote.csv.gz", TRAIN),
    ("unclosed quote, bad rows", "bad-quote.csv", TRAIN),
    ("unclosed quote, bad rows", "bad-quote.csv", f"{TRAIN} {SKIP}"),
    ("unclosed quote, bad rows", "bad-quote.csv.gz", TRAIN),
    ("unclosed quote, bad rows", "bad-quote.csv.gz", f"{TRAIN} {SKIP}"),
    ("bad rows", "bad.csv", f"{TRAIN} {SKIP}"),
    ("bad rows", "bad.csv", f"learn m.nabi {{}} {SKIP}"),
    ("bad rows", "bad.csv", f"predict m.nabi {{}} -o out.csv {SKIP}"),
    ("bad rows", "bad.csv", f"evaluate m.nabi {{}} {SKIP}"),
    ("bad rows", "bad.csv", f"crossval {{}} {SKIP}"),
    ("bad lines", "bad.jsonl", TRAIN),
    ("bad lines", "bad.jsonl", f"{TRAIN} {SKIP}"),
    ("short rows", "short.csv", TRAIN),
    ("short rows", "short.csv", "learn m.nabi {}"),
    ("short rows", "short.csv", "predict m.nabi {} -o out.csv"),
    ("short rows", "short.csv", LEARN),
    ("ids as labels", "ids.csv", f"{LEARN} --no-score"),
    ("ids as labels", "ids.csv", "evaluate m.nabi {}"),
    ("ids as labels", "ids.csv", "calibrate m.nabi {}"),
    ("ids as labels", "ids.csv", "crossval {}"),
]


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.memory", description=__doc__)
    parser.add_argument("--scale", type=float, default=1, metavar="X", help="times the sizes (1)")
    add_json_option(parser)
    return parser.parse_args()


def main() -> None:
    args = arguments()
    with tempfile.TemporaryDirectory() as folder:
        rows = [measured(Path(folder), *case, args.scale) for case in CASES]
    say(page(rows), args.json)
    save({"cases": rows}, args.json)


def measured(folder: Path, kind: str, name: str, command: str, scale: float) -> Figures:
    """The peak and the seconds of a command; a file is made once, and gone after its last use."""
    path = folder / name
    if not path.exists():
        for old in folder.glob("*.csv*"):
            old.unlink()
        progress(f"writing {name}")
        write_file(path, kind, int(SIZES.get(kind, OTHERS) * scale))
    progress(f"{command.format(name)}")
    start = time.perf_counter()
    run = run_measured(folder, *command.format(name).split())
    seconds = time.perf_counter() - start
    for made in (*folder.glob("*.rejects.csv"), *folder.glob("out.csv")):
        made.unlink()
    said = (run.err if run.code else run.out).splitlines()[0]
    size = path.stat().st_size / MB
    return {
        "kind": kind,
        "command": command.format(name),
        "mb": size,
        "peak_mb": run.peak,
        "bar_mb": bar(kind, command, size),
        "seconds": seconds,
        "said": said,
    }


def bar(kind: str, command: str, size: float) -> float:
    """The most MB that a command may take on a file of so many MB."""
    if kind == "ids as labels":
        return JUDGING_BAR
    return BAR + (size / ROW * LEDGER if command == LEARN else 0)


def page(rows: list[Figures]) -> str:
    head = ["rows", "command", "file, MB", "peak, MB", "bar, MB", "seconds"]
    cells = [
        [
            each["kind"],
            each["command"],
            f"{each['mb']:,.1f}",
            f"{each['peak_mb']:,.0f}{'' if each['peak_mb'] <= each['bar_mb'] else ' !'}",
            f"{each['bar_mb']:,.0f}",
            f"{each['seconds']:.1f}",
        ]
        for each in rows
    ]
    said = [f"  {each['command']}: {each['said']}" for each in rows]
    return "\n".join([table([head, *cells]), "", *said])


if __name__ == "__main__":
    main()

"""Files of any size that cost a careless reader memory in proportion, or more."""

import gzip
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

CHUNK = 2**20  # about how many bytes are made at a time
GOOD = {"csv": b"label,text\nham,see you\nspam,win now\n"}
GOOD["jsonl"] = b'{"label": "ham", "text": "see you"}\n{"label": "spam", "text": "win now"}\n'


def write_file(path: Path, kind: str, size: int) -> Path:
    """Write two good rows, and rows of a kind until the file has so many bytes."""
    with gzip.open(path, "wb", 1) if path.suffix == ".gz" else open(path, "wb") as file:
        done = file.write(GOOD["jsonl" if ".jsonl" in path.suffixes else "csv"])
        for chunk in KINDS[kind](np.random.default_rng(7)):
            fitting = chunk[: chunk.rfind(b"\n", 0, size - done) + 1]
            done += file.write(fitting)
            if len(fitting) < len(chunk):
                break
    return path


def short_rows(rng: np.random.Generator) -> Iterator[bytes]:
    """`spam,ab cd ef` of three words each, of 1,296 that there are."""
    letters = np.frombuffer(b"abcdefghijklmnopqrstuvwxyz0123456789", np.uint8)
    labels = np.frombuffer(b"spammail", np.uint8).reshape(2, 4)
    n = CHUNK // 14
    while True:
        rows = np.full((n, 14), ord(" "), np.uint8)
        rows[:, :4] = labels[rng.integers(2, size=n)]
        rows[:, [5, 6, 8, 9, 11, 12]] = letters[rng.integers(36, size=(n, 6))]
        rows[:, 4], rows[:, 13] = ord(","), ord("\n")
        yield rows.tobytes()


def ids(rng: np.random.Generator) -> Iterator[bytes]:
    """`00001,ab cd ef`: labels of five digits, each of two rows."""
    chunk = next(short_rows(rng)).splitlines(keepends=True)[:40_000]
    yield b"".join(b"%05d%s" % (i // 2, row[4:]) for i, row in enumerate(chunk))


def unclosed_quote(rng: np.random.Generator) -> Iterator[bytes]:
    """A quote that is never closed, and good rows behind it."""
    yield b'spam,"ab cd\n'
    yield from short_rows(rng)


def unclosed_and_bad(rng: np.random.Generator) -> Iterator[bytes]:
    """A quote that is never closed, and the shortest bad rows behind it."""
    yield b'spam,"ab cd\n'
    while True:
        yield b"a\n" * (CHUNK // 2)


def bad_rows(rng: np.random.Generator) -> Iterator[bytes]:
    """Rows of one column too many."""
    while True:
        yield b"spam,ab,cd\n" * (CHUNK // 11)


def bad_lines(rng: np.random.Generator) -> Iterator[bytes]:
    """Lines that are no JSON."""
    while True:
        yield b'{"text": "ab cd\n' * (CHUNK // 16)


KINDS = {
    "short rows": short_rows,
    "ids as labels": ids,
    "unclosed quote": unclosed_quote,
    "unclosed quote, bad rows": unclosed_and_bad,
    "bad rows": bad_rows,
    "bad lines": bad_lines,
}


MEASURED = """
import resource, sys
from nabi.cli import main
resource.setrlimit(resource.RLIMIT_AS, (6 * 2**30,) * 2)
code = main(sys.argv[1:])
(peak,) = (line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM"))
print(f"\\n{code} {peak}")
"""


class Run(NamedTuple):
    code: int
    peak: float  # MB at the highest
    out: str
    err: str


def run_measured(folder: Path, *arguments: str) -> Run:
    """Run a command in a process of its own.

    Not by ru_maxrss: a process inherits that of the one that started it.
    """
    line = [sys.executable, "-c", MEASURED, *arguments]
    done = subprocess.run(line, cwd=folder, capture_output=True, check=True, text=True)
    out, _, last = done.stdout.rstrip("\n").rpartition("\n")
    code, peak = map(int, last.split())
    return Run(code, peak * 1024 / 1e6, out, done.stderr)

"""Merge many model files: peak memory, and CPU against counting the same text.

    python -m bench.scale.merge

Makes 64 CSV files of generated text, which have 20 million words and pairs in all, trains a model
of each (`nabi train --no-score --no-calibrate`) and merges them (`nabi merge`), each in a process
of its own. `--keep DIR` keeps the files for the next run; `--check` compares the bytes of the sum
with those of one process that trains on all files. Counting is the CPU time of `fit` on texts that
are in memory already, on one thread.
"""

import argparse
import contextlib
import hashlib
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import nabi
from bench.speed.corpus import Corpus, generated, read_csv, write_csv
from bench.speed.output import Figures, add_json_option, progress, save, say
from tests.big_files import run_measured

WORDS, VOCABULARY = 280, 30_000
TRAIN = "--no-score --no-calibrate --quiet"
MOST_MB = 512


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.scale.merge", description=__doc__)
    parser.add_argument("--files", type=int, default=64)
    parser.add_argument("--texts", type=int, default=3500, help="of each file (3500)")
    parser.add_argument("--ngrams", default="1-2")
    parser.add_argument("--ledger", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument("--keep", metavar="DIR")
    parser.add_argument("--check", action="store_true")
    add_json_option(parser)
    return parser.parse_args()


def main() -> None:
    args = arguments()
    with folder(args.keep) as place:
        found = measured(place, args)
    say(page(found), args.json)
    save(found, args.json)


@contextlib.contextmanager
def folder(kept: str | None) -> Iterator[Path]:
    """The folder of the files: one that is kept, or one that goes."""
    if kept:
        Path(kept).mkdir(parents=True, exist_ok=True)
        yield Path(kept)
        return
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


def measured(place: Path, args: argparse.Namespace) -> Figures:
    ledger = "" if args.ledger else "--no-ledger"
    options = f"--ngrams {args.ngrams} {ledger} {TRAIN}".split()
    counting, train, parts = 0.0, 0.0, []
    for i in range(args.files):
        progress(f"file {i + 1} of {args.files}")
        data, model = place / f"{i:03}.csv", f"{i:03}.nabi"
        if not data.exists():
            write_csv(data, texts_of(i, args.texts))
        if not (place / model).exists():
            train += cpu_of(place, "train", data.name, "-o", model, *options)[0]
        counting += counted(data, args)
        parts.append(model)
    progress("merging")
    merge, peak = cpu_of(place, "merge", *parts, "-o", "all.nabi", "--quiet")
    found = {
        "files": args.files,
        "features": nabi.load(place / "all.nabi", verify=False).counts.n_features,
        "features_of_parts": sum(nabi.load(place / part).counts.n_features for part in parts),
        "text_mb": sum((place / f"{i:03}.csv").stat().st_size for i in range(args.files)) / 1e6,
        "parts_mb": sum((place / part).stat().st_size for part in parts) / 1e6,
        "mb": (place / "all.nabi").stat().st_size / 1e6,
        "count_cpu_s": counting,
        "train_cpu_s": train,
        "merge_cpu_s": merge,
        "merge_peak_mb": peak,
    }
    if args.check:
        found["equal"] = is_equal(place, args.files, options)
    return found


def texts_of(i: int, texts: int) -> Corpus:
    return generated(texts=texts, words=WORDS, classes=2, vocabulary=VOCABULARY, seed=i)


def counted(data: Path, args: argparse.Namespace) -> float:
    """The CPU seconds that counting the texts of a file takes, once they are in memory."""
    corpus = read_csv(data)
    low, high = map(int, args.ngrams.split("-"))
    model = nabi.TextClassifier(ngrams=(low, high), ledger=args.ledger, threads=1)
    start = time.process_time()
    model.fit(corpus.texts, corpus.labels)
    return time.process_time() - start


def cpu_of(place: Path, *command: str) -> tuple[float, float]:
    """The CPU seconds and the peak in MB of a command in a process of its own."""
    before = os.times()
    run = run_measured(place, *command)
    after = os.times()
    if run.code:
        sys.exit(run.err)
    seconds = after.children_user - before.children_user
    return seconds + after.children_system - before.children_system, run.peak


def is_equal(place: Path, files: int, options: list[str]) -> bool:
    """Whether one process that trains on all files writes the same bytes."""
    progress("training on all files")
    data = [f"{i:03}.csv" for i in range(files)]
    cpu_of(place, "train", *data, "-o", "one.nabi", *options)
    digests = []
    for name in ("all.nabi", "one.nabi"):
        with open(place / name, "rb") as file:
            digests.append(hashlib.file_digest(file, "sha256").digest())
    return digests[0] == digests[1]


def page(found: Figures) -> str:
    ratio = found["merge_cpu_s"] / found["count_cpu_s"]
    lines = [
        f"{found['files']} files of {found['features_of_parts']:,} features, "
        f"{found['parts_mb']:,.0f} MB, of {found['text_mb']:,.0f} MB of text",
        f"the sum: {found['features']:,} features, {found['mb']:,.0f} MB",
        f"merge: {found['merge_cpu_s']:.1f} CPU s, {ratio:.2f}x of counting "
        f"({found['count_cpu_s']:.1f} CPU s), peak {found['merge_peak_mb']:,.0f} MB"
        f"{'' if found['merge_peak_mb'] <= MOST_MB else ' !'}",
    ]
    if "equal" in found:
        lines.append(f"bytes of one process: {'equal' if found['equal'] else 'DIFFERENT'}")
    return "\n".join(lines)


if __name__ == "__main__":
    main()

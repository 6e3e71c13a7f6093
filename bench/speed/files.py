"""From a file: training and predicting, against pandas and scikit-learn in the same run.

By the clock, inside a process of each that has its libraries loaded, and as whole commands from
the shell; one line predicted with a large model; and a CSV file larger than fits.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.speed.corpus import Corpus, default_corpus, generated, read_csv, write_csv
from bench.speed.output import Figures, add_json_option, progress, save, say, table

QUICK = 20
BIG = 5 * 10**9  # bytes
MODEL = 100 * 10**6

SKLEARN = """
import json, sys, time
import pandas as pd
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB
best = [9e9, 9e9]
for _ in range(int(sys.argv[3])):
    start = time.perf_counter()
    rows = pd.read_csv(sys.argv[1])
    vectorizer = CountVectorizer()
    model = MultinomialNB().fit(vectorizer.fit_transform(rows["text"]), rows["label"])
    best[0] = min(best[0], time.perf_counter() - start)
    start = time.perf_counter()
    rows = pd.read_csv(sys.argv[1])
    rows["predicted"] = model.predict(vectorizer.transform(rows["text"]))
    best[1] = min(best[1], time.perf_counter() - start)
rows.to_csv(sys.argv[2], index=False)
print(json.dumps(best))
"""
NABI = """
import json, sys, time
import duckdb, nabi
from nabi.files import writers
from nabi.models import streaming
from nabi.readers import read
best = [9e9, 9e9]
for _ in range(int(sys.argv[3])):
    start = time.perf_counter()
    model = streaming.learn(nabi.TextClassifier(), read(sys.argv[1]))
    best[0] = min(best[0], time.perf_counter() - start)
    start = time.perf_counter()
    labelled = streaming.predict(model, read(sys.argv[1], labelled=False, keep=True))
    writers.write(sys.argv[2], labelled, model.classes_.tolist())
    best[1] = min(best[1], time.perf_counter() - start)
print(json.dumps(best))
"""
SKLEARN_COMMAND = """
import sys
import pandas as pd
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import MultinomialNB
rows = pd.read_csv(sys.argv[1])
vectorizer = CountVectorizer()
MultinomialNB().fit(vectorizer.fit_transform(rows["text"]), rows["label"])
"""


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.speed.files", description=__doc__)
    parser.add_argument("--data", metavar="FILE", help="CSV of text,label; .gz too")
    parser.add_argument("--repeat", type=int, default=3, metavar="N", help="best of so many (3)")
    parser.add_argument("--quick", action="store_true", help=f"one text in {QUICK}, once, no big")
    parser.add_argument("--big", action="store_true", help=f"a file of {BIG / 1e9:.0f} GB as well")
    add_json_option(parser)
    return parser.parse_args()


def main() -> None:
    args = arguments()
    source, corpus = (args.data, read_csv(args.data)) if args.data else default_corpus()
    repeat = args.repeat
    if args.quick:
        corpus, repeat = corpus.thinned(QUICK), 1
    with tempfile.TemporaryDirectory() as folder:
        figures = {"data": source, **measured(corpus, Path(folder), repeat)}
        figures["one_line"] = one_line(Path(folder), MODEL // (QUICK if args.quick else 1), repeat)
        if args.big:
            figures["big"] = big(corpus, Path(folder))
    say(page(figures), args.json)
    save(figures, args.json)


def measured(corpus: Corpus, folder: Path, repeat: int) -> Figures:
    """Seconds of each, and how many times faster nabi is."""
    path = folder / "data.csv"
    write_csv(path, corpus)
    progress("scikit-learn and nabi, inside a process")
    theirs = inside(SKLEARN, path, folder / "theirs.csv", repeat)
    ours = inside(NABI, path, folder / "ours.csv", 3 * repeat)
    progress("scikit-learn and nabi, as commands")
    their_command = command([sys.executable, "-c", SKLEARN_COMMAND, str(path)], 1)
    alone = ["--no-score", "--no-calibrate"]  # as the others do
    our_command = command(
        [*nabi(), "train", str(path), "-o", str(folder / "m.nabi"), *alone], repeat
    )
    seconds = {
        "train": (ours[0], theirs[0]),
        "predict": (ours[1], theirs[1]),
        "train command": (our_command, their_command),
    }
    return {
        "mb": os.path.getsize(path) / 1e6,
        "seconds": {what: {"nabi": a, "scikit-learn": b} for what, (a, b) in seconds.items()},
        "ratios": {what: b / a for what, (a, b) in seconds.items()},
    }


def nabi() -> list[str]:
    return [sys.executable, "-m", "nabi.cli"]


def inside(script: str, path: Path, out: Path, repeat: int) -> list[float]:
    """The best times that a script measures in a process of its own."""
    line = [sys.executable, "-c", script, str(path), str(out), str(repeat)]
    return json.loads(subprocess.run(line, check=True, stdout=subprocess.PIPE).stdout)


def command(line: list[str], repeat: int, given: bytes = b"") -> float:
    """The best time of a command from start to end."""
    best = float("inf")
    for _ in range(repeat):
        start = time.perf_counter()
        subprocess.run(line, check=True, input=given, stdout=subprocess.DEVNULL)
        best = min(best, time.perf_counter() - start)
    return best


def one_line(folder: Path, size: int, repeat: int) -> Figures:
    """The time to predict one line from the shell with a large model."""
    import nabi as library

    progress("one line with a large model")
    model = library.TextClassifier(ngrams=(1, 2))
    path = folder / "large.nabi"
    for seed in range(100):
        words = generated(texts=2000, words=300, classes=2, vocabulary=200_000, seed=seed)
        model.partial_fit(words.texts, words.labels)
        if seed % 4 == 3:
            model.save(path)
            if os.path.getsize(path) >= size:
                break
    seconds = command([*nabi(), "predict", str(path), "-"], 3 * repeat, b"a line of text\n")
    return {"model_mb": os.path.getsize(path) / 1e6, "seconds": seconds}


def big(corpus: Corpus, folder: Path) -> Figures:
    """Time and peak memory of training on a file of many gigabytes."""
    path = folder / "big.csv"
    once = folder / "data.csv"
    lines = once.read_bytes()
    head, body = lines[: lines.index(b"\n") + 1], lines[lines.index(b"\n") + 1 :]
    progress("writing the large file")
    with open(path, "wb") as file:
        file.write(head)
        for _ in range(max(1, BIG // len(body))):
            file.write(body)
    progress("training on it")
    start = time.perf_counter()
    alone = ["-q", "--no-score", "--no-calibrate"]
    done = subprocess.Popen([*nabi(), "train", str(path), "-o", str(folder / "b.nabi"), *alone])
    _, status, usage = os.wait4(done.pid, 0)
    assert status == 0
    found = {
        "gb": os.path.getsize(path) / 1e9,
        "seconds": time.perf_counter() - start,
        "peak_mb": usage.ru_maxrss / (1e3 if sys.platform != "darwin" else 1e6),
    }
    path.unlink()
    return found


def page(figures: Figures) -> str:
    rows = [["from a CSV file", "nabi, s", "scikit-learn, s", "x scikit-learn"]]
    for what, seconds in figures["seconds"].items():
        ratio = figures["ratios"][what]
        rows.append([what, *(f"{s:.3f}" for s in seconds.values()), f"{ratio:.1f}"])
    one = figures["one_line"]
    lines = [
        f"{figures['data']}, {figures['mb']:.1f} MB",
        "",
        table(rows),
        "",
        f"one line from the shell with a model of {one['model_mb']:.0f} MB: {one['seconds']:.3f} s",
    ]
    if "big" in figures:
        b = figures["big"]
        lines.append(
            f"a file of {b['gb']:.1f} GB: {b['seconds']:.1f} s, peak memory {b['peak_mb']:.0f} MB"
        )
    lines.append("scikit-learn: pandas.read_csv, CountVectorizer, MultinomialNB; nabi's prediction")
    lines.append("also writes its file, scikit-learn's does not.")
    return "\n".join(lines)


if __name__ == "__main__":
    main()

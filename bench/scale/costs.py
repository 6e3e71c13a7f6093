"""What counting and merging cost, and what ten terabytes would need.

    python -m bench.scale.costs

Of imdb and nsmc, words, and words and pairs: CPU of counting from a file, the size of the model in
the file and in memory, how much smaller or larger the 64 parts of a job array are than their texts,
CPU of merging them, how the vocabulary grows with the texts (Heaps' law: V = K n^b for n tokens),
and what a floor leaves. From these the figures for 10 TB of such texts. CPU times are of one
thread.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import nabi
from bench.scale.equal import NSMC
from bench.speed.corpus import IMDB, Corpus, read_csv, write_csv
from bench.speed.output import Figures, add_json_option, progress, save, say, table
from nabi.models import streaming

PARTS = 64
RECIPES: dict[str, dict[str, Any]] = {"words": {}, "words and pairs": {"ngrams": (1, 2)}}
STEPS = 7  # halvings of the texts by which growth is measured
TAIL = 4  # of the last steps, which say most of what comes
FLOORS = (2, 5, 10)
TERABYTES = 10
MOST = 2**31 - 1
# Runs in a process of its own: what a model takes in memory, by its resident pages.
MEMORY = """
import gc, sys, nabi, numpy
from nabi.models import streaming
def resident():
    gc.collect()
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096
def learn(paths):
    model = nabi.TextClassifier(ngrams=(1, int(sys.argv[1])), ledger=False, threads=1)
    for path in paths:
        streaming.learn(model, nabi.read(path, threads=1))
    return model
learn(sys.argv[2:3])
before = resident()
model = learn(sys.argv[2:])
print(resident() - before, model.counts.n_features)
"""


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.scale.costs", description=__doc__)
    parser.add_argument("--parts", type=int, default=PARTS)
    add_json_option(parser)
    return parser.parse_args()


def main() -> None:
    args = arguments()
    found = []
    for name, path in {"imdb": IMDB, "nsmc": NSMC}.items():
        corpus = whole(path)
        for recipe, params in RECIPES.items():
            progress(f"{name}, {recipe}")
            with tempfile.TemporaryDirectory() as folder:
                figures = measured(corpus, params, args.parts, Path(folder))
            found.append({"data": name, "recipe": recipe, **figures, **at_scale(figures)})
    names = [name for name in found[0] if name not in ("data", "recipe")]
    heads = ["", *(f"{each['data']}, {each['recipe']}" for each in found)]
    say(
        table([heads, *([name, *(shown(each[name]) for each in found)] for name in names)]),
        args.json,
    )
    save({"rows": found}, args.json)


def whole(path: Path) -> Corpus:
    """All texts of a data set, those to train on and those to test on."""
    train, test = read_csv(path), read_csv(path.with_name("test.csv.gz"))
    both = Corpus(train.texts + test.texts, train.labels + test.labels)
    order = np.random.default_rng(0).permutation(len(both.texts)).tolist()
    return Corpus([both.texts[i] for i in order], [both.labels[i] for i in order])


def measured(corpus: Corpus, params: dict[str, Any], n: int, folder: Path) -> Figures:
    paths = []
    for i in range(n):
        paths.append(folder / f"{i:02}.csv")
        write_csv(paths[-1], Corpus(corpus.texts[i::n], corpus.labels[i::n]))
    write_csv(folder / "all.csv", corpus)
    size = (folder / "all.csv").stat().st_size
    model, seconds = counted([folder / "all.csv"], params)
    counts, data = model.counts, model.to_bytes()
    parts, models = [], []
    for i, path in enumerate(paths):
        part, _ = counted([path], params)
        models.append(folder / f"{i:02}.nabi")
        part.save(models[-1])
        parts.append(models[-1].stat().st_size)
    start = time.process_time()
    merged = nabi.merge(models, folder / "merged.nabi", threads=1)
    merging = time.process_time() - start
    assert merged.counts.n_features == counts.n_features
    tokens, vocabulary = growth(corpus, params)
    return {
        "text, MB": size / 1e6,
        "tokens, M": tokens[-1] / 1e6,
        "features": counts.n_features,
        "counting, CPU s per GB": seconds / size * 1e9,
        "file, bytes per feature": len(data) / counts.n_features,
        "memory, bytes per feature": in_memory(params, paths) / counts.n_features,
        "parts to text": sum(parts) / size,
        "sum to text": len(data) / size,
        "merging to counting, CPU": merging / seconds,
        "Heaps' exponent": exponent(tokens, vocabulary),
        **{
            f"left by a floor of {m}": model.floor(m).n_features_ / counts.n_features
            for m in FLOORS
        },
    }


def counted(paths: list[Path], params: dict[str, Any]) -> tuple[Any, float]:
    """A model of some files, and the CPU seconds that reading and counting took."""
    model = nabi.TextClassifier(**params, ledger=False, threads=1)
    start = time.process_time()
    for path in paths:
        streaming.learn(model, nabi.read(path, threads=1))
    return model, time.process_time() - start


def in_memory(params: dict[str, Any], paths: list[Path]) -> int:
    """The bytes that the counts of all files take."""
    longest = str(params.get("ngrams", (1, 1))[1])
    command = [sys.executable, "-c", MEMORY, longest, *map(str, paths)]
    environment = {**os.environ, "MALLOC_TRIM_THRESHOLD_": "0"}
    out = subprocess.run(command, capture_output=True, check=True, env=environment).stdout
    return int(out.split()[0])


def growth(corpus: Corpus, params: dict[str, Any]) -> tuple[list[float], list[int]]:
    """Tokens and features of the first texts: a 64th of them, a 32nd, and so on."""
    tokens, vocabulary = [], []
    for step in range(STEPS - 1, -1, -1):
        some = len(corpus.texts) >> step
        model = nabi.TextClassifier(**params, ledger=False)
        model.fit(corpus.texts[:some], corpus.labels[:some])
        tokens.append(float(model.counts.tokens.sum()) / 2**24)
        vocabulary.append(model.counts.n_features)
    return tokens, vocabulary


def exponent(tokens: list[float], vocabulary: list[int]) -> float:
    slope, _ = np.polyfit(np.log(tokens[-TAIL:]), np.log(vocabulary[-TAIL:]), 1)
    return float(slope)


def at_scale(found: Figures) -> Figures:
    """What ten terabytes need, by the same law: an estimate far beyond what was measured."""
    times = TERABYTES * 1e6 / found["text, MB"]
    features = found["features"] * times ** found["Heaps' exponent"]
    return {
        "10 TB: CPU hours of counting": found["counting, CPU s per GB"] * TERABYTES * 1e3 / 3600,
        "10 TB: features, M": features / 1e6,
        "10 TB: of the limit": features / MOST,
        "10 TB: file, GB": features * found["file, bytes per feature"] / 1e9,
    }


def shown(number: float) -> str:
    return f"{number:,.0f}" if number >= 1000 else f"{number:.3g}"


if __name__ == "__main__":
    main()

"""Training and predicting by Spark, beside Spark ML, a task that does nothing, and one process.

    python -m bench.scale.spark

Rows (the film reviews ten times over where they are, else generated text, in 64 Parquet files, on
local[2]): fit and predict against Spark ML's Tokenizer, CountVectorizer and NaiveBayes, and against
a `mapInArrow` that only counts the rows it is given. Files (2 GB of CSV, read by two workers after
a first small fit has started them): words, and words and pairs, against one process of two threads.
Each is run `--repeat` times in turn, and the best is told. `--keep DIR` keeps the files.
"""

import argparse
import contextlib
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import nabi
from bench.scale.merge import folder
from bench.speed.corpus import Corpus, default_corpus, generated, write_csv
from bench.speed.output import Figures, add_json_option, progress, save, say, table
from nabi.engines import spark as engine
from nabi.models import streaming
from tests.spark_cluster import LOOPBACK, OPTIONS

FILES = 64
RECIPES = {"words": (1, 1), "words and pairs": (1, 2)}
BARS = {  # the most, as ratios of seconds
    "fit: nothing": 1.6,
    "fit: Spark ML": 1 / 10,
    "predict: Spark ML": 1 / 4,
    "files, words": 1.3,
    "files, words and pairs": 2.0,
}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.scale.spark", description=__doc__)
    parser.add_argument("--only", choices=["rows", "files"])
    parser.add_argument("--copies", type=int, default=10, help="of the film reviews (10)")
    parser.add_argument("--megabytes", type=int, default=2000, help="of the files (2000)")
    parser.add_argument("--recipe", choices=list(RECIPES), action="append", help="of the files")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--keep", metavar="DIR")
    parser.add_argument("--make", action="store_true", help="make the files, and measure nothing")
    add_json_option(parser)
    return parser.parse_args()


def main() -> None:
    args = arguments()
    os.environ.update(LOOPBACK)
    found: Figures = {}
    with folder(args.keep) as place:
        if args.only != "files":
            made = parquet_files(place / "rows", args.copies)
            if not args.make:
                found |= rows(made, args.repeat)
        if args.only != "rows":
            made = csv_files(place / f"files-{args.megabytes}", args.megabytes)
            if not args.make:
                found |= files(made, args.repeat, args.recipe or list(RECIPES))
    if args.make:
        return
    say(page(found), args.json)
    save(found, args.json)
    if any(found[name]["ratio"] > bar for name, bar in BARS.items() if name in found):
        sys.exit(1)


@contextlib.contextmanager
def session(master: str) -> Iterator[Any]:
    from pyspark.sql import SparkSession

    options = {**OPTIONS, "spark.driver.memory": "4g", "spark.executor.memory": "2g"}
    started = SparkSession.builder.master(master).config(map=options).getOrCreate()
    try:
        yield started
    finally:
        started.stop()


def best(repeat: int, *works: tuple[str, Callable[[], object]]) -> dict[str, float]:
    """The least seconds of each work, which are done in turn."""
    seconds: dict[str, float] = {}
    for _ in range(repeat):
        for name, work in works:
            progress(name)
            start = time.perf_counter()
            work()
            spent = time.perf_counter() - start
            seconds[name] = min(spent, seconds.get(name, spent))
    return seconds


def compared(ours: float, theirs: float) -> Figures:
    return {"nabi": ours, "other": theirs, "ratio": ours / theirs}


# ---- rows ----


def parquet_files(place: Path, copies: int) -> Path:
    if place.exists():
        return place
    import pyarrow as pa
    from pyarrow import parquet

    _, corpus = default_corpus()
    texts, labels = corpus.texts * copies, corpus.labels * copies
    place.mkdir(parents=True)
    for i in range(FILES):
        columns = {"text": texts[i::FILES], "label": labels[i::FILES]}
        parquet.write_table(pa.table(columns), place / f"{i:02}.parquet")
    return place


def rows(place: Path, repeat: int) -> Figures:
    with session("local[2]") as spark:
        frame = spark.read.parquet(str(place))
        model = engine.fit(spark.read.parquet(str(place / "00.parquet")))  # starts the workers

        def nothing(batches):
            import pyarrow as pa

            n = sum(batch.num_rows for batch in batches)
            yield pa.RecordBatch.from_arrays([pa.array([n])], ["n"])

        def predicted(of: Any) -> None:
            of.write.format("noop").mode("overwrite").save()

        pipeline, theirs = spark_ml(), []
        pipeline.fit(numbered(spark.read.parquet(str(place / "00.parquet"))))  # once before, too
        seconds = best(
            repeat,
            ("nothing", lambda: frame.mapInArrow(nothing, "n bigint").collect()),
            ("fit", lambda: engine.fit(frame)),
            ("fit, Spark ML", lambda: theirs.append(pipeline.fit(numbered(frame)))),
            ("predict", lambda: predicted(engine.predict(model, frame))),
            ("predict, Spark ML", lambda: predicted(theirs[-1].transform(numbered(frame)))),
        )
    return {
        "fit: nothing": compared(seconds["fit"], seconds["nothing"]),
        "fit: Spark ML": compared(seconds["fit"], seconds["fit, Spark ML"]),
        "predict: Spark ML": compared(seconds["predict"], seconds["predict, Spark ML"]),
    }


def numbered(frame: Any) -> Any:
    """The labels as numbers, as Spark ML wants them."""
    return frame.selectExpr("text", "double(label = 'pos' or label = 'class 1') as label")


def spark_ml() -> Any:
    from pyspark.ml import Pipeline
    from pyspark.ml.classification import NaiveBayes
    from pyspark.ml.feature import CountVectorizer, Tokenizer

    tokens = Tokenizer(inputCol="text", outputCol="tokens")
    counts = CountVectorizer(inputCol="tokens", outputCol="features")
    return Pipeline(stages=[tokens, counts, NaiveBayes()])


# ---- files ----


def csv_files(place: Path, megabytes: int) -> list[Path]:
    paths = [place / f"{i:02}.csv" for i in range(FILES)]
    place.mkdir(parents=True, exist_ok=True)
    for i, path in enumerate(paths):
        if not path.exists():
            progress(f"file {i + 1} of {FILES}")
            write_csv(path, generated_part(i, megabytes))
    return paths


def generated_part(i: int, megabytes: int) -> Corpus:
    texts = max(1, megabytes * 1_000_000 // FILES // 1770)  # of 280 words
    return generated(texts=texts, words=280, classes=2, vocabulary=100_000, seed=i)


def files(paths: list[Path], repeat: int, recipes: list[str]) -> Figures:
    found: Figures = {}
    with session("local-cluster[2,1,2048]") as spark:
        engine.fit(paths[:2], spark=spark, tasks=2)  # starts the workers
        for name in recipes:
            ngrams = RECIPES[name]
            made = paths[0].parent / "made"
            made.mkdir(exist_ok=True)

            def ours(ngrams: tuple[int, int] = ngrams, made: Path = made) -> None:
                model = nabi.TextClassifier(ngrams=ngrams)
                engine.fit(paths, model, spark=spark, output=made / "spark.nabi")

            def one(ngrams: tuple[int, int] = ngrams, made: Path = made) -> None:
                with contextlib.closing(nabi.readers.read(*paths, threads=2)) as reader:
                    model = nabi.TextClassifier(ngrams=ngrams, threads=2)
                    streaming.learn(model, reader)
                    model.source_columns = reader.columns
                    model.save(made / "one.nabi")

            seconds = best(repeat, ("one process", one), ("two workers", ours))
            figures = compared(seconds["two workers"], seconds["one process"])
            bytes_ = [(made / f"{each}.nabi").read_bytes() for each in ("spark", "one")]
            figures["equal"] = bytes_[0] == bytes_[1]
            found[f"files, {name}"] = figures
    return found


def page(found: Figures) -> str:
    lines = [["", "nabi s", "other s", "ratio", "at most", ""]]
    for name, one in found.items():
        bar, equal = BARS[name], one.get("equal")
        said = "" if equal is None else "equal bytes" if equal else "DIFFERENT BYTES"
        numbers = [f"{one['nabi']:.2f}", f"{one['other']:.2f}", f"{one['ratio']:.3f}"]
        lines.append([name, *numbers, f"{bar:.3g}", said])
    return table(lines)


if __name__ == "__main__":
    main()

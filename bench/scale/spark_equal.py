"""Whether Spark gives the bytes of one process, on whole data sets.

    python -m bench.scale.spark_equal                # a cluster of two worker processes
    python -m bench.scale.spark_equal --by connect   # a server of Spark Connect

Cuts imdb and nsmc into 64 files, trains on the files and on the same texts as rows of a DataFrame,
and compares with one process: words, words and pairs, with and without a ledger, floor 2 or none.
"""

import argparse
import contextlib
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nabi
from bench.scale.equal import IMDB, NSMC, equal, texts_of
from bench.speed.corpus import read_csv
from bench.speed.output import add_json_option, progress, save, say, table
from nabi.engines import spark as engine
from nabi.models import streaming
from tests.spark_cluster import LOOPBACK, cluster, connect_server

RECIPES = {"words": (1, 1), "words and pairs": (1, 2)}


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.scale.spark_equal", description=__doc__)
    parser.add_argument("--parts", type=int, default=64)
    parser.add_argument("--by", choices=["cluster", "connect"], default="cluster")
    parser.add_argument("--only", help="imdb or nsmc")
    add_json_option(parser)
    return parser.parse_args()


def main() -> None:
    args = arguments()
    os.environ.update(LOOPBACK)
    rows = []
    with tempfile.TemporaryDirectory() as folder, session(args.by, Path(folder)) as spark:
        for name, path in {"imdb": IMDB, "nsmc": NSMC}.items():
            if args.only in (None, name):
                place = Path(folder, name)
                place.mkdir()
                texts_of(path)(place, args.parts)
                rows += compared(spark, place, name, path, args.parts)
    head = ["data", "recipe", "ledger", "floor", "files", "rows"]
    say(table([head, *rows]), args.json)
    save({"by": args.by, "rows": rows}, args.json)
    if any("DIFFERENT" in row for row in rows):
        sys.exit(1)


@contextlib.contextmanager
def session(by: str, folder: Path) -> Iterator[Any]:
    if by == "cluster":
        with cluster() as started:
            yield started
        return
    with connect_server(folder) as url:
        from pyspark.sql import SparkSession

        started = SparkSession.builder.remote(url).getOrCreate()
        try:
            yield started
        finally:
            started.stop()


def compared(spark: Any, place: Path, name: str, path: Path, parts: int) -> list[list[str]]:
    found = []
    corpus = read_csv(path)
    given = list(zip(corpus.texts, corpus.labels, strict=True))
    frame = spark.createDataFrame(given, ["text", "label"]).repartition(parts)
    paths = sorted(place.glob("*.csv"))
    for recipe, ngrams in RECIPES.items():
        for ledger in (True, False):
            model = nabi.TextClassifier(ngrams=ngrams, ledger=ledger)
            with contextlib.closing(nabi.readers.read(*paths)) as reader:
                one = streaming.learn(nabi.TextClassifier(**model.get_params()), reader)
                columns = dict(reader.columns)
            for floor in (None, 2):
                progress(f"{name}: {recipe}, ledger {ledger}, floor {floor}")
                expected = one if floor is None else one.floor(floor)
                by_rows = engine.fit(frame, model, floor=floor).to_bytes()
                rows = equal(expected.to_bytes(), by_rows)
                expected.source_columns = columns
                output = place / "spark.nabi"
                engine.fit(paths, model, floor=floor, spark=spark, output=output)
                files = equal(expected.to_bytes(), output.read_bytes())
                expected.source_columns = {}
                found.append([name, recipe, str(ledger), str(floor), files, rows])
    return found


if __name__ == "__main__":
    main()

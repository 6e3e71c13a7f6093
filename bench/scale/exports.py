"""Exports beside nabi itself: speed, different labels, and how far log joints are apart.

    python -m bench.scale.exports --data ../shared/data --sets imdb nsmc lingua_sentences

One run: each model is trained, predicts natively, and in each target that is here. A set without a
split has two models: each half of its rows tests the model of the other half, so that every text is
classified once. Times are those of one query or call, loading left out.
"""

import argparse
import csv
import gzip
import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import nabi
from nabi.engines.clickhouse import BLANKS, clickhouse_export
from nabi.engines.duckdb import register
from nabi.engines.sql import SqlExport, sql_export
from nabi.engines.web import web_export
from tests import postgres

Result = tuple[float, list[Any], Any]  # seconds, labels, the best log joints or None
CHUNK = 500  # texts that go to a browser at once
CLASSIFY = """texts => {
    const start = performance.now();
    const found = texts.map(text => window.nabi.classify(text));
    const seconds = (performance.now() - start) / 1000;
    return [seconds, found.map(one => [one.label, Math.max(...one.scores)])];
}"""


def rows_of(path: Path) -> tuple[list[str], list[str]]:
    csv.field_size_limit(2**30)
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        rows = [(row["text"], row["label"]) for row in csv.DictReader(file)]
    return [text for text, _ in rows], [label for _, label in rows]


def splits(folder: Path) -> Iterator[tuple[str, list[str], list[str], list[str]]]:
    """Yield (name, texts to train, their labels, texts to test): once, or for each half."""
    if (folder / "train.csv.gz").exists():
        train = rows_of(folder / "train.csv.gz")
        yield folder.name, *train, rows_of(folder / "test.csv.gz")[0]
        return
    texts, labels = rows_of(folder / "all.csv.gz")
    for i in (0, 1):
        half = slice(i, None, 2)
        yield f"{folder.name} {i + 1}/2", texts[half], labels[half], texts[1 - i :: 2]


def clocked(work: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    found = work()
    return time.perf_counter() - start, found


def best(rows: list[Any]) -> tuple[list[Any], Any]:
    """(labels, log joints) of rows (id, label, log joint)."""
    rows = sorted(rows)
    return [row[1] for row in rows], np.array([row[2] for row in rows])


# ---- targets ----


def fill_duckdb(database: Any, texts: list[str], export: SqlExport | None) -> None:
    given = pa.table({"id": range(len(texts)), "text": texts})
    database.register("given", given)
    database.execute("create table texts as select * from given")
    if export is None:
        return
    database.execute(export.made)
    for name, (columns, rows) in export.tables.items():
        names = [column.split()[0] for column in columns.split(", ")]
        database.register("rows_", pa.table(dict(zip(names, zip(*rows, strict=True), strict=True))))
        database.execute(f"insert into {name} select * from rows_")


def by_function(model: Any, texts: list[str]) -> Result:
    database = register(duckdb.connect(), model)
    fill_duckdb(database, texts, None)
    query = "select id, nabi_predict(text) from texts"
    seconds, rows = clocked(lambda: database.execute(query).fetchall())
    return seconds, [label for _, label in sorted(rows)], None


def by_duckdb(model: Any, texts: list[str]) -> Result:
    export, database = sql_export(model, dialect="duckdb"), duckdb.connect()
    fill_duckdb(database, texts, export)
    seconds, rows = clocked(lambda: database.execute(export.classify).fetchall())
    return seconds, *best(rows)


def by_postgres(model: Any, texts: list[str]) -> Result:
    import psycopg

    if reason := postgres.missing():
        raise ImportError(reason)
    export = sql_export(model, dialect="postgres")
    with (
        postgres.cluster() as address,
        psycopg.connect(address, autocommit=True) as opened,
        opened.cursor() as cursor,
    ):
        cursor.execute(export.made)
        cursor.execute("create table texts (id integer, text text)")
        tables = {name: rows for name, (_, rows) in export.tables.items()}
        for name, rows in {**tables, "texts": list(enumerate(texts))}.items():
            with cursor.copy(f"copy {name} from stdin") as copy:
                for row in rows:
                    copy.write_row(row)
        cursor.execute("analyze")
        seconds, rows = clocked(lambda: cursor.execute(export.classify).fetchall())
    return seconds, *best(rows)


def by_clickhouse(model: Any, texts: list[str]) -> Result:
    from chdb.session import Session

    export = clickhouse_export(model)
    terms, blanks = export.terms, str.maketrans(BLANKS)
    names = [name.translate(blanks) for name in terms.features]
    with tempfile.TemporaryDirectory() as folder, Session() as session:
        counts = {
            "ngram": [names[f] for f in terms.feature_of_cell.tolist()],
            "class_id": terms.classes,
            "count": terms.counts.astype(np.uint64),
        }
        pq.write_table(pa.table(counts), f"{folder}/counts.parquet")
        pq.write_table(pa.table({"id": range(len(texts)), "text": texts}), f"{folder}/t.parquet")
        session.query(export.statements[0])
        session.query(f"insert into nabi_ngrams select * from file('{folder}/counts.parquet')")
        session.query(export.statements[-1])
        made = f"create table texts engine = Memory as select * from file('{folder}/t.parquet')"
        session.query(made)
        seconds, found = clocked(lambda: str(session.query(export.classify, "JSONEachRow")))
    rows = [json.loads(line) for line in found.splitlines()]
    return seconds, [row["label"] for row in sorted(rows, key=lambda row: row["id"])], None


def by_browser(model: Any, texts: list[str]) -> Result:
    from playwright.sync_api import sync_playwright

    path = shutil.which("chromium")
    if path is None:
        raise ImportError("no chromium here")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as started:
        web_export(model).save(folder)
        arguments = ["--no-sandbox", "--disable-gpu"]
        page = started.chromium.launch(executable_path=path, args=arguments).new_page()
        page.goto(f"file://{folder}/index.html")
        page.wait_for_function("window.nabi", timeout=120_000)
        parts = [page.evaluate(CLASSIFY, texts[i : i + CHUNK]) for i in range(0, len(texts), CHUNK)]
    rows = [row for _, found in parts for row in found]
    seconds = sum(part[0] for part in parts)
    return seconds, [label for label, _ in rows], np.array([joint for _, joint in rows])


TARGETS = {
    "DuckDB function": by_function,
    "DuckDB SQL": by_duckdb,
    "PostgreSQL": by_postgres,
    "browser": by_browser,
    "ClickHouse": by_clickhouse,
}


# ---- the table ----


@contextmanager
def quiet() -> Iterator[None]:
    """Let the libraries of others be silent on standard error."""
    kept = os.dup(2)
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


def compare(
    name: str, train: list[str], labels: list[str], test: list[str], wanted: list[str]
) -> bool:
    """Print a row for each target; whether all was as it should be."""
    model = nabi.TextClassifier().fit(train, labels)
    model.predict(test[:1])
    native, expected = clocked(lambda: model.predict(test).tolist())
    joint, sound = model.joint_log_likelihood(test).max(axis=1), True
    print(f"{name:20} {'nabi':16} {len(test):7,} {native:9.2f} s      1x", flush=True)
    for target in wanted:
        try:
            with quiet():
                seconds, found, scores = TARGETS[target](model, test)
        except ImportError as error:
            print(f"{name:20} {target:16} left out: {error}")
            continue
        differ = sum(a != b for a, b in zip(found, expected, strict=True))
        apart = 0.0 if scores is None else float(np.abs(scores - joint).max())
        allowed = len(test) / 10_000 if target == "ClickHouse" else 0
        sound &= differ <= allowed and apart <= 1e-6
        shown = "" if scores is None else f"{apart:.1e}"
        ratio = seconds / native
        print(
            f"{name:20} {target:16} {len(found):7,} {seconds:9.2f} s {ratio:6.1f}x "
            f"{differ:6} {shown}",
            flush=True,
        )
    return sound


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--sets", nargs="+", default=["imdb", "nsmc", "lingua_sentences"])
    parser.add_argument("--targets", nargs="+", default=list(TARGETS), choices=TARGETS)
    given = parser.parse_args()
    print(f"{'set':20} {'target':16} {'texts':>7} {'time':>11} {'nabi':>7} differ log joint")
    results = [
        compare(*each, given.targets) for name in given.sets for each in splits(given.data / name)
    ]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())

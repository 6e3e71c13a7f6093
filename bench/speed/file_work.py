"""One contender on one file, in a process of its own, its libraries imported.

    python -m bench.speed.file_work '["nabi train", "posts.csv", "/tmp/folder", {"threads": 2}]'

Prints as JSON: seconds by the clock and of all cores from the file to the result, and the peak of
memory in MB. It runs with nabi of an earlier commit, too: only commands and public names are used.
"""

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from bench.speed import memory
from bench.speed.race import Seconds, timed

TRAIN = ["--no-score", "--no-calibrate", "--quiet"]  # which the others do not do, either
SQL = r"""
select label, word, count(*) from (
  select label, unnest(regexp_extract_all(lower(text), '\w+')) as word
  from read_csv('{}', parallel=false, max_line_size=100000000)
) group by all
"""


def nabi_train(path: str, folder: Path, threads: int, ngrams: str = "1-1") -> Seconds:
    """`nabi train`: the model is saved."""
    model = _removed(_model(folder, ngrams))
    return _command("train", path, "-o", model, "--ngrams", ngrams, *TRAIN,
                    "--threads", str(threads))  # fmt: skip


def nabi_predict(path: str, folder: Path, threads: int, ngrams: str = "1-1") -> Seconds:
    """`nabi predict`: the rows are written with their labels."""
    _trained(path, folder, threads, ngrams)
    out = _removed(str(folder / "predicted.csv"))
    return _command("predict", _model(folder, ngrams), path, "-o", out, "--quiet",
                    "--threads", str(threads))  # fmt: skip


def nabi_fit(path: str, folder: Path, threads: int, ngrams: str = "1-1") -> Seconds:
    """Count texts that are in memory, as an Arrow column."""
    import nabi

    texts, labels = _in_memory(path)
    span = tuple(map(int, ngrams.split("-")))
    memory.reset_peak()
    return timed(nabi.TextClassifier(ngrams=span, threads=threads).fit, texts, labels)[0]


def nabi_predict_texts(path: str, folder: Path, threads: int, ngrams: str = "1-1") -> Seconds:
    """Predict texts that are in memory; the model's weights are worked out in this time."""
    import nabi

    _trained(path, folder, threads, ngrams)
    model = nabi.load(_model(folder, ngrams))
    model.threads = threads
    texts, _ = _in_memory(path)
    memory.reset_peak()
    return timed(model.predict, texts)[0]


def _command(*arguments: str) -> Seconds:
    """The time of a command that has run before on a few rows, so that its modules are imported."""
    from nabi.cli import main

    with tempfile.TemporaryDirectory() as folder:
        few, model = Path(folder, "few.csv"), str(Path(folder, "few.nabi"))
        few.write_text("text,label\n" + "a word,aa\nother words,ab\n" * 50)
        assert main(["train", str(few), "-o", model, *TRAIN]) == 0
        assert main(["predict", model, str(few), "-o", str(Path(folder, "out.csv"))]) == 0
    memory.reset_peak()
    seconds, code = timed(main, arguments)
    assert code == 0, arguments
    return seconds


def _trained(path: str, folder: Path, threads: int, ngrams: str) -> None:
    if not Path(_model(folder, ngrams)).exists():
        nabi_train(path, folder, threads, ngrams)


def _model(folder: Path, ngrams: str) -> str:
    return str(folder / f"{ngrams}.nabi")


def _removed(path: str) -> str:
    """A path where no file is: to let go of an old one, and write to fresh pages, takes time."""
    Path(path).unlink(missing_ok=True)
    return path


def _in_memory(path: str) -> tuple[Any, list[str]]:
    """The texts as an Arrow column, and their labels."""
    import polars

    rows = polars.read_csv(path)
    return rows["text"].rechunk(), rows["label"].to_list()


def scikit_learn_train(path: str, folder: Path, ngrams: str = "1-1") -> Seconds:
    """pandas.read_csv, CountVectorizer and MultinomialNB; the model is kept, untimed."""
    import joblib
    import pandas
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.naive_bayes import MultinomialNB
    from sklearn.pipeline import make_pipeline

    def work() -> Any:
        rows = pandas.read_csv(path)
        vectorizer = CountVectorizer(ngram_range=tuple(map(int, ngrams.split("-"))))
        return make_pipeline(vectorizer, MultinomialNB()).fit(rows["text"], rows["label"])

    seconds, model = timed(work)
    joblib.dump(model, folder / f"{ngrams}.joblib")
    return seconds


def scikit_learn_predict(path: str, folder: Path, ngrams: str = "1-1") -> Seconds:
    """pandas.read_csv, predict and to_csv."""
    import joblib
    import pandas

    kept = folder / f"{ngrams}.joblib"
    if not kept.exists():
        scikit_learn_train(path, folder, ngrams)
    model = joblib.load(kept)

    def work() -> None:
        rows = pandas.read_csv(path)
        rows["predicted"] = model.predict(rows["text"])
        rows.to_csv(folder / "predicted.csv", index=False)

    return timed(work)[0]


def polars_words(path: str, folder: Path) -> Seconds:
    """Count the words of each class by a group-by."""
    import polars

    words = polars.col("text").str.to_lowercase().str.extract_all(r"\w+").alias("word")
    found = polars.scan_csv(path).select("label", words).explode("word")
    counted = found.group_by("label", "word").len()
    return timed(lambda: counted.collect(engine="streaming"))[0]


def duckdb_words(path: str, folder: Path) -> Seconds:
    """Count the words of each class by SQL."""
    import duckdb

    return timed(lambda: duckdb.sql(SQL.format(path)).to_arrow_table())[0]


def duckdb_parquet(path: str, folder: Path) -> Seconds:
    """Unpack the columns of a Parquet file."""
    import duckdb

    unpack = f"select sum(strlen(text)), count(label) from '{path}'"
    return timed(lambda: duckdb.sql(unpack).fetchall())[0]


WORK = {
    "nabi train": nabi_train,
    "nabi predict": nabi_predict,
    "nabi fit": nabi_fit,
    "nabi predict texts": nabi_predict_texts,
    "scikit-learn train": scikit_learn_train,
    "scikit-learn predict": scikit_learn_predict,
    "polars words": polars_words,
    "duckdb words": duckdb_words,
    "duckdb parquet": duckdb_parquet,
}


def main(given: str) -> None:
    name, path, folder, options = json.loads(given)
    seconds = WORK[name](path, Path(folder), **options)
    found = {"s": seconds.wall, "cpu_s": seconds.cpu, "peak_mb": memory.peak()}
    print(f"\n{json.dumps(found)}")


if __name__ == "__main__":
    main(sys.argv[1])

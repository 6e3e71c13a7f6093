"""Spark Connect, and the command line with an engine, give the file of one process."""

import csv
import os
import subprocess
import sys

import pytest

import nabi
from spark_cluster import LOOPBACK, connect_server, labelled_texts

ROWS = labelled_texts()
TEXTS, LABELS = (list(column) for column in zip(*ROWS, strict=True))
BY_ROWS = """
import sys
from pyspark.sql import SparkSession
import nabi
from nabi.engines import spark
from spark_cluster import labelled_texts
session = SparkSession.builder.remote(sys.argv[1]).getOrCreate()
frame = session.createDataFrame(labelled_texts(), ["text", "label"]).repartition(4)
for i, floor in enumerate([None, 2]):
    model = nabi.TextClassifier(ngrams=(1, 2))
    spark.fit(frame, model, output=f"rows-{i}.nabi", floor=floor, verify=True)
print(spark.evaluate("rows-0.nabi", frame).accuracy)
print(spark.predict("rows-0.nabi", frame, proba=True).first().asDict().keys())
"""


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    with connect_server(tmp_path_factory.mktemp("server")) as found:
        yield found


@pytest.fixture
def folder(tmp_path):
    for i in range(4):
        with open(tmp_path / f"part-{i}.csv", "w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([("text", "label"), *ROWS[i::4]])
    return tmp_path


def run(folder, *command):
    environment = {**os.environ, **LOOPBACK, "PYTHONPATH": os.path.dirname(__file__) + "/.."}
    done = subprocess.run(
        [sys.executable, *command], cwd=folder, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def nabi_command(folder, *command):
    return run(folder, "-m", "nabi.cli", *command)


def trained(folder, *options):
    data = [f"part-{i}.csv" for i in range(4)]
    plain = ("--no-score", "--no-calibrate")
    nabi_command(folder, "train", *data, "-o", "one.nabi", *plain, *options)
    return (folder / "one.nabi").read_bytes()


def test_rows_by_connect(url, folder):
    said = run(folder, "-c", BY_ROWS, url)
    expected = nabi.TextClassifier(ngrams=(1, 2)).fit(TEXTS, LABELS)
    assert (folder / "rows-0.nabi").read_bytes() == expected.to_bytes()
    assert (folder / "rows-1.nabi").read_bytes() == expected.floor(2).to_bytes()
    assert said.split("\n")[0] == str(expected.score(TEXTS, LABELS))


@pytest.mark.parametrize("options", [(), ("--ngrams", "1-2", "--no-ledger")])
def test_train_by_connect(url, folder, options):
    engine = ("--engine", "spark", "--master", url)
    said = nabi_command(folder, "train", "part-*.csv", "-o", "spark.nabi", *engine, *options)
    assert (folder / "spark.nabi").read_bytes() == trained(folder, *options)
    assert "trained by spark in" in said


def test_predict_by_connect(url, folder):
    trained(folder)
    engine = ("--engine", "spark", "--master", url)
    said = nabi_command(folder, "predict", "one.nabi", "part-*.csv", "-o", "out", *engine)
    assert said.startswith("predicted ")
    for i in range(4):
        name = f"part-{i}.csv"
        nabi_command(folder, "predict", "one.nabi", name, "-o", "one.csv", "-q")
        assert (folder / "out" / name).read_bytes() == (folder / "one.csv").read_bytes()


def test_train_and_predict_on_this_machine(folder):
    engine = ("--engine", "spark", "--master", "local[2]")
    nabi_command(folder, "train", "part-*.csv", "-o", "spark.nabi", *engine)
    assert (folder / "spark.nabi").read_bytes() == trained(folder)

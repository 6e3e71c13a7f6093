"""Spark with two worker processes gives the file of one process, byte for byte."""

import doctest
import importlib
import os
import signal
from pathlib import Path

import pytest

import nabi
from nabi.engines import spark as engine
from nabi.errors import EngineError, InconsistentError, InputError, ManyClassesWarning
from nabi.metrics import Decision
from spark_cluster import cluster, labelled_texts

pytestmark = pytest.mark.filterwarnings("ignore:PySpark does not yet:FutureWarning")
ROWS = labelled_texts()
TEXTS, LABELS = (list(column) for column in zip(*ROWS, strict=True))
RECIPES = [{}, {"ngrams": (1, 2)}, {"ledger": False}, {"ledger": "strong", "ngrams": (1, 2)}]


@pytest.fixture(scope="module")
def session():
    with cluster(**{"spark.task.maxFailures": "3"}) as started:
        yield started


@pytest.fixture(scope="module")
def frame(session):
    return session.createDataFrame(ROWS, ["text", "label"]).repartition(5).cache()


@pytest.fixture
def files(tmp_path):
    import pyarrow as pa
    from pyarrow import csv, parquet

    for i in range(6):
        texts, labels = TEXTS[i::6], LABELS[i::6]
        table = pa.table({"text": texts, "label": labels})
        writer = csv.write_csv if i % 2 else parquet.write_table
        writer(table, tmp_path / f"part-{i}.{'csv' if i % 2 else 'parquet'}")
    return tmp_path


def one_process(floor=None, **recipe):
    model = nabi.TextClassifier(**recipe).fit(TEXTS, LABELS)
    return (model if floor is None else model.floor(floor)).to_bytes()


@pytest.mark.parametrize("floor", [None, 2])
@pytest.mark.parametrize("recipe", RECIPES)
def test_rows_give_the_bytes_of_one_process(frame, recipe, floor):
    model = engine.fit(frame, nabi.TextClassifier(**recipe), floor=floor, verify=True)
    assert model.to_bytes() == one_process(floor, **recipe)


@pytest.mark.parametrize("tasks", [None, 2, 9])  # whole files, or rows of all files
def test_files_give_the_bytes_of_one_process(session, files, tasks):
    output = files / "model.nabi"
    model = nabi.TextClassifier(ngrams=(1, 2))
    engine.fit(f"{files}/part-*", model, spark=session, output=output, tasks=tasks, verify=True)
    expected = nabi.load(output)
    expected.source_columns = {}
    assert expected.to_bytes() == one_process(ngrams=(1, 2))


def test_large_ranges_are_fetched_one_by_one(frame, monkeypatch):
    from nabi.engines.spark import fitting

    monkeypatch.setattr(fitting, "SMALL", 16 * 1000)
    assert engine.fit(frame, ranges=16).to_bytes() == one_process()


@pytest.mark.filterwarnings("ignore:1 of 3 texts is missing")
def test_partitions_without_rows_and_a_prior_of_all_classes(session):
    rows = [("good film", "pos"), ("bad film", "neg"), (None, "neg")]
    frame = session.createDataFrame(rows, "text string, label string").repartition(7)
    model = nabi.TextClassifier(prior={"pos": 0.9, "neg": 0.1})
    expected = nabi.TextClassifier(**model.get_params())
    expected.fit(["good film", "bad film", ""], ["pos", "neg", "neg"])
    assert engine.fit(frame, model).to_bytes() == expected.to_bytes()
    assert engine.fit(frame.coalesce(1), model).to_bytes() == expected.to_bytes()


def test_labels_that_look_like_ids_are_told(session):
    rows = [("a", f"id {i}") for i in range(1100)]
    with pytest.warns(ManyClassesWarning, match="1,100 classes for 1,100 rows"):
        engine.fit(session.createDataFrame(rows, ["text", "label"]))


def test_a_row_of_megabytes(session):
    rows = [(" ".join(map(str, range(400_000))), "long"), ("a b", "short")]
    frame = session.createDataFrame(rows, ["text", "label"])
    model = nabi.TextClassifier(ngrams=(1, 2))
    expected = nabi.TextClassifier(ngrams=(1, 2)).fit(*map(list, zip(*rows, strict=True)))
    assert engine.fit(frame, model).to_bytes() == expected.to_bytes()


def test_labels_keep_their_type(session):
    rows = [("good film", 1), ("bad film", -1), ("so good", 1)]
    model = engine.fit(session.createDataFrame(rows, ["body", "stars"]), text="body", label="stars")
    assert model.classes_.tolist() == [-1, 1]


def test_predictions_are_those_of_the_model(session, frame):
    model = nabi.TextClassifier().fit(TEXTS[:300], LABELS[:300])
    found = engine.predict(model, frame, proba=True).collect()
    texts = [row["text"] for row in found]
    assert [row["predicted"] for row in found] == model.predict(texts).tolist()
    assert [row["proba"] for row in found] == model.predict_proba(texts).max(axis=1).tolist()


def test_all_probabilities_are_a_map(session, frame, tmp_path):
    model = nabi.TextClassifier().fit(TEXTS, LABELS)
    model.save(tmp_path / "model.nabi")
    (row,) = engine.predict(tmp_path / "model.nabi", frame.limit(1), proba="all").collect()
    expected = model.predict_proba([row["text"]])[0].tolist()
    assert row["proba"] == dict(zip(["ham", "spam"], expected, strict=True))


def test_thresholds_decide(frame):
    decision = Decision({"spam": 0.9}, not_sure="?")
    model = nabi.TextClassifier(alpha=9.0).fit(TEXTS, LABELS).decide_by(decision)
    found = engine.predict(model, frame, proba=True).collect()
    assert [row["predicted"] for row in found] == model.predict([r["text"] for r in found]).tolist()
    assert {row["predicted"] for row in found} == {"ham", "spam", "?"}
    unsure = next(row for row in found if row["predicted"] == "?")
    assert unsure["proba"] == model.predict_proba([unsure["text"]]).max()
    expected = nabi.metrics.ConfusionMatrix.of(LABELS, model.predict(TEXTS).tolist())
    assert str(engine.evaluate(model, frame)) == str(expected)


def test_a_tokenizer_of_its_own_goes_along(frame, tmp_path):
    learner = engine.BatchLearner(tmp_path, nabi.TextClassifier(tokenizer=lambda t: t.split("w")))
    learner(frame, 0)
    model = learner.model()
    found = engine.predict(model, frame).collect()
    assert [row["predicted"] for row in found] == model.predict([r["text"] for r in found]).tolist()


def test_texts_that_are_no_strings_are_read_as_they_are_learned(session):
    rows = [(1e10, "a"), (0.5, "b"), (0.25, "b")]
    frame = session.createDataFrame(rows, "number double, label string")
    model = engine.fit(frame, text="number")
    found = engine.predict(model, frame, text="number").collect()
    assert [tuple(row) for row in found] == [(*row, row[1]) for row in rows]


def test_judged_by_the_confusion_matrix_of_one_process(frame):
    model = nabi.TextClassifier().fit(TEXTS[:300], LABELS[:300])
    expected = nabi.metrics.ConfusionMatrix.of(LABELS, model.predict(TEXTS).tolist())
    assert str(engine.evaluate(model, frame)) == str(expected)


@pytest.mark.parametrize("name", ["fitting", "predicting", "batches"])
def test_examples_in_docstrings(session, tmp_path, name):
    module = importlib.import_module(f"nabi.engines.spark.{name}")
    given = {"spark": session, "nabi": nabi, "folder": tmp_path}
    assert doctest.testmod(module, extraglobs=given).failed == 0


# ---- attempts ----


def dying(folder, times):
    """A tokenizer that kills its worker the first times that it is called there."""
    driver = os.getpid()

    def tokens(text):
        for i in range(times if os.getpid() != driver else 0):
            try:
                os.close(os.open(f"{folder}/killed-{i}", os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                continue
            os.kill(os.getpid(), signal.SIGKILL)
        return text.split()

    return tokens


def test_workers_that_are_killed_change_nothing(frame, tmp_path):
    model = nabi.TextClassifier(tokenizer=dying(tmp_path, 2))
    found = engine.fit(frame, model)
    assert len(list(tmp_path.iterdir())) == 2
    assert found.to_bytes() == model.fit(TEXTS, LABELS).to_bytes()


def test_a_task_that_always_dies_is_told(frame, tmp_path):
    model = nabi.TextClassifier(tokenizer=dying(tmp_path, 1000))
    with pytest.raises(EngineError, match="a worker of Spark died at every attempt of a task"):
        engine.fit(frame, model, ranges=1)


def test_rows_that_change_between_attempts_are_refused(session, frame, tmp_path):
    runs = str(tmp_path / "runs")

    def growing(batches):
        with open(runs, "a+") as file:
            file.write("x")
        for batch in batches:
            yield from [batch] * os.path.getsize(runs)

    changed = frame.coalesce(1).mapInArrow(growing, frame.schema)
    with pytest.raises(InconsistentError, match="the data have"):
        engine.fit(changed, verify=True)


# ---- streams ----


def test_a_replayed_batch_is_learned_once(session, tmp_path):
    learner = engine.BatchLearner(tmp_path)
    frames = [session.createDataFrame(ROWS[i::3], ["text", "label"]) for i in range(3)]
    for number, frame in [(0, frames[0]), (1, frames[1]), (1, frames[1]), (2, frames[2])]:
        learner(frame, number)
    assert learner.model().to_bytes() == one_process()


def test_batches_are_merged_now_and_then(session, tmp_path, monkeypatch):
    monkeypatch.setattr(engine.batches, "EVERY", 2)
    learner = engine.BatchLearner(tmp_path)
    for number in range(4):
        learner(session.createDataFrame(ROWS[number::4], ["text", "label"]), number)
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["batch-2.nabi", "batch-3.nabi", "to-1.nabi"]
    assert learner.model().to_bytes() == one_process()


def test_a_batch_of_another_checkpoint_is_refused(session, tmp_path):
    learner = engine.BatchLearner(tmp_path)
    frame = session.createDataFrame(ROWS[:9], ["text", "label"])
    learner(frame, 3)
    with pytest.raises(InputError, match="batch 0 came after batch 3"):
        learner(frame, 0)


def test_a_stream_of_files_is_learned(session, files, tmp_path):
    learner = engine.BatchLearner(tmp_path / "model")
    stream = session.readStream.schema("text string, label string").option("maxFilesPerTrigger", 1)
    writer = stream.parquet(f"{files}/*.parquet").writeStream.foreachBatch(learner)
    writer = writer.option("checkpointLocation", str(tmp_path / "checkpoint"))
    writer.trigger(availableNow=True).start().awaitTermination()
    rows = [row for i in (0, 2, 4) for row in ROWS[i::6]]
    texts, labels = (list(column) for column in zip(*rows, strict=True))
    assert learner.model().to_bytes() == nabi.TextClassifier().fit(texts, labels).to_bytes()


# ---- what is refused ----


def test_rows_without_a_label_are_refused(session):
    frame = session.createDataFrame([("a", "x"), ("b", None)], ["text", "label"])
    with pytest.raises(InputError, match="rows have no label; leave them out"):
        engine.fit(frame)


def test_labels_of_another_type_are_refused(session):
    model = nabi.TextClassifier().fit(["a", "b"], [1, 2])
    frame = session.createDataFrame([("a", "1"), ("b", "two")], ["text", "label"])
    with pytest.raises(InputError, match="no label, or one that is no bigint; leave them out"):
        engine.evaluate(model, frame)


@pytest.mark.parametrize("type", ["date", "decimal(4, 1)", "array<int>"])
def test_labels_that_are_no_labels_are_refused(session, type):
    value = {"date": "date'2020-01-01'", "decimal(4, 1)": "1.5", "array<int>": "array(1)"}[type]
    frame = session.sql(f"select 'a' as text, {value} as label")
    with pytest.raises(InputError, match="and labels are strings, numbers or booleans; cast it"):
        engine.fit(frame)


def test_a_label_of_another_kind_for_what_is_not_sure_is_refused(frame):
    model = nabi.TextClassifier().fit(["a", "b"], [1, 2]).decide_by(Decision({}, not_sure="?"))
    with pytest.raises(InputError, match=r"labels are int, and what is not sure is labelled '\?'"):
        engine.predict(model, frame)


def test_what_fails_in_a_worker_is_told(frame):
    driver = os.getpid()
    model = nabi.TextClassifier(tokenizer=lambda text: [text] * (1 // (os.getpid() == driver)))
    with pytest.raises(EngineError, match="its worker: ZeroDivisionError: integer division"):
        engine.fit(frame, model)


def test_what_spark_refuses_is_one_sentence(session):
    twice = session.sql("select 'a' as text, 'b' as text, 'x' as label")
    with pytest.raises(EngineError, match=r"Spark: .*AMBIGUOUS"):
        engine.fit(twice)


def test_a_column_that_is_not_there_is_refused(frame):
    with pytest.raises(InputError, match="text='body': the DataFrame has no such column"):
        engine.fit(frame, text="body")


def test_models_that_do_not_add_up_are_refused(frame):
    with pytest.raises(InputError, match="an engine trains a counting model"):
        engine.fit(frame, nabi.LinearClassifier())


def test_no_rows_are_refused(frame):
    with pytest.raises(InputError, match="no rows"):
        engine.fit(frame.limit(0))


def test_a_broken_file_is_named(session, tmp_path):
    Path(tmp_path, "a.csv").write_text("text,label\nx,y\n", "utf8")
    Path(tmp_path, "b.csv").write_text('text,label\n"x,y\nz', "utf8")
    with pytest.raises(InputError, match=r"b\.csv"):
        engine.fit(f"{tmp_path}/*.csv", spark=session, tasks=2)

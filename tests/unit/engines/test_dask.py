"""A cluster of Dask on this machine gives the bytes of one process, also where workers die."""

import contextlib
import csv
import json
import os
import random
import signal
import sys

import dask
import dask.dataframe as dd
import numpy as np
import pandas as pd
import pytest
from dask.delayed import delayed
from distributed import Client, LocalCluster

import nabi
from nabi.engines.dask import cluster as cluster_module
from nabi.engines.dask import connected, evaluate, fit, predict
from nabi.engines.dask.cluster import Cluster
from nabi.errors import (
    DataError,
    EngineError,
    InconsistentError,
    InputError,
    InputTypeError,
    MissingExtraError,
)
from nabi.judging.evaluation import Evaluation
from nabi.metrics import Decision

WORDS = [f"w{i}" for i in range(200)]


@contextlib.contextmanager
def two_workers():
    options = {"n_workers": 2, "threads_per_worker": 1, "host": "127.0.0.1"}
    with (
        LocalCluster(**options, dashboard_address="127.0.0.1:0") as cluster,
        Client(cluster, set_as_default=False) as client,
    ):
        yield client


@pytest.fixture(scope="module")
def client():
    with two_workers() as client:
        yield client


@pytest.fixture
def mortal():
    """A cluster of one test: Dask starts no new worker for one that is killed while it starts."""
    with two_workers() as client:
        yield client


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    """A folder with 600 texts in five files, and all of them in one."""
    rnd, folder = random.Random(0), tmp_path_factory.mktemp("texts")
    rows = [(" ".join(rnd.choices(WORDS, k=8)), rnd.choice("ab")) for _ in range(600)]
    write(folder / "all.csv", ["text", "label"], rows)
    for i in range(5):
        write(folder / f"part-{i}.csv", ["text", "label"], rows[i::5])
    return folder


@pytest.fixture(scope="module")
def people(tmp_path_factory):
    """A folder with 300 rows of numbers and categories in three files."""
    rnd, folder = random.Random(0), tmp_path_factory.mktemp("people")
    for i in range(3):
        rows = [
            (f"{rnd.gauss(40, 9):.2f}", rnd.choice(["Rome", "Oslo", ""]), rnd.choice("xyz"))
            for _ in range(100)
        ]
        write(folder / f"part-{i}.csv", ["age", "city", "job"], rows)
    return folder


def write(path, names, rows):
    with open(path, "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([names, *rows])


def one_process(paths, **options):
    return nabi.train(paths, calibrate=False, **options)


MODELS = [{}, {"ngrams": (1, 2)}, {"ledger": False}, {"ledger": "strong", "min_count": 2}]


@pytest.mark.parametrize("options", MODELS, ids=str)
@pytest.mark.parametrize("files", ["part-*.csv", "all.csv"])  # whole files, and shares of rows
def test_files_give_the_bytes_of_one_process(client, texts, files, options):
    model = fit(texts / files, model=nabi.TextClassifier(**options), client=client)
    assert model.to_bytes() == one_process(texts / files, **options).to_bytes()
    assert model.rows_ == {"read": 600, "used": 600, "rejected": 0}


def test_a_floor_is_one_of_all_data(client, texts):
    model = fit(texts / "part-*.csv", floor=25, client=client, tasks=5)
    assert 0 < model.n_features_ < 200
    assert model.to_bytes() == one_process(texts / "all.csv").floor(25).to_bytes()


@pytest.mark.parametrize("ending", ["jsonl", "parquet"])
def test_workers_read_other_formats(client, texts, tmp_path, ending):
    for i in range(2):
        table = pd.read_csv(texts / f"part-{i}.csv").rename(columns={"text": "body"})
        to = {"jsonl": lambda t, p: t.to_json(p, orient="records", lines=True)}
        to.get(ending, pd.DataFrame.to_parquet)(table, tmp_path / f"{i}.{ending}")
    model = fit(tmp_path / f"*.{ending}", text="body", client=client)
    assert model.to_bytes() == one_process(tmp_path / f"*.{ending}", text="body").to_bytes()
    assert model.source_columns == {"text": "body"}


def test_tables_of_files_give_the_bytes_of_one_process(client, people):
    model = fit(people / "*.csv", label="job", client=client)
    assert model.columns_ == {"age": "gaussian", "city": "categorical"}
    assert model.to_bytes() == one_process(people / "*.csv", label="job").to_bytes()


@pytest.mark.parametrize("options", MODELS[:2], ids=str)
def test_a_dataframe_gives_the_bytes_of_one_process(client, texts, options):
    model = fit(
        dd.read_csv(texts / "part-*.csv"), model=nabi.TextClassifier(**options), client=client
    )
    every = nabi.read(texts / "all.csv").lists()
    assert model.to_bytes() == nabi.TextClassifier(**options).fit(*every).to_bytes()


def test_a_dataframe_of_numbers_and_categories(client, people):
    frame = dd.read_csv(people / "*.csv")
    empty = frame[frame.age > 1000]  # partitions without rows, which come first
    model = fit(
        dd.concat([empty, frame]),
        model=nabi.TableClassifier(),
        label="job",
        verify=True,
        client=client,
    )
    one = nabi.TableClassifier().fit(frame.compute(), "job")
    assert model.to_bytes() == one.to_bytes()


def test_a_prior_may_name_classes_that_a_share_lacks(client, tmp_path):
    write(tmp_path / "a.csv", ["text", "label"], [("good film", "a")])
    write(tmp_path / "b.csv", ["text", "label"], [("bad film", "b")])
    model = nabi.TextClassifier(prior={"a": 0.9, "b": 0.1})
    found = fit(tmp_path / "*.csv", model=model, client=client)
    assert found.to_bytes() == one_process(tmp_path / "*.csv", prior=model.prior).to_bytes()


def test_a_bad_row_is_told_by_file_and_line(client, texts, tmp_path):
    write(tmp_path / "bad.csv", ["text", "label"], [("good", "a"), ("bad", "")])
    with pytest.raises(DataError, match=r"bad\.csv:3: the label is empty"):
        fit([texts / "all.csv", tmp_path / "bad.csv"], client=client)


def test_bad_rows_are_set_aside_and_told(client, texts, tmp_path):
    write(tmp_path / "bad.csv", ["text", "label"], [("good", "a"), ("bad", "")])
    model = fit([texts / "all.csv", tmp_path / "bad.csv"], skip_bad=True, client=client)
    assert model.rows_ == {"read": 602, "used": 601, "rejected": 1}
    assert model.rejects_ == (f"{tmp_path}/bad.csv:3: the label is empty; every text needs one",)


def test_rows_without_a_label_are_refused(client):
    frame = dd.from_pandas(pd.DataFrame({"text": ["a", "b"], "label": ["x", None]}), npartitions=1)
    with pytest.raises(InputError, match="column 'label', row 1: no label"):
        fit(frame, client=client)


def test_the_client_that_is_there_is_used(client, texts):
    with client.as_current(), Cluster.connected(None, None) as found:
        assert found.client is client


def test_progress_is_told(client, texts):
    seen = []
    fit(texts / "part-*.csv", client=client, watch=lambda *step: seen.append(step))
    assert seen[0] == ("planning", 0, 1)
    assert seen[-1] == ("training", 6, 6)  # five files, and their sum


def test_verify_refuses_data_that_change(client, tmp_path):
    def rows():
        with open(tmp_path / "calls", "a+b") as file:
            file.write(b".")
            n = file.tell()
        return pd.DataFrame({"text": ["good"] * n, "label": ["a"] * n})

    frame = dd.from_delayed([delayed(rows, pure=False)()], meta=rows()[:0])
    with pytest.raises(InconsistentError, match="2 rows were learned, but there are 3"):
        fit(frame, client=client, verify=True)


# ---- workers that die ----


def dying(tokens, path, times):
    """A tokenizer that ends its process, so many times in all."""

    def cut(text):
        with open(path, "a+b") as file:
            if "w7" in text and file.tell() < times:
                file.write(b".")
                file.flush()
                os.kill(os.getpid(), signal.SIGKILL)
        return tokens(text)

    return cut


def test_a_killed_worker_changes_no_byte(mortal, texts, tmp_path):
    cut = dying(str.split, tmp_path / "kills", 2)
    model = fit(
        texts / "all.csv", model=nabi.TextClassifier(nabi.Features(tokenizer=cut)), client=mortal
    )
    assert (tmp_path / "kills").stat().st_size == 2
    plain = nabi.Features(tokenizer=dying(str.split, tmp_path / "kills", 0))
    assert model.to_bytes() == one_process(texts / "all.csv", features=plain).to_bytes()


def test_a_task_that_always_dies_is_an_error(mortal, texts, tmp_path):
    cut = dying(str.split, tmp_path / "kills", 1000)
    with pytest.raises(EngineError, match=r"ended its worker again and again|none came back"):
        fit(
            texts / "all.csv",
            model=nabi.TextClassifier(nabi.Features(tokenizer=cut)),
            client=mortal,
        )
    assert not any(mortal.processing().values())


# ---- what is refused ----


def test_other_models_are_refused(client, texts):
    with pytest.raises(InputTypeError, match="LinearClassifier, expected a TextClassifier"):
        fit(texts / "all.csv", model=nabi.LinearClassifier(), client=client)


def test_a_model_that_has_learned_is_refused(client, texts):
    learned = nabi.TextClassifier().fit(["a", "b"], ["x", "y"])
    with pytest.raises(InputError, match="a counting model that has learned nothing"):
        fit(texts / "all.csv", model=learned, client=client)


@pytest.mark.parametrize(
    ("data", "floor", "what"),
    [("texts", 0, "floor=0; expected a whole number from 1"), ("people", 2, "a floor is for")],
)
def test_a_floor_is_refused_before_anything_is_counted(client, request, data, floor, what):
    seen, folder = [], request.getfixturevalue(data)
    how = {"label": "job"} if data == "people" else {}
    with pytest.raises(InputError, match=what):
        fit(
            folder / "part-*.csv",
            floor=floor,
            client=client,
            watch=lambda *s: seen.append(s[0]),
            **how,
        )
    assert "training" not in seen


def test_queries_and_standard_input_are_refused(client):
    with pytest.raises(InputError, match="workers cannot share a query"):
        fit("x.csv", sql="select 1", client=client)
    with pytest.raises(InputError, match="standard input cannot be read by workers"):
        fit("-", client=client)


def test_a_scheduler_that_is_not_there_is_an_error(texts):
    with (
        dask.config.set({"distributed.comm.timeouts.connect": "100ms"}),
        pytest.raises(EngineError, match=r"no scheduler of Dask at tcp://127\.0\.0\.1:1"),
    ):
        fit(texts / "all.csv", client="tcp://127.0.0.1:1")


def test_a_cluster_without_workers_is_an_error(texts, monkeypatch):
    monkeypatch.setattr(cluster_module, "LONGEST", 0)
    options = {"n_workers": 0, "host": "127.0.0.1", "dashboard_address": "127.0.0.1:0"}
    with (
        LocalCluster(**options) as cluster,
        pytest.raises(EngineError, match="has had no worker for 0 s; start some: dask worker tcp"),
    ):
        fit(texts / "all.csv", client=cluster.scheduler_address)


def test_a_cluster_may_be_without_workers_for_a_moment(client, monkeypatch):
    seen = iter([{}, {"a": 1}, {}, {}])
    with Cluster.connected(client, None) as found:
        monkeypatch.setattr(cluster_module, "LONGEST", 10)
        clock = iter([0, 20, 40, 60])  # seconds
        monkeypatch.setattr(cluster_module, "monotonic", lambda: next(clock))
        monkeypatch.setattr(client, "scheduler_info", lambda **_: {"workers": next(seen)})
        assert [found.workers() for _ in range(3)] == [{}, {"a": 1}, {}]
        with pytest.raises(EngineError, match="have gone, and none came back within 10 s"):
            found.workers()


def test_workers_on_this_machine_are_gone_afterwards(texts):
    with Cluster.connected(None, None) as found:
        assert found.client.scheduler.address.startswith("tcp://127.0.0.1:")
        model = fit(texts / "all.csv", client=found.client)
    assert found.client.status == "closed"
    assert model.to_bytes() == one_process(texts / "all.csv").to_bytes()


def test_without_dask_the_error_says_what_to_install(texts, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(MissingExtraError, match="pip install 'distributed"):
        fit(texts / "all.csv")


# ---- a trained model ----


@pytest.fixture(scope="module")
def model(texts):
    return one_process(texts / "all.csv")


def test_each_file_is_labelled_to_a_file_of_its_own(client, texts, model, tmp_path):
    found = predict(model, texts / "part-*.csv", output=tmp_path / "out", client=client)
    table = pd.concat(pd.read_csv(tmp_path / f"out/part-{i}.csv") for i in range(5))
    assert table.predicted.tolist() == model.predict(table.text).tolist()
    assert found == table.predicted.value_counts().to_dict()


def test_a_dataframe_gets_labels_and_probabilities(client, texts, model):
    table = predict(model, dd.read_csv(texts / "part-*.csv"), proba=True).compute()
    assert table.predicted.tolist() == model.predict(table.text).tolist()
    assert np.array_equal(table.proba, model.predict_proba(table.text).max(axis=1))


def test_thresholds_decide(client, texts, model):
    unsure = nabi.from_bytes(model.to_bytes()).decide_by(Decision({"a": 0.9}, not_sure="?"))
    table = predict(unsure, dd.read_csv(texts / "part-*.csv")).compute()
    assert table.predicted.tolist() == unsure.predict(table.text).tolist()
    assert set(table.predicted) == {"a", "b", "?"}


def test_a_label_of_another_kind_for_what_is_not_sure_is_refused():
    model = nabi.TextClassifier().fit(["a", "b"], [1, 2]).decide_by(Decision({}, not_sure="?"))
    table = dd.from_pandas(pd.DataFrame({"text": ["a"]}), npartitions=1)
    with pytest.raises(InputError, match=r"labels are int, and what is not sure is labelled '\?'"):
        predict(model, table)


@pytest.mark.parametrize(("column", "taken"), [("text", "text"), ("new", "proba")])
def test_columns_that_are_there_are_not_replaced(model, column, taken):
    table = dd.from_pandas(pd.DataFrame({"text": ["a"], "proba": [1]}), npartitions=1)
    with pytest.raises(InputError, match=f"the dataframe has a column '{taken}' already"):
        predict(model, table, column=column, proba=True)


def test_no_rows_cannot_be_judged(client, model):
    table = dd.from_pandas(pd.DataFrame({"text": ["a"], "label": ["b"]}), npartitions=1)
    with pytest.raises(InputError, match="no rows: there is nothing to judge"):
        evaluate(model, table[table.label == "c"], client=client)


@pytest.mark.parametrize("of", ["files", "dataframe"])
def test_figures_are_those_of_one_process(client, texts, model, of):
    data = texts / "part-*.csv" if of == "files" else dd.read_csv(texts / "part-*.csv")
    found = evaluate(model, data, client=client)
    every, labels = nabi.read(texts / "part-*.csv").lists()
    logs = model.predict_log_proba(every)
    one = Evaluation.of(labels, model.predict(every).tolist(), logs, ["a", "b"])
    assert json.dumps(found.to_dict()) == json.dumps(one.to_dict())


# ---- as the command line sees it ----


def test_a_connection_writes_the_file_of_one_process(client, texts, tmp_path):
    with connected(client.scheduler.address) as workers:
        given = [str(texts / "part-*.csv")], nabi.TextClassifier()
        workers.fit_files(*given, output=tmp_path / "m.nabi", watch=print, header=True)
    assert (tmp_path / "m.nabi").read_bytes() == one_process(texts / "all.csv").to_bytes()


def test_a_connection_labels_files_by_a_model_file(client, texts, model, tmp_path):
    model.save(tmp_path / "m.nabi")
    asked = {"best": 1, "proba": False, "prior": None, "column": "predicted", "decision": None}
    with connected(client.scheduler.address) as workers:
        options = {"asked": {**asked, "text": None}, "reading": {"text": None}, "safe_csv": False}
        given = str(tmp_path / "m.nabi"), [str(texts / "part-*.csv")]
        found = workers.predict_files(*given, output=tmp_path / "out", watch=print, **options)
    labels = model.predict(nabi.read(texts / "all.csv").lists()[0])
    assert found == {i: int((labels == label).sum()) for i, label in enumerate("ab")}

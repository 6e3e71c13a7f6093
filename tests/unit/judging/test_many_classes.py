"""Data of many classes: figures without all scores in memory, and a question about the column."""

import json
import random
import subprocess
import sys
import warnings

import numpy as np
import pytest

import nabi
from nabi.cli import main
from nabi.judging import crossval, suspects_of
from nabi.judging.evaluation import Evaluation
from nabi.metrics import ConfusionMatrix

TEXTS = ["good film", "bad film", "so good", "so bad", "good good", "bad bad", "bad or good"] * 3
LABELS = ["pos", "neg", "pos", "neg", "pos", "neg", "pos"] * 3


@pytest.fixture
def small(monkeypatch):
    """Few scores are held, and few at a time."""
    monkeypatch.setattr("nabi.scoring.unseen.LARGEST", 30)
    monkeypatch.setattr("nabi.scoring.unseen.SAMPLE", 20)
    monkeypatch.setattr("nabi.scoring.held_out.text.BLOCK", 8)
    monkeypatch.setattr("nabi.models.base.SCORES", 8)


@pytest.mark.parametrize("folds", [None, 3])
def test_figures_do_not_need_all_scores(folds, request):
    whole = crossval(nabi.TextClassifier(), TEXTS, LABELS, folds=folds)
    request.getfixturevalue("small")
    result = crossval(nabi.TextClassifier(), TEXTS, LABELS, folds=folds)
    assert (result.accuracy, result.log_loss) == (whole.accuracy, whole.log_loss)
    assert suspects_of(result) == suspects_of(whole)
    assert result.predicted.tolist() == whole.predicted.tolist()
    figures = [
        Evaluation.of(LABELS, LABELS, x, whole.labels) for x in (result.scores, whole.log_proba)
    ]
    assert figures[0].to_dict() == figures[1].to_dict()


def test_all_scores_are_refused_where_they_are_too_many(small):
    result = crossval(nabi.TextClassifier(), TEXTS, LABELS)
    message = "log_proba needs the scores of 21 rows for 2 classes, more than the 30 that are held"
    with pytest.raises(nabi.InputError, match=message):
        _ = result.log_proba
    assert len(result.calibration.log_proba) == 10


@pytest.mark.parametrize("learned", [True, False])
def test_a_calibration_by_a_sample_is_the_same_in_any_order(small, learned):
    order = random.Random(0).sample(range(21), 21)
    model = nabi.TextClassifier().fit(TEXTS, LABELS)
    data = TEXTS, LABELS, [TEXTS[i] for i in order], [LABELS[i] for i in order]
    one = model.calibrate(*data[:2], learned=learned).predict_proba(["good"])
    assert (
        model.calibrate(*data[2:], learned=learned).predict_proba(["good"]).tolist() == one.tolist()
    )


def test_a_table_is_calibrated_by_a_sample(small):
    table = {"x": [1.0, 2.0, 1.5, 2.5] * 8}
    model = nabi.TableClassifier().fit(table, ["a", "b"] * 16)
    assert len(model.unseen_scores(table, ["a", "b"] * 16).arrays()[0]) == 10
    assert model.calibrate(table, ["a", "b"] * 16).is_calibrated


def test_evaluate_some_rows_at_a_time(tmp_path, capsys, request):
    path, data = str(tmp_path / "m.nabi"), tmp_path / "d.csv"
    nabi.TextClassifier().fit(TEXTS, LABELS).save(path)
    data.write_text(
        "text,label\n" + "".join(f"{t},{x}\n" for t, x in zip(TEXTS, LABELS, strict=True))
    )
    asked = ["evaluate", path, str(data), "--json", "--recall", "pos=0.9"]
    assert main(asked) == 0
    whole = json.loads(capsys.readouterr().out)
    request.getfixturevalue("small")
    assert main(asked) == 0
    assert json.loads(capsys.readouterr().out) == whole


@pytest.mark.parametrize("command", ["crossval {data}", "evaluate {model} {data}"])
def test_a_report_is_refused_before_the_work(tmp_path, capsys, small, command):
    paths = {"data": tmp_path / "d.csv", "model": tmp_path / "m.nabi"}
    nabi.TextClassifier().fit(TEXTS, LABELS).save(paths["model"])
    paths["data"].write_text("text,label\n" + "good,pos\nbad,neg\n" * 20)
    typed = command.format(**paths).split()
    assert main([*typed, "--report", str(tmp_path / "r.html")]) == 1
    assert "a report needs the scores of 40 rows for 2 classes" in capsys.readouterr().err


def test_a_table_of_many_classes_is_not_made():
    labels = list(range(10_000))
    matrix = ConfusionMatrix.of(labels, labels)
    with pytest.raises(nabi.InputError, match="cells gives the 10,000 that are above zero"):
        matrix.array()
    assert [column.tolist() for column in matrix.cells] == [labels, labels, [1] * 10_000]


def test_labels_that_look_like_ids():
    texts, ids = ["a", "b"] * 1100, [*range(1100)] * 2
    message = "^1,100 classes for 2,200 rows: is this the label column\\?$"
    with pytest.warns(nabi.ManyClassesWarning, match=message):
        model = nabi.TextClassifier().fit(texts, ids)
    with pytest.warns(nabi.ManyClassesWarning, match=message):
        nabi.NeighboursClassifier().fit(texts, ids)
    rows = np.zeros((2200, 1))
    with pytest.warns(nabi.ManyClassesWarning, match=message):
        Evaluation.of(ids, [-1] * 2200, rows, [-1])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        nabi.TextClassifier().fit(texts[:300], ids[:150] * 2)
        model.calibrate(texts, ids)


def test_train_asks_about_ids(tmp_path, capsys):
    rows = "".join(f"word,id{i}\n" for i in range(1500))
    (tmp_path / "d.csv").write_text("text,label\n" + rows)
    assert main(["train", str(tmp_path / "d.csv"), "-o", str(tmp_path / "m.nabi")]) == 0
    assert "1,500 classes for 1,500 rows: is this the label column?" in capsys.readouterr().err


MEMORY = """
import contextlib, io, resource, sys, warnings
import nabi, nabi.models.base, nabi.scoring.held_out.text, nabi.scoring.unseen
from nabi.cli import main
from nabi.judging import crossval

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10  # MB

warnings.simplefilter("ignore")
nabi.models.base.SCORES = nabi.scoring.held_out.text.BLOCK = 2**18
nabi.scoring.unseen.LARGEST, nabi.scoring.unseen.SAMPLE = 2**18, 2**15
texts = [f"w{i % 7} w{i % 11} w{i % 300}" for i in range(3000)]
labels, data, path = [f"id{i // 2}" for i in range(3000)], sys.argv[1] + ".csv", sys.argv[1]
with open(data, "w") as file:
    file.writelines(["text,label\\n", *map("{},{}\\n".format, texts, labels)])
model, before = nabi.TextClassifier(alpha=1.0), peak()
crossval(model, texts, labels).calibration
model.fit(texts, labels).calibrate(texts, labels).save(path)
with contextlib.redirect_stdout(io.StringIO()):
    assert main(["evaluate", path, data]) == main(["calibrate", path, data, "--new"]) == 0
print(peak() - before)
"""


def test_memory_does_not_grow_with_rows_times_classes(tmp_path):
    pytest.importorskip("resource")
    typed = [sys.executable, "-c", MEMORY, str(tmp_path / "m.nabi")]
    found = subprocess.run(typed, capture_output=True, text=True, check=True)
    assert int(found.stdout) < 70  # all scores are 36 MB, and 400 MB with what was made of them

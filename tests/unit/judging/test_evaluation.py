"""Evaluation and Versus: the figures of predictions, without a command line."""

import math

import numpy as np
import pytest

import nabi
from nabi.judging.duplicate_texts import Leak, duplicates, totals
from nabi.judging.evaluation import Evaluation
from nabi.judging.suspect_labels import Suspect
from nabi.judging.versus import Versus
from nabi.readers import read

ROWS = np.log([[0.75, 0.25], [0.5, 0.5], [0.125, 0.875]])


def test_the_log_loss_leaves_out_labels_that_the_model_does_not_know():
    found = Evaluation.of(["a", "c", "b"], ["a", "a", "b"], ROWS, ["a", "b"])
    assert (found.unknown, found.calibrated) == (1, False)
    assert found.log_loss == pytest.approx(-(math.log(0.75) + math.log(0.875)) / 2)
    assert found.to_dict()["confusion"]["labels"] == ["a", "b", "c"]


def test_the_table_of_a_hundred_thousand_classes_is_its_cells_alone():
    labels = list(range(100_000))  # with its zeros, the table would take 80 GB
    found = Evaluation.of([3, 5], [3, 3], np.full((2, 100_000), -math.log(100_000)), labels)
    assert found.to_dict()["confusion"]["cells"] == [[3, 3, 1], [3, 5, 1]]


def test_without_a_known_label_there_is_no_loss():
    found = Evaluation.of(["c"], ["a"], ROWS[:1], ["a", "b"])
    assert (found.log_loss, found.calibration_error) == (None, None)
    assert found.to_dict()["accuracy"] == 0.0


def test_f_of_a_dictionary_follows_beta():
    found = Evaluation.of(["a", "a", "b"], ["a", "b", "b"], ROWS, ["a", "b"])
    one, two = (found.to_dict(beta=beta)["classes"]["b"] for beta in (1.0, 2.0))
    assert (one["precision"], one["recall"], one["f"]) == (0.5, 1.0, pytest.approx(2 / 3))
    assert two["f"] == pytest.approx(5 / 6)


def test_two_models_on_the_same_parts(tmp_path):
    (tmp_path / "test.csv").write_text("text,label\nx,p\ny,n\n")
    models = [
        nabi.TextClassifier(prior="uniform").fit(["x y", "z"], ["p", "n"]),
        nabi.TextClassifier(prior="uniform").fit(["x", "y"], ["p", "n"]),
    ]
    found = Versus(("one", "two")).predict(models, read(str(tmp_path / "test.csv")))
    assert found.predicted == (["p", "p"], ["p", "n"])
    assert (found.differences(), found.texts) == ([1], {1: "y"})
    got = found.to_dict()
    assert (got["both_right"], got["only_a_right"], got["only_b_right"]) == (1, 0, 1)
    assert got["verdict"] == "No difference that could not be chance (p=1)."


def test_results_with_the_places_of_their_documents():
    where = "f.csv:{}".format
    assert Suspect(2, "a", "b", 1.5).to_dict(where) == {
        "where": "f.csv:2",
        "label": "a",
        "rather": "b",
        "log_odds": 1.5,
    }
    texts, labels = ["win a prize", "lunch", "win a prize"], ["a", "b", "c"]
    (group,) = duplicates(texts, labels)
    assert totals([group]) == {"groups": 1, "texts": 2, "different_labels": 1}
    got = group.to_dict(texts, where)
    assert [one["where"] for one in got["texts"]] == ["f.csv:0", "f.csv:2"]
    leak = Leak(0, 2, 1.0).to_dict((texts, labels, where), (texts, labels, where))
    assert (leak["where"], leak["where_of"], leak["label_of"]) == ("f.csv:0", "f.csv:2", "c")

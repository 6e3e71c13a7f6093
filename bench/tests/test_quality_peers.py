"""The table of accuracy and time: each model learns and labels, and runs add up in one file."""

import csv
import gzip
import json
import sys

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from bench.quality import fast_text, peers
from bench.quality.models import missing, models
from bench.quality.nbsvm import NBSVM
from bench.speed.corpus import Corpus

TWO = Corpus(["good film", "very good", "bad film", "very bad"] * 3, ["+", "+", "-", "-"] * 3)
THREE = Corpus(["red rose", "green leaf", "blue sky"] * 3, ["r", "g", "b"] * 3)


@pytest.fixture
def run(tmp_path, monkeypatch):
    """The function `arguments -> what the file has` on a set of a few texts."""
    (tmp_path / "films").mkdir()
    for part in ("train", "test"):
        with gzip.open(tmp_path / "films" / f"{part}.csv.gz", "wt", newline="") as file:
            rows = zip(TWO.texts, TWO.labels, strict=True)
            csv.writer(file).writerows([("text", "label"), *rows])

    def get(*arguments):
        line = ["peers", "films", "--data", str(tmp_path), "--json", str(tmp_path / "found.json")]
        monkeypatch.setattr(sys, "argv", [*line, *arguments])
        peers.main()
        return json.loads((tmp_path / "found.json").read_text())["sets"]["films"]

    return get


@pytest.mark.parametrize("corpus", [TWO, THREE], ids=["two classes", "three classes"])
@pytest.mark.parametrize("name", [name for name in models() if not name.startswith("fastText")])
def test_a_model_learns_what_is_plain(name, corpus):
    predict = models(budget=1)[name](corpus)
    assert list(predict(corpus.texts)) == corpus.labels


@pytest.mark.skipif(bool(missing()), reason="fastText is not installed")
def test_fast_text_learns_what_is_plain():
    predict = fast_text.train(TWO, lr=1.0, epoch=50)
    assert predict(TWO.texts) == TWO.labels


def test_fast_text_reads_one_line_with_punctuation_on_its_own():
    assert fast_text.line("Good.\nSO good (really)!") == "good . so good ( really ) !"


def test_the_log_ratio_of_the_paper():
    X = csr_matrix([[1, 1, 0], [1, 0, 0], [0, 0, 1]])
    r = NBSVM()._log_ratio(X, np.array([True, True, False]))
    # p = (3, 2, 1) of 6, q = (1, 1, 2) of 4
    assert np.exp(r) == pytest.approx([2, 4 / 3, 1 / 3])


def test_without_interpolation_it_is_naive_bayes_up_to_a_factor():
    X = csr_matrix([[1, 1, 0], [1, 0, 0], [0, 0, 1]])
    model = NBSVM(beta=0).fit(X, ["+", "+", "-"])
    r = np.log([2, 4 / 3, 1 / 3])
    assert model.coef_[:, 0] / model.coef_[0, 0] == pytest.approx(r / r[0])


def test_the_figures_of_a_run(run):
    found = run("--only", "ComplementNB words", "--repeat", "2")
    assert found["data"]["texts"] == 12
    assert found["models"]["ComplementNB words"]["accuracy"] == 1.0
    assert found["models"]["ComplementNB words"]["best_of"] == 2
    assert found["models"]["ComplementNB words"]["train"]["s"] > 0


def test_a_run_adds_to_the_file_of_another(run):
    run("--only", "MultinomialNB words")
    found = run("--only", "nabi,ComplementNB words")
    assert list(found["models"]) == ["MultinomialNB words", "nabi", "ComplementNB words"]


def test_a_model_that_is_not_there(run, capsys):
    with pytest.raises(SystemExit, match="2"):
        run("--only", "nabi,oracle")
    assert "there is no 'oracle', but nabi, nabi tune, nabi best" in capsys.readouterr().err

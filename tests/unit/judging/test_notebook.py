"""Figures and confusion matrices in a notebook."""

import re

import numpy as np
from html_page import Page

import nabi
from nabi.judging import crossval
from nabi.judging.evaluation import Evaluation
from nabi.metrics import ConfusionMatrix

TAGS = {"div", "b", "span", "table", "tr", "td", "th"}
TEXTS = ["good film", "bad film", "so good", "so bad", "good", "bad"]
LABELS = ["<i>pos</i>", "neg"] * 3


def test_a_cross_validation_shows_its_figures():
    result = crossval(nabi.TextClassifier(), TEXTS, LABELS)
    assert repr(result) == "<CrossValidation of 6 documents, accuracy 1.0000>"
    page = Page(result._repr_html_())
    assert page.text.startswith("accuracy 1.0000 (0.6097 to 1.0000) 6 rows, each by a model that")
    assert f"log loss{result.log_loss:.4f}" in page.text
    assert "<i>pos</i>1.00001.00001.00003" in page.text  # precision, recall, F1 and rows
    assert page.tags <= TAGS
    assert page.open == []


def test_a_confusion_matrix_names_both_axes():
    html = ConfusionMatrix.of_counts([[8, 1], [2, 3]], ["<b>", "ham"])._repr_html_()
    assert Page(html).texts == [
        "predicted ↓ actual →",
        "<b>",
        "ham",
        "<b>",
        "8",
        "1",
        "ham",
        "2",
        "3",
    ]
    assert re.findall(r"rgba\(([\d,.]+)\)", html) == [
        *("38,110,206,0.48", "184,84,0,0.15"),  # 8 of 10, 1 of 4
        *("184,84,0,0.12", "38,110,206,0.45"),
    ]


def test_of_many_classes_some_are_shown():
    labels = [f"class {i}" for i in range(100, 140)]
    page = Page(ConfusionMatrix.of(labels, labels)._repr_html_())
    assert "class 119" in page.text
    assert "class 120" not in page.text
    assert page.text.endswith("the first 20 of 40 classes")


def test_rows_of_classes_that_the_model_never_saw_are_told():
    logs = np.log([[0.9, 0.1], [0.2, 0.8]])
    found = Evaluation.of(["a", "new"], ["a", "b"], logs, ["a", "b"])
    assert "rows of unknown classes1" in Page(found._repr_html_()).text

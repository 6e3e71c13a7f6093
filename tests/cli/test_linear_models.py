"""The commands on a linear model, alone and beside rules."""

import json

import pytest

import nabi
from nabi.rules import RuledClassifier, RuleSet

TEXTS = ["win a prize now", "win money now", "see you at lunch", "lunch at noon"] * 3
LABELS = ["spam", "spam", "ham", "ham"] * 3


@pytest.fixture
def linear(folder):
    """The folder, with a linear model in it, and one beside rules."""
    model = nabi.LinearClassifier("nbsvm", C=1.0).fit(TEXTS, LABELS)
    model.save(folder.path / "linear.nabi")
    RuledClassifier(model, RuleSet.parse("invoice -> spam")).save(folder.path / "ruled.nabi")
    return folder


def test_info_says_how_it_was_fitted(linear):
    got = json.loads(linear.nabi("info", "linear.nabi", "--json"))
    assert (got["kind"], got["C"], got["classes"]) == ("nbsvm", 1.0, {"ham": 6.0, "spam": 6.0})
    lines = [line.split(None, 1) for line in linear.nabi("info", "linear.nabi").splitlines()]
    assert ["kind", "nbsvm"] in lines
    assert ["texts", "12"] in lines


@pytest.mark.parametrize("model", ["linear.nabi", "ruled.nabi"])
def test_texts_are_labelled_judged_and_explained(linear, model):
    out = linear.nabi("predict", model, "-", stdin="win money\nsee you\n")
    assert out == "text,predicted\nwin money,spam\nsee you,ham\n"
    assert json.loads(linear.nabi("evaluate", model, "mail.csv", "--json"))["accuracy"] == 1.0
    assert "spam  (probability" in linear.nabi("explain", model, "win a prize")


def test_a_rule_decides_before_it(linear):
    lines = linear.nabi("explain", "ruled.nabi", "invoice for lunch").splitlines()
    assert lines[0] == "spam  (line 1)"
    assert lines[-1].startswith("a rule decides; the model alone: ham  (probability 0.")


def test_a_tokenizer_is_given_again_when_loading(tmp_path):
    model = nabi.LinearClassifier(tokenizer=str.split).fit(TEXTS, LABELS)
    model.save(tmp_path / "m.nabi")
    assert nabi.load(tmp_path / "m.nabi", tokenizer=str.split).predict(["win"]) == ["spam"]

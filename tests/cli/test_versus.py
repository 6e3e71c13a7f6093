"""`nabi versus`: two models on the same labelled data."""

import json

import pytest

import nabi
from nabi.metrics import mcnemar

# The first model knows that `a` is p, the second also that `b` is n.
TEST = "text,label\n" + "a,p\n" * 3 + "b,n\n" * 8 + "b,p\n"


@pytest.fixture
def two(folder):
    """A folder with two models, and data on which they differ."""
    nabi.TextClassifier(prior="uniform").fit(["a b", "c"], ["p", "n"]).save(folder.path / "a.nabi")
    nabi.TextClassifier(prior="uniform").fit(["a", "b"], ["p", "n"]).save(folder.path / "b.nabi")
    folder.write("test.csv", TEST)
    return folder


def test_the_better_model_is_named_with_its_chance(two):
    out = two.nabi("versus", "a.nabi", "b.nabi", "test.csv").splitlines()
    assert out.pop(1) == (
        "b: Not a test: the model has learned all of these 12 texts (1 with another label), so the "
        "figures say little about new texts."
    )
    assert out[:5] == [
        "12 rows read = 12 used + 0 rejected",
        "a: a.nabi  accuracy 0.3333  (95 %: 0.1381 to 0.6094)",
        "b: b.nabi  accuracy 0.9167  (95 %: 0.6461 to 0.9851)",
        "both right 3, only a right 1, only b right 8, both wrong 0",
        "b.nabi is better: right alone on 8 rows, wrong alone on 1, which is unlikely to be chance "
        "(p=0.039).",
    ]
    assert [line.split() for line in out[8:10]] == [
        ["n", "8", "0", "8", "0", "8"],
        ["p", "4", "4", "3", "1", "0"],
    ]
    assert out[11] == "rows that they label differently: 9"
    assert out[14].split() == ["test.csv:5", "n", "p", "n", "b"]


def test_the_order_of_the_models_changes_only_their_names(two):
    one = json.loads(two.nabi("versus", "a.nabi", "b.nabi", "test.csv", "--json"))
    other = json.loads(two.nabi("versus", "b.nabi", "a.nabi", "test.csv", "--json"))
    assert (one["better"], other["better"]) == ("b", "a")
    assert one["verdict"] == other["verdict"]
    assert one["a"] == other["b"]
    assert one["only_a_right"] == other["only_b_right"] == 1


def test_all_of_it_as_json(two):
    got = json.loads(two.nabi("versus", "a.nabi", "b.nabi", "test.csv", "--json"))
    gold = [line.split(",")[1] for line in TEST.splitlines()[1:]]
    p = mcnemar(gold, ["p"] * 12, ["p"] * 3 + ["n"] * 9).p
    assert (got["p"], got["differ"], len(got["examples"])) == (p, 9, 9)
    assert got["a"]["accuracy"] == 4 / 12
    assert got["a"]["learned"] == {
        "same_label": 0,
        "other_label": 0,
        "others": 12,
        "accuracy_of_others": 4 / 12,
    }
    assert got["b"]["learned"]["same_label"] == 11
    assert got["classes"]["n"] == {
        "rows": 8,
        "a_right": 0,
        "b_right": 8,
        "only_a_right": 0,
        "only_b_right": 8,
    }
    last = {"where": "test.csv:13", "label": "p", "a": "p", "b": "n", "text": "b"}
    assert got["examples"][-1] == last


def test_few_differences_may_be_chance(two):
    two.write("few.csv", "text,label\na,p\nb,n\nb,p\nb,n\n")
    out = two.nabi("versus", "a.nabi", "b.nabi", "few.csv", "--top", "1")
    assert "No difference that could not be chance (p=1)." in out
    assert len(out[out.index("differently: 3") :].splitlines()) == 4
    assert json.loads(two.nabi("versus", "a.nabi", "b.nabi", "few.csv", "--json"))["better"] is None


def test_a_model_is_no_better_than_itself(two):
    out = two.nabi("versus", "a.nabi", "a.nabi", "test.csv")
    assert "No difference: neither is right where the other is wrong." in out
    assert "differently" not in out


def test_labels_may_be_numbers_and_unknown(folder):
    for name, texts in (("a.nabi", ["x", "y"]), ("b.nabi", ["y", "x"])):
        nabi.TextClassifier().fit(texts, [0, 1]).save(folder.path / name)
    folder.write("test.csv", "text,label\nx,0\ny,1\nx,2\n")
    got = json.loads(folder.nabi("versus", "a.nabi", "b.nabi", "test.csv", "--json"))
    assert (got["both_right"], got["only_a_right"], got["both_wrong"]) == (0, 2, 1)


def test_models_of_tables(folder):
    folder.write("x.csv", "a,b,label\n1.5,u,p\n2.5,v,n\n1.6,u,p\n2.6,v,n\n")
    folder.nabi("train", "x.csv", "-o", "one.nabi")
    folder.nabi("train", "x.csv", "-o", "two.nabi", "--columns", "a=ignore")
    folder.write("test.csv", "a,b,label\n1.5,v,p\n2.5,v,n\nold,u,p\n")
    code, out, err = folder.run("versus", "one.nabi", "two.nabi", "test.csv")
    assert code == 0
    assert "both right 2, only a right 1, only b right 0, both wrong 0" in out
    assert out.splitlines()[-1].split() == ["test.csv:2", "p", "p", "n"]
    assert "'old'" in err


def test_what_cannot_be_compared(two):
    nabi.TableClassifier().fit({"x": [1.5, 2.5]}, ["p", "n"]).save(two.path / "t.nabi")
    got = two.refused("versus", "t.nabi", "a.nabi", "test.csv")
    assert got.startswith("t.nabi is a model of tables and a.nabi one of texts; expected two of a")
    assert "Missing DATA" in two.refused("versus", "a.nabi", "b.nabi", code=2)
    assert "none.nabi" in two.refused("versus", "a.nabi", "none.nabi", "test.csv")


def not_sure_below(folder, confidence, label="unsure"):
    """Let the first model be not sure below a confidence."""
    with nabi.edit(folder.path / "a.nabi") as model:
        model.decide_by(nabi.metrics.Decision(not_sure=label, confidence=confidence))


def test_models_are_compared_on_the_rows_that_both_decide(two):
    two.write("test.csv", f"{TEST}c,n\nc,n\n")
    not_sure_below(two, 0.7)  # it has 0.71 for `c`, and less for `a` and `b`
    out = two.nabi("versus", "a.nabi", "b.nabi", "test.csv").splitlines()
    assert out.pop(1).startswith("a: The model has learned 2 of these 14 texts")
    assert out.pop(1).startswith("b: Not a test: the model has learned 12 of these 14 texts")
    assert out[1].endswith(", not sure of 12 rows")
    assert out[3] == "compared on the 2 rows that both decide"
    got = json.loads(two.nabi("versus", "a.nabi", "b.nabi", "test.csv", "--json"))
    assert (got["compared"], got["a"]["not_sure"], got["b"]["not_sure"]) == (2, 12, 0)
    assert got["a"]["accuracy"] == 1.0
    assert got["classes"]["p"]["rows"] == 0


def test_models_that_decide_no_row_together_are_told_of(two):
    not_sure_below(two, 1.0)
    refused = two.refused("versus", "a.nabi", "b.nabi", "test.csv")
    assert refused.startswith("there is no row that both models are sure of")


def test_a_not_sure_label_that_rows_have_is_a_decision(two):
    two.write("test.csv", "text,label\na,unsure\nb,n\n")
    not_sure_below(two, 1.0)
    got = json.loads(two.nabi("versus", "a.nabi", "b.nabi", "test.csv", "--json"))
    assert (got["compared"], got["only_a_right"], got["only_b_right"]) == (2, 1, 1)

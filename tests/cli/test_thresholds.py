"""`nabi evaluate` with a class that is said only from a probability on."""

import json
import math

import pytest

import nabi
from nabi.metrics import precision_recall_curve, threshold_for

TEST = "text,label\nwin a prize,spam\nlunch money,spam\nlunch at noon,ham\nthe plan to win,ham\n"


@pytest.fixture
def tested(folder):
    folder.write("test.csv", TEST)
    return folder


def evaluated(folder, *options):
    return json.loads(folder.nabi("evaluate", "mail.nabi", "test.csv", "--json", *options))


def spam(folder):
    """P(spam|d) of the rows of the test."""
    texts = [line.split(",")[0] for line in TEST.splitlines()[1:]]
    return nabi.load(folder.path / "mail.nabi").predict_proba(texts)[:, 1].tolist()


def test_a_class_is_said_only_from_its_threshold_on(tested):
    most = max(spam(tested))
    got = evaluated(tested, "--threshold", f"spam={most}")
    assert got["confusion"]["counts"] == [[2, 1], [0, 1]]
    above = evaluated(tested, "--threshold", f"spam={math.nextafter(most, 1)}")
    assert above["confusion"]["counts"] == [[2, 2], [0, 0]]
    assert evaluated(tested, "--threshold", "spam=0")["confusion"]["counts"] == [[0, 0], [2, 2]]


@pytest.mark.parametrize(("by", "wanted"), [("precision", 0.9), ("recall", 1.0), ("recall", 0.4)])
def test_a_threshold_is_chosen_for_precision_or_recall(tested, by, wanted):
    curve = precision_recall_curve([True, True, False, False], spam(tested))
    expected = threshold_for(curve, **{by: wanted})
    at = evaluated(tested, f"--{by}", f"spam={wanted}")["thresholds"][0]
    assert (at["class"], at["chosen_by"], at["wanted"]) == ("spam", by, wanted)
    assert at["threshold"] == pytest.approx(expected.threshold, rel=1e-12)
    assert (at["precision"], at["recall"]) == (expected.precision, expected.recall)


def test_of_two_classes_the_second_is_meant(tested):
    got = evaluated(tested, "--precision", "0.9")
    assert got["thresholds"][0]["class"] == "spam"
    assert got == evaluated(tested, "--precision", "spam=0.9")


def test_what_was_chosen_is_judged_the_same_when_it_is_given(tested):
    chosen = evaluated(tested, "--recall", "ham=0.5")
    (at,) = chosen["thresholds"]
    given = evaluated(tested, "--threshold", f"ham={at['threshold']!r}")
    assert (at.pop("chosen_by"), at.pop("wanted")) == ("recall", 0.5)
    (other,) = given["thresholds"]
    assert other.pop("chosen_by") is other.pop("wanted") is None
    assert given == chosen


def test_below_the_threshold_the_best_other_class_is_said(folder):
    texts, labels = ["a a b", "b b c", "c c a"], ["x", "y", "z"]
    nabi.TextClassifier().fit(texts, labels).save(folder.path / "three.nabi")
    folder.write("three.csv", "text,label\na a b,x\nb b c,y\nc c a,z\n")
    command = ("evaluate", "three.nabi", "three.csv", "--json", "--threshold", "x=1")
    got = json.loads(folder.nabi(*command))
    # Of `a a b`, (2/6)(2/6)(1/6) for z is more than (1/6)(1/6)(3/6) for y.
    assert got["confusion"]["counts"] == [[0, 0, 0], [0, 1, 0], [1, 0, 1]]


def test_the_point_is_shown_with_its_intervals(tested):
    out = tested.nabi("evaluate", "mail.nabi", "test.csv", "--threshold", "spam=0.5")
    assert out.splitlines()[-2:] == [
        "spam where P(spam|d) >= 0.5, else the best other class:",
        "  precision 1.0000  (95 %: 0.2065 to 1.0000), recall 0.5000  (95 %: 0.0945 to 0.9055), "
        "F1 0.6667",
    ]


def test_a_choice_on_the_rows_it_is_judged_on_is_told(tested):
    out = tested.nabi("evaluate", "mail.nabi", "test.csv", "--precision", "0.9")
    last = out.splitlines()[-1]
    assert last.startswith(
        "  chosen for precision 0.9 on these very rows, so these figures are optimistic; check"
    )
    threshold = last.rpartition("=")[2]
    assert f"P(spam|d) >= {threshold}, else" in out


def test_a_model_of_a_table_has_thresholds_too(folder):
    folder.write("x.csv", "a,b,label\n1.5,u,p\n2.5,v,n\n1.6,u,p\n2.6,v,n\n")
    folder.nabi("train", "x.csv", "-o", "x.nabi")
    out = folder.nabi("evaluate", "x.nabi", "x.csv", "--threshold", "p=0.5")
    assert "  precision 1.0000" in out


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            ("--threshold", "spam"),
            "expected a class and a number from 0 to 1: --threshold spam=0.9",
        ),
        (("--threshold", "spam=90"), "expected a class and a number from 0 to 1"),
        (("--recall", "spam=nan"), "expected a class and a number from 0 to 1"),
        (("--precision", "junk=0.9"), "no class 'junk'; the classes are 'ham', 'spam'"),
        (("--precision", "ham=1"), "no threshold reaches precision=1: the best is"),
    ],
)
def test_what_cannot_be_a_threshold(tested, options, said):
    tested.write("test.csv", "text,label\nlunch,spam\nwin,ham\n")
    assert said in tested.refused("evaluate", "mail.nabi", "test.csv", *options)


def test_one_of_the_three_of_one_class_that_is_there(tested):
    two = ("--threshold", "0.9", "--recall", "0.9")
    assert "Only one of" in tested.refused("evaluate", "mail.nabi", "test.csv", *two, code=2)
    tested.write("ham.csv", "text,label\nlunch,ham\n")
    got = tested.refused("evaluate", "mail.nabi", "ham.csv", "--recall", "0.9")
    assert got.startswith(
        "--recall spam=0.9: no row is labelled 'spam'; choose a threshold on data"
    )
    nabi.TextClassifier().fit(["a", "b", "c"], ["x", "y", "z"]).save(tested.path / "three.nabi")
    got = tested.refused("evaluate", "three.nabi", "test.csv", "--precision", "0.9")
    assert got.startswith("--precision 0.9: of which of 3 classes? Name it: --precision z=0.9; the")

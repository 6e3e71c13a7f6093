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
    assert float(threshold) == max(spam(tested))  # to be typed again: with all its digits
    assert f"P(spam|d) >= {threshold[:6]}, else" in out


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


# ---- predict, and what the model stores ----


def predicted(folder, *options, noted=False):
    code, out, err = folder.run("predict", "mail.nabi", "test.csv", *options)
    assert (code, "are not calibrated" in err) == (0, noted)
    return [line.split(",")[2:] for line in out.splitlines()]


def test_predict_takes_thresholds(tested):
    most = max(spam(tested))
    above = ("--threshold", f"spam={math.nextafter(most, 1)}")
    assert predicted(tested)[1:] == [["spam"], ["ham"], ["ham"], ["ham"]]
    assert predicted(tested, *above, noted=True)[1:] == [["ham"]] * 4
    at = predicted(tested, "--threshold", f"spam={most}", "--threshold", "ham=0", noted=True)
    assert at[1:] == [["spam"], ["ham"], ["ham"], ["ham"]]


def test_what_is_not_sure_gets_its_label_and_the_largest_probability(tested):
    rows = predicted(tested, "--not-sure", "unsure", "--proba", noted=True)
    assert [label for label, _ in rows] == ["predicted", "spam", "unsure", "ham", "unsure"]
    assert float(rows[2][1]) == max(spam(tested)[1], 1 - spam(tested)[1]) < 0.8
    some = predicted(tested, "--not-sure", "?", "--confidence", "0.6", noted=True)
    assert [label for (label,) in some[1:]] == ["spam", "ham", "ham", "?"]


def test_the_decision_stands_before_the_most_probable_labels(tested):
    rows = predicted(tested, "--not-sure", "unsure", "-k", "2", noted=True)
    assert rows[0] == ["predicted", "predicted_1", "proba_1", "predicted_2", "proba_2"]
    assert (rows[2][0], rows[2][1], rows[2][3]) == ("unsure", "ham", "spam")


@pytest.mark.parametrize("name", ["out.csv", "out.jsonl", "out.parquet"])
def test_rows_that_are_not_sure_are_counted(tested, name):
    _, out, _ = tested.run(
        "predict", "mail.nabi", "test.csv", "--not-sure", "unsure", "-o", name, "--json"
    )
    got = json.loads(out)
    assert got["predicted"] == {"spam": 1.0, "ham": 1.0, "unsure": 2.0}
    assert got["not_sure"] == {"label": "unsure", "rows": 2}
    if not name.endswith("parquet"):
        assert tested.read(name).count("unsure") == 2


def test_what_is_not_sure_is_no_class_of_the_summary(tested):
    options = ("--not-sure", "unsure", "-o", "out.csv")
    _, out, _ = tested.run("predict", "mail.nabi", "test.csv", *options)
    assert out.splitlines()[1:3] == [
        "predicted 2 classes: ham 1, spam 1",
        "not sure: 2 rows, labelled unsure",
    ]


def test_a_calibrated_model_needs_no_note(folder):
    rows = [("win a prize now", "spam"), ("lunch at noon", "ham"), ("the money plan", "spam")] * 9
    texts, labels = map(list, zip(*rows, strict=True))
    model = nabi.TextClassifier().fit(texts, labels).calibrate(texts, labels)
    model.save(folder.path / "mail.nabi")
    folder.nabi("predict", "mail.nabi", "mail.csv", "--threshold", "spam=0.9")


def test_kept_thresholds_are_those_that_predict_uses(tested):
    tested.write("new.csv", TEST.replace("lunch at noon", "lunch at one"))
    options = ("--precision", "spam=0.9", "--not-sure", "unsure", "--confidence", "0.7", "--keep")
    out = tested.nabi("evaluate", "mail.nabi", "new.csv", *options)
    (limit,) = nabi.load(tested.path / "mail.nabi").decision.thresholds.values()
    assert out.splitlines()[-1] == "kept in mail.nabi: spam from 0.9325, unsure below 0.7"
    assert limit == max(spam(tested))
    assert predicted(tested)[1:] == [["spam"], ["unsure"], ["ham"], ["unsure"]]
    assert predicted(tested, "--no-thresholds")[1:] == [["spam"], ["ham"], ["ham"], ["ham"]]
    typed = predicted(tested, "--confidence", "0.5", noted=True)
    assert typed[1:] == [["spam"], ["ham"], ["ham"], ["ham"]]


@pytest.mark.parametrize("by", ["--threshold", "--precision", "--recall"])
def test_thresholds_of_several_classes_may_be_a_list(tested, by):
    listed = evaluated(tested, by, "spam=0.7, ham=0.6")["decision"]
    assert sorted(listed["thresholds"]) == ["ham", "spam"]
    assert listed == evaluated(tested, by, "spam=0.7", by, "ham=0.6")["decision"]


def test_a_comma_may_be_part_of_the_name_of_a_class_and_not_of_a_number(tested):
    model = nabi.load(tested.path / "mail.nabi")
    model.relabel({"spam": "x=1,spam"}).save(tested.path / "mail.nabi")
    tested.write("test.csv", 'text,label\nwin money,"x=1,spam"\nlunch,ham\n')
    got = evaluated(tested, "--threshold", "x=1,spam=0.7")
    assert got["decision"]["thresholds"] == {"x=1,spam": 0.7}
    message = tested.refused("evaluate", "mail.nabi", "test.csv", "--threshold", "ham=0,1")
    assert message.startswith("--threshold ham=0,1; expected a class and a number from 0 to 1")


@pytest.mark.parametrize(
    ("limit", "shown"),
    [
        ("0.9", "0.9"),
        ("0.29", "0.29"),
        ("0.85559", "0.8555"),
        ("0.99999999", "0.9999"),
        ("0.000123456", "0.0001234"),
        ("1", "1.0"),
        ("0", "0.0"),
    ],
)
def test_thresholds_are_shown_rounded_down_and_stored_with_all_digits(tested, limit, shown):
    tested.run("evaluate", "mail.nabi", "test.csv", "--threshold", f"spam={limit}", "--keep")
    assert tested.nabi("classes", "mail.nabi").endswith(f"\nthresholds: spam from {shown}\n")
    assert evaluated(tested)["decision"]["thresholds"] == {"spam": float(limit)}


def test_evaluate_judges_what_is_stored_and_says_so(tested):
    tested.nabi("evaluate", "mail.nabi", "test.csv", "--not-sure", "unsure", "--keep")
    out = tested.nabi("evaluate", "mail.nabi", "test.csv")
    assert "decided as the model stores it: unsure below 0.8\naccuracy 0.5000" in out
    assert (
        "not sure: 2 of 4 rows, labelled unsure; they count as errors in the accuracy above; "
        "accuracy of the others 1.0000\n"
    ) in out
    got = evaluated(tested)
    assert got["not_sure"] == {"rows": 2.0, "coverage": 0.5, "accuracy": 1.0}
    assert got["confusion"]["counts"] == [[1, 0, 0], [0, 1, 0], [1, 1, 0]]
    assert got["macro"]["recall"] == 0.5
    assert got["micro"] == {"precision": 1.0, "recall": 0.5, "f": pytest.approx(2 / 3)}
    assert list(got["classes"]) == ["ham", "spam"]


def test_thresholds_of_several_classes_are_kept_one_after_another(tested):
    tested.nabi("evaluate", "mail.nabi", "test.csv", "--threshold", "spam=0.9", "--keep")
    tested.nabi("evaluate", "mail.nabi", "test.csv", "--threshold", "ham=0.4", "--keep")
    assert nabi.load(tested.path / "mail.nabi").decision.thresholds == {"ham": 0.4, "spam": 0.9}
    both = ("--threshold", "ham=0.5", "--no-thresholds", "--keep")
    tested.nabi("evaluate", "mail.nabi", "test.csv", *both)
    assert nabi.load(tested.path / "mail.nabi").decision.thresholds == {"ham": 0.5}


def test_a_threshold_that_was_chosen_on_learned_texts_is_kept_with_a_warning(folder):
    command = ("evaluate", "mail.nabi", "mail.csv", "--precision", "0.9", "--keep")
    code, _, err = folder.run(*command)
    assert (code, err) == (
        0,
        "nabi: the model has learned 5 of the 5 texts on which the threshold was chosen, so that "
        "it may be too low for new ones; choose it on texts that the model has not learned\n",
    )


def test_stored_thresholds_are_shown_and_removed(tested):
    before = tested.files()
    tested.nabi("evaluate", "mail.nabi", "test.csv", "--threshold", "spam=0.9", "--keep")
    assert tested.nabi("info", "mail.nabi").splitlines()[-1] == "decision    spam from 0.9"
    assert "thresholds: spam from 0.9\n" in tested.nabi("classes", "mail.nabi")
    tested.nabi("classes", "mail.nabi", "--no-thresholds")
    assert tested.files() == before


def test_classes_that_are_joined_lose_their_threshold_with_a_word(tested):
    tested.nabi("evaluate", "mail.nabi", "test.csv", "--threshold", "spam=0.9", "--keep")
    out = tested.nabi("classes", "mail.nabi", "--rename", "spam=junk")
    assert "thresholds: junk from 0.9\n" in out
    _, _, err = tested.run("classes", "mail.nabi", "--join", "junk,ham=mail")
    assert err.startswith("nabi: 1 threshold was removed with classes that were joined or dropped;")


def test_learn_and_merge_speak_of_thresholds(tested):
    tested.nabi("evaluate", "mail.nabi", "test.csv", "--threshold", "spam=0.9", "--keep")
    tested.write("more.csv", "text,label\nnew here,ham\nnew there,spam\n")
    tested.nabi("train", "more.csv", "-o", "more.nabi", "-q")
    assert "the thresholds stay: spam from 0.9; they" in tested.nabi(
        "learn", "mail.nabi", "more.csv", "--once"
    )
    _, _, err = tested.run("merge", "more.nabi", "mail.nabi", "-o", "both.nabi")
    assert "the sum keeps those of one that has: spam from 0.9\n" in err


def test_explain_tells_what_predict_says(tested):
    tested.nabi("evaluate", "mail.nabi", "test.csv", "--not-sure", "unsure", "--keep")
    _, out, err = tested.run("explain", "mail.nabi", "lunch money")
    predicted = tested.nabi("predict", "mail.nabi", "lunch money").splitlines()[1].split(",")[1]
    assert predicted == "unsure"
    assert out.startswith("unsure  (not sure: ham has 0.")
    assert ", below 0.8)" in out.splitlines()[0]
    assert "above 0 for ham" in out
    assert err == ""


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--confidence", "0.5"), "--confidence is for --not-sure LABEL; give both."),
        (("--threshold", "spam=0.5", "--threshold", "0.6"), "Only one of --threshold, --precision"),
    ],
)
def test_options_that_do_not_go_together(tested, options, said):
    assert said in tested.refused("predict", "mail.nabi", "test.csv", *options, code=2)


def test_what_cannot_be_kept(tested):
    command = ("evaluate", "mail.nabi", "test.csv", "--keep")
    assert tested.refused(*command, code=2).startswith("--keep needs --threshold, --precision,")
    both = ("--threshold", "0.5", "--prior", "uniform")
    assert "for the model's own prior" in tested.refused(*command, *both, code=2)


def test_labels_that_are_numbers_and_a_word_for_what_is_not_sure(tested):
    model = nabi.TextClassifier().fit(["win a prize", "lunch at noon"], [1, 0])
    model.save(tested.path / "mail.nabi")
    tested.write("test.csv", "text,label\nwin it,1\nnoon,0\nwin lunch,0\n")
    got = evaluated(tested, "--not-sure", "ask", "--confidence", "0.6", "--keep")
    assert got["confusion"]["labels"] == ["0", "1", "ask"]
    assert got["confusion"]["counts"] == [[1, 0, 0], [0, 1, 0], [1, 0, 0]]
    assert predicted(tested)[1:] == [["1"], ["0"], ["ask"]]


def test_few_scores_at_a_time_give_the_same_rows(tested, monkeypatch):
    options = ("--not-sure", "unsure", "-k", "2")
    whole = predicted(tested, *options, noted=True), predicted(tested, "--proba")
    monkeypatch.setattr("nabi.models.base.SCORES", 4)
    assert (predicted(tested, *options, noted=True), predicted(tested, "--proba")) == whole


def test_versus_compares_what_the_models_decide(tested):
    tested.write("copy.nabi", (tested.path / "mail.nabi").read_bytes())
    tested.nabi("evaluate", "mail.nabi", "test.csv", "--not-sure", "unsure", "--keep")
    got = json.loads(tested.nabi("versus", "mail.nabi", "copy.nabi", "test.csv", "--json"))
    assert (got["a"]["not_sure"], got["b"]["not_sure"], got["compared"]) == (2, 0, 2)
    assert (got["a"]["accuracy"], got["b"]["accuracy"]) == (1.0, 1.0)
    assert [(row["a"], row["b"]) for row in got["examples"]] == [("unsure", "ham")] * 2


def test_a_calibration_leaves_thresholds_with_a_word(tested):
    tested.nabi("evaluate", "mail.nabi", "test.csv", "--threshold", "spam=0.9", "--keep")
    tested.write("new.csv", "text,label\n" + "win now,spam\nat noon,ham\n" * 60)
    _, _, err = tested.run("calibrate", "mail.nabi", "new.csv", "--new")
    assert err.startswith(
        "nabi: the thresholds stay (spam from 0.9), but probabilities have changed"
    )
    assert nabi.load(tested.path / "mail.nabi").decision.thresholds == {"spam": 0.9}


def test_thresholds_of_a_model_that_is_replaced_are_told_of(tested):
    tested.nabi("evaluate", "mail.nabi", "test.csv", "--threshold", "spam=0.9", "--keep")
    code, _, err = tested.run("train", "mail.csv", "-o", "mail.nabi")
    assert (code, err) == (
        0,
        "nabi: the model that was in mail.nabi had thresholds (spam from 0.9); the new one "
        "has none: choose them anew by `nabi evaluate mail.nabi TEST --precision C=P --keep`\n",
    )
    assert nabi.load(tested.path / "mail.nabi").decision is None
    assert tested.run("train", "mail.csv", "-o", "mail.nabi")[2] == ""

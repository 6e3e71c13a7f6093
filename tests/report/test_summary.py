"""What a report says in words."""

import nabi
from nabi import report
from nabi.report import summary

FILMS = (["good film", "bad film", "so good", "so bad", "good good", "bad bad"], ["+", "-"] * 3)


def test_what_was_judged_and_how():
    said = report.of_crossval(nabi.TextClassifier(), *FILMS).data["sentences"]
    assert said[0] == (
        "6 texts of 2 classes were judged, each by the model of all others, which never saw it; "
        "6 were given the right label."
    )
    assert "always saying “+”, the most frequent class, would give 50.0\xa0%" in said[1]
    assert "Not one text was given a wrong label." in said
    folds = report.of_crossval(nabi.TextClassifier(), *FILMS, folds=3).data["sentences"]
    assert "were judged in 3 folds, each by a model that never saw it" in folds[0]


def test_the_pair_that_is_confused_most(model, test_set):
    data = report.of_test(model, *test_set).data
    counts = {(cell["predicted"], cell["actual"]): cell["count"] for cell in data["cells"]}
    wrong = {pair: count for pair, count in counts.items() if pair[0] != pair[1]}
    a, b = max(wrong, key=lambda pair: wrong[pair] + wrong.get(pair[::-1], 0))
    sentence = next(s for s in data["sentences"] if "are confused most" in s)
    assert all(f"“{model.classes_[c]}”" in sentence for c in (a, b))
    assert str(wrong[a, b]) in sentence


def test_of_equally_good_classes_none_is_the_worst():
    said = report.of_crossval(nabi.TextClassifier(), *FILMS).data["sentences"]
    assert "It does equally well on all classes (F1\xa0100.0\xa0%)." in said
    texts, labels = ["good film", "bad film", "so good", "so bad", "good", "so"], ["+", "-"] * 3
    said = report.of_crossval(nabi.TextClassifier(), texts, labels).data["sentences"]
    assert any(each.startswith("It does best on “+” (F1") for each in said)


def test_no_gain_over_the_largest_class_is_said():
    texts, labels = ["a b", "b a", "a", "b"] * 5, ["x", "y"] * 10
    data = report.of_crossval(nabi.TextClassifier(), texts, labels).data
    assert "That is no clear gain over saying the same thing every time." in data["sentences"]
    assert data["advice"][0]["text"].startswith("Before anything else, find out whether the texts")


def test_every_step_points_to_a_section(model, test_set):
    page = report.of_test(model, *test_set)
    html = page.html()
    assert page.data["advice"]
    assert all(f'<section id="{step["section"]}"' in html for step in page.data["advice"])


def test_to_calibrate_is_advised_where_it_helps():
    texts = [f"{a} {a} {a} {b} {b}" for a in ("good", "bad") for b in ("film", "plot")] * 30
    labels = ["+", "+", "-", "-"] * 20 + ["-", "-", "+", "+"] * 10  # a third is the other way round
    model = nabi.TextClassifier()
    steps = {
        step["section"]: step["text"]
        for step in report.of_crossval(model, texts, labels).data["advice"]
    }
    assert steps["reliability"].startswith("Calibrate it before you act on its probabilities")
    tested = report.of_test(model.fit(texts, labels), texts, labels).data["advice"]
    assert any(step["text"].endswith("Calibrate them before you act on them.") for step in tested)


def test_probabilities_that_are_off_are_not_taken_at_their_word():
    found = {"confidence": 0.84, "log_loss": 0.4, "calibration_error": 0.04}
    claim = "On average it claims"
    assert "can be taken at their word" in summary._claim(claim, found, 0.85)
    off = summary._claim(claim, {**found, "calibration_error": 0.06}, 0.85)
    assert "85.0\xa0% of the time: that fits on the whole, but not at each probability" in off
    assert "it is too sure of itself" in summary._claim(claim, found, 0.8)


def test_a_curve_that_falls_is_no_gain():
    points = [(100, 0.91), (200, 0.90)]
    data = {"learning": {"points": points, "way": "halves"}, "noun": "text"}
    ((text, section),) = summary._curve(data)
    assert text.startswith(
        "Do not expect much of more texts of this kind: going from 100 to 200 did not make it more "
        "accurate. "
    )
    assert section == "learning"
    data["learning"]["points"] = [(100, 0.88), (200, 0.90)]
    ((text, _),) = summary._curve(data)
    assert "going from 100 to 200 gained 2.0 points of accuracy, and " in text

"""Texts are cut around what speaks, and their words weigh what the right model gives them."""

from itertools import pairwise

import pytest

import nabi
from nabi import report
from nabi.report.passages import LENGTH, passage, windows


def plain(text):
    return "".join(piece if isinstance(piece, str) else piece[0] for piece in text["pieces"])


def test_words_are_weighed_for_what_was_said_against_the_gold_label():
    model = nabi.TextClassifier(alpha=1.0).fit(["good good film", "bad film"], ["pos", "neg"])
    found = passage(model.explain("a good, bad film"), "pos", "neg")
    # P(good|pos) = 3/6 and P(good|neg) = 1/5; P(bad|pos) = 1/6 and P(bad|neg) = 2/5.
    assert found["pieces"] == ["a ", ["good", 0.92], ", ", ["bad", -0.88], " film"]
    assert [word for word, *_ in found["words"]] == ["good", "bad", "film"]
    assert found["words"][0] == ["good", 0.92, [2.0, pytest.approx(2 / 3)], [0.0, 0.0]]
    assert (found["unknown"], found["cut"]) == (1, False)


def test_a_long_text_is_cut_around_its_strongest_words():
    model = nabi.TextClassifier(alpha=1.0).fit(["dreadful dreadful", "fine"], ["neg", "pos"])
    text = "so it went on and on " * 2000 + "and it was dreadful " + "to the very end " * 2000
    found = passage(model.explain(text), "neg", "pos")
    assert ["dreadful", 0.81] in found["pieces"]
    assert len(plain(found)) <= LENGTH + 20
    assert plain(found).startswith("so it went on")
    assert plain(found).endswith(" …")
    assert (found["cut"], found["length"]) == (True, len(text))


def test_parts_are_in_order_and_apart():
    text = "word " * 1000
    parts = windows(text, [(4000, 4004), (100, 104), (4010, 4014), (2000, 2004)])
    assert parts == sorted(parts)
    assert all(a[1] < b[0] for a, b in pairwise(parts))
    assert any(begin <= 4000 < 4014 <= end for begin, end in parts)


def test_a_word_without_end_does_not_fill_the_page():
    model = nabi.TextClassifier().fit(["x" * 100_000, "y"], ["neg", "pos"])
    found = passage(model.explain("x" * 100_000), "neg", "pos")
    assert len(plain(found)) <= LENGTH + 20
    assert len(found["words"][0][0]) == 60


@pytest.mark.parametrize("way", [{}, {"groups": [i // 3 for i in range(60)]}])
def test_held_out_the_words_weigh_what_training_again_gives_them(train, way):
    texts, labels = train[0][:60], train[1][:60]
    data = report.of_crossval(nabi.TextClassifier(), texts, labels, **way).data
    numbers = way.get("groups", list(range(60)))
    for text in data["texts"]:
        at = int(text["where"].removeprefix("text ")) - 1
        rest = [i for i in range(60) if numbers[i] != numbers[at]]
        model = nabi.TextClassifier(alpha=data["model"]["alpha"])
        model.fit([texts[i] for i in rest], [labels[i] for i in rest])
        said, other = (str(model.classes_[text[name]]) for name in ("predicted", "against"))
        again = passage(model.explain(texts[at]), said, other)
        assert (again["pieces"], again["words"]) == (text["pieces"], text["words"])


def test_in_folds_no_word_is_known_that_only_its_own_fold_has():
    texts = ["same here", "same there"] * 8
    texts[5] = "same once"
    data = report.of_crossval(nabi.TextClassifier(), texts, ["a", "b"] * 8, folds=4).data
    once = next(text for text in data["texts"] if text["where"] == "text 6")
    assert once["unknown"] == 1


def test_of_bernoulli_the_words_that_a_text_lacks_speak_too():
    model = nabi.TextClassifier(event="bernoulli").fit(["good film", "bad", "bad"], ["+", "-", "-"])
    found = passage(model.explain("bad"), "-", "+")
    absent = model.explain("bad").absent_weights
    assert found["absent"] == round(absent["-"] - absent["+"], 2) > 0

"""The evidence of character n-grams is summed onto the words in which they stand."""

import json
import math

import pytest

import nabi

TEXTS = ["good film, good", "bad film", "so so film", "good fun", "bad bore!", "a bore"]
MODELS = {
    "chars": nabi.TextClassifier("chars"),
    "beside words": nabi.TextClassifier(chars=(2, 4), ngrams=(1, 2)),
    "binary": nabi.TextClassifier(chars=(1, 3), event="binary"),
    "buckets": nabi.TextClassifier(chars=(2, 3), buckets=64),
    "linear": nabi.LinearClassifier("nbsvm", chars=(2, 5), ngrams=(1, 1)),
    "logistic": nabi.LinearClassifier("logistic", "chars"),
}


@pytest.mark.parametrize("kind", MODELS)
@pytest.mark.parametrize("labels", ["pnnpnn", "pnmpnm"])
@pytest.mark.parametrize("text", ["Good, good film!", "a bore, so bad: unheard", "", "..."])
def test_words_sum_to_what_their_ngrams_sum_to(kind, labels, text):
    why = MODELS[kind].fit(TEXTS, list(labels)).explain(text)
    total = [why.prior, why.absent, *(word.evidence for word in why.words)]
    assert math.fsum(total) == pytest.approx(why.score, rel=1e-9, abs=1e-12)
    for label in set(labels):
        both = (math.fsum(t.weights[label] for t in terms) for terms in (why.words, why.terms))
        assert next(both) == pytest.approx(next(both), rel=1e-9, abs=1e-9)


def test_there_is_a_row_for_each_word_of_the_text():
    why = MODELS["chars"].fit(TEXTS, list("pnnpnn")).explain("Good film, good")
    assert len(why.terms) > 15
    words = {word.word: (word.times, word.spans) for word in why.words}
    assert words == {"good": (2, ((0, 4), (11, 15))), "film": (1, ((5, 10),))}
    assert "good" in str(why)
    assert "oo" not in str(why).replace("good", "")


def test_words_counted_as_such_keep_their_counts_and_pairs_stay():
    why = MODELS["beside words"].fit(TEXTS, list("pnnpnn")).explain("good film")
    words = {word.word: word.counts for word in why.words}
    assert words == {"good": {"p": 3.0}, "film": {"n": 2.0, "p": 1.0}, "good film": {"p": 1.0}}


def test_ngrams_are_there_on_request():
    why = MODELS["chars"].fit(TEXTS, list("pnnpnn")).explain("good")
    assert why.by_ngrams().words == why.terms
    got = json.loads(json.dumps(why.to_dict()))
    assert [word["word"] for word in got["words"]] == ["good"]
    assert len(got["terms"]) == len(why.terms)
    assert "words" not in why.by_ngrams().to_dict()


def test_a_word_is_unknown_if_none_of_its_ngrams_is_known():
    why = MODELS["chars"].fit(TEXTS, list("pnnpnn")).explain("good xyzzy Xyzzy qqq")
    assert (why.unknown_words, len(why.unknown) > 15) == (("xyzzy", "qqq"), True)
    assert str(why).endswith("unknown, ignored: xyzzy, qqq")


def test_without_character_ngrams_words_are_the_terms():
    why = nabi.TextClassifier(ngrams=(1, 2)).fit(TEXTS, list("pnnpnn")).explain("good film")
    assert why.words is why.terms
    assert "words" not in why.to_dict()


def test_scripts_without_spaces_keep_their_ngrams():
    why = nabi.TextClassifier("chars").fit(["東京都", "大阪府"], ["x", "y"]).explain("東京都")
    assert sorted(why.words, key=repr) == sorted(why.terms, key=repr)


def test_neighbours_share_words_not_fragments():
    model = nabi.NeighboursClassifier("chars", k=2).fit(TEXTS, list("pnnpnn"))
    why = model.explain("good film")
    assert {each.word for near in why.neighbours for each in near.covering} == {"good", "film"}
    for near in why.neighbours:
        assert math.fsum(each.part for each in near.covering) == pytest.approx(near.similarity)
    votes = {label: math.fsum(t.weights[label] for t in why.words) for label in "np"}
    assert votes == pytest.approx(dict(why.votes))

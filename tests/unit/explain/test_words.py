"""The most telling words: ranked by what their counts support, with rates beside counts."""

import math

import numpy as np
import pytest

import nabi

TEXTS = ["free call now"] * 40 + ["twice"] * 2 + ["see you now"] * 40
LABELS = ["spam"] * 42 + ["ham"] * 40


@pytest.mark.parametrize(
    "model",
    [
        nabi.TextClassifier(),
        nabi.TextClassifier(event="bernoulli"),
        nabi.LinearClassifier("nbsvm", ngrams=(1, 1)),
        nabi.LinearClassifier("logistic", ngrams=(1, 1)),
    ],
)
def test_a_word_seen_twice_does_not_lead(model):
    rows = model.fit(TEXTS, LABELS).words(3, label="spam")
    assert [row.word for row in rows] == ["call", "free", "twice"]
    assert rows[2].weight > 0 == rows[2].score


def test_the_order_by_weight_is_there_on_request():
    model = nabi.TextClassifier(alpha=0.001).fit(TEXTS, LABELS)
    weights = [row.weight for row in model.words(None, label="spam", by="weight")]
    assert weights == sorted(weights, reverse=True)
    with pytest.raises(nabi.InputError, match="by='size'; there are: support, weight"):
        model.words(by="size")


def test_the_score_is_the_lower_end_of_the_interval():
    model = nabi.TextClassifier().fit(TEXTS, LABELS)
    row = next(row for row in model.words(label="spam") if row.word == "free")
    assert (row.count, row.elsewhere) == (40, 0)
    assert (row.rate, row.rate_elsewhere) == (40 / 122, 0)
    ratio = math.log(40.5 / 123) - math.log(0.5 / 121)
    assert row.score == pytest.approx(ratio - 1.96 * math.sqrt(1 / 40.5 + 1 / 0.5))


def test_of_two_classes_what_speaks_for_one_speaks_against_the_other():
    model = nabi.TextClassifier().fit(TEXTS, LABELS)
    ham, spam = ({r.word: r.score for r in model.words(None, label=c)} for c in ("ham", "spam"))
    assert ham == {word: -score for word, score in spam.items()}


def test_where_nothing_is_supported_words_are_ranked_by_weight():
    rows = nabi.TextClassifier().fit(["a a b", "c d"], ["x", "y"]).words(label="x")
    assert [(row.word, row.score) for row in rows] == [
        ("a", 0.0), ("b", 0.0), ("c", 0.0), ("d", 0.0),
    ]  # fmt: skip
    assert [row.weight for row in rows] == sorted((row.weight for row in rows), reverse=True)


def test_a_pruned_model_has_no_counts_and_ranks_by_weight():
    model = nabi.PrunedClassifier.of(nabi.TextClassifier().fit(TEXTS, LABELS))
    rows = model.words(3, label="spam")
    assert all(np.isnan([row.count, row.rate, row.rate_elsewhere]).all() for row in rows)
    assert [row.score for row in rows] == [row.weight for row in rows]


def test_rates_are_shares_of_words_or_of_texts():
    texts, labels = ["good good film", "film", "bad"], ["p", "p", "n"]
    by_words = nabi.TextClassifier().fit(texts, labels).explain("film")
    by_texts = nabi.TextClassifier(event="binary").fit(texts, labels).explain("film")
    assert (by_words.share_of, dict(by_words.terms[0].rates)) == ("words", {"p": 2 / 4})
    assert (by_texts.share_of, dict(by_texts.terms[0].rates)) == ("texts", {"p": 2 / 2})

"""The worked examples of the text books, in fractions, against the classifier itself."""

import math
from fractions import Fraction

import numpy as np
import pytest

import nabi

CHINA = ["Chinese Beijing Chinese", "Chinese Chinese Shanghai", "Chinese Macao"]
JAPAN = ["Tokyo Japan Chinese"]
CHINA_TEST = "Chinese Chinese Chinese Tokyo Japan"

NEGATIVE = ["just plain boring", "entirely predictable and lacks energy"]
NEGATIVE += ["no surprises and very few laughs"]
POSITIVE = ["very powerful", "the most fun film of the summer"]
SENTIMENT_TEST = "predictable with no fun"


def near(fraction):
    return pytest.approx(float(fraction), rel=1e-12)


def joint(model, text, **options):
    """P(d|c)P(c) by class."""
    scores = np.exp(model.joint_log_likelihood([text], **options)[0])
    return dict(zip(model.classes_.tolist(), scores.tolist(), strict=True))


@pytest.fixture
def china():
    return nabi.TextClassifier().fit(CHINA + JAPAN, ["c", "c", "c", "j"])


@pytest.fixture
def bernoulli():
    return nabi.TextClassifier(event="bernoulli").fit(CHINA + JAPAN, ["c", "c", "c", "j"])


@pytest.fixture
def sentiment():
    return nabi.TextClassifier().fit(NEGATIVE + POSITIVE, ["-", "-", "-", "+", "+"])


# ---- 1. multinomial ----


def test_multinomial_joint(china):
    assert joint(china, CHINA_TEST) == {
        "c": near(Fraction(81, 268912)),
        "j": near(Fraction(8, 59049)),
    }
    assert china.predict([CHINA_TEST]).tolist() == ["c"]


def test_multinomial_posterior(china):
    c, j = Fraction(81, 268912), Fraction(8, 59049)
    assert china.predict_proba([CHINA_TEST])[0].tolist() == [near(c / (c + j)), near(j / (c + j))]
    assert china.predict_proba([CHINA_TEST])[0, 0] == pytest.approx(0.6897586, abs=5e-8)


def test_multinomial_vocabulary_and_prior(china):
    assert china.n_features_ == 6
    assert china.classes_.tolist() == ["c", "j"]
    assert china.class_count_.tolist() == [3, 1]
    prior = china.explain(CHINA_TEST).log_prior
    assert math.exp(prior["c"]) == near(Fraction(3, 4))
    assert math.exp(prior["j"]) == near(Fraction(1, 4))


@pytest.mark.parametrize(
    ("word", "in_c", "in_j"),
    [
        ("chinese", Fraction(6, 14), Fraction(2, 9)),
        ("tokyo", Fraction(1, 14), Fraction(2, 9)),
        ("japan", Fraction(1, 14), Fraction(2, 9)),
        ("beijing", Fraction(2, 14), Fraction(1, 9)),
    ],
)
def test_multinomial_word_probabilities(china, word, in_c, in_j):
    (term,) = china.explain(word).terms
    assert term.word == word
    assert math.exp(term.weights["c"]) == near(in_c)
    assert math.exp(term.weights["j"]) == near(in_j)


def test_multinomial_evidence_is_the_log_ratio(china):
    explanation = china.explain(CHINA_TEST)
    assert (explanation.of, explanation.against) == ("c", "j")
    assert math.exp(explanation.score) == near(Fraction(81, 268912) / Fraction(8, 59049))
    evidence = {term.word: (term.times, math.exp(term.evidence)) for term in explanation.terms}
    assert evidence["chinese"] == (3, near(Fraction(9 * 6, 2 * 14) ** 3))
    assert evidence["tokyo"] == (1, near(Fraction(9, 2 * 14)))


def test_multinomial_other_priors_after_training(china):
    """The prior is no part of what was learned: ML is MAP with a uniform one."""
    like_c, like_j = Fraction(81, 268912) / Fraction(3, 4), Fraction(8, 59049) / Fraction(1, 4)
    assert joint(china, CHINA_TEST, prior="uniform") == {
        "c": near(like_c / 2),
        "j": near(like_j / 2),
    }
    assert china.predict([CHINA_TEST], prior="uniform").tolist() == ["j"]
    own = joint(china, CHINA_TEST, prior={"c": 0.9, "j": 0.1})
    assert own == {"c": near(like_c * 9 / 10), "j": near(like_j / 10)}


def test_multinomial_maximum_likelihood(china):
    """Without smoothing a word that a class has never seen makes it impossible."""
    china.alpha = 0
    assert joint(china, CHINA_TEST) == {"c": 0, "j": near(Fraction(1, 4) * Fraction(1, 3) ** 5)}
    assert joint(china, "Chinese Macao") == {"c": near(Fraction(3, 4) * Fraction(5, 64)), "j": 0}
    assert china.explain(CHINA_TEST).impossible == {"c": ("tokyo", "japan")}


# ---- 2. Bernoulli ----


def test_bernoulli_joint(bernoulli):
    assert joint(bernoulli, CHINA_TEST) == {
        "c": near(Fraction(81, 15625)),
        "j": near(Fraction(16, 729)),
    }
    assert bernoulli.predict([CHINA_TEST]).tolist() == ["j"]


def test_bernoulli_empty_text_has_absent_words(bernoulli):
    """P(w|c) is 4/5 once, 2/5 thrice and 1/5 twice; P(w|j) is 2/3 and 1/3 thrice each."""
    c = Fraction(3, 4) * Fraction(1, 5) * Fraction(3, 5) ** 3 * Fraction(4, 5) ** 2
    j = Fraction(1, 4) * Fraction(1, 3) ** 3 * Fraction(2, 3) ** 3
    assert joint(bernoulli, "") == {"c": near(c), "j": near(j)}


def test_bernoulli_evidence(bernoulli):
    explanation = bernoulli.explain(CHINA_TEST)
    total = math.exp(explanation.prior + explanation.absent) * math.prod(
        math.exp(term.evidence) for term in explanation.terms
    )
    assert total == near(Fraction(16, 729) / Fraction(81, 15625))
    assert [term.times for term in explanation.terms] == [1, 1, 1]
    assert bernoulli.n_features_ == 6


# ---- 4. sentiment ----


def test_sentiment_joint(sentiment):
    assert joint(sentiment, SENTIMENT_TEST) == {
        "-": near(Fraction(3, 49130)),
        "+": near(Fraction(2, 5) * Fraction(1 * 1 * 2, 29**3)),
    }
    assert joint(sentiment, SENTIMENT_TEST)["-"] == pytest.approx(6.106e-5, abs=5e-9)
    assert joint(sentiment, SENTIMENT_TEST)["+"] == pytest.approx(3.280e-5, abs=5e-9)
    assert sentiment.predict([SENTIMENT_TEST]).tolist() == ["-"]


def test_sentiment_vocabulary_and_tokens(sentiment):
    assert sentiment.n_features_ == 20
    counts = dict.fromkeys("-+", 0)
    for row in sentiment.words(top=None, label="-"):
        counts["-"] += row.count
        counts["+"] += row.elsewhere
    assert counts == {"-": 14, "+": 9}


def test_sentiment_unknown_word_is_dropped(sentiment):
    explanation = sentiment.explain(SENTIMENT_TEST)
    assert explanation.unknown == ("with",)
    assert {term.word for term in explanation.terms} == {"predictable", "no", "fun"}
    assert joint(sentiment, SENTIMENT_TEST) == joint(sentiment, "predictable no fun")


def test_sentiment_lambda_table(sentiment):
    """lambda(w) = log P(w|+) / P(w|-), from counts of 9 and 14 and |V| = 20."""
    table = {row.word: row for row in sentiment.words(top=None, label="+")}
    assert len(table) == 20
    assert math.exp(table["fun"].weight) == near(Fraction(2, 29) / Fraction(1, 34))
    assert math.exp(table["and"].weight) == near(Fraction(1, 29) / Fraction(3, 34))
    assert (table["the"].count, table["the"].elsewhere) == (2, 0)
    assert math.exp(table["very"].weight) == near(Fraction(2, 29) / Fraction(2, 34))

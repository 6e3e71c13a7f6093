"""The evidence of a decision: it sums to the score, and points at the words in the text."""

import math

import numpy as np
import pytest

import nabi
from nabi import InputWarning, TextClassifier

TEXTS = ["good film good", "bad film", "so so film", "good fun", "bad bore", "a bore"]
TWO, THREE = list("pnnpnn"), list("pnmpnm")
EVENTS = ["multinomial", "binary", "bernoulli", "complement"]


def close(value):
    return pytest.approx(value, rel=1e-9, abs=1e-12)


# Sums


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("labels", [TWO, THREE])
@pytest.mark.parametrize("text", ["good good film", "bad so unknown", "", "so"])
def test_the_evidence_sums_to_the_score(event, labels, text):
    why = TextClassifier(event=event).fit(TEXTS, labels).explain(text)
    assert why.prior + why.absent + math.fsum(term.evidence for term in why.terms) == close(
        why.score
    )
    assert why.score == close(why.joint[why.of] - why.joint[why.against])
    assert why.prior == close(why.log_prior[why.of] - why.log_prior[why.against])


@pytest.mark.parametrize("event", EVENTS)
@pytest.mark.parametrize("options", [{}, {"ngrams": (1, 2)}, {"features": "chars"}, {"buckets": 8}])
def test_the_terms_of_each_class_sum_to_its_joint(event, options):
    model = TextClassifier(event=event, **options).fit(TEXTS, THREE)
    why = model.explain("good bad unknown bad film")
    for label, joint in zip(model.classes_, model.joint_log_likelihood([why.text])[0], strict=True):
        weights = math.fsum(term.weights[label] for term in why.terms)
        assert why.log_prior[label] + why.absent_weights[label] + weights == close(joint)
        assert why.joint[label] == close(joint)


@pytest.mark.parametrize("views", [{"min_count": 2}, {"stop_words": 1}, {"stop_words": ["film"]}])
def test_views_show_in_the_evidence(views):
    model = TextClassifier(**views).fit(TEXTS, TWO)
    why = model.explain("good fun film")
    assert [why.joint[label] for label in "np"] == close(model.joint_log_likelihood([why.text])[0])
    assert why.prior + math.fsum(term.evidence for term in why.terms) == close(why.score)


@pytest.mark.parametrize("alpha", [0, 0.5])
def test_absent_words_that_rule_a_class_out_show_in_its_sum(alpha):
    model = TextClassifier(event="bernoulli", alpha=alpha).fit(
        ["a b", "a c", "b", "c"], list("xxyy")
    )
    why = model.explain("b")
    for label in "xy":
        weights = sum(term.weights[label] for term in why.terms)
        assert why.log_prior[label] + why.absent_weights[label] + weights == close(why.joint[label])


@pytest.mark.parametrize("event", EVENTS)
def test_an_explanation_agrees_with_the_prediction(event):
    model = TextClassifier(event=event).fit(TEXTS, THREE)
    for text in TEXTS:
        why = model.explain(text)
        assert why.label == model.predict([text])[0]
        assert list(why.proba.values()) == close(model.predict_proba([text])[0])


# Sides and terms


def test_evidence_above_0_speaks_for_the_predicted_class():
    model = TextClassifier().fit(TEXTS, TWO)
    good, bad = model.explain("good"), model.explain("bad")
    assert (good.of, good.against, good.label, good.score > 0) == ("p", "n", "p", True)
    assert (bad.of, bad.against, bad.label, bad.score > 0) == ("n", "p", "n", True)
    assert bad.terms[0].evidence == -model.explain("bad", prior={"n": 0, "p": 1}).terms[0].evidence


def test_of_more_classes_the_score_is_the_best_against_the_next():
    why = TextClassifier().fit(TEXTS, THREE).explain("good good film")
    assert why.label == why.of == "p"
    assert why.proba["p"] > why.proba[why.against] == sorted(why.proba.values())[-2]
    assert why.score > 0


def test_of_one_class_the_score_is_its_joint():
    why = TextClassifier().fit(["a b"], ["only"]).explain("a b")
    assert (why.of, why.against) == ("only", None)
    assert why.score == close(2 * math.log(1 / 2))


def test_a_term_says_how_often_each_class_saw_the_word():
    why = TextClassifier().fit(TEXTS, TWO).explain("good film good")
    assert [(term.word, term.times) for term in why.terms] == [("good", 2), ("film", 1)]
    assert [term.counts for term in why.terms] == [{"p": 3.0}, {"n": 2.0, "p": 1.0}]


def test_the_strongest_term_is_first():
    evidence = [
        abs(term.evidence)
        for term in TextClassifier().fit(TEXTS, TWO).explain("film good so").terms
    ]
    assert evidence == sorted(evidence, reverse=True)


def test_unknown_words_are_named_once_and_count_for_nothing():
    model = TextClassifier().fit(TEXTS, TWO)
    why = model.explain("never good heard never")
    assert why.unknown == ("never", "heard")
    assert why.score == model.explain("good").score


def test_words_that_a_view_leaves_out_are_unknown():
    assert TextClassifier(min_count=2).fit(TEXTS, TWO).explain("good fun").unknown == ("fun",)


def test_absent_words_count_in_bernoulli_only():
    assert TextClassifier(event="bernoulli").fit(TEXTS, TWO).explain("film").absent != 0
    assert TextClassifier(event="binary").fit(TEXTS, TWO).explain("film").absent == 0


# Spans


def spans(text, **options):
    """[(feature, the text at its places)] in the order of the text."""
    why = TextClassifier(**options).fit([text, "other"], ["x", "y"]).explain(text)
    terms = sorted(why.terms, key=lambda term: (term.spans[0], term.word))
    return [(term.word, *(text[begin:end] for begin, end in term.spans)) for term in terms]


def test_spans_are_the_words_in_the_text():
    assert spans("Good, good FILM – don’t!") == [
        ("good", "Good", "good"), ("film", "FILM"), ("don't", "don’t"),
    ]  # fmt: skip


def test_spans_beyond_ascii():
    assert spans("İstanbul 😀👍🏽 ẞ é ΣΟΣ 𝐀b 나비", hangul=None) == [
        ("i̇stanbul", "İstanbul"), ("😀", "😀"), ("👍🏽", "👍🏽"), ("ß", "ẞ"), ("é", "é"),
        ("σος", "ΣΟΣ"), ("𝐀b", "𝐀b"), ("나비", "나비"),
    ]  # fmt: skip


def test_spans_of_word_ngrams_reach_from_the_first_word_to_the_last():
    assert spans("İyi -- film, BAD", ngrams=(1, 2)) == [
        ("i̇yi", "İyi"), ("i̇yi film", "İyi -- film"), ("film", "film"), ("film bad", "film, BAD"),
        ("bad", "BAD"),
    ]  # fmt: skip


def test_spans_of_the_preset_sklearn():
    assert spans("Straße, don't a B2", features="sklearn") == [
        ("straße", "Straße"), ("don", "don"), ("b2", "B2"),
    ]  # fmt: skip


def test_spans_of_tweets():
    assert spans("RT @You: see http://t.co/é #Fun :-) <3", features="tweets") == [
        ("<rt>", "RT"), ("<user>", "@You"), ("see", "see"), ("<url>", "http://t.co/é"),
        ("#fun", "#Fun"), (":-)", ":-)"), ("<3", "<3"),
    ]  # fmt: skip


def test_the_span_of_a_long_drawn_word_is_the_whole_word():
    assert spans("soooooo #Yesssss", features="tweets") == [
        ("sooo", "soooooo"),
        ("#yesss", "#Yesssss"),
    ]


def test_spans_of_negated_words():
    assert spans("I don't LIKE it, ok", negation=True) == [
        ("i", "I"), ("don't", "don't"), ("NOT_like", "LIKE"), ("NOT_it", "it"), ("ok", "ok"),
    ]  # fmt: skip


def test_spans_of_characters_leave_the_edges_out():
    assert spans("aB İ", features="chars", chars=(2, 2)) == [
        (" a", "a"), ("ab", "aB"), ("b ", "B"), (" i", "İ"), ("i̇", "İ"), ("̇ ", "İ"),
    ]  # fmt: skip


def test_spans_of_characters_beside_words():
    assert spans("ab", chars=(2, 2)) == [("\t a", "a"), ("\tab", "ab"), ("ab", "ab"), ("\tb ", "b")]


def test_spans_of_hashed_features():
    assert sorted(span for _, *found in spans("one two", buckets=1000) for span in found) == [
        "one",
        "two",
    ]


def test_spans_of_a_text_with_invalid_unicode():
    with pytest.warns(InputWarning):
        why = TextClassifier().fit(["a b", "c"], ["x", "y"]).explain("a\ud800b")
    assert sorted(term.spans for term in why.terms) == [((0, 1),), ((2, 3),)]


def test_spans_of_a_tokenizer_of_the_users_own_are_right_or_left_out():
    model = TextClassifier(tokenizer=str.split).fit(["one two", "c"], ["x", "y"])
    text = "  one   two one"
    for term in model.explain(text).terms:
        assert {text[begin:end] for begin, end in term.spans} <= {term.word}


# Printed


def test_an_explanation_reads_as_a_sum():
    model = TextClassifier().fit(["well well good", "bad"], ["no", "yes"])
    assert str(model.explain("well good well unheard")).splitlines() == [
        "no  (0.8421)",
        "",
        "evidence: above 0 for no, below 0 for yes",
        "  prior           +0.0000",
        "  well     x2     +1.3863  seen: no 2 (67 %)",
        "  good            +0.2877  seen: no 1 (33 %)",
        "  score           +1.6740",
        "",
        "unknown, ignored: unheard",
    ]


def test_the_absent_words_of_bernoulli_are_printed():
    why = TextClassifier(event="bernoulli").fit(["a b", "c"], ["x", "y"]).explain("a")
    assert "  absent words           -0.6931" in str(why).splitlines()


def test_every_kind_of_label_can_be_printed():
    for labels in ([1, 2], [True, False], [0.5, 1.5], ["a b", "나비"]):
        why = TextClassifier().fit(["a", "b"], labels).explain("a")
        assert str(why).startswith(f"{labels[0]}  (0.")


CHINA = ["Chinese Beijing Chinese", "Chinese Chinese Shanghai", "Chinese Macao"]
CHINA += ["Tokyo Japan Chinese"]


@pytest.mark.filterwarnings("ignore::nabi.ImpossibleWarning")
@pytest.mark.parametrize("event", ["multinomial", "binary", "complement"])
def test_where_every_class_is_impossible_the_score_is_the_prior(event):
    model = nabi.TextClassifier(event=event, alpha=0, prior="empirical").fit(CHINA, list("cccj"))
    why = model.explain("Macao Tokyo")
    assert set(why.impossible) == {"c", "j"}
    assert why.score == why.prior
    assert [term.evidence for term in why.terms] == [0.0, 0.0]
    assert str(why).endswith("every class is impossible: only the prior speaks")


def test_a_class_with_a_prior_of_0_is_not_blamed_on_alpha():
    model = nabi.TextClassifier().fit(CHINA, list("cccj"))
    shown = str(model.explain("Tokyo", prior={"c": 1, "j": 0}))
    assert shown.endswith("j is impossible: its prior is 0")


def test_top_takes_whole_numbers_of_any_type_and_no_truth_value():
    model = nabi.TextClassifier().fit(CHINA, list("cccj"))
    assert len(model.words(np.int64(2), label="j")) == 2
    with pytest.raises(nabi.InputError, match="top=True; expected a whole number"):
        model.words(True)

"""The oracle itself, held to worked examples and to scikit-learn."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.feature_extraction.text import CountVectorizer

import reference
from reference import UNIT, Recipe

CHINA = ["Chinese Beijing Chinese", "Chinese Chinese Shanghai", "Chinese Macao"]
JAPAN = ["Tokyo Japan Chinese"]
TEST = "Chinese Chinese Chinese Tokyo Japan"
REVIEWS = {
    "just plain boring": "-",
    "entirely predictable and lacks energy": "-",
    "no surprises and very few laughs": "-",
    "very powerful": "+",
    "the most fun film of the summer": "+",
}
WORDS, TWEETS, CHARS = Recipe(), Recipe(preset="tweets"), Recipe(preset="chars")
ONCE = Recipe(binary=True)
HAIRY = [
    "",
    " \t\x1c\x85\u3000 ",
    "a bc don't x_y 42 4 ½ ²³ naïve cafe\u0301",
    "ΌΔΟΣ ΣΑΣ' İSTANBUL ẞ ǅ K",
    "हिन्दी में नमस्ते ไทย 日本語 나비",
    "👩🏽‍🚀 🇰🇷 ©® \ufffd \u200d \ufeff \x00 e\u200dx",
]


def china(recipe: Recipe) -> reference.Counts:
    return reference.count(CHINA + JAPAN, ["c", "c", "c", "j"], recipe)


def test_multinomial_worked_example():
    joint = reference.joint_fraction(china(WORDS), TEST, WORDS, "multinomial", 1)
    assert joint == {"c": Fraction(81, 268912), "j": Fraction(8, 59049)}


def test_multinomial_worked_example_in_logs():
    joint = reference.joint(china(WORDS), TEST, WORDS, "multinomial", 1.0)
    assert joint["c"] == pytest.approx(math.log(81 / 268912), rel=1e-14)
    assert reference.posterior(joint)["c"] == pytest.approx(0.6897586, abs=5e-8)


def test_bernoulli_worked_example():
    joint = reference.joint_fraction(china(ONCE), TEST, ONCE, "bernoulli", 1)
    assert joint == {"c": Fraction(81, 15625), "j": Fraction(16, 729)}


def test_sentiment_worked_example_drops_the_unknown_word():
    counts = reference.count(list(REVIEWS), list(REVIEWS.values()), WORDS)
    joint = reference.joint_fraction(counts, "predictable with no fun", WORDS, "multinomial", 1)
    assert joint == {"-": Fraction(3, 49130), "+": Fraction(4, 121945)}


def test_binary_counts_a_word_once_per_document():
    joint = reference.joint_fraction(china(ONCE), "Chinese Chinese Tokyo", ONCE, "binary", 1)
    assert joint == {
        "c": Fraction(3, 4) * Fraction(4, 12) * Fraction(1, 12),
        "j": Fraction(1, 4) * Fraction(2, 9) * Fraction(2, 9),
    }


def test_complement_scores_by_the_other_classes():
    joint = reference.joint(china(WORDS), "Tokyo", WORDS, "complement", 1)
    assert joint == pytest.approx({"c": -math.log(2 / 9), "j": -math.log(1 / 14)})


def test_complement_adds_a_prior_only_if_given():
    prior = {"c": 0.5, "j": 0.25}
    joint = reference.joint(china(WORDS), "", WORDS, "complement", 1, prior)
    assert joint == pytest.approx({"c": math.log(0.5), "j": math.log(0.25)})


@pytest.mark.parametrize(
    ("prior", "shares"),
    [
        ("empirical", (3 / 4, 1 / 4)),
        ("uniform", (1 / 2, 1 / 2)),
        ({"c": 0.1, "j": 0.9}, (0.1, 0.9)),
    ],
)
def test_posterior_of_an_empty_text_is_the_prior(prior, shares):
    joint = reference.joint(china(WORDS), None, WORDS, "multinomial", 1, prior)
    assert reference.posterior(joint) == pytest.approx(dict(zip("cj", shares, strict=True)))


def test_alpha_0_makes_a_class_impossible():
    joint = reference.joint(china(WORDS), "Chinese Tokyo", WORDS, "multinomial", 0)
    assert joint == {"c": -math.inf, "j": pytest.approx(math.log(1 / 36))}
    assert reference.posterior(joint) == {"c": 0, "j": 1}


@pytest.mark.parametrize(("event", "recipe"), [("multinomial", WORDS), ("bernoulli", ONCE)])
def test_alpha_0_with_every_class_impossible_leaves_the_prior(event, recipe):
    counts = china(recipe)
    joint = reference.joint(counts, "Beijing Tokyo", recipe, event, 0)
    assert joint == {"c": -math.inf, "j": -math.inf}
    assert reference.posterior(joint, reference.priors(counts)) == {"c": 0.75, "j": 0.25}
    assert reference.posterior(joint) == {"c": 0.5, "j": 0.5}


def test_alpha_0_and_a_class_of_empty_documents_is_not_nan():
    counts = reference.count(["a", ""], ["full", "empty"], WORDS)
    joint = reference.joint(counts, "a", WORDS, "multinomial", 0)
    assert joint == {"full": pytest.approx(math.log(1 / 2)), "empty": -math.inf}


def test_alpha_0_complement_a_word_of_one_class_rules_out_the_others():
    joint = reference.joint(china(WORDS), "Tokyo Tokyo", WORDS, "complement", 0)
    assert joint == {"c": -math.inf, "j": 0.0}
    joint = reference.joint(china(WORDS), "Tokyo Beijing", WORDS, "complement", 0)
    assert joint == {"c": -math.inf, "j": -math.inf}


def test_the_smallest_alpha_does_not_underflow():
    joint = reference.joint(china(WORDS), "Tokyo", WORDS, "multinomial", 5e-324)
    assert joint["c"] == pytest.approx(math.log(3 / 4) + math.log(5e-324) - math.log(8))


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("I'm a C3PO_unit, 4 real", ["i'm", "a", "c3po_unit", "4", "real"]),
        ("Don’t 'quote' rock 'n' roll' o''b", ["don't", "quote", "rock", "n", "roll", "o", "b"]),
        ("हिन्दी में नमस्ते", ["हिन्दी", "में", "नमस्ते"]),
        ("cafe\u0301's e\u0301 \u0301x", ["cafe\u0301's", "e\u0301", "x"]),
        ("a'\u0301b", ["a", "b"]),
        ("می\u200cخواهم", ["می\u200cخواهم"]),
        ("ΌΔΟΣ İI", ["όδος", "i\u0307i"]),
        ("1\ufe0f\u20e3 ❤\ufe0f ©", ["1\u20e3", "❤", "©"]),
        ("\ufffc \ufffd €", []),
    ],
)
def test_words(text, tokens):
    assert reference.tokens(text, WORDS) == tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("so😂😂good", ["so", "😂", "😂", "good"]),
        ("👍🏽👩🏽\u200d🚀", ["👍🏽", "👩🏽\u200d🚀"]),
        ("👨\u200d👩\u200d👧\u200d x", ["👨\u200d👩\u200d👧", "x"]),
        ("🇰🇷🇫🇷🇩", ["🇰🇷", "🇫🇷", "🇩"]),
        ("🏳\ufe0f\u200d🌈", ["🏳\u200d🌈"]),
        ("🏴\u200d🇰🇷🇫", ["🏴\u200d🇰🇷", "🇫"]),
        ("\u200d🏽 x\u200d👩", ["x\u200d", "👩"]),
    ],
)
@pytest.mark.parametrize("preset", ["words", "tweets"])
def test_emoji(preset, text, tokens):
    assert reference.tokens(text, Recipe(preset=preset)) == tokens


def test_words_keep_their_case_on_request():
    assert reference.tokens("Don’t SHOUT", Recipe(lowercase=False)) == ["Don't", "SHOUT"]


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        (None, ""),
        (math.nan, ""),
        ("a\ud83d\ude00b", "a\ufffd\ufffdb"),
        (b"a\xf0\x9f\x98b\xff", "a\ufffdb\ufffd"),
    ],
)
def test_repaired(text, whole):
    assert reference.repaired(text) == whole


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("RT @Joe_1: sooooo COOOOL", ["<rt>", "<user>", "sooo", "coool"]),
        ("rt RTs #RT", ["rt", "rts", "#rt"]),
        ('HTTPS://t.co/x?a=1,b <www.x.org>"q', ["<url>", "<url>", "q"]),
        ("http:// www. http\u017f://x", ["http", "www", "http\u017f", "x"]),
        ("me@mail.org a#b xhttp://y", ["me", "mail", "org", "a", "b", "xhttp", "y"]),
        ("#Don’tPaaaanic #1 # x", ["#don'tpaaanic", "#1", "x"]),
        ("@joë", ["<user>", "ë"]),
        ("ΌΔΟΣ İİİİ", ["όδος", "i\u0307i\u0307i\u0307i\u0307"]),
    ],
)
def test_tweets(text, tokens):
    assert reference.tokens(text, TWEETS) == tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        (":) ;-) =D 8-| xD XP", [":)", ";-)", "=D", "8-|", "xD", "XP"]),
        (">:( :'( :o) :o :* :*)", [">:(", ":'(", ":o)", ":o", ":*", ":*)"]),
        ("(: [-; )':", ["(:", "[-;", ")':"]),
        ("<3 </3 <30", ["<3", "</3", "<3", "0"]),
        (":/ ://x 10:3 a:)", [":/", "x", "10", "3", "a"]),
        (":Dx xDs :pé :d", ["dx", "xds", "pé", ":d"]),
        (":*Dx", [":*", "dx"]),
        ("👍:)", ["👍", ":)"]),
    ],
)
def test_emoticons(text, tokens):
    assert reference.tokens(text, TWEETS) == tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("not happy at all, thanks", ["not", "NOT_happy", "NOT_at", "NOT_all", "thanks"]),
        ("I didn’t say no way! ok", ["i", "didn't", "NOT_say", "NOT_no", "NOT_way", "ok"]),
        ("without 😂。good", ["without", "NOT_😂", "good"]),
        ("knot nothing-x", ["knot", "nothing", "NOT_x"]),
    ],
)
@pytest.mark.parametrize("preset", ["words", "tweets"])
def test_negation(preset, text, tokens):
    assert reference.tokens(text, Recipe(preset=preset, negation=True)) == tokens


def test_negation_goes_on_after_a_colon_inside_an_emoticon_or_url():
    recipe = Recipe(preset="tweets", negation=True)
    expected = ["not", "NOT_:)", "NOT_<url>", "NOT_x", "y"]
    assert reference.tokens("not :) http://a.b,c x: y", recipe) == expected


def test_a_dropped_negator_still_negates():
    recipe = Recipe(negation=True, stop_words=("not", "so"))
    assert reference.tokens("Not so good. So bad", recipe) == ["NOT_good", "bad"]


def test_negators_are_found_in_any_case():
    recipe = Recipe(negation=True, lowercase=False)
    assert reference.tokens("CAN'T Win", recipe) == ["CAN'T", "NOT_Win"]


def test_word_ngrams_come_short_ones_first():
    recipe = Recipe(ngrams=(1, 2), stop_words=("the",))
    assert reference.features("Eat the red pie", recipe) == [
        "eat",
        "red",
        "pie",
        "eat red",
        "red pie",
    ]


def test_chars_stop_at_the_length_of_the_word():
    assert reference.features("Ab c", CHARS) == [
        *[" a", "ab", "b ", " ab", "ab ", " ab "],
        *[" c", "c ", " c "],
    ]


def test_chars_beside_words_have_a_tab():
    recipe = Recipe(chars=(3, 3))
    assert reference.features("No!", recipe) == ["no", "\t no", "\tno!", "\to! "]


def test_custom_tokenizer():
    recipe = Recipe(preset="custom", tokenizer=lambda text: text.split("|"), ngrams=(2, 2))
    assert reference.features("A|b c|d", recipe) == ["A b c", "b c d"]


@pytest.mark.parametrize("text", HAIRY)
@pytest.mark.parametrize("lowercase", [True, False])
def test_sklearn_preset_on_hairy_texts(text, lowercase):
    theirs = CountVectorizer(lowercase=lowercase, ngram_range=(1, 2)).build_analyzer()
    recipe = Recipe(preset="sklearn", lowercase=lowercase, ngrams=(1, 2))
    assert reference.features(text, recipe) == theirs(text)


@given(st.text())
def test_sklearn_preset_on_any_text(text):
    theirs = CountVectorizer().build_analyzer()
    assert reference.tokens(text, Recipe(preset="sklearn")) == theirs(text)


@pytest.mark.parametrize("text", HAIRY)
@pytest.mark.parametrize("sizes", [(1, 1), (2, 4), (3, 6)])
def test_chars_preset_on_hairy_texts(text, sizes):
    theirs = CountVectorizer(analyzer="char_wb", ngram_range=sizes).build_analyzer()
    assert reference.features(text, Recipe(preset="chars", chars=sizes)) == theirs(text)


@given(st.text())
def test_chars_preset_on_any_text(text):
    theirs = CountVectorizer(analyzer="char_wb", ngram_range=(2, 4)).build_analyzer()
    assert reference.features(text, CHARS) == theirs(text)


@given(st.text(st.sampled_from("aΣσİx'’\u0301\u200d\ufe0f👩🏽🇰:;)(oD3/<>@#.w ")))
def test_words_and_tweets_take_any_text(text):
    for recipe in (WORDS, TWEETS):
        found = reference.tokens(text, recipe)
        assert all(found)
        assert not any(c.isspace() or c in "’\ufe0f" for token in found for c in token)


def test_hash64():
    # Values of a C++ program with 128-bit products.
    assert reference.hash64(b"", 0) == 0x0D13C76AB0F4ED08
    assert reference.hash64(b"butterfly", 0) == 0x6AE1CD20BE370D82
    assert reference.fingerprint("a text of more than sixteen bytes") == 0xC0C0688F745F1644


def test_hash64_with_the_fold_that_keeps_both_numbers():
    # A value of a C++ program with 128-bit products.
    assert reference.fingerprint("a text of more than sixteen bytes", "plain") == 0xBF40746FC4B44FF


@pytest.mark.parametrize(
    ("size", "expected"),
    [  # test vectors of the BLAKE3 team: byte i of the input is i % 251
        (0, "af1349b9f5f9a1a6a0404dea36dcc949"),
        (1, "2d3adedff11b61f14c886e35afa03673"),
        (1024, "42214739f095a406f3fc83deb889744a"),
        (1025, "d00278ae47eb27b34faecf67b4fe263f"),
        (5121, "628bd2cb2004694adaab7bbd778a25df"),
        (31744, "62b6960e1a44bcc1eb1a611a8d6235b6"),
    ],
)
def test_blake3(size, expected):
    assert reference.blake3(bytes(i % 251 for i in range(size)))[:16].hex() == expected


def test_buckets_name_words_ngrams_and_chars():
    recipe = Recipe(ngrams=(1, 2), chars=(2, 2), buckets=1000)
    found = reference.features("a b", recipe)
    assert found[0] == "#0000003d"
    assert found[2:4] == ["#000002d6", "#0000032a"]


def test_counts_are_units():
    counts = reference.count(["a a b", "b"], ["x", "y"], WORDS, weights=[0.5, 2])
    assert counts.docs == {"x": UNIT // 2, "y": 2 * UNIT}
    assert counts.cells == {("a", "x"): UNIT, ("b", "x"): UNIT // 2, ("b", "y"): 2 * UNIT}


def test_weight_0_leaves_no_class_behind():
    assert reference.count(["a"], ["x"], WORDS, weights=[0]) == reference.Counts({}, {})


@pytest.mark.parametrize("weight", [-1.0, 1e-9])
def test_weight_that_cannot_be_counted(weight):
    with pytest.raises(ValueError, match="cannot be counted"):
        reference.count(["a"], ["x"], WORDS, weights=[weight])


def test_min_count_shrinks_the_vocabulary():
    recipe = Recipe(min_count=2)
    counts = reference.count(["a a b", "c c"], ["x", "y"], recipe)
    joint = reference.joint_fraction(counts, "a b", recipe, "multinomial", 1)
    assert joint == {"x": Fraction(1, 2) * Fraction(3, 4), "y": Fraction(1, 2) * Fraction(1, 4)}


def test_most_frequent_single_words_are_left_out():
    recipe = Recipe(stop_words=2, ngrams=(1, 2))
    counts = reference.count(["c c b a"], ["x"], recipe)
    kept = {w for w, _ in reference.view(counts, recipe).cells}
    assert kept == {"b", "c c", "c b", "b a"}


def test_bernoulli_needs_a_binary_recipe():
    with pytest.raises(ValueError, match="binary=True"):
        reference.joint(china(WORDS), TEST, WORDS, "bernoulli", 1)

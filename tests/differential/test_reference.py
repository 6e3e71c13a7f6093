"""The kernel against the plain reference: by option, by code point, and on real text."""

import sys
import unicodedata
from collections import Counter

import numpy as np
import pytest

import nabi
import reference
from strategies import EMOJI, MARKS, SCRIPTS, TWEETS, WORDS, plain, split_tokens

pytestmark = pytest.mark.filterwarnings("ignore::nabi.InputWarning")

TEXTS = [
    "",
    " ",
    "I did NOT like it, sorry. Don’t buy: it isn't good! no, never ever (nothing) more",
    "RT @bob: sooooo goooood!!! http://t.co/x #Happy #1 :-) :D <3 xD 8) (: 😀😀 www.x.y",
    "👩\u200d🚀 👍🏽 🇰🇷🇫🇷 ❤\ufe0f©®™ 한국어 영화 नमस्ते दुनिया ΟΔΥΣΣΕΥΣ İstanbul ﬁn ١٢٣",
    "a'b ''c'' d'’e 'f' n't N’T g'\u0301h x\u0301'y 1'000 _'_",
    " ".join(WORDS + TWEETS + SCRIPTS + EMOJI + MARKS),
    "".join(WORDS + TWEETS + SCRIPTS + EMOJI + MARKS),
    "word " * 700 + "end. not " * 300,
    "x" * 5000 + " " + "ab'" * 100 + "\x00\x01\x1f\t\n",
    "http\u017f://x HTTPS://x http:// www. wWw.a<b>\u2003c",
    "가" * 63 + " " + "나" * 64 + " é" * 65,
]

RECIPES = {
    f"{preset}-{name}": {"preset": preset, **options}
    for preset in ("words", "sklearn", "tweets")
    for name, options in {
        "plain": {},
        "cased": {"lowercase": False},
        "bigrams": {"ngrams": (1, 2)},
        "only-trigrams": {"ngrams": (3, 3)},
        "up-to-16": {"ngrams": (1, 16)},
        "stops": {"stop_words": ["not", "good", "한국어", "<user>", "Don't", "😀"]},
        "stops-cased": {"stop_words": ["NOT", "RT", "ΟΔΥΣΣΕΥΣ"], "lowercase": False},
        "chars-too": {"chars": (2, 3)},
        "buckets": {"buckets": 97, "ngrams": (1, 3)},
        "buckets-chars": {"buckets": 4000, "chars": (3, 5)},
    }.items()
}
RECIPES |= {
    f"{preset}-{name}": {"preset": preset, "negation": True, **options}
    for preset in ("words", "tweets")
    for name, options in {
        "negation": {},
        "negation-cased": {"lowercase": False},
        "negation-stops": {"stop_words": ["not", "n't", "never", "it", "NOT_it"], "ngrams": (1, 2)},
        "negation-buckets": {"buckets": 50, "ngrams": (2, 3)},
    }.items()
}
RECIPES |= {
    "chars": {"preset": "chars"},
    "chars-cased": {"preset": "chars", "lowercase": False},
    "chars-long": {"preset": "chars", "chars": (3, 64)},
    "chars-single": {"preset": "chars", "chars": (1, 1)},
    "chars-buckets": {"preset": "chars", "buckets": 1000},
    "tokenizer": {"tokenizer": split_tokens},
    "tokenizer-bigrams": {"tokenizer": split_tokens, "ngrams": (1, 2), "stop_words": ["RT"]},
    "tokenizer-buckets": {"tokenizer": split_tokens, "ngrams": (1, 3), "buckets": 97},
}


@pytest.fixture
def recipe(request):
    return nabi.Features(**RECIPES[request.param])


def with_recipes(names):
    return pytest.mark.parametrize("recipe", names, indirect=True)


@with_recipes(RECIPES)
def test_features(recipe):
    for text in TEXTS:
        assert Counter(recipe.of(text)) == Counter(reference.features(text, plain(recipe))), text[
            :99
        ]


@with_recipes(RECIPES)
def test_counts(recipe):
    labels = [f"class {i % 3}" for i in range(len(TEXTS))]
    weights = [1 + i / 8 for i in range(len(TEXTS))]
    model = nabi.TextClassifier(recipe).fit(TEXTS, labels, sample_weight=weights)
    wanted = reference.count(TEXTS, labels, plain(recipe), weights)
    names, offsets = model._counts.table.names()
    found, cells = bytes(names), model._counts.cells()
    words = [
        found[a:b].decode()
        for a, b in zip(offsets[:-1].tolist(), offsets[1:].tolist(), strict=True)
    ]
    places = zip(cells.features.tolist(), cells.classes.tolist(), strict=True)
    keys = [(words[f], model._counts.labels[c]) for f, c in places]
    assert dict(zip(keys, cells.counts.tolist(), strict=True)) == wanted.cells


@pytest.mark.parametrize("event", ["multinomial", "binary", "bernoulli", "complement"])
@with_recipes(["words-bigrams", "tweets-negation", "chars", "words-chars-too"])
def test_scores(recipe, event):
    labels = [f"class {i % 3}" for i in range(len(TEXTS))]
    model = nabi.TextClassifier(recipe, event=event, alpha=0.3).fit(TEXTS, labels)
    recipe = plain(recipe, event)
    counts = reference.count(TEXTS, labels, recipe)
    asked = [*TEXTS[:7], "something not seen, never good"]
    for text, row in zip(asked, model.joint_log_likelihood(asked), strict=True):
        wanted = reference.joint(counts, text, recipe, event, 0.3)
        assert row.tolist() == pytest.approx([wanted[c] for c in sorted(wanted)], rel=1e-9)


# ---- every code point ----

EVERY = [chr(c) for c in range(sys.maxunicode + 1) if not 0xD800 <= c < 0xE000]
ASSIGNED = [c for c in EVERY if unicodedata.category(c) not in ("Cn", "Co")]
# Of Lo, letters without case, there are 130,000; one in 50 stands for the rest.
VARIED = [c for i, c in enumerate(ASSIGNED) if unicodedata.category(c) != "Lo" or i % 50 == 0]
FORMS = [
    "a{0}b",
    "a'{0}",
    "{0}'a",
    "a\u0301{0}",
    "😀{0}",
    "😀\u200d{0}",
    "{0}🏽",
    "aΣ{0}",
    "not {0} b",
]
TWEET_FORMS = ["{0}@a", "@{0}", "#{0}", ":{0}", ":-{0}", "{0}:)", "http://{0}", "a{0}RT", "RT{0}"]
TWEET_FORMS += ["aaa{0}a", "{0}{0}{0}{0}", "<{0}", "www.a{0}b"]


def assert_same_features(recipe, form, chars, size=2**16):
    """A space and a full stop between the cases let none of them change the next."""
    for i in range(0, len(chars), size):
        text = " . ".join(map(form.format, chars[i : i + size]))
        assert Counter(recipe.of(text)) == Counter(reference.features(text, plain(recipe)))


def test_every_code_point_in_words():
    assert_same_features(nabi.Features(), "{0}{0}", EVERY)


def test_every_assigned_code_point_in_tweets():
    assert_same_features(nabi.Features(preset="tweets"), "{0}{0}", ASSIGNED)


@pytest.mark.parametrize("form", FORMS)
def test_code_points_in_words(form):
    assert_same_features(nabi.Features(negation=True), form, VARIED)


@pytest.mark.parametrize("form", FORMS + TWEET_FORMS)
def test_code_points_in_tweets(form):
    assert_same_features(nabi.Features(preset="tweets", negation=True), form, VARIED)


# ---- real text ----


@pytest.mark.parametrize(
    ("name", "step", "recipe"),
    [
        ("imdb", 200, "words-negation"),
        ("imdb", 200, "words-bigrams"),
        ("twitter_samples", 8, "tweets-negation"),
        ("twitter_samples", 8, "tweets-chars-too"),
        ("lingua_sentences", 30, "words-plain"),
        ("lingua_sentences", 30, "tweets-cased"),
        ("nsmc", 100, "words-chars-too"),
        ("20ng_stripped", 100, "words-buckets"),
    ],
    indirect=["recipe"],
)
def test_features_of_real_texts(dataset, name, step, recipe):
    for text in dataset(name)[0][::step]:
        assert Counter(recipe.of(text)) == Counter(reference.features(text, plain(recipe))), text


@pytest.mark.parametrize("event", ["multinomial", "binary", "bernoulli", "complement"])
def test_scores_of_real_texts(dataset, event):
    texts, labels, asked, _ = dataset("trec6")
    texts, labels = texts[::40], labels[::40]
    model = nabi.TextClassifier(ngrams=(1, 2), event=event, min_count=2, alpha=1).fit(texts, labels)
    recipe = plain(nabi.Features(ngrams=(1, 2), min_count=2), event)
    counts = reference.count(texts, labels, recipe)
    asked = asked[:20] if event == "bernoulli" else asked[:100]
    wanted = [reference.joint(counts, text, recipe, event, 1) for text in asked]
    rows = [[scores[c] for c in sorted(scores)] for scores in wanted]
    np.testing.assert_allclose(model.joint_log_likelihood(asked), rows, rtol=1e-9)

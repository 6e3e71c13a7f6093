"""Random texts, recipes and documents for Hypothesis: mostly plausible, always hostile."""

import random
import re
from dataclasses import dataclass
from itertools import pairwise

from hypothesis import strategies as st

import nabi
import reference

# Everything that a rule of some preset speaks of, and what Unicode holds in store.
WORDS = ["a", "no", "film", "good", "GOOD", "don't", "Don’t", "dont", "isn't", "N'T", "x_1", "42"]
TWEETS = ["@bob", "#tag", "#RT", "RT", "rt", "http://x.y/z", "HTTPS://", "www.a", "sooooo", "<3"]
TWEETS += [":-)", ":)", "xD", "8o", "=/", "://", "(:", "]=", ">:o", "</3", ":'(", "@", "#", "<rt>"]
SCRIPTS = ["한국어", "ΑΣ", "Σ", "İ", "ﬁ", "ß", "e\u0301", "नमस्ते", "ไทย", "日本", "١٢", "²", "Ⓐ"]
SCRIPTS += ["東京タワー", "我T恤", "ｶﾞ", "สวัสดี", "မြန်မာ", "ខ្មែរ", "々", "〇", "ㄅㄆ", "๑๒", "가각"]
SCRIPTS += [
    "재미있었다",
    "3월",
    "LG전자가",
    "ㅋㅋㅋㅋ",
    "\u1112\u1161\u11ab\u1100\u116e\u11a8",
    "\u1161",
    "ﾡﾢﾣ",
]
SCRIPTS += ["café", "CAFE\u0301S", "ǿ", "ế", "й", "ή", "runs", "running", "≠"]
EMOJI = ["😀", "👍🏽", "👩\u200d🚀", "❤\ufe0f", "🇰🇷", "🇰🇷🇫", "\u200d", "🏽", "\ufe0f", "©"]
MARKS = [".", ",", "!", "…", "。", "'", "’", "-", "_", "\u0301", "\u200c", "NOT_", "\t", "\x1f"]
ENTITIES = ["&amp;", "&#8220;", "&lt;", "&amp;#39;", "&", "&QL;"]
BROKEN = list("\ufffc\u017f\x00\x01\ud800\udfff\ufffd\x85\u2028\xa0\x1c\U0010ffff")

pieces = st.sampled_from(WORDS * 3 + TWEETS + SCRIPTS + EMOJI + MARKS + ENTITIES + BROKEN)
separators = st.sampled_from([" ", " ", " ", "", "\n", "  "])
phrases = st.lists(st.tuples(pieces, separators), max_size=12).map(
    lambda pairs: "".join(piece + separator for piece, separator in pairs)
)
garbage = st.text(st.characters(), max_size=40)  # any code point, surrogates too
# Long enough to cross the kernel's blocks of 64 bytes and 256 tokens.
long = st.builds(
    lambda text, n, tail: text * n + tail, phrases, st.sampled_from([20, 150]), phrases
)
texts = st.one_of(phrases, phrases, garbage, long)
short_texts = st.one_of(phrases, garbage)
hostile_bytes = st.one_of(
    st.binary(max_size=40),
    st.lists(
        st.one_of(
            pieces.map(lambda text: text.encode("utf-8", "surrogatepass")),
            st.sampled_from([b" ", b"\xff", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80"]),
            st.sampled_from(
                [b"\xe2\x82", b"\xf0\x9f\x98", b"\x80", b"\xc3", b"\xf8\x88\x80\x80\x80"]
            ),
        ),
        max_size=30,
    ).map(b"".join),
)


def split_tokens(text):
    """A tokenizer of a user's own."""
    return text.split()


def letter_tokens(text):
    """Another: it gives a generator, and tokens that no preset has."""
    return (match[0] for match in re.finditer(r"[^\W\d]+|\S", text) if match[0] != "\x1f")


stop_lists = st.lists(st.sampled_from(["no", "film", "don't", "한국어", "😀", "<url>"]), max_size=4)


unspaced = st.sampled_from([(1, 2), (1, 2), None, (1, 1), (2, 2), (2, 3), (1, 4)])
hanguls = st.sampled_from([(2, 4), (2, 4), None, (1, 1), (2, 2), (3, 4), (1, 4)])
forms = st.sampled_from([None, None, None, "NFC", "NFKC"])
languages = st.sampled_from([None, None, None, "english", "french"])


def ranges(most):
    return st.tuples(st.integers(1, most), st.integers(0, 2)).map(lambda t: (t[0], sum(t)))


@st.composite
def recipes(draw, presets=("words", "sklearn", "tweets", "chars", "custom"), views=True):
    """A `nabi.Features` of any kind."""
    preset = draw(st.sampled_from(presets))
    options = {"preset": "words" if preset == "custom" else preset}
    options["lowercase"] = draw(st.booleans())
    options["binary"] = draw(st.booleans())
    if preset == "chars":
        options["chars"] = draw(ranges(4))
    else:
        options["ngrams"] = draw(st.one_of(st.just((1, 1)), ranges(3)))
    if preset == "custom":
        options["tokenizer"] = draw(st.sampled_from([split_tokens, letter_tokens]))
    if preset in ("words", "sklearn", "tweets"):
        options["chars"] = draw(st.one_of(st.none(), st.none(), ranges(4)))
    if preset in ("words", "tweets"):
        options["negation"] = draw(st.booleans())
        options["unspaced"] = draw(unspaced)
        if options["chars"] is None and options["ngrams"][0] == 1:
            options["hangul"] = draw(hanguls)
    options["normalize"] = draw(forms)
    options["entities"] = draw(st.sampled_from([None, True, False]))
    if preset != "custom":
        options["strip_accents"] = draw(st.booleans())
    if preset not in ("chars", "custom") and options["lowercase"]:
        options["stem"] = draw(languages)
    options["buckets"] = draw(st.sampled_from([None, None, None, 1, 7, 1000]))
    stops = [st.none(), stop_lists]
    if views:
        options["min_count"] = draw(st.sampled_from([1, 1, 2, 3]))
        if preset != "chars" and not options["buckets"]:
            stops.append(st.integers(0, 4))
    options["stop_words"] = draw(st.one_of(stops))
    return nabi.Features(**options)


def plain(features, event="multinomial"):
    """The same recipe for the reference."""
    options = {field: getattr(features, field) for field in reference.Recipe.__dataclass_fields__}
    if features.tokenizer:
        options["preset"] = "custom"
    if event in ("binary", "bernoulli"):
        options["binary"] = True
    return reference.Recipe(**options)


events = st.sampled_from(["multinomial", "binary", "bernoulli", "complement"])
alphas = st.sampled_from(["auto", 1.0, 0.5, 0.0, 3, 5e-324, 1e-300, 1e-9, 1e6, 1e100])
weights = st.one_of(
    st.sampled_from([1, 1, 2, 0.5, 0.1, 1 / 3, 2**-24, 2**20]), st.floats(2**-24, 2**10)
)


@st.composite
def models(draw, **recipe_options):
    """An untrained `nabi.TextClassifier` of any kind."""
    return nabi.TextClassifier(
        draw(recipes(**recipe_options)),
        event=draw(events),
        alpha=draw(alphas),
        prior=draw(st.sampled_from(["empirical", "uniform"])),
        ledger=draw(st.sampled_from([True, False, "strong"])),
        threads=draw(st.sampled_from([None, 1, 2, 3, 4])),
    )


def twin(model, **changes):
    """An untrained model with the same parameters, but for the changes."""
    return type(model)(**(model.get_params() | changes))


@dataclass(frozen=True)
class Documents:
    """Labelled texts with weights, or without."""

    texts: list
    labels: list
    weights: list | None = None

    def __len__(self):
        return len(self.texts)

    def __add__(self, other):
        weights = None
        if self.weights is not None or other.weights is not None:
            weights = (self.weights or [1] * len(self)) + (other.weights or [1] * len(other))
        return Documents(self.texts + other.texts, self.labels + other.labels, weights)

    def __getitem__(self, which):
        """The documents at these places."""
        take = [list(range(len(self)))[which]] if isinstance(which, int) else which
        weights = None if self.weights is None else [self.weights[i] for i in take]
        return Documents([self.texts[i] for i in take], [self.labels[i] for i in take], weights)

    def shuffled(self, seed):
        order = list(range(len(self)))
        random.Random(seed).shuffle(order)
        return self[order]

    def times(self, n, seed):
        """n documents drawn from these."""
        return self[random.Random(seed).choices(range(len(self)), k=n)]

    def batches(self, cuts):
        """Cut at these places, empty batches left out."""
        edges = sorted({0, len(self), *(cut % (len(self) + 1) for cut in cuts)})
        return [self[range(a, b)] for a, b in pairwise(edges)]

    @property
    def columns(self):
        """What `fit`, `partial_fit` and `forget` take."""
        return self.texts, self.labels, self.weights


@st.composite
def documents(
    draw,
    texts=texts,
    min_size=1,
    max_size=8,
    labels=("neg", "neutral", "pos"),
    weighted=None,
    weights=weights,
):
    """A few documents; with weights half of the time, if `weighted` does not say."""
    pairs = draw(
        st.lists(st.tuples(texts, st.sampled_from(labels)), min_size=min_size, max_size=max_size)
    )
    given = None
    if draw(st.booleans()) if weighted is None else weighted:
        given = draw(st.lists(weights, min_size=len(pairs), max_size=len(pairs)))
    return Documents([text for text, _ in pairs], [label for _, label in pairs], given)


def learned(model, documents, **changes):
    """A twin of the model that has learned the documents."""
    texts, labels, weights = documents.columns
    return twin(model, **changes).fit(texts, labels, sample_weight=weights)

"""The vectorizers of nabi.estimators against scikit-learn's: the same matrices and vocabularies."""

import itertools
import pickle
import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.feature_extraction import text as theirs
from sklearn.utils import murmurhash3_32

from nabi import estimators as ours
from nabi.estimators import count_vectorizer
from strategies import texts

TEXTS = [
    "The quick brown fox, the lazy dog and the ΣΊΣΥΦΟΣ; the ΟΔΟΣ!",
    "Ça va? Été à Zürich, ÉCOLE naïve: ﬁn Ⅷ ª ᴬ ᴮ x² İstanbul ıI",
    "한국어 문장과 日本語の文 and नमस्ते दुनिया, ไทย ภาษา",
    "tabs\tand\n\nlines   and\u3000\u3000wide\x1c\x1dspaces \u2028 a  b ",
    " the the THE the fox_1 42 dog's don't e\u0301 😀👍🏽 x y zz",
    "",
    "a b c",
    "the fox and the dog",
    b"bytes of the fox: \xc3\xa9t\xc3\xa9",
]
ANALYZERS = [
    ("word", (1, 1)),
    ("word", (1, 2)),
    ("word", (2, 3)),
    ("word", (3, 3)),
    ("word", (1, 20)),
]
ANALYZERS += [("char_wb", (1, 1)), ("char_wb", (2, 4)), ("char_wb", (7, 9)), ("char_wb", (1, 70))]
ANALYZERS += [("char", (1, 1)), ("char", (2, 4)), ("char", (1, 40)), ("char", (60, 64))]


def assert_same_matrix(X, Y):
    """To the last bit, when both have the columns of each row in order."""
    Y.sort_indices()
    assert type(X) is type(Y)
    assert X.shape == Y.shape
    for name in ("indptr", "indices", "data"):
        a, b = getattr(X, name), getattr(Y, name)
        assert a.dtype == b.dtype, name
        assert np.array_equal(a, b), name


def outcome(action):
    """What an action returns, or the error it raises, in words."""
    try:
        return action()
    except Exception as error:
        return f"{type(error).__name__}: {error}"


@pytest.fixture(params=[count_vectorizer.BYTES_PER_WORD, 0], ids=["looked up", "in a table"])
def _both_ways(request, monkeypatch):
    monkeypatch.setattr(count_vectorizer, "BYTES_PER_WORD", request.param)


def assert_same_counts(learn, count, **options):
    """(ours, theirs) learn some texts and count others, or refuse them in the same words."""
    pair = [library.CountVectorizer(**options) for library in (ours, theirs)]
    X, Y = [outcome(lambda v=v: v.fit_transform(learn)) for v in pair]
    if isinstance(Y, str):
        assert X == Y
        return
    assert_same_matrix(X, Y)
    assert pair[0].vocabulary_ == pair[1].vocabulary_
    assert type(pair[0].vocabulary_) is dict
    assert list(pair[0].get_feature_names_out()) == list(pair[1].get_feature_names_out())
    assert_same_matrix(*[v.transform(count) for v in pair])


def product(**options):
    return [
        dict(zip(options, values, strict=True)) for values in itertools.product(*options.values())
    ]


# ---- CountVectorizer ----

pytestmark = pytest.mark.filterwarnings("ignore:Your stop_words:UserWarning")
STOP_WORDS = [None, "english", ["the", "dog", "été", "ΟΔΟΣ", "\ud800", "a b"]]


@pytest.mark.usefixtures("_both_ways")
@pytest.mark.parametrize(("analyzer", "ngram_range"), ANALYZERS)
def test_counts_of_every_analyzer(analyzer, ngram_range):
    for options in product(lowercase=[True, False], strip_accents=[None, "ascii", "unicode"]):
        options |= {"analyzer": analyzer, "ngram_range": ngram_range}
        assert_same_counts(TEXTS, [*TEXTS[::-1], "the new fox"], **options)


@pytest.mark.parametrize("ngram_range", [(1, 1), (1, 2), (2, 3)])
@pytest.mark.parametrize("stop_words", STOP_WORDS, ids=["none", "english", "list"])
def test_stop_words_and_limits(stop_words, ngram_range):
    for options in product(
        min_df=[1, 2, 0.2, 5], max_df=[1.0, 0.5, 2], max_features=[None, 1, 3, 10**6]
    ):
        options |= {"stop_words": stop_words, "ngram_range": ngram_range}
        assert_same_counts(TEXTS, TEXTS, **options)


@pytest.mark.parametrize("analyzer", ["word", "char", "char_wb"])
def test_binary_types_and_limits(analyzer):
    for options in product(
        binary=[False, True],
        dtype=[np.int64, np.int32, np.float32, np.float64, np.uint8],
        max_features=[None, 5],
        min_df=[1, 2],
    ):
        assert_same_counts(TEXTS, TEXTS, analyzer=analyzer, ngram_range=(1, 2), **options)


@pytest.mark.parametrize(
    "pattern", [r"(?u)\b\w\w+\b", r"\b\w\w+\b", r"\b\w+\b", r"\S+", r"(\w)\w+"]
)
@pytest.mark.parametrize("ngram_range", [(1, 1), (1, 2)])
def test_token_patterns(pattern, ngram_range):
    assert_same_counts(TEXTS, TEXTS, token_pattern=pattern, ngram_range=ngram_range)


VOCABULARIES = [
    ["fox", "the", "dog", "the fox", "the fox and", "a", "", "not there", "fox  and", " the", "th"],
    {"dog": 1, "the": 0, "été": 2, "and the": 3},
    {"fox", "dog"},
    {"fox": np.int64(0), "\ud800": 1, "th": 2, "e ": 3},
    {1: 0, "the": 1},
    {"fox": 0, "the": 2},
    ["fox", "fox"],
    [],
]


@pytest.mark.usefixtures("_both_ways")
@pytest.mark.parametrize("vocabulary", VOCABULARIES, ids=range(len(VOCABULARIES)))
def test_a_vocabulary_given(vocabulary):
    for options in product(
        analyzer=["word", "char", "char_wb"],
        ngram_range=[(1, 1), (1, 2), (2, 3)],
        lowercase=[True, False],
    ):
        assert_same_counts(TEXTS, TEXTS, vocabulary=vocabulary, **options)


@pytest.mark.usefixtures("_both_ways")
@pytest.mark.parametrize("columns", [(0, 0), (0, 5), (-1, 0), ("x", 0), (1.0, 0), (None, 1)])
def test_a_vocabulary_changed_by_hand(columns):
    pair = [library.CountVectorizer().fit(["fox dog"]) for library in (ours, theirs)]
    for vectorizer in pair:
        vectorizer.vocabulary_ = dict(zip(["dog", "fox"], columns, strict=True))
    X, Y = [outcome(lambda v=v: v.transform(TEXTS)) for v in pair]
    assert (X == Y) if isinstance(Y, str) else (X != Y).nnz == 0


BAD = [None, float("nan"), np.nan, 3, ["the"], b"\xff", np.str_("the fox"), "\ud800 the\udfff fox"]


@pytest.mark.parametrize("document", BAD, ids=repr)
@pytest.mark.parametrize("options", product(analyzer=["word", "char"], lowercase=[True, False]))
def test_documents_of_any_kind(document, options):
    for documents in ([document], ["the fox", document], (document,), iter(["fox", document])):
        given = list(documents)
        assert_same_counts(given, given, **options)
        assert_same_hashes(given, **options)


# ---- TfidfVectorizer ----


def assert_same_weights(learn, weigh, **options):
    """(ours, theirs) learn some texts and weigh others, or refuse them in the same words."""
    pair = [library.TfidfVectorizer(**options) for library in (ours, theirs)]
    X, Y = [outcome(lambda v=v: v.fit_transform(learn)) for v in pair]
    if isinstance(Y, str):
        assert X == Y
        return
    assert_near_matrix(X, Y)
    assert pair[0].vocabulary_ == pair[1].vocabulary_
    if options.get("use_idf", True):
        assert np.array_equal(pair[0].idf_, pair[1].idf_)
    assert_near_matrix(*[v.transform(weigh) for v in pair])


def assert_near_matrix(X, Y):
    """To 1e-12 (float32: 1e-6): the order of a row's columns decides how its length is rounded."""
    Y.sort_indices()
    assert X.dtype == Y.dtype
    assert X.indptr.tolist() == Y.indptr.tolist()
    assert X.indices.tolist() == Y.indices.tolist()
    assert np.abs(X.data - Y.data).max(initial=0) <= (1e-12 if X.dtype == np.float64 else 1e-6)


@pytest.mark.parametrize("norm", ["l2", "l1", None])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_weights_with_every_option(norm, dtype):
    for options in product(
        use_idf=[True, False],
        smooth_idf=[True, False],
        sublinear_tf=[True, False],
        binary=[True, False],
        min_df=[1, 2],
    ):
        assert_same_weights(TEXTS, TEXTS[::-1], norm=norm, dtype=dtype, **options)


@pytest.mark.parametrize(("analyzer", "ngram_range"), ANALYZERS)
def test_weights_of_every_analyzer(analyzer, ngram_range):
    for options in product(lowercase=[True, False], strip_accents=[None, "unicode"]):
        options |= {"analyzer": analyzer, "ngram_range": ngram_range}
        assert_same_weights(TEXTS, [*TEXTS[::-1], "the new fox"], **options)


@pytest.mark.parametrize("options", product(norm=["l3"]) + product(use_idf=["x"]), ids=str)
def test_weights_that_are_none(options):
    pair = [library.TfidfVectorizer(**options) for library in (ours, theirs)]
    X, Y = [outcome(lambda v=v: v.fit(["the fox"])) for v in pair]
    assert isinstance(Y, str)
    assert X.replace("nabi.estimators.", "") == Y


def test_idf_may_be_set():
    pair = [library.TfidfVectorizer(vocabulary=["dog", "fox"]) for library in (ours, theirs)]
    for vectorizer in pair:
        vectorizer.idf_ = np.array([2.0, 3.0])
    assert_near_matrix(*[v.transform(["the fox, the dog"]) for v in pair])


# ---- HashingVectorizer ----


def assert_same_hashes(documents, **options):
    pair = [library.HashingVectorizer(**options) for library in (ours, theirs)]
    X, Y = [outcome(lambda v=v: v.transform(documents)) for v in pair]
    if isinstance(Y, str):
        assert X == Y
        return
    assert_same_matrix(X, Y)


@pytest.mark.parametrize(("analyzer", "ngram_range"), ANALYZERS)
def test_hashes_of_every_analyzer(analyzer, ngram_range):
    for options in product(lowercase=[True, False], strip_accents=[None, "ascii", "unicode"]):
        assert_same_hashes(TEXTS, analyzer=analyzer, ngram_range=ngram_range, **options)


@pytest.mark.parametrize("n_features", [1, 2, 7, 64, 1000, 2**17, 2**20, 2**31 - 1])
def test_hashes_of_every_width(n_features):
    for options in product(
        norm=[None, "l1", "l2"],
        alternate_sign=[True, False],
        binary=[True, False],
        dtype=[np.float64, np.float32, np.int64],
    ):
        assert_same_hashes(TEXTS, n_features=n_features, ngram_range=(1, 2), **options)


@pytest.mark.parametrize("stop_words", STOP_WORDS, ids=["none", "english", "list"])
def test_hashes_without_stop_words(stop_words):
    for ngram_range in [(1, 1), (1, 3)]:
        assert_same_hashes(TEXTS, stop_words=stop_words, ngram_range=ngram_range)


@pytest.mark.parametrize("n_features", [0, -1, 2**31, 1.5, "x", None])
def test_widths_that_are_none(n_features):
    pair = [lib.HashingVectorizer(n_features=n_features) for lib in (ours, theirs)]
    X, Y = [outcome(lambda v=v: v.fit_transform(["the fox"])) for v in pair]
    assert isinstance(Y, str)
    assert X.replace("nabi.estimators.", "") == Y


def test_a_hash_of_minus_two_to_the_31():
    """The one hash whose magnitude has no positive int32."""
    word = "uwymouna"  # found by trying
    assert murmurhash3_32(word) == -(2**31)
    for n_features in (3, 1000, 2**20, 2**31 - 1):
        assert_same_hashes([word], n_features=n_features, lowercase=False)


def test_documents_that_come_one_by_one(monkeypatch):
    monkeypatch.setattr("nabi.estimators.hashing_vectorizer.CHUNK", 50)
    X = ours.HashingVectorizer().transform(iter(TEXTS))
    assert_same_matrix(X, theirs.HashingVectorizer().transform(TEXTS))


# ---- every code point, and anything at all ----


def is_one_of_thousands(c):
    """Whether a character stands in a long stretch of those that differ in nothing."""
    same = ("CJK UNIFIED", "HANGUL SYLLABLE", "TANGUT", "EGYPTIAN", "CUNEIFORM")
    return unicodedata.category(c) in ("Cn", "Co") or unicodedata.name(c, "").startswith(same)


# Ideographs, syllables, or nothing: one in 16, and all of every other kind.
CHARS = [chr(c) for c in [*range(0xD800), *range(0xE000, 0x20000), *range(0xE0000, 0xE1000)]]
CHARS = [c for c in CHARS if ord(c) % 16 == 0 or not is_one_of_thousands(c)]


@pytest.mark.parametrize("analyzer", ["char", "char_wb"])
@pytest.mark.parametrize("form", ["Σ{0}", "a{0} ", " {0}{0}"])
def test_every_kind_of_code_point_in_character_ngrams(analyzer, form):
    for start in range(0, len(CHARS), 2**14):
        given = [form.format(c) for c in CHARS[start : start + 2**14]]
        assert_same_counts(given, given[::97], analyzer=analyzer, ngram_range=(1, 2))


@given(
    st.lists(texts, max_size=6),
    st.sampled_from([*ANALYZERS[:8], ("char", (1, 1)), ("char", (2, 4))]),
    st.booleans(),
)
def test_any_texts(documents, analyzer, lowercase):
    options = {"analyzer": analyzer[0], "ngram_range": analyzer[1], "lowercase": lowercase}
    assert_same_counts(documents, documents[::-1], **options)
    assert_same_hashes(documents, n_features=97, **options)
    assert_same_weights(documents, documents[::-1], sublinear_tf=lowercase, **options)


# ---- real sets ----


@pytest.mark.parametrize(("name", "step"), [("imdb", 150), ("nsmc", 50), ("lingua_sentences", 50)])
@pytest.mark.parametrize(
    "options",
    [
        {},
        {"ngram_range": (1, 2), "min_df": 2},
        {"ngram_range": (1, 3), "max_features": 1000, "stop_words": "english"},
        {"analyzer": "char_wb", "ngram_range": (2, 4)},
        {"analyzer": "char", "ngram_range": (1, 3), "strip_accents": "unicode"},
    ],
    ids=str,
)
def test_real_sets(dataset, name, step, options):
    train, _, test, _ = dataset(name)
    assert_same_counts(train[::step], test[::step], **options)
    assert_same_weights(train[::step], test[::step], **options)
    hashing = {k: v for k, v in options.items() if k not in ("min_df", "max_features")}
    assert_same_hashes(test[::step], **hashing)


# ---- copies, and what users redefine ----


def test_pickles_and_clones_keep_what_they_should():
    vectorizer = ours.CountVectorizer(ngram_range=(1, 2), min_df=2).fit(TEXTS)
    twin = pickle.loads(pickle.dumps(vectorizer))
    assert twin.vocabulary_ == vectorizer.vocabulary_
    assert_same_matrix(twin.transform(TEXTS), vectorizer.transform(TEXTS))
    assert clone(vectorizer).get_params() == vectorizer.get_params()
    assert not hasattr(clone(vectorizer), "vocabulary_")


def test_a_subclass_may_redefine_a_step():
    class Stemmed(ours.CountVectorizer):
        def build_analyzer(self):
            analyze = super().build_analyzer()
            return lambda document: [word[:3] for word in analyze(document)]

    class Shouting(ours.HashingVectorizer):
        def decode(self, doc):
            return super().decode(doc) + " LOUD"

    assert list(Stemmed().fit(["foxes dogs"]).get_feature_names_out()) == ["dog", "fox"]
    assert_same_matrix(
        Shouting().transform(["the fox"]), theirs.HashingVectorizer().transform(["the fox LOUD"])
    )


def test_the_result_does_not_depend_on_threads(monkeypatch):
    given = [text for text in TEXTS if isinstance(text, str)] * 9000  # several pieces
    found = []
    for threads in (1, 2, 3, 7):
        monkeypatch.setattr(count_vectorizer, "n_threads", lambda _, n=threads: n)
        vectorizer = ours.CountVectorizer(ngram_range=(1, 2))
        found.append((vectorizer.fit_transform(given), vectorizer.vocabulary_))
    for X, vocabulary in found[1:]:
        assert_same_matrix(X, found[0][0])
        assert vocabulary == found[0][1]

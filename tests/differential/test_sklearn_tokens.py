"""The presets `sklearn` and `chars` against CountVectorizer: the same features, as often."""

import sys
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from scipy.sparse import csr_array
from sklearn.feature_extraction.text import CountVectorizer

import nabi
from strategies import texts

ALL_SETS = ["20ng_stripped", "banking77", "bbc_news", "cr", "imdb", "lingua_sentences", "mr"]
ALL_SETS += ["nsmc", "r8", "sms_spam", "sst2", "trec6", "twitter_samples"]


def counts_by_feature(model):
    """(names, a matrix of names x classes), the names in the order of their code points."""
    header, arrays = model._counts.arrays()
    edges, words = arrays["word_offsets"].tolist(), arrays["words"].tobytes()
    names = [words[a:b].decode() for a, b in pairwise(edges)]
    counts = arrays["cell_counts"].astype(np.int64) << header["shift"] >> 24
    cells = (
        counts,
        arrays["cell_classes"].astype(np.int64),
        arrays["cell_offsets"].astype(np.int64),
    )
    return names, csr_array(cells, shape=(len(names), len(header["labels"])))


def assert_same_counts(model, vectorizer, texts, labels):
    names, counts = counts_by_feature(model.fit(texts, labels))
    matrix = vectorizer.fit_transform(texts)
    assert names == vectorizer.get_feature_names_out().tolist()
    members = csr_array(np.array(labels)[:, None] == model.classes_[None, :], dtype=np.int64)
    assert (csr_array(matrix.T) @ members != counts).nnz == 0


# ---- every set of data ----


@pytest.mark.parametrize("name", ALL_SETS)
def test_counts_of_a_real_set(dataset, name):
    texts, labels, _, _ = dataset(name)
    assert_same_counts(nabi.TextClassifier("sklearn"), CountVectorizer(), texts, labels)


@pytest.mark.parametrize("ngrams", [(1, 2), (2, 2), (1, 4)])
@pytest.mark.parametrize("name", ["sms_spam", "trec6", "cr"])
def test_word_ngrams_of_a_real_set(dataset, name, ngrams):
    texts, labels, _, _ = dataset(name)
    vectorizer = CountVectorizer(ngram_range=ngrams)
    assert_same_counts(nabi.TextClassifier("sklearn", ngrams=ngrams), vectorizer, texts, labels)


@pytest.mark.parametrize("sizes", [(2, 4), (1, 1), (3, 5)])
@pytest.mark.parametrize(
    ("name", "step"), [("sms_spam", 5), ("trec6", 5), ("lingua_sentences", 50)]
)
def test_character_ngrams_of_a_real_set(dataset, name, step, sizes):
    texts, labels, _, _ = dataset(name)
    vectorizer = CountVectorizer(analyzer="char_wb", ngram_range=sizes)
    model = nabi.TextClassifier("chars", chars=sizes)
    assert_same_counts(model, vectorizer, texts[::step], labels[::step])


def test_the_default_of_chars_is_char_wb_from_2_to_4(dataset):
    texts, labels, _, _ = dataset("nsmc")
    vectorizer = CountVectorizer(analyzer="char_wb", ngram_range=(2, 4))
    assert_same_counts(nabi.TextClassifier("chars"), vectorizer, texts[::50], labels[::50])


@pytest.mark.parametrize("name", ["sms_spam", "twitter_samples"])
def test_case_binary_and_stop_words_of_a_real_set(dataset, name):
    texts, labels, _, _ = dataset(name)
    words = ["the", "to", "you", "and", "The"]
    vectorizer = CountVectorizer(lowercase=False, binary=True, stop_words=words, ngram_range=(1, 2))
    model = nabi.TextClassifier(
        "sklearn", lowercase=False, binary=True, stop_words=words, ngrams=(1, 2)
    )
    assert_same_counts(model, vectorizer, texts, labels)


# ---- every code point, and anything at all ----

EVERYWHERE = range(0, sys.maxunicode + 1, 2**16)
SOMETHING = [*range(0, 0x40000, 2**16), 0xE0000]  # the planes where some are assigned


@pytest.mark.parametrize("form", ["aa{0}bb", "{0}{0}", "aΣ{0}", "aΣ{0}b", "{0}Σ"])
def test_every_code_point(form):
    """A space stands between the cases: it lets no case change the next."""
    recipe, analyze = nabi.Features(preset="sklearn"), CountVectorizer().build_analyzer()
    for block in EVERYWHERE if form == "{0}{0}" else SOMETHING:
        chars = (chr(c) for c in range(block, block + 2**16) if not 0xD800 <= c < 0xE000)
        text = " ".join(map(form.format, chars))
        assert Counter(recipe.of(text)) == Counter(analyze(text)), hex(block)


def test_every_code_point_in_character_ngrams():
    analyze = CountVectorizer(analyzer="char_wb", ngram_range=(2, 2)).build_analyzer()
    recipe = nabi.Features(preset="chars", chars=(2, 2))
    for block in [*range(0, 0x20000, 2**14), 0xE0000]:  # what is left out is ideographs, or nothing
        chars = (chr(c) for c in range(block, block + 2**14) if not 0xD800 <= c < 0xE000)
        text = " ".join(f"Σ{c}" for c in chars)
        assert Counter(recipe.of(text)) == Counter(analyze(text)), hex(block)


def plain_text(text):
    """The text as the kernel reads it: lone surrogates repaired."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


@given(texts.map(plain_text))
def test_any_text(text):
    recipe = nabi.Features(preset="sklearn")
    assert Counter(recipe.of(text)) == Counter(CountVectorizer().build_analyzer()(text))


@given(texts.map(plain_text))
def test_any_text_in_ngrams(text):
    words = CountVectorizer(ngram_range=(1, 3), lowercase=False).build_analyzer()
    assert Counter(
        nabi.Features(preset="sklearn", ngrams=(1, 3), lowercase=False).of(text)
    ) == Counter(words(text))
    chars = CountVectorizer(analyzer="char_wb", ngram_range=(2, 4)).build_analyzer()
    assert Counter(nabi.Features(preset="chars").of(text)) == Counter(chars(text))

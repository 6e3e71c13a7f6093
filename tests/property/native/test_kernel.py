"""Promise 7: the kernel equals the plain reference on any input."""

import math
from collections import Counter
from itertools import pairwise

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nabi
import reference
from nabi._native import Fingerprint
from nabi.features.batch import native_batch
from nabi.features.fingerprints import text_fingerprints
from reference_fingerprints import row_fingerprint
from strategies import (
    documents,
    garbage,
    hostile_bytes,
    learned,
    models,
    phrases,
    plain,
    recipes,
    short_texts,
    texts,
)
from tables import blank, row_strategy

pytestmark = pytest.mark.filterwarnings("ignore::nabi.InputWarning")


def table(model):
    """(documents by class, count by feature and class) of a model, in units."""
    header, arrays = model._counts.arrays()
    shift, labels = header["shift"], header["labels"]
    words = arrays["words"].tobytes()
    edges, cells = arrays["word_offsets"].tolist(), arrays["cell_offsets"].tolist()
    classes, counts = arrays["cell_classes"].tolist(), arrays["cell_counts"].tolist()
    names = [words[a:b].decode() for a, b in pairwise(edges)]
    assert names == sorted(names, key=str.encode)
    return dict(zip(labels, (n << shift for n in arrays["class_docs"].tolist()), strict=True)), {
        (name, labels[classes[i]]): counts[i] << shift
        for name, begin, end in zip(names, cells[:-1], cells[1:], strict=True)
        for i in range(begin, end)
    }


def expected(model, docs):
    return reference.count(*docs.columns[:2], plain(model.features, model.event), docs.weights)


def arrow(values, kind):
    """An Arrow array of str type with any bytes in it, valid UTF-8 or not."""
    if kind == "string_view":
        return pa.array(values, pa.binary_view()).view(pa.string_view())
    wide = kind == "large_string"
    return pa.array(values, pa.large_binary() if wide else pa.binary()).view(
        pa.large_string() if wide else pa.string()
    )


# ---- features ----


@given(recipes(), texts)
def test_features(recipe, text):
    assert Counter(recipe.of(text)) == Counter(reference.features(text, plain(recipe)))


@given(recipes(presets=("words", "sklearn", "tweets", "chars")), garbage)
def test_features_of_garbage(recipe, text):
    assert Counter(recipe.of(text)) == Counter(reference.features(text, plain(recipe)))


@given(recipes(presets=("words", "tweets")), phrases)
def test_features_of_phrases(recipe, text):
    assert Counter(recipe.of(text)) == Counter(reference.features(text, plain(recipe)))


# ---- counts ----


@given(models(), documents())
def test_counts(model, docs):
    docs_by_class, cells = table(learned(model, docs))
    counts = expected(model, docs)
    assert docs_by_class == counts.docs
    assert cells == counts.cells


@given(models(), documents())
def test_totals(model, docs):
    """N_c and the number of features, which are kept beside the counts."""
    counts = learned(model, docs)._counts
    cells = expected(model, docs).cells
    tokens = reference.sums(cells, 1)
    assert dict(zip(counts.labels, counts.tokens.tolist(), strict=True)) == {
        label: tokens[label] for label in counts.labels
    }
    assert counts.n_features == len(reference.sums(cells, 0))


@given(
    models(),
    documents(texts=st.one_of(st.none(), hostile_bytes)),
    st.sampled_from(["string", "large_string", "string_view"]),
    st.integers(0, 3),
)
def test_counts_of_hostile_bytes(model, docs, kind, skipped):
    column = arrow([b"\xff skipped"] * skipped + docs.texts, kind)[skipped:]
    given_bytes = nabi.TextClassifier(**model.get_params()).fit(
        column, docs.labels, sample_weight=docs.weights
    )
    docs_by_class, cells = table(given_bytes)
    counts = expected(model, docs)
    assert (docs_by_class, cells) == (counts.docs, counts.cells)


@given(models(), documents(texts=st.one_of(st.none(), hostile_bytes)))
def test_hostile_bytes_are_scored_as_their_repaired_text(saved, model, docs):
    repaired = [None if text is None else reference.repaired(text) for text in docs.texts]
    a = nabi.TextClassifier(**model.get_params()).fit(arrow(docs.texts, "string"), docs.labels)
    b = nabi.TextClassifier(**model.get_params()).fit(repaired, docs.labels)
    assert saved(a) == saved(b)
    chunked = pa.chunked_array([arrow(docs.texts, "string"), arrow(docs.texts, "string")])
    scores = a.joint_log_likelihood(chunked)
    assert scores.tobytes() == b.joint_log_likelihood(repaired * 2).tobytes()


# ---- scores ----


def near(x, scale=0):
    return pytest.approx(x, rel=1e-9, abs=1e-9 * max(1, scale))


@given(models(), documents(), short_texts)
def test_joint(model, docs, text):
    prior = None if model.prior == "empirical" else model.prior
    fitted = learned(model, docs)
    scores = fitted.joint_log_likelihood([text])[0].tolist()
    recipe, counts = plain(model.features, model.event), expected(model, docs)
    wanted = reference.joint(counts, text, recipe, model.event, fitted.alpha_, prior)
    assert dict(zip(sorted(wanted), scores, strict=True)) == {c: near(s) for c, s in wanted.items()}


@given(models(), documents(), short_texts, st.lists(st.integers(0, 5), min_size=3, max_size=3))
def test_joint_with_a_prior_of_ones_own(model, docs, text, shares):
    fitted = learned(model, docs)
    labels = fitted.classes_.tolist()
    shares = shares[: len(labels)]
    total = sum(shares) or len(labels)
    prior = {c: (s if sum(shares) else 1) / total for c, s in zip(labels, shares, strict=True)}
    scores = fitted.joint_log_likelihood([text], prior=prior)[0].tolist()
    recipe, counts = plain(model.features, model.event), expected(model, docs)
    wanted = reference.joint(counts, text, recipe, model.event, fitted.alpha_, prior)
    assert dict(zip(labels, scores, strict=True)) == {c: near(wanted[c]) for c in labels}


@pytest.mark.filterwarnings("ignore::nabi.ImpossibleWarning")
@given(models(), documents(), short_texts)
def test_posterior(model, docs, text):
    fitted = learned(model, docs)
    recipe, counts = plain(model.features, model.event), expected(model, docs)
    asked = None if model.prior == "empirical" else model.prior
    scores = reference.joint(counts, text, recipe, model.event, fitted.alpha_, asked)
    wanted = reference.posterior(scores, reference.priors(counts, asked))
    proba = dict(zip(fitted.classes_.tolist(), fitted.predict_proba([text])[0], strict=True))
    assert proba == {c: pytest.approx(p, rel=1e-6, abs=1e-9) for c, p in wanted.items()}
    assert math.isclose(sum(proba.values()), 1, rel_tol=1e-12)


# ---- the edges of what is allowed ----


@pytest.mark.parametrize("event", ["multinomial", "binary", "bernoulli", "complement"])
@pytest.mark.parametrize("alpha", [1e99, 1e100])
def test_joint_with_the_largest_alphas(event, alpha):
    texts, labels = ["a b c", "c d e f"], ["x", "y"]
    model = nabi.TextClassifier(event=event, alpha=alpha).fit(texts, labels)
    recipe = plain(nabi.Features(), event)
    wanted = reference.joint(reference.count(texts, labels, recipe), "a c", recipe, event, alpha)
    assert model.joint_log_likelihood(["a c"])[0].tolist() == [near(wanted["x"]), near(wanted["y"])]


def test_empty_tokens_of_a_tokenizer():
    recipe = nabi.Features(tokenizer=lambda text: text.split(" "))
    assert recipe.of("a  b") == reference.features("a  b", plain(recipe))


def test_spans_with_a_tokenizer_of_ones_own():
    model = nabi.TextClassifier(tokenizer=lambda text: text.split(", "))
    why = model.fit(["aa, bb", "cc"], ["x", "y"]).explain("aa, bb")
    shown = {term.word: [why.text[a:b] for a, b in term.spans] for term in why.terms}
    assert all(words in ([], [word]) for word, words in shown.items())


def test_counts_that_are_full_are_refused():
    """2**20 tokens of weight 2**20, in units of 2**-24, are 2**64: one more than there is room."""
    texts, labels = ["a " * 2**20, "b"], ["x", "y"]
    with pytest.raises((nabi.InputError, OverflowError)):
        nabi.TextClassifier().fit(texts, labels, sample_weight=[2**20, 1])


# ---- fingerprints ----

KINDS = ["first", "plain", "strong"]


def prints(texts, kind, threads=2):
    return text_fingerprints(native_batch(texts), Fingerprint[kind], threads).tolist()


def as_stored(found):
    return found.rstrip(b"\0") if isinstance(found, bytes) else found  # as NumPy shows bytes


@pytest.mark.parametrize("kind", KINDS)
@given(st.lists(st.one_of(texts, st.none()), max_size=20))
def test_fingerprints(kind, texts):
    expected = [as_stored(reference.fingerprint(text, kind)) for text in texts]
    assert prints(texts, kind) == expected


@pytest.mark.parametrize("kind", KINDS)
def test_fingerprints_of_every_size(kind):
    sizes = [*range(140), 1023, 1024, 1025, 2048, 2049, 3073, 4097, 5121, 7169, 31744]
    given = ["".join(chr(i % 113) for i in range(size)) for size in sizes]
    accented = ["é" + text for text in given]
    for some in (given, accented, given + accented[::-1]):
        expected = [as_stored(reference.fingerprint(text, kind)) for text in some]
        assert prints(some, kind) == expected


@pytest.mark.parametrize("ledger", [True, "strong"])
@given(row_strategy)
def test_fingerprints_of_rows(ledger, row):
    _, batch = blank().count([row], ["a"], ledger=ledger)
    values = {name: plain_value(batch.values[name]) for name in row}
    hashed = strong if ledger == "strong" else plain_hash
    assert batch.fingerprints.tobytes() == row_fingerprint(values, hashed)


def plain_value(values):
    """The number or the text that stands for the value of the one row of a column."""
    if values.missing[0]:
        return None
    if values.numbers is not None:
        return float(values.numbers[0])
    return (values.tokens if values.texts is None else values.texts).to_list()[0]


def strong(data):
    return reference.blake3(data)[:16]


def plain_hash(data):
    return reference.hash64(data, 2, reference.keeping_fold).to_bytes(8, "little")

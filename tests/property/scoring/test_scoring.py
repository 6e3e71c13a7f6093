"""Promises 4 and 5: a score depends on the text alone, to the bit, and its evidence adds up."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nabi
import reference
from strategies import documents, learned, models, pieces, recipes, short_texts, texts, twin

pytestmark = [
    pytest.mark.filterwarnings("ignore::nabi.InputWarning"),
    pytest.mark.filterwarnings("ignore::nabi.ImpossibleWarning"),
]

lists = st.lists(texts, max_size=8)


def bits(model, texts):
    """All that a model says of texts, as bytes."""
    return [
        np.ascontiguousarray(answer).tobytes()
        for answer in (
            model.joint_log_likelihood(texts),
            model.predict_log_proba(texts),
            model.predict_proba(texts),
            np.searchsorted(model.classes_, model.predict(texts)),
        )
    ]


# ---- 4. batch = one by one, at any number of threads ----


@given(models(), documents(), lists)
def test_batch_is_one_by_one(model, docs, asked):
    model = learned(model, docs)
    one_by_one = [bits(model, [text]) for text in asked]
    whole = [b"".join(parts) for parts in zip(*one_by_one, strict=True)]
    assert bits(model, asked) == (whole or [b""] * 4)


@given(models(), documents(), texts, lists)
def test_a_score_does_not_depend_on_what_was_asked_before(model, docs, text, before):
    """A few texts are scored with their own words' weights only, many with all weights."""
    fresh, asked = learned(model, docs), learned(model, docs)
    for _ in range(3):
        asked.predict([*docs.texts, *before])
    assert bits(asked, [text]) == bits(fresh, [text])


@settings(max_examples=8)
@given(models(), documents(), st.lists(st.lists(pieces, max_size=6).map(" ".join), min_size=1))
def test_threads_change_no_score(model, docs, few):
    model = learned(model, docs)
    asked = (few * 9000)[:9000]  # in pieces of 4096: fewer texts would all go to one thread
    expected = bits(model.set_params(threads=1), asked)
    for threads in (2, 4):
        assert bits(model.set_params(threads=threads), asked) == expected


@given(models(), documents(min_size=2), texts, st.integers(0, 2**32))
def test_learning_order_changes_no_score(model, docs, text, seed):
    other = learned(model, docs.shuffled(seed))
    assert bits(other, [text]) == bits(learned(model, docs), [text])


@given(models(), documents(), documents(), texts)
def test_forgetting_leaves_no_trace_in_scores(model, kept, forgotten, text):
    changed = learned(model, forgotten + kept)
    bits(changed, [text])
    a, b, c = forgotten.columns
    changed.forget(a, b, sample_weight=c)
    assert bits(changed, [text]) == bits(learned(model, kept), [text])


@given(models(), documents(), texts)
def test_prediction_is_the_largest_joint(model, docs, text):
    model = learned(model, docs)
    joint = model.joint_log_likelihood([text])[0]
    assert not np.isnan(joint).any()
    if joint.max() > -math.inf:
        assert model.predict([text])[0] == model.classes_[joint.argmax()]
    proba = model.predict_proba([text])[0]
    assert proba.sum() == pytest.approx(1, abs=1e-12)
    assert (proba >= 0).all()


# ---- 5. the evidence of a decision sums to its score ----


def near(x, scale):
    return pytest.approx(x, rel=1e-9, abs=1e-9 * max(1, scale))


@given(models(), documents(), short_texts)
def test_evidence_sums_to_the_score(model, docs, text):
    model = learned(model, docs)
    why = model.explain(text)
    parts = [why.prior, why.absent, *(term.evidence for term in why.terms)]
    if np.isfinite(parts).all():
        assert why.score == near(math.fsum(parts), max(map(abs, parts)))
        gap = why.joint[why.of] - (0 if why.against is None else why.joint[why.against])
        # Where every class is impossible, the prior alone speaks.
        assert why.score == (why.prior if len(why.impossible) == len(why.joint) else near(gap, 0))


@given(models(), documents(), short_texts)
def test_weights_sum_to_the_joint_of_each_class(model, docs, text):
    model = learned(model, docs)
    why = model.explain(text)
    scores = model.joint_log_likelihood([text])[0].tolist()
    for label, score in zip(model.classes_.tolist(), scores, strict=True):
        parts = [why.log_prior[label], why.absent_weights[label]]
        parts += [term.weights[label] for term in why.terms]
        finite = np.isfinite(parts).all() and label not in why.impossible
        assert finite == math.isfinite(score)
        assert why.joint[label] == (near(score, 0) if finite else -math.inf)
        if finite:
            assert score == near(math.fsum(parts), max(map(abs, parts)))


@given(models(), documents(), short_texts)
def test_explanation_agrees_with_prediction(model, docs, text):
    model = learned(model, docs)
    why = model.explain(text)
    assert why.label == model.predict([text])[0]
    assert list(why.proba.values()) == model.predict_proba([text])[0].tolist()
    assert {term.word for term in why.terms}.isdisjoint(why.unknown)


@given(models(presets=("words", "sklearn", "tweets", "chars")), documents(), short_texts)
def test_explanation_holds_each_feature_of_the_text(model, docs, text):
    model = learned(model, docs)
    why, features = model.explain(text), model.features.of(text)
    binary = model.features.binary or model.event in ("binary", "bernoulli")
    times = {word: 1 if binary else features.count(word) for word in features}
    assert {term.word: term.times for term in why.terms} == {
        word: n for word, n in times.items() if word not in why.unknown
    }
    for term in why.terms:
        assert len(term.spans) == features.count(term.word)
        assert all(0 <= begin < end <= len(text) for begin, end in term.spans)


@given(recipes(presets=("words", "sklearn")), short_texts)
def test_spans_hold_the_words(recipe, text):
    """In lower case a sigma depends on the rest of the text: cased, a word stands for itself."""
    # Pairs of letters: the two of a span are one, and have no others inside.
    pairs = {} if recipe.preset == "sklearn" else {"unspaced": (2, 2), "hangul": None}
    recipe = nabi.Features(preset=recipe.preset, lowercase=False, **pairs)
    why = nabi.TextClassifier(recipe).fit([text, "other"], ["x", "y"]).explain(text)
    for term in why.terms:
        assert all(recipe.of(text[begin:end]) == [term.word] for begin, end in term.spans)


@given(short_texts)
def test_spans_hold_the_characters(text):
    recipe = nabi.Features(preset="chars", lowercase=False)
    why = nabi.TextClassifier(recipe).fit([text, "other"], ["x", "y"]).explain(text)
    for term in why.terms:
        shown = {reference.repaired(text[begin:end]) for begin, end in term.spans}
        assert shown == {term.word.strip(" ")}


@given(models(), documents(), short_texts)
def test_binary_events_see_a_word_once(model, docs, text):
    model = learned(twin(model, event="bernoulli"), docs)
    doubled = f"{text} {text}"
    once = model.features.ngrams == (1, 1) and not model.features.negation
    if once:  # no word n-gram spans the two halves, and no negation reaches over
        assert bits(model, [text]) == bits(model, [doubled])

"""Promises 1, 2 and 3: counts add, subtract and forget exactly; the file tells what was learned."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import nabi
import reference
from strategies import documents, learned, models, pieces, twin

pytestmark = pytest.mark.filterwarnings("ignore::nabi.InputWarning")

seeds = st.integers(0, 2**32)
cuts = st.lists(st.integers(0, 100), max_size=3)


def fitted_by_batches(model, batches):
    for texts, labels, weights in (batch.columns for batch in batches):
        model.partial_fit(texts, labels, sample_weight=weights)
    return model


# ---- 1. fit(A+B) = fit(A) + fit(B), and fit(A+B) - fit(B) = fit(A) ----


@given(models(), documents(), documents())
def test_models_add(saved, model, a, b):
    both = learned(model, a + b)
    assert saved(learned(model, a) + learned(model, b)) == saved(both)


@given(models(), documents(), documents())
def test_models_subtract(saved, model, a, b):
    rest = learned(model, a + b) - learned(model, b)
    assert saved(rest) == saved(learned(model, a))


@given(models(), documents(), documents())
def test_forgetting_is_the_opposite_of_learning(saved, model, a, b):
    texts, labels, weights = b.columns
    rest = learned(model, a + b).forget(texts, labels, sample_weight=weights)
    assert saved(rest) == saved(learned(model, a))


@given(models(), documents(), documents(), documents())
def test_adding_leaves_the_parts_alone(saved, model, a, b, c):
    parts = [learned(model, part) for part in (a, b, c)]
    before = [saved(part) for part in parts]
    whole = sum(parts)
    assert [saved(part) for part in parts] == before
    assert saved(whole - parts[0]) == saved(parts[1] + parts[2])
    assert [saved(part) for part in parts] == before


@given(models(), documents(), documents())
def test_weight_zero_is_no_document(saved, model, a, b):
    texts, labels, _ = (a + b).columns
    weights = (a.weights or [1] * len(a)) + [0] * len(b)
    with_zeros = twin(model).fit(texts, labels, sample_weight=weights)
    assert saved(with_zeros) == saved(learned(model, a))


@given(models(), documents(), documents())
def test_forgetting_takes_back_documents_of_weight_zero_too(saved, model, a, b):
    texts, labels, _ = (a + b).columns
    labels = labels[: len(a)] + [f"no {label}" for label in b.columns[1]]
    weights = (a.weights or [1] * len(a)) + [0] * len(b)
    both = learned(model, a).partial_fit(texts, labels, sample_weight=weights)
    assert saved(both.forget(texts, labels, sample_weight=weights)) == saved(learned(model, a))


@given(models(), documents(weighted=False), st.integers(1, 3))
def test_a_weight_of_n_is_n_documents(saved, model, a, n):
    weighted = twin(model).fit(a.texts, a.labels, sample_weight=[n] * len(a))
    assert saved(weighted) == saved(twin(model).fit(a.texts * n, a.labels * n))


# ---- 2. the file depends on the multiset of documents alone ----


@given(models(), documents(), seeds, cuts)
def test_order_and_batches_leave_no_trace(saved, model, docs, seed, cuts):
    batches = docs.shuffled(seed).batches(cuts)
    assert saved(fitted_by_batches(twin(model), batches)) == saved(learned(model, docs))


@given(models(), documents(min_size=3), seeds, cuts)
def test_merge_order_leaves_no_trace(saved, model, docs, seed, cuts):
    parts = [learned(model, part) for part in docs.shuffled(seed).batches(cuts)]
    expected = saved(learned(model, docs))
    assert saved(sum(parts)) == expected
    assert saved(sum(reversed(parts))) == expected


# The kernel hands out pieces of 4096 texts: fewer would all go to one thread. So many with large
# weights would be more than can be counted in one go.
@settings(max_examples=8)
@given(
    models(),
    documents(
        texts=st.lists(pieces, max_size=6).map(" ".join),
        weights=st.sampled_from([1, 2, 0.5, 0.1, 1 / 3, 2**-24]),
    ),
    seeds,
)
def test_threads_leave_no_trace(saved, model, few, seed):
    docs = few.times(9000, seed)
    expected = saved(learned(model, docs, threads=1))
    for threads in (2, 3, 4):
        assert saved(learned(model, docs, threads=threads)) == expected
    assert saved(learned(model, docs.shuffled(seed), threads=2)) == expected


@given(models(), documents(), documents())
def test_what_was_forgotten_leaves_no_trace(saved, model, kept, forgotten):
    """Also where it came first and gave words and classes their numbers."""
    changed = learned(model, forgotten + kept)
    texts, labels, weights = forgotten.columns
    changed.forget(texts, labels, sample_weight=weights)
    assert saved(changed) == saved(learned(model, kept))


def test_forgotten_labels_of_another_kind_leave_no_trace(saved):
    """True == 1 in Python, yet they are labels of two kinds."""
    model = nabi.TextClassifier().fit(["a"], [True]).forget(["a"], [True])
    model.partial_fit(["b", "c"], [1, 0])
    assert saved(model) == saved(nabi.TextClassifier().fit(["b", "c"], [1, 0]))


# ---- 3. forgetting what was not learned is an error, and changes nothing ----


def is_learned(docs, text, label):
    own = {(reference.repaired(t), c) for t, c in zip(docs.texts, docs.labels, strict=True)}
    return (reference.repaired(text), label) in own


@given(models(), documents(), documents(max_size=1))
def test_forgetting_a_stranger_fails(saved, model, docs, stranger):
    assume(not is_learned(docs, stranger.texts[0], stranger.labels[0]))
    changed = learned(model, docs, ledger=model.ledger or True)
    before = saved(changed)
    texts, labels, weights = (docs + stranger).columns
    with pytest.raises(nabi.NotLearnedError, match="nothing was changed"):
        changed.forget(texts, labels, sample_weight=weights)
    assert saved(changed) == before


@given(models(), documents(weighted=False), st.integers(0, 7))
def test_forgetting_a_document_once_too_often_fails(saved, model, docs, i):
    changed = learned(model, docs, ledger=model.ledger or True)
    before = saved(changed)
    again = docs + docs[i % len(docs)]
    with pytest.raises(nabi.NotLearnedError, match="nothing was changed"):
        changed.forget(again.texts, again.labels)
    assert saved(changed) == before


@given(models(), documents(weighted=False), st.integers(0, 7), st.sampled_from([2**-24, 0.1, 3]))
def test_forgetting_more_weight_than_learned_fails(saved, model, docs, i, more):
    changed = learned(model, docs, ledger=model.ledger or True)
    before = saved(changed)
    i %= len(docs)
    times = sum(is_learned(docs[j], docs.texts[i], docs.labels[i]) for j in range(len(docs)))
    with pytest.raises(nabi.NotLearnedError, match="nothing was changed"):
        changed.forget([docs.texts[i]], [docs.labels[i]], sample_weight=[times + more])
    assert saved(changed) == before


@given(models(), documents(), documents())
def test_subtracting_a_stranger_fails(saved, model, docs, others):
    pairs = zip(others.texts, others.labels, strict=True)
    assume(not all(is_learned(docs, text, label) for text, label in pairs))
    changed, other = (
        learned(model, docs, ledger=model.ledger or True),
        learned(model, others, ledger=model.ledger or True),
    )
    before = saved(changed), saved(other)
    with pytest.raises(nabi.NotLearnedError, match="nothing was changed"):
        changed - other
    assert (saved(changed), saved(other)) == before


@given(models(), documents(), documents())
def test_without_a_ledger_a_refusal_changes_nothing_either(saved, model, docs, others):
    changed = learned(model, docs, ledger=False)
    before = saved(changed)
    texts, labels, weights = (docs + others).columns
    with pytest.raises(nabi.NotLearnedError, match="nothing was changed"):
        changed.forget(texts, labels, sample_weight=weights)
    assert saved(changed) == before


def test_a_document_is_known_by_its_text_with_a_tokenizer_too():
    model = nabi.TextClassifier(tokenizer=str.split).fit(["good film"], ["pos"])
    with pytest.raises(nabi.NotLearnedError):
        model.forget(["good    film"], ["pos"])

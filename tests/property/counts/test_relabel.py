"""A model with other classes is the model of documents with other labels, byte for byte."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nabi.scoring.prior import relabelled_prior
from strategies import Documents, documents, learned, models, short_texts

pytestmark = pytest.mark.filterwarnings("ignore::nabi.InputWarning")

CLASSES = ("neg", "neutral", "pos", "zz")
mappings = st.dictionaries(
    st.sampled_from(CLASSES), st.sampled_from([*CLASSES, "a", "new", None]), max_size=4
)
labelled = documents(texts=short_texts, labels=CLASSES)


def changed(documents, mapping):
    """The documents with their labels changed, those that are dropped gone."""
    new = [mapping.get(label, label) for label in documents.labels]
    kept = documents[[i for i, label in enumerate(new) if label is not None]]
    return Documents(kept.texts, [label for label in new if label is not None], kept.weights)


def known(mapping, documents):
    return {old: new for old, new in mapping.items() if old in documents.labels}


@given(models(), labelled, mappings, st.booleans())
def test_relabelled_is_learned_anew(saved, reloaded, model, docs, mapping, stored):
    mapping = known(mapping, docs)
    expected = changed(docs, mapping)
    if not len(expected):
        return
    before = learned(model, docs)
    after = (reloaded(before) if stored else before).relabel(mapping)
    assert saved(after) == saved(learned(model, expected))


@given(models(), labelled, labelled, mappings)
def test_to_learn_and_to_relabel_can_change_places(saved, model, docs, more, mapping):
    mapping = known(mapping, docs)
    first, second = changed(docs, mapping), changed(more, mapping)
    if not len(first) or not len(second):
        return
    texts, labels, weights = second.columns
    after = learned(model, docs).relabel(mapping).partial_fit(texts, labels, sample_weight=weights)
    assert saved(after) == saved(learned(model, first + second))
    after.forget(texts, labels, sample_weight=weights)
    assert saved(after) == saved(learned(model, first))


@given(st.permutations(CLASSES), labelled, models())
def test_a_permutation_can_be_undone(saved, order, docs, model):
    there = known(dict(zip(CLASSES, order, strict=True)), docs)
    back = {new: old for old, new in there.items()}
    before = learned(model, docs)
    assert saved(before.relabel(there).relabel(back)) == saved(before)


@given(st.lists(st.floats(0.01, 1), min_size=4, max_size=4), mappings)
def test_a_prior_sums_to_one_and_keeps_its_ratios(shares, mapping):
    prior = dict(zip(CLASSES, (share / sum(shares) for share in shares), strict=True))
    new = [mapping.get(label, label) for label in CLASSES]
    if not any(new):
        return
    given = relabelled_prior(prior, list(CLASSES), mapping)
    left = sum(prior[old] for old, label in zip(CLASSES, new, strict=True) if label)
    for label, share in given.items():
        parts = [prior[old] for old, its in zip(CLASSES, new, strict=True) if its == label]
        assert abs(share - sum(parts) / left) < 1e-9
    assert abs(sum(given.values()) - 1) < 1e-9

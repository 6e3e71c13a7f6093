"""Duplicates and leaks are those that comparing each text with each finds, and no others."""

import functools
from itertools import combinations
from unittest import mock

from hypothesis import given
from hypothesis import strategies as st

from nabi import Features
from nabi.judging import duplicates, leakage, near_pairs

WORDS = Features()
SHINGLES = Features(ngrams=(1, 2))
# Few words, so that much is shared, and texts made from others, so that much is nearly equal.
WORD = st.sampled_from(["the", "film", "was", "good", "bad", "so", "and", "not", "I", "plot"])
TEXT = st.lists(WORD, max_size=16).map(" ".join)
LEAST = st.sampled_from([0.3, 0.5, 2 / 3, 0.7, 0.8, 0.9, 1.0])
FEW = {name: getattr(near_pairs, name) for name in ("BLOCK", "RUN", "LONG")}
MANY = {"BLOCK": 7, "RUN": 2, "LONG": 1}


@st.composite
def alike(draw):
    """Texts of which many are others with a word changed, or in other cases and spaces."""
    texts = draw(st.lists(TEXT, max_size=8))
    for text in draw(st.lists(st.sampled_from(texts or [""]), max_size=8)):
        words = text.split()
        at = draw(st.integers(0, len(words)))
        texts.append("  ".join([*words[:at], draw(WORD), *words[at + 1 :]]).title())
    return draw(st.permutations(texts))


@functools.cache
def features(recipe, text):
    return set(recipe.of(text))


def similarity(one, other):
    """1 of equal texts, 0 of different short ones, else what they share by what they have."""
    if one.casefold().split() == other.casefold().split():
        return 1.0
    if min(len(features(WORDS, text)) for text in (one, other)) < 3:
        return 0.0
    a, b = (features(SHINGLES, text) for text in (one, other))
    return len(a & b) / len(a | b)


def components(n, pairs):
    """The places that pairs connect, as sorted lists."""
    group = {i: {i} for i in range(n)}
    for a, b in pairs:
        joined = group[a] | group[b]
        group.update(dict.fromkeys(joined, joined))
    return sorted({tuple(sorted(one)) for one in group.values() if len(one) > 1})


@given(alike(), LEAST, st.booleans())
def test_groups_are_what_similar_pairs_connect(texts, least, many):
    pairs = [
        (a, b)
        for a, b in combinations(range(len(texts)), 2)
        if similarity(texts[a], texts[b]) >= least
    ]
    # As it goes where there are millions: in many blocks, neighbours first.
    with mock.patch.multiple(near_pairs, **MANY if many else FEW):
        found = duplicates(texts, similarity=least)
    assert sorted(group.at for group in found) == components(len(texts), pairs)
    for group in found:
        first, *others = (texts[i] for i in group.at)
        assert group.similarity == min(similarity(first, other) for other in others)


@given(alike(), alike(), LEAST)
def test_a_leak_is_the_first_of_the_most_similar_learned_texts(learned, texts, least):
    expected = {}
    for at, text in enumerate(texts):
        equal = [text.casefold().split() == one.casefold().split() for one in learned]
        ranks = [(similarity(text, one), equal[i], -i) for i, one in enumerate(learned)]
        most, _, place = max(ranks, default=(0.0, False, 0))
        if most >= least:
            expected[at] = (-place, most)
    found = leakage(learned, texts, similarity=least)
    assert {leak.at: (leak.of, leak.similarity) for leak in found} == expected


@given(alike(), st.randoms())
def test_the_order_of_the_texts_changes_no_group(texts, random):
    order = random.sample(range(len(texts)), len(texts))
    shuffled = duplicates([texts[i] for i in order])
    groups = {tuple(sorted(order[i] for i in group.at)) for group in shuffled}
    assert groups == {group.at for group in duplicates(texts)}

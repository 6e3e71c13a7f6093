"""Labels as codes are what the labels are as a list."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import nabi._native as native
from nabi.base.labels import CodedLabels, codes_by_coming, encode

names = st.sampled_from(["", " ", "spam", "ham", "é", "😀", "a\0", "\0", "x" * 20])
labels = st.lists(names, min_size=1, max_size=20)


def coded(given):
    return CodedLabels(*codes_by_coming(given))


@given(st.lists(st.one_of(names, st.none()), max_size=20))
def test_the_kernel_codes_as_python_does(given):
    names, codes = native.Batch.from_sequence(given).codes()
    expected, numbers = codes_by_coming(given)
    assert (names, codes.tolist()) == (expected, numbers.tolist())


@given(st.lists(labels, min_size=1, max_size=4))
def test_joined_labels_are_those_of_the_parts(parts):
    joined = CodedLabels.joined([coded(part) for part in parts])
    assert joined == [label for part in parts for label in part]
    assert sorted(set(joined)) == sorted(joined.names)


@given(labels, st.data())
def test_labels_without_some_rows(given, data):
    rows = data.draw(st.sets(st.sampled_from(range(len(given)))))
    left = coded(given).without(np.array(sorted(rows), np.uint64))
    assert left == [label for i, label in enumerate(given) if i not in rows]
    assert sorted(set(left)) == sorted(left.names)


@given(st.lists(st.sampled_from(["1", "01", "2", "-0", "0"]), min_size=1))
def test_codes_of_labels_that_were_parsed(given):
    labels = coded(given)
    numbers = CodedLabels([float(name) for name in labels.names], labels.codes)
    expected, codes = encode([float(name) for name in given])
    got, got_codes = encode(numbers)
    assert [got[i] for i in got_codes] == [expected[i] for i in codes]
    assert len(got) == len(expected)

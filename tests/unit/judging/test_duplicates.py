"""What counts as equal, as nearly equal, and as no input at all."""

import math

import numpy as np
import pandas as pd
import pytest

from nabi import InputError, InputTypeError
from nabi.judging import DuplicateGroup, Leak, duplicates, leakage

LONG = "one two three four five six seven eight nine ten eleven twelve thirteen fourteen"


def places(texts, **options):
    return [group.at for group in duplicates(texts, **options)]


def test_case_and_white_space_make_no_difference():
    assert places(["Straße  a", "STRASSE a\n", "strasse  b"]) == [(0, 1)]
    assert places(["", None, " \t", "x"]) == [(0, 1, 2)]


def test_one_changed_word_of_fourteen_is_nearly_equal_and_one_of_thirteen_is_not():
    thirteen = LONG.removesuffix(" fourteen")
    changed = [LONG.replace("five", "5"), thirteen.replace("five", "5")]
    (group,) = duplicates([LONG, changed[0]])
    assert group.similarity == 24 / 30
    assert duplicates([thirteen, changed[1]]) == []
    assert places([thirteen, changed[1]], similarity=22 / 28) == [(0, 1)]


def test_two_words_say_too_little():
    assert duplicates(["so good", "so good!", "good so good"]) == []
    assert places(["so very good", "so very good!"]) == [(0, 1)]
    assert places(["so good", "so good", "!!!", "!!!", "???"]) == [(0, 1), (2, 3)]


def test_groups_are_what_neighbours_connect():
    words = LONG.split()
    chain = [" ".join([*words[i:], *"abcdef"[:i]]) for i in range(4)]
    (group,) = duplicates(chain, similarity=0.7)
    assert group.at == (0, 1, 2, 3)
    assert group.similarity == pytest.approx(21 / 33)  # of the first and the last


def test_thousands_that_differ_in_a_number_are_one_group():
    texts = [f"your order {i} has left our house and will be with you soon" for i in range(10_000)]
    (group,) = duplicates([*texts, "no order at all"], similarity=0.7)
    assert group.at == tuple(range(10_000))


def test_different_labels_come_first_then_the_largest():
    texts = ["a b c", "a b c", "x y z", "x y z", "x y z", "u v w", "u v w"]
    groups = duplicates(texts, [1, 1, 1, 1, 1, 1, 2])
    assert [group.at for group in groups] == [(5, 6), (2, 3, 4), (0, 1)]
    assert [group.differ for group in groups] == [True, False, False]
    assert groups[0] == DuplicateGroup((5, 6), 1.0, (1, 2))


def test_an_equal_text_is_preferred_to_one_of_the_same_words():
    learned = ["a b, c", "a b c", "a b c"]
    assert leakage(learned, ["A B C", "c b a"]) == [Leak(0, 1, 1.0)]


def test_texts_come_in_any_column():
    texts = ["a b c", "a b c", "d"]
    assert places(pd.Series(texts)) == places(np.array(texts)) == [(0, 1)]
    assert leakage(pd.Series(texts), np.array(["d"])) == [Leak(0, 2, 1.0)]


def test_there_may_be_nothing():
    assert duplicates([]) == duplicates([], []) == duplicates(["a"]) == []
    assert leakage([], []) == leakage([], ["a b c"]) == leakage(["a b c"], []) == []


@pytest.mark.parametrize("similarity", [0, -1, 1.1, math.nan, True, "0.8", None])
def test_similarity_is_a_share(similarity):
    with pytest.raises(InputError, match="expected a number above 0 and at most 1, such as"):
        duplicates(["a"], similarity=similarity)
    with pytest.raises(InputError, match="similarity="):
        leakage(["a"], ["a"], similarity=similarity)


def test_bad_texts_and_labels():
    with pytest.raises(InputError, match="texts is one str"):
        duplicates("a b c")
    with pytest.raises(InputTypeError):
        duplicates([1, 2])
    with pytest.raises(InputError, match="2 texts and 1 labels; expected one label for each"):
        duplicates(["a", "b"], ["x"])

"""Parts of a file that become one table, though a column may look otherwise in each."""

import numpy as np
import pytest

from nabi.features.columns import Kind
from nabi.features.frame import Column, Frame, frame_of
from nabi.features.recipe import Features
from nabi.models.table_parts import joined


def column(kind, *parts):
    """The values of parts of a column when they are joined."""
    frames = [Frame({"c": part}, len(part)) for part in parts]
    whole = joined(frames, {"c": Kind(kind, Features() if kind == "text" else None)})
    return [whole.columns["c"].value(i) for i in range(len(whole))]


def test_categories_have_one_name_whatever_they_are_read_as():
    numbers = Column("float", np.array([1.0, np.nan, 2.5]))
    strings = Column("str", texts=["1", "1.0", None])
    written = Column("str", texts=["1.0", "+2.5", "007", None], written=True)
    bits = Column("bool", np.array([1.0, 0.0]))
    assert column("categorical", numbers, strings, written, bits) == [
        *("1", None, "2.5"),
        *("1", "1.0", None),
        *("1", "2.5", "007", None),
        *("True", "False"),
    ]


def test_numbers_of_strings_are_numbers():
    parts = Column("int", np.array([3.0])), Column("str", texts=["4", " 5.5 ", None, ""])
    assert column("gaussian", *parts) == [3.0, 4.0, 5.5, None, None]
    assert column("poisson", parts[0], parts[0]) == [3, 3]
    assert column("bernoulli", Column("bool", np.array([1.0])), Column("str", texts=["no"])) == [
        1,
        0,
    ]


def test_a_text_that_is_missing_in_all_of_a_part():
    empty = Column("float", np.array([np.nan]))
    assert column("text", Column("str", texts=["a b"]), empty) == ["a b", None]


def test_a_name_that_rows_of_a_part_do_not_have_is_missing():
    frames = [frame_of([{"a": 1.5, "b": 2.5}]), frame_of([{"a": 3.5}])]
    whole = joined(frames, {"a": Kind("gaussian"), "b": Kind("gaussian")})
    assert whole.columns["a"].numbers.tolist() == [1.5, 3.5]
    assert whole.columns["b"].numbers.tolist() == pytest.approx([2.5, np.nan], nan_ok=True)

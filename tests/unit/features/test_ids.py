"""Columns in which nearly every value differs name rows, and are left out."""

import random
import warnings

import pytest

import nabi

ROWS = 200
LABELS = ["a", "b"] * (ROWS // 2)
AGES = [float(i % 37) for i in range(ROWS)]


def learned(values, columns=None):
    """The columns that a model learns from, beside that of ages, and what it warns of."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        model = nabi.TableClassifier(columns=columns).fit({"age": AGES, "it": values}, LABELS)
    return model.columns_.get("it"), [str(each.message) for each in heard]


@pytest.mark.parametrize(
    "values",
    [
        list(range(1, ROWS + 1)),  # serial numbers
        [*range(ROWS - 10), *[0] * 10],  # of which some come again
        [1_700_000_000 + 7919 * i for i in range(ROWS)],  # seconds since 1970
        [2**60 + 5 * i for i in range(ROWS)],  # names, since they are beyond float64
        [f"user-{i:04}" for i in range(ROWS)],
        [f"2024-01-{i % 28 + 1:02}T{i % 24:02}:{i % 60:02}" for i in range(ROWS)],
        [f"{a}na {b}o" for a in "abcdefghij" for b in "klmnopqrstuvwxyzabcd"],  # names of people
    ],
)
def test_a_column_that_names_rows_is_left_out(values):
    model, (said,) = learned(values)
    assert model is None
    assert said.startswith(f"column 'it': {len(set(values))} of 200 values differ, so it is left")


@pytest.mark.parametrize(
    ("values", "model"),
    [
        ([int(random.Random(i).lognormvariate(10, 2)) for i in range(ROWS)], "gaussian"),  # amounts
        ([i + 0.5 for i in range(ROWS)], "gaussian"),
        ([f"town {i % 150}" for i in range(ROWS)], "categorical"),
        ([f"the film of number {i} was good" for i in range(ROWS)], "text"),
        ([f"user-{i:04}" if i < 90 else None for i in range(ROWS)], "categorical"),  # too few
    ],
)
def test_other_columns_are_learned_from(values, model):
    assert learned(values) == (model, [])


def test_a_column_that_is_named_is_used():
    names = [f"user-{i}" for i in range(ROWS)]
    assert learned(names, {"it": "categorical"}) == ("categorical", [])
    _, (said,) = learned(names)
    assert said.endswith("--columns it=categorical (columns={'it': 'categorical'}) uses it")


def test_the_only_column_is_used():
    model = nabi.TableClassifier().fit({"it": [f"user-{i}" for i in range(ROWS)]}, LABELS)
    assert model.columns_ == {"it": "categorical"}


def test_the_columns_that_were_left_out_may_come_again(tmp_path):
    table = {"age": AGES, "it": list(range(ROWS)), "no": AGES}
    with pytest.warns(nabi.DistinctWarning):
        model = nabi.TableClassifier(columns={"no": "ignore"}).fit(table, LABELS)
    model.save(tmp_path / "a.nabi")
    loaded = nabi.load(tmp_path / "a.nabi")
    one = {name: values[:1] for name, values in table.items()}
    assert loaded.partial_fit(one, ["a"]).class_count_.tolist() == [101, 100]
    loaded.forget(one, ["a"]).save(tmp_path / "b.nabi")
    assert (tmp_path / "b.nabi").read_bytes() == (tmp_path / "a.nabi").read_bytes()
    with pytest.raises(nabi.InputError, match="column 'new' was not there when learning began"):
        loaded.partial_fit({**one, "new": [1.5]}, ["a"])
    twice = loaded + model
    assert twice.partial_fit(one, ["a"]).class_count_.tolist() == [201, 200]


@pytest.mark.parametrize("names", [[], "it", [1], ["z", "it"], ["age"], ["it", "it"]])
def test_a_file_that_leaves_out_what_is_no_column(names):
    model = nabi.TableClassifier().fit({"age": AGES}, LABELS)
    header, arrays = model.stored()
    with pytest.raises(nabi.DamagedFileError, match="columns left out that are none"):
        nabi.TableClassifier.from_state({**header, "left_out": names}, arrays)

"""Files of tables with a checksum that fits and content that no nabi wrote: never a crash."""

import random

import numpy as np
import pytest

import nabi
from hostile import LENGTHS, accepted, errors, outcomes, parts, without
from nabi import ModelFileError
from tables import KINDS

ROW = {
    "body": "a b c",
    "city": "rome",
    "floor": 1,
    "height": 1.5,
    "pay": 2.5,
    "tries": 3,
    "wait": 4.5,
    "vip": True,
}
OTHER = {**ROW, "body": None, "city": "oslo", "height": -7.25, "vip": False, "wait": 9.0}
ROWS, LABELS, WEIGHTS = [ROW, OTHER, ROW], ["x", "y", "y"], [1, 0.5, 1]

USES = {
    "predict": lambda model: model.predict([ROW, OTHER]),
    "explain": lambda model: str(model.explain(ROW)),
    "words": lambda model: model.words(column="city"),
    "partial_fit": lambda model: model.partial_fit([OTHER], ["x"]),
    "forget": lambda model: model.forget([ROW], ["x"]),
    "add": lambda model: model + model,
    "relabel": lambda model: model.relabel({"x": "z"}),
    "save": parts,
}


def state():
    return parts(nabi.TableClassifier(KINDS).fit(ROWS, LABELS, sample_weight=WEIGHTS))


def strange(found):
    """The uses that ended otherwise than with an answer or a refusal in our own words."""
    return errors(found, but=nabi.NabiError)


def test_an_honest_table_is_used(path):
    assert errors(outcomes(path, *state(), USES)) == {}


COLUMNS = [
    None,
    [],
    [{}],
    [{"name": "a"}],
    [{"name": "a", "model": "gauss"}],
    [{"name": "a", "model": "ignore"}],
    [{"name": "a", "model": "text"}],
    [{"name": "a", "model": "gaussian", "recipe": {"preset": "words"}}],
    [{"name": "b", "model": "gaussian"}, {"name": "a", "model": "gaussian"}],
    [{"name": "a", "model": "gaussian"}, {"name": "a", "model": "gaussian"}],
    [{"name": "a", "model": "gaussian", "shift": 24}],
    [{"name": 1, "model": "gaussian"}],
]


@pytest.mark.parametrize(
    "change",
    [
        *({"columns": columns} for columns in COLUMNS),
        {"labels": ["x"]},
        {"labels": ["y", "x"]},
        {"labels": ["x", "y", "z"]},
        {"ddof": 2},
        {"ddof": "x"},
        {"ddof": 0.0},
        {"missing": "no"},
        {"var_smoothing": -1.0},
        {"var_smoothing": None},
        {"alpha": "x"},
        {"prior": [0.5]},
        {"ledger": 1},
    ],
    ids=str,
)
def test_a_header_that_no_table_has_is_refused(path, change):
    header, arrays = state()
    assert accepted(outcomes(path, {**header, **change}, arrays, USES)) == {}


@pytest.mark.parametrize("name", ["columns", "labels", "alpha", "ddof", "missing", "prior"])
def test_a_header_that_lacks_something_is_refused(path, name):
    header, arrays = state()
    assert accepted(outcomes(path, without(header, name), arrays, USES)) == {}


@pytest.mark.parametrize("name", state()[1])
def test_an_array_that_lacks_or_is_of_another_type_is_refused(path, name):
    header, arrays = state()
    if name != "ledger_units":
        found = outcomes(path, header, without(arrays, name), USES)
        assert strange(found) == {}
        assert isinstance(found["save"], ModelFileError)
    arrays[name] = arrays[name].astype(np.float64)
    found = outcomes(path, header, arrays, USES)
    assert strange(found) == {}
    assert isinstance(found["save"], ModelFileError)


@pytest.mark.parametrize("name", state()[1])
@pytest.mark.parametrize("change", LENGTHS.values(), ids=LENGTHS)
def test_an_array_that_is_too_short_or_too_long_is_refused(path, name, change):
    header, arrays = state()
    if not len(arrays[name]):
        return
    arrays[name] = change(arrays[name])
    found = outcomes(path, header, arrays, USES)
    assert strange(found) == {}
    assert isinstance(found["save"], ModelFileError)


def test_bins_that_are_no_numbers_are_refused(path):
    header, arrays = state()
    at = sorted(KINDS).index("wait")
    arrays[f"column{at}_words"][0] = ord("x")
    found = outcomes(path, header, arrays, USES)
    assert strange(found) == {}
    assert isinstance(found["predict"], ModelFileError)


@pytest.mark.parametrize("seed", range(30))
def test_numbers_changed_at_random_never_crash(path, seed):
    draw = random.Random(seed)
    header, arrays = state()
    for _ in range(draw.randint(1, 3)):
        array = arrays[draw.choice([name for name, a in arrays.items() if len(a)])]
        most = np.iinfo(array.dtype).max
        array[draw.randrange(len(array))] = draw.choice([0, 1, 2, 255 & most, most])
    assert strange(outcomes(path, header, arrays, USES)) == {}


def zeros(arrays):
    arrays["moments_moment_sums"][:] = 0


def wider(arrays):
    arrays["moments_moment_sum_sizes"][0] += 1
    size = arrays["moments_moment_sum_sizes"][0]
    arrays["moments_moment_sums"] = np.insert(arrays["moments_moment_sums"], size - 1, 0)


@pytest.mark.parametrize("change", [zeros, wider])
def test_sums_in_more_bytes_than_need_be_are_refused(path, change):
    header, arrays = state()
    change(arrays)
    found = outcomes(path, header, arrays, USES)
    assert "in more bytes than need be" in str(found["predict"])

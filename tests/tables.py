"""Random tables for Hypothesis, and plain formulas to compare their models with."""

import math

from hypothesis import strategies as st

import nabi
from strategies import short_texts

KINDS = {
    "body": "text",
    "city": "categorical",
    "floor": "categorical",
    "height": "gaussian",
    "pay": "lognormal",
    "tries": "poisson",
    "wait": "histogram",
    "vip": "bernoulli",
}
sane = st.floats(-1e9, 1e9, allow_nan=False)
wild = st.floats(allow_nan=False, allow_infinity=False)
positive = st.floats(5e-324, 1e308, allow_nan=False)
VALUES = {
    "body": short_texts,
    "city": st.sampled_from(["rome", "Rome", "", "a\\b", "x\x1fy", "\x1e", "한국", "007"]),
    "floor": st.integers(-3, 4),
    "height": st.one_of(sane, wild, st.sampled_from([0.0, -0.0, 1e300, 5e-324, 1e16 + 2])),
    "pay": st.one_of(st.floats(1, 1e6), positive),
    "tries": st.integers(0, 2**40),
    "wait": st.one_of(sane, wild),
    "vip": st.booleans(),
}
row_strategy = st.fixed_dictionaries(
    {name: st.one_of(values, values, st.none()) for name, values in VALUES.items()}
)


@st.composite
def rows(draw, min_size=1, max_size=6, labels=("a", "b", "c")):
    """(rows, labels)"""
    some = draw(st.lists(row_strategy, min_size=min_size, max_size=max_size))
    named = draw(st.lists(st.sampled_from(labels), min_size=len(some), max_size=len(some)))
    return some, named


def blank(**options):
    """A model that has learned nothing."""
    return nabi.TableClassifier(KINDS, **options)


def learned(data, **options):
    """The model that has learned rows and labels."""
    return blank(**options).fit(*data)


def joined(*parts):
    """The rows and labels of several."""
    return [row for part in parts for row in part[0]], [x for part in parts for x in part[1]]


def log_normal_density(x, mean, deviation):
    """log N(x; mean, deviation), by the book."""
    z = (x - mean) / deviation
    return -math.log(deviation) - math.log(2 * math.pi) / 2 - z * z / 2

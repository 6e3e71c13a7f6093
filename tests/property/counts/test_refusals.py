"""What is refused changes nothing: to learn, forget, add or subtract too much or the unknown."""

import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nabi
from hostile import parts
from nabi.files import model_file

KINDS = {"city": "categorical", "size": "gaussian", "vip": "bernoulli", "words": "text"}
texts = st.lists(st.sampled_from(["", "a", "b", "a a b", "c " * 9]), min_size=1, max_size=3)
labels = st.lists(st.sampled_from("xyz"), min_size=3, max_size=3)
weights = st.lists(st.sampled_from([1.0, 2.0**-24, 2.0**20]), min_size=3, max_size=3)
data = st.tuples(texts, labels, weights)
kinds = st.sampled_from(["text", "table"])


def row(text):
    return {"city": text[:1], "size": len(text) or None, "vip": "b" in text, "words": text}


def given_to(kind, texts, labels, weights):
    """The documents, labels and weights for a model of a kind."""
    rows = texts if kind == "text" else list(map(row, texts))
    return rows, labels[: len(texts)], weights[: len(texts)]


def learned(kind, data, ledger):
    model = nabi.TableClassifier(KINDS, ledger=ledger)
    model = nabi.TextClassifier(ledger=ledger) if kind == "text" else model
    return model.fit(*given_to(kind, *data))


def full(model):
    """The sum of so many copies of a model that there is no room for one more."""
    copies = [model]
    with contextlib.suppress(nabi.InputError):
        while True:
            copies.append(copies[-1] + copies[-1])
    whole = copies.pop()
    for part in reversed(copies):
        with contextlib.suppress(nabi.InputError):
            whole = whole + part
    return whole


@settings(max_examples=30)
@given(kinds, data, data, st.booleans(), st.booleans())
@pytest.mark.parametrize("verb", ["learn", "forget", "add", "subtract"])
def test_what_is_refused_changes_nothing(saved, verb, kind, a, b, ledger, is_full):
    model, other = (learned(kind, each, ledger) for each in (a, b))
    model = full(model) if is_full else model
    before = saved(model)
    try:
        if verb in ("add", "subtract"):
            getattr(model.counts, verb)(other.counts)
        else:
            rows, labels, weights = given_to(kind, *b)
            change = model.partial_fit if verb == "learn" else model.forget
            change(rows, labels, sample_weight=weights)
    except nabi.NabiError:
        assert saved(model) == before


def test_a_column_that_is_full_leaves_the_others_alone(saved):
    row = {"city": "rome", "words": "a " * 50}
    model = full(nabi.TableClassifier({"city": "categorical", "words": "text"}).fit([row], ["x"]))
    before = saved(model)
    with pytest.raises(nabi.InputError, match=r"2\*\*40 or more.* nothing was changed"):
        model.partial_fit([row], ["x"])
    assert saved(model) == before
    assert model.partial_fit([{"city": "rome", "words": ""}], ["x"]).class_count_ > 2**34


def test_missing_numbers_do_not_let_the_rows_overflow(saved):
    model = full(nabi.TableClassifier({"size": "gaussian"}).fit([{"size": 1.0}], ["x"]))
    before = saved(model)
    with pytest.raises(nabi.InputError, match=r"2\*\*40 or more.* nothing was changed"):
        model.partial_fit([{"size": None}], ["x"])
    assert saved(model) == before


def test_weights_of_a_batch_stay_below_two_to_the_forty():
    n = 2**20
    model = nabi.TableClassifier({"size": "gaussian"})
    with pytest.raises(nabi.InputError, match=r"the weighted counts come to 2\*\*40 or more"):
        model.fit({"size": [None] * n}, ["x"] * n, sample_weight=[2.0**20] * n)


def test_a_damaged_ledger_is_refused_before_anything_is_added(saved, tmp_path):
    model = nabi.TextClassifier().fit(["a", "b"], ["x", "x"])
    header, arrays = parts(model)
    arrays["ledger_fingerprints"] = arrays["ledger_fingerprints"][::-1].copy()
    model_file.write(tmp_path / "bad.nabi", header, arrays)
    before = saved(model)
    with pytest.raises(nabi.DamagedFileError):
        model.counts.add(nabi.load(tmp_path / "bad.nabi").counts)
    assert saved(model) == before

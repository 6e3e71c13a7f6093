"""The promises for tables: counts of columns add, subtract and forget exactly, and explain."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nabi
from tables import blank, joined, learned, rows

pytestmark = [
    pytest.mark.filterwarnings("ignore::nabi.InputWarning"),
    pytest.mark.filterwarnings("ignore::nabi.ImpossibleWarning"),
]
missing = st.sampled_from(["skip", "evidence"])
ledgers = st.sampled_from([True, "strong"])


# ---- 1. fit(A+B) = fit(A) + fit(B), and fit(A+B) - fit(B) = fit(A) ----


@given(rows(), rows(), ledgers)
def test_models_of_tables_add(saved, a, b, ledger):
    both = learned(a, ledger=ledger) + learned(b, ledger=ledger)
    assert saved(both) == saved(learned(joined(a, b), ledger=ledger))


@given(rows(), rows(), ledgers)
def test_models_of_tables_subtract(saved, a, b, ledger):
    rest = learned(joined(a, b), ledger=ledger) - learned(b, ledger=ledger)
    assert saved(rest) == saved(learned(a, ledger=ledger))


@given(rows(), rows(), st.one_of(st.just(False), ledgers))
def test_forgetting_rows_is_the_opposite_of_learning_them(saved, a, b, ledger):
    rest = learned(joined(a, b), ledger=ledger).forget(*b)
    assert saved(rest) == saved(learned(a, ledger=ledger))


@given(rows(max_size=4), rows(max_size=4), st.lists(st.integers(1, 2**30), min_size=8, max_size=8))
def test_weighted_rows_are_forgotten_exactly(saved, a, b, units):
    weights = [unit / 2**24 for unit in units]
    model = blank().fit(*a, sample_weight=weights[: len(a[0])])
    before = saved(model)
    model.partial_fit(*b, sample_weight=weights[-len(b[0]) :])
    assert saved(model.forget(*b, sample_weight=weights[-len(b[0]) :])) == before


# ---- 2. the file depends only on the multiset of rows ----


@given(rows(), st.integers(0, 2**32), st.integers(1, 6), st.integers(1, 3), ledgers)
def test_order_batches_and_threads_do_not_matter(saved, data, seed, size, threads, ledger):
    pairs = list(zip(*data, strict=True))
    random.Random(seed).shuffle(pairs)
    model = blank(threads=threads, ledger=ledger)
    for start in range(0, len(pairs), size):
        model.partial_fit(*map(list, zip(*pairs[start : start + size], strict=True)))
    assert saved(model) == saved(learned(data, ledger=ledger))


@given(rows(), st.randoms(), ledgers)
def test_the_order_of_the_columns_does_not_matter(saved, data, random, ledger):
    turned = [dict(random.sample([*row.items()], len(row))) for row in data[0]]
    model = learned(data, ledger=ledger)
    assert saved(learned((turned, data[1]), ledger=ledger)) == saved(model)
    model.partial_fit(turned, data[1]).forget(*data)
    assert saved(model) == saved(learned(data, ledger=ledger))


# ---- 3. to forget what was not learned is an error, and changes nothing ----


@given(rows(), rows(max_size=2), ledgers)
def test_to_forget_rows_that_were_not_learned_changes_nothing(saved, a, b, ledger):
    model = learned(a, ledger=ledger)
    before = saved(model)
    known = list(zip(*a, strict=True))
    if all(pair in known for pair in zip(*b, strict=True)):
        return
    with pytest.raises(nabi.NotLearnedError):
        model.forget(*b)
    assert saved(model) == before


@given(rows(), rows(max_size=2))
def test_without_a_ledger_a_refusal_changes_nothing_either(saved, a, b):
    model = learned(a, ledger=False)
    before = saved(model)
    try:
        model.forget(*joined(a, b))
    except nabi.NotLearnedError:
        assert saved(model) == before


# ---- 4. batch = one by one ----


@given(rows(), rows(), missing, st.integers(1, 3))
def test_a_batch_of_rows_is_its_rows_one_by_one(data, asked, missing, threads):
    model = learned(data, missing=missing, threads=threads)
    batch = model.joint_log_likelihood(asked[0])
    single = np.concatenate([model.joint_log_likelihood([row]) for row in asked[0]])
    assert batch.tobytes() == single.tobytes()
    alone = np.concatenate([model.predict([row]) for row in asked[0]])
    assert model.predict(asked[0]).tolist() == alone.tolist()


# ---- 5. the evidence sums to the score ----


@given(rows(), rows(max_size=1), missing, st.sampled_from([0.0, 0.1, 1.0]))
def test_the_evidence_of_columns_sums_to_the_score(data, asked, missing, alpha):
    model = learned(data, missing=missing, alpha=alpha)
    why = model.explain(asked[0][0])
    assert why.label == model.predict(asked[0])[0]
    if np.isfinite(why.score):
        total = why.prior + sum(term.evidence for term in why.terms)
        joint = [why.joint[label] for label in (why.of, why.against) if label is not None]
        apart = joint[0] - joint[1] if len(joint) == 2 else joint[0]
        if len(why.impossible) < len(why.proba):
            assert apart == pytest.approx(why.score, rel=1e-9, abs=1e-9 * max(map(abs, joint)))
        assert total == pytest.approx(why.score, rel=1e-9, abs=1e-9)
    for term in why.terms:
        counted = term.words and missing == "skip" and len(why.impossible) < len(why.proba)
        if counted and np.isfinite(term.evidence):
            inside = sum(word.evidence for word in term.words)
            assert inside == pytest.approx(term.evidence, rel=1e-9, abs=1e-9)


@given(rows(), rows(), missing, st.sampled_from([0.0, 1e-3, 1.0]))
def test_nothing_is_ever_nan(data, asked, missing, alpha):
    model = learned(data, missing=missing, alpha=alpha)
    for ddof in (0, 1):
        model.ddof = ddof
        assert not np.isnan(model.joint_log_likelihood(asked[0])).any()
        assert model.predict_proba(asked[0]).sum(axis=1) == pytest.approx(1)


# ---- 8. save -> load -> save ----


@given(rows())
def test_a_saved_table_model_loads_and_saves_the_same(saved, reloaded, data):
    model = learned(data)
    again = reloaded(model)
    assert saved(again) == saved(model)
    assert again.predict_proba(data[0]).tobytes() == model.predict_proba(data[0]).tobytes()


@given(rows(), st.sampled_from([{"a": "b"}, {"a": None, "c": "d"}, {"b": "z"}]))
def test_relabelling_is_learning_with_other_labels(saved, data, mapping):
    known = {old: new for old, new in mapping.items() if old in data[1]}
    kept = [(row, known.get(x, x)) for row, x in zip(*data, strict=True) if known.get(x, x)]
    if kept:
        wanted = learned(tuple(map(list, zip(*kept, strict=True))))
        assert saved(learned(data).relabel(known)) == saved(wanted)

"""Promise 6 for tables: held-out scores are those of a model trained on the remaining rows."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import nabi
from nabi.judging import crossval
from nabi.scoring.held_out.table import HeldOutRows
from nabi.scoring.held_out.text import fold_numbers
from tables import KINDS, rows

pytestmark = [
    pytest.mark.filterwarnings("ignore::nabi.InputWarning"),
    pytest.mark.filterwarnings("ignore::nabi.ImpossibleWarning"),
]

recipes = st.sampled_from(
    [
        "text",
        nabi.Features(preset="tweets", ngrams=(1, 2)),
        nabi.Features(preset="chars", chars=(1, 2), min_count=2),
    ]
)
options = st.fixed_dictionaries(
    {
        "alpha": st.sampled_from([1e-6, 0.3, 1, 2.5]),
        "var_smoothing": st.sampled_from([0, 1e-9, 0.1]),
        "ddof": st.sampled_from([0, 1]),
        "missing": st.sampled_from(["skip", "evidence"]),
        "prior": st.sampled_from(["empirical", "uniform"]),
        "threads": st.sampled_from([1, 2]),
    }
)
weights = st.sampled_from([1, 2, 0.5, 0.3, 1 / 3, 0, 2**20, 2**-24])
plain = st.fixed_dictionaries(  # few values, which come again: bins, ties, columns of one value
    {
        "body": st.sampled_from(["a b", "a", "b c c", None]),
        "city": st.sampled_from(["rome", "oslo", "", None]),
        "floor": st.sampled_from([1, 2, None]),
        "height": st.sampled_from([1.5, 2.25, 2.3, 1e16, None]),
        "pay": st.sampled_from([1.0, 10.0, 12.5, None]),
        "tries": st.sampled_from([0, 0, 1, 7, None]),
        "wait": st.sampled_from([-1.0, 0.0, 3.0, 3.5, 1e9, None]),
        "vip": st.sampled_from([True, False, None]),
    }
)


@st.composite
def tables(draw):
    """(rows, labels, groups, weights): wild values, or few that come again."""
    table, labels = draw(rows(min_size=2, max_size=9))
    if draw(st.booleans()):
        table = draw(st.lists(plain, min_size=len(labels), max_size=len(labels)))
    n = len(labels)
    groups = draw(st.sampled_from([list(range(n)), [i % 3 for i in range(n)], [0] * (n - 1) + [1]]))
    given = draw(st.none() | st.lists(weights, min_size=n, max_size=n))
    return table, labels, groups, given


def held_out(model, table, labels, groups, weights):
    """The log joint of each row by the model without its group."""
    counts, counted = model.count(table, labels, weights)
    classes = np.array([counts.labels.index(label) for label in labels], np.uint32)
    scores = HeldOutRows(counts, counted, classes, model.weighing())
    numbers = np.array(groups, np.uint32)
    return scores.joint(np.arange(len(labels)), numbers, prior=model.prior, threads=model.threads)[
        0
    ]


def refitted(model, table, labels, groups, weights):
    """The same, by training again for each group."""
    names = sorted(set(labels))
    joint = np.full((len(table), len(names)), -np.inf)
    for group in set(groups):
        kept = [i for i, other in enumerate(groups) if other != group]
        some = None if weights is None else [weights[i] for i in kept]
        again = nabi.TableClassifier(**model.get_params()).fit(
            [table[i] for i in kept], [labels[i] for i in kept], sample_weight=some
        )
        places = [names.index(label) for label in again.classes_.tolist()]
        for i in (i for i, other in enumerate(groups) if other == group):
            joint[i, places] = again.joint_log_likelihood([table[i]])[0]
    return joint


def something_is_left(labels, groups, weights):
    """Whether every class weighs something, and something is left without each group."""
    given = weights or [1] * len(labels)
    alive = {label for label, weight in zip(labels, given, strict=True) if weight}
    left = [sum(w for w, g in zip(given, groups, strict=True) if g != one) for one in set(groups)]
    return alive == set(labels) and all(left)


def check(model, data):
    assume(something_is_left(*data[1:]))
    got, wanted = held_out(model, *data), refitted(model, *data)
    assert np.isneginf(got).tolist() == np.isneginf(wanted).tolist()
    some = np.isfinite(wanted)
    assert got[some] == pytest.approx(wanted[some], rel=1e-9, abs=1e-9)


@given(tables(), options, recipes)
def test_held_out_rows_are_scored_as_by_training_again(data, options, recipe):
    check(nabi.TableClassifier({**KINDS, "body": recipe}, **options), data)


@pytest.mark.parametrize("name", KINDS)
@given(data=tables(), options=options)
def test_each_column_alone(name, data, options):
    table, *rest = data
    columns = [{name: row[name]} for row in table]
    check(nabi.TableClassifier({name: KINDS[name]}, **options), (columns, *rest))


@given(tables(), options)
def test_without_smoothing_a_column_of_numbers_can_be_impossible(data, options):
    names = ["height", "pay", "tries", "wait", "vip"]
    table, *rest = data
    columns = [{name: row[name] for name in names} for row in table]
    kinds = {name: KINDS[name] for name in names}
    check(nabi.TableClassifier(kinds, **options | {"alpha": 0}), (columns, *rest))


@given(tables(), options)
def test_crossval_normalises_the_scores(data, options):
    table, labels, groups, weights = data
    assume(something_is_left(labels, groups, weights))
    model = nabi.TableClassifier(KINDS, **options)
    result = crossval(model, table, labels, groups=groups, sample_weight=weights)
    joint = held_out(model, *data)
    assert np.exp(result.log_proba).sum(axis=1) == pytest.approx(1)
    assert result.predicted.tolist() == joint.argmax(axis=1).tolist()
    assert [result.labels[i] for i in result.actual] == labels


@given(tables(), options, st.integers(2, 4))
def test_folds_are_groups(data, options, folds):
    table, labels, _, weights = data
    gold = np.unique(labels, return_inverse=True)[1].astype(np.uint32)
    assume(folds <= len(labels))
    numbers = fold_numbers(gold, folds, 3)
    assume(something_is_left(labels, numbers.tolist(), weights))
    model = nabi.TableClassifier(KINDS, **options)
    by_fold = crossval(model, table, labels, folds=folds, seed=3, sample_weight=weights)
    grouped = crossval(model, table, labels, groups=numbers, sample_weight=weights)
    assert by_fold.log_proba.tobytes() == grouped.log_proba.tobytes()

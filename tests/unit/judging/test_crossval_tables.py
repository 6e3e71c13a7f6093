"""crossval and suspects of tables: what they take, what they refuse, and edges by hand."""

import math
from fractions import Fraction

import numpy as np
import pytest

import nabi
from nabi.judging import crossval, suspects

SIZES = [1.0, 1.2, 1.1, 3.0, 3.3, 3.1]
KINDS = ["a", "a", "a", "b", "b", "b"]


def proba(table, labels, **options):
    return np.exp(crossval(nabi.TableClassifier(**options), table, labels).log_proba)


def test_a_value_that_only_the_left_out_row_had_is_unknown():
    table = {"x": ["u", "v", "v", "w"]}
    found = proba(table, ["p", "p", "q", "q"], columns={"x": "categorical"}, prior="uniform")
    assert found[0].tolist() == [0.5, 0.5]
    # Without row 1, p has seen u, q has seen v and w: k = 3.
    likelihoods = [Fraction(1, 4), Fraction(2, 5)]
    assert found[1] == pytest.approx([float(x / sum(likelihoods)) for x in likelihoods])


def test_a_class_of_one_row_is_gone_with_it():
    result = crossval(nabi.TableClassifier(), {"x": [1.0, 2.5, 2.7]}, ["p", "q", "q"])
    assert np.isneginf(result.log_proba[0]).tolist() == [True, False]
    assert result.log_loss == math.inf


def test_a_column_that_is_left_with_one_value_says_nothing():
    table = {"x": [5.5, 1.0, 1.0, 1.0, 1.0]}
    found = proba(table, ["p", "p", "p", "q", "q"], columns={"x": "gaussian"})
    assert found[0] == pytest.approx([0.5, 0.5])


def test_labels_can_be_a_column():
    table = {"size": SIZES, "kind": KINDS}
    result = crossval(nabi.TableClassifier(), table, "kind")
    assert (result.labels, result.accuracy) == (["a", "b"], 1.0)
    assert crossval(nabi.TableClassifier(), {"size": SIZES}, KINDS).accuracy == 1.0


def test_folds_and_groups():
    for options in ({"folds": 3}, {"groups": [0, 1, 2, 0, 1, 2]}):
        assert crossval(nabi.TableClassifier(), {"size": SIZES}, KINDS, **options).accuracy == 1.0


def test_many_rows_are_scored_some_at_a_time(monkeypatch):
    table, labels = {"size": SIZES * 9, "n": [*range(54)]}, KINDS * 9
    groups = [i // 2 for i in range(54)]
    whole = crossval(nabi.TableClassifier({"n": "histogram"}), table, labels, groups=groups)
    monkeypatch.setattr("nabi.models.table.ROWS", 4)
    monkeypatch.setattr("nabi.scoring.held_out.values.HELD", 100)
    pieces = crossval(nabi.TableClassifier({"n": "histogram"}), table, labels, groups=groups)
    assert pieces.log_proba.tobytes() == whole.log_proba.tobytes()


def test_the_model_itself_does_not_change():
    model = nabi.TableClassifier().fit({"x": [1.5, 2.5]}, ["a", "b"])
    crossval(model, {"size": SIZES}, KINDS)
    assert list(model.columns_) == ["x"]


def test_where_every_class_is_impossible_the_prior_speaks():
    table = {"n": [7, 0, 0, 0]}
    model = nabi.TableClassifier({"n": "poisson"}, alpha=0)
    with pytest.warns(nabi.ImpossibleWarning, match="have probability 0 in every class"):
        result = crossval(model, table | {"ok": [True, True, False, True]}, list("ppqq"))
    assert not np.isnan(result.log_proba).any()


def test_what_has_no_closed_form():
    with pytest.raises(nabi.InputError, match="column 'x': alpha=0 makes new words impossible"):
        crossval(nabi.TableClassifier(alpha=0), {"x": ["u", "v", "u"]}, ["p", "q", "p"])
    model = nabi.TableClassifier({"x": nabi.Features(stop_words=1)})
    with pytest.raises(nabi.InputError, match="column 'x': stop_words=1 is a view"):
        crossval(model, {"x": ["u v", "v", "u"]}, ["p", "q", "p"])


def test_where_nothing_is_left_to_learn_from():
    with pytest.raises(nabi.InputError, match="nothing is left to learn from"):
        crossval(nabi.TableClassifier(), {"x": [1.5]}, ["a"])
    with pytest.raises(nabi.InputError, match="every sample_weight of class 'b' is 0"):
        crossval(nabi.TableClassifier(), {"x": [1.5, 2.5]}, ["a", "b"], sample_weight=[1, 0])
    model = nabi.TableClassifier(prior={"a": 0, "b": 1})
    with pytest.raises(nabi.InputError, match="is 0 for all classes that are left"):
        crossval(model, {"x": [1.5, 2.5, 3.5]}, ["a", "a", "b"])


def test_a_wrong_label_in_a_table_is_suspected():
    found = suspects(nabi.TableClassifier(), {"size": [*SIZES, 3.2, 1.15]}, [*KINDS, "b", "b"])
    assert (found[0].at, found[0].label, found[0].rather) == (7, "b", "a")

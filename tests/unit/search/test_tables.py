"""The best model of a table: event models of columns, which columns, alpha."""

import numpy as np
import pytest

import nabi
from nabi import TableClassifier
from nabi.features.columns import Kind
from nabi.features.frame import frame_of
from nabi.judging import crossval
from nabi.search.tables import alternatives, trials


def people(n=300, seed=0):
    """Smiths are 20 or 60, clerks about 40; the noise has a spread of its own in each class."""
    draw = np.random.default_rng(seed)
    smith = draw.random(n) < 0.5
    age = np.where(smith, draw.choice([20, 60], n), draw.integers(36, 45, n))
    spread = draw.normal(0, 1, n) ** 3
    return {"age": age, "noise": spread, "job": np.where(smith, "smith", "clerk")}


def test_the_event_model_that_fits_is_found():
    model = TableClassifier.tune(people(), "job", budget=20)
    assert model.columns_["age"] != "gaussian"
    assert model.trials_[0].accuracy == 1.0
    assert model.is_calibrated
    assert model.predict([{"age": 60}, {"age": 41}]).tolist() == ["smith", "clerk"]


def test_a_column_that_does_harm_is_left_out():
    draw = np.random.default_rng(0)
    good = draw.normal(0, 1, 200)
    table = {"good": good} | {f"copy{i}": draw.normal(0, 1, 200) ** 5 for i in range(4)}
    model = nabi.best(table, np.where(good > 0, "yes", "no"), budget=20)
    assert "good" in model.columns_
    assert len(model.columns_) < 5


def test_columns_that_are_given_stay_as_they_are():
    found = trials(people(), "job", columns={"noise": "histogram", "age": "ignore"}, budget=20)
    assert len(found) > 1
    assert {trial.params["columns"]["noise"] for trial in found} == {"histogram"}
    assert {trial.params["columns"]["age"] for trial in found} == {"ignore"}
    model = nabi.best(people(), "job", columns={"age": "gaussian"}, budget=5)
    assert model.columns_["age"] == "gaussian"
    with pytest.raises(nabi.InputError, match="columns is for tables, and these are texts"):
        nabi.best(["a", "b"], ["x", "y"], columns={"age": "gaussian"})


def test_the_figures_are_those_of_cross_validation():
    table = people(60)
    first = trials(table, "job", budget=20)[0]
    model = TableClassifier(**{n: v for n, v in first.params.items() if n != "model"})
    rows = {name: column for name, column in table.items() if name != "job"}
    keys = np.arange(60)  # all rows differ
    result = crossval(model, rows, table["job"], groups=folds_of(rows, table["job"])[keys])
    assert first.outcome.predicted.tolist() == result.predicted.tolist()


def folds_of(rows, labels):
    from nabi.search.all_kinds import text_folds

    _, counted = TableClassifier().count(rows, labels)
    return text_folds(counted.fingerprints, counted.classes, 10)


@pytest.mark.parametrize(
    ("values", "kinds"),
    [
        ([1.5, 2.5, 3.5, 0.5], ["histogram", "lognormal"]),
        ([-1.5, 2.5, 3.5, 0.5], ["histogram"]),
        ([1, 2, 3, 40], ["histogram", "lognormal", "poisson"]),
        ([1, 2, 1, 2], ["histogram", "lognormal", "poisson", "categorical"]),
        ([True, False, True, True], []),
    ],
)
def test_other_kinds_of_a_column_fit_its_values(values, kinds):
    column = frame_of({"x": values}).columns["x"]
    assert [kind.model for kind in alternatives(column, Kind("gaussian"))] == kinds


def test_strings_are_names_or_texts():
    column = frame_of({"x": ["a b", "a b", "c d", "c d"]}).columns["x"]
    found = alternatives(column, Kind("categorical"))
    assert [kind.model for kind in found] == ["text", "text", "text"]
    assert found[1].features.ngrams == (1, 2)


def test_a_large_table_is_sampled_by_the_seed(monkeypatch):
    monkeypatch.setattr("nabi.search.tables.ROWS", 500)
    found = [trials(people(2000), "job", seed=seed, budget=20)[0] for seed in (1, 1)]
    assert found[0].texts == 500
    assert found[0].log_loss == found[1].log_loss


def test_with_no_time_the_inferred_columns_are_taken():
    found = trials(people(), "job", budget=1e-9)
    assert [trial.params["columns"] for trial in found] == [
        {"age": "gaussian", "noise": "gaussian"}
    ]


@pytest.mark.parametrize("metric", ["macro_f1", "balanced"])
def test_uneven_classes_may_be_weighted(metric):
    draw = np.random.default_rng(0)
    rare = draw.random(400) < 0.1
    table = {"x": draw.normal(0, 1, 400) + rare}
    found = trials(table, np.where(rare, "rare", "usual"), metric=metric, budget=20)
    assert found[0].params["prior"] == "uniform"


def test_too_few_rows():
    with pytest.raises(nabi.InputError, match="expected three rows of two classes"):
        nabi.best({"x": [1, 2], "y": ["a", "b"]}, "y")


def uneven(n, seed):
    """A tenth of the rows is rare, which columns tell that depend on each other."""
    draw = np.random.default_rng(seed)
    rare = draw.random(n) < 0.1
    common = draw.normal(size=n)
    table = {f"x{i}": common + draw.normal(size=n) + 0.7 * rare * (i % 2) for i in range(4)}
    table |= {"income": np.exp(draw.normal(size=n) + rare), "number": draw.poisson(1 + 2 * rare)}
    return table, np.where(rare, "rare", "common")


@pytest.mark.parametrize("metric", ["macro_f1", "balanced"])
def test_it_goes_on_until_no_change_makes_it_better(metric):
    table, labels = uneven(1000, seed=0)
    found = trials(table, labels, metric=metric, budget=60)
    params = found[0].params
    for name, event in params["columns"].items():
        for other in ("gaussian", "histogram", "ignore"):
            changed = {**params, "columns": {**params["columns"], name: other}}
            assert event == other or any(trial.params == changed for trial in found)


def test_a_prior_that_finds_the_rare_class_is_tried_first():
    table, labels = uneven(1000, seed=0)
    seen = []
    trials(table, labels, metric="balanced", budget=60, watch=lambda trial, *_: seen.append(trial))
    assert [trial.params["prior"] for trial in seen[:3]] == ["empirical", "uniform", "uniform"]
    assert seen[1].balanced > seen[0].balanced + 0.05


def test_a_class_of_two_rows_does_not_spoil_the_log_loss_of_all():
    table, labels = people(200), people(200)["job"].copy()
    labels[:2] = "king"
    del table["job"]
    assert trials(table, labels, budget=20)[0].log_loss < 0.8

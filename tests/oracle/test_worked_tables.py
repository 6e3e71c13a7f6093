"""The worked examples on numbers, and models of real tables beside scikit-learn's."""

import numpy as np
import pandas
import pytest
from sklearn import datasets, naive_bayes
from sklearn.model_selection import LeaveOneOut, cross_val_predict, train_test_split

import nabi
from nabi.judging import crossval

MEASURES = {
    "height": [6, 5.92, 5.58, 5.92, 5, 5.5, 5.42, 5.75],
    "weight": [180, 190, 170, 165, 100, 150, 130, 150],
    "foot": [12, 11, 12, 10, 6, 8, 7, 9],
}
SEX = ["male"] * 4 + ["female"] * 4
SAMPLE = {"height": 6, "weight": 130, "foot": 8}
REAL = dict.fromkeys(MEASURES, "gaussian")


@pytest.mark.parametrize(
    ("ddof", "female", "male"), [(1, 5.37791e-4, 6.19707e-9), (0, 4.50553e-4, 6.95783e-11)]
)
def test_sex_from_body_measures(ddof, female, male):
    model = nabi.TableClassifier(REAL, ddof=ddof, var_smoothing=0).fit(MEASURES, SEX)
    assert np.exp(model.joint_log_likelihood([SAMPLE])[0]) == pytest.approx(
        [female, male], rel=1e-5
    )
    assert model.predict([SAMPLE]).tolist() == ["female"]


def test_the_densities_of_each_measure():
    model = nabi.TableClassifier(REAL, ddof=1, var_smoothing=0).fit(MEASURES, SEX)
    terms = {term.column: term.weights for term in model.explain(SAMPLE).terms}
    densities = {name: np.exp([w["male"], w["female"]]) for name, w in terms.items()}
    assert densities["height"] == pytest.approx([1.57888, 2.23459e-1], rel=1e-5)
    assert densities["weight"] == pytest.approx([5.98674e-6, 1.67893e-2], rel=1e-5)
    assert densities["foot"] == pytest.approx([1.31122e-3, 2.86691e-1], rel=1e-5)


def test_in_an_army_camp_the_decision_turns():
    model = nabi.TableClassifier(REAL, ddof=1).fit(MEASURES, SEX)
    camp = {"male": 1 - 1e-6, "female": 1e-6}
    assert model.predict([SAMPLE], prior=camp).tolist() == ["male"]


def test_two_blobs_are_told_apart():
    X, y = datasets.make_blobs(
        n_samples=200, centers=2, n_features=2, random_state=0, cluster_std=0.4
    )
    model = nabi.TableClassifier().fit(X[:150], y[:150])
    assert model.score(X[150:], y[150:]) == 1.0


@pytest.mark.parametrize("name", ["wine", "breast_cancer", "iris", "digits"])
def test_on_complete_numbers_it_is_gaussian_naive_bayes(name):
    data = getattr(datasets, f"load_{name}")(as_frame=True)
    train, test, y, truth = train_test_split(data.data, data.target, random_state=0)
    theirs = naive_bayes.GaussianNB().fit(train, y)
    ours = nabi.TableClassifier(dict.fromkeys(train.columns, "gaussian")).fit(train, y)
    if name != "digits":
        assert set(nabi.TableClassifier().fit(train, y).columns_.values()) == {"gaussian"}
    assert ours.predict(test).tolist() == theirs.predict(test).tolist()
    ours_proba, theirs_proba = ours.predict_proba(test), theirs.predict_proba(test)
    assert ours_proba == pytest.approx(theirs_proba, rel=1e-6, abs=1e-9)
    assert ours.score(test, truth) > {"digits": 0.8}.get(name, 0.9)


@pytest.mark.parametrize("name", ["wine", "breast_cancer", "iris"])
def test_leave_one_out_is_what_scikit_learn_finds_by_training_again(name):
    X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    model = nabi.TableClassifier({f"x{i}": "gaussian" for i in range(X.shape[1])})
    ours = crossval(model, X, y)
    theirs = cross_val_predict(
        naive_bayes.GaussianNB(), X, y, cv=LeaveOneOut(), method="predict_proba"
    )
    assert ours.predicted.tolist() == theirs.argmax(axis=1).tolist()
    assert np.exp(ours.log_proba) == pytest.approx(theirs, rel=1e-6, abs=1e-9)


def mixed(n, seed):
    """People of two jobs, told by text, numbers, categories and booleans, a fifth missing."""
    draw = np.random.default_rng(seed)
    job = draw.choice(["driver", "teacher"], n)
    teaches = job == "teacher"
    words = np.where(teaches, "teach maths school children", "drive lorry road night").tolist()
    common = ["I", "my", "the", "work", "life", "day"]
    about = [" ".join([*draw.choice(each.split(), 1), *draw.choice(common, 5)]) for each in words]
    table = {
        "age": draw.normal(np.where(teaches, 38, 44), 9),
        "pay": np.exp(draw.normal(np.where(teaches, 7.9, 7.6), 0.4)),
        "trips": draw.poisson(np.where(teaches, 1.0, 3.0)),
        "city": np.where(draw.random(n) < np.where(teaches, 0.7, 0.4), "Paris", "Rome"),
        "vip": draw.random(n) < np.where(teaches, 0.3, 0.5),
        "about": np.array(about, object),
    }
    frame = pandas.DataFrame(table).astype({"trips": "Int64", "vip": "boolean"})
    return frame.mask(draw.random(frame.shape) < 0.2), job


def test_a_mixed_table_with_a_fifth_missing():
    (train, y), (test, truth) = mixed(2000, 0), mixed(1000, 1)
    kinds = {"pay": "lognormal", "trips": "poisson"}
    model = nabi.TableClassifier(kinds).fit(train, y)
    assert model.columns_ == {
        "about": "text",
        "age": "gaussian",
        "city": "categorical",
        "pay": "lognormal",
        "trips": "poisson",
        "vip": "bernoulli",
    }
    alone = {
        name: nabi.TableClassifier({name: kind}).fit(train[[name]], y).score(test[[name]], truth)
        for name, kind in model.columns_.items()
    }
    assert model.score(test, truth) > max(alone.values()) + 0.02
    why = model.explain(test.iloc[:1])
    assert sum(term.evidence for term in why.terms) + why.prior == pytest.approx(why.score)


@pytest.mark.parametrize("missing", ["skip", "evidence"])
def test_a_mixed_table_is_cross_validated_as_by_training_again(missing):
    frame, jobs = mixed(120, 0)
    kinds = {"pay": "lognormal", "trips": "poisson", "age": "histogram"}
    model = nabi.TableClassifier(kinds, missing=missing).fit(frame, jobs)
    got = crossval(model, frame, jobs).log_proba
    again = nabi.TableClassifier({**model.columns_}, missing=missing)
    for i in range(0, 120, 7):
        again.fit(frame.drop(index=i), np.delete(jobs, i))
        assert got[i] == pytest.approx(again.predict_log_proba(frame[i : i + 1])[0], rel=1e-9)

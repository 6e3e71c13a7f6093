"""scikit-learn's tools take a TextClassifier as one of their own."""

import copy
import io
import pickle

import joblib
import numpy as np
import pytest
from sklearn.base import clone, is_classifier
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import VotingClassifier
from sklearn.exceptions import NotFittedError as SklearnNotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.validation import check_is_fitted

from nabi import Features, InputError, NotFittedError, TableClassifier, TextClassifier

TEXTS = ["good film", "great fun", "nice good", "bad film", "awful bore", "sad bad"] * 4
LABELS = ["pos", "pos", "pos", "neg", "neg", "neg"] * 4


def shout(texts):
    return [text.upper() for text in texts]


@pytest.fixture
def model():
    return TextClassifier(ngrams=(1, 2), alpha=0.5).fit(TEXTS, LABELS)


# Parameters


def test_parameters_are_kept_as_they_were_given():
    words = ["the", "a"]
    params = TextClassifier("tweets", stop_words=words, prior={"a": 1.0}).get_params()
    assert params["stop_words"] is words
    assert (params["features"], params["prior"], params["alpha"]) == ("tweets", {"a": 1.0}, "auto")


def test_set_params_changes_what_it_names():
    model = TextClassifier()
    assert model.set_params(alpha=0.5, ngrams=(1, 2)) is model
    assert (model.alpha, model.ngrams, model.event) == (0.5, (1, 2), "multinomial")


def test_set_params_refuses_what_is_not_there_and_changes_nothing():
    model = TextClassifier()
    with pytest.raises(
        InputError, match="TextClassifier has no parameter 'smoothing'; it has features"
    ):
        model.set_params(alpha=0.5, smoothing=1)
    assert model.alpha == "auto"


def test_the_constructor_checks_nothing():
    assert TextClassifier(alpha="x", features=None, ngrams=0).alpha == "x"


def test_repr_is_the_call_that_makes_it():
    assert repr(TextClassifier()) == "TextClassifier()"
    model = TextClassifier("chars", alpha=0.5, stop_words=["a"])
    assert repr(model) == "TextClassifier(features='chars', stop_words=['a'], alpha=0.5)"
    assert repr(eval(repr(model))) == repr(model)


# Copies


@pytest.mark.parametrize(
    "options", [{}, {"ngrams": (1, 2), "alpha": 0.5}, {"prior": {"pos": 0.5, "neg": 0.5}}]
)
def test_a_clone_has_the_parameters_and_nothing_learned(options):
    twin = clone(TextClassifier(**options).fit(TEXTS, LABELS))
    assert twin.get_params() == TextClassifier(**options).get_params()
    with pytest.raises(NotFittedError):
        twin.predict(["good"])


@pytest.mark.parametrize(
    "copied", [clone, copy.deepcopy, lambda model: pickle.loads(pickle.dumps(model))]
)
def test_a_model_with_a_whole_recipe_can_be_copied(copied):
    recipe = Features(ngrams=(1, 2))
    model = TextClassifier(recipe).fit(TEXTS, LABELS)
    model.predict(["good"])
    assert copied(model).features == recipe


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_a_pickle_comes_back(model, saved, protocol):
    twin = pickle.loads(pickle.dumps(model, protocol))
    assert saved(twin) == saved(model)
    assert twin.get_params() == model.get_params()


def test_an_unfitted_model_can_be_pickled():
    twin = pickle.loads(pickle.dumps(TextClassifier(alpha=0.5)))
    assert twin.alpha == 0.5
    with pytest.raises(NotFittedError):
        twin.predict(["good"])


def test_a_loaded_model_can_be_pickled(model, reloaded, saved):
    loaded = reloaded(model)
    loaded.predict(["good"])
    assert saved(pickle.loads(pickle.dumps(loaded))) == saved(model)


@pytest.mark.parametrize("copied", [copy.deepcopy, copy.copy])
def test_a_copy_learns_on_its_own(model, saved, copied):
    before = saved(model)
    twin = copied(model)
    assert saved(twin) == before
    twin.partial_fit(["new"], ["other"])
    assert saved(model) == before


def test_joblib_keeps_a_model(model, saved):
    file = io.BytesIO()
    joblib.dump(model, file)
    file.seek(0)
    assert saved(joblib.load(file)) == saved(model)


# Is it fitted, is it a classifier


def test_it_is_a_classifier():
    assert is_classifier(TextClassifier())


def test_check_is_fitted_knows(model):
    check_is_fitted(model)
    with pytest.raises(SklearnNotFittedError):
        check_is_fitted(TextClassifier())


def test_check_is_fitted_knows_what_was_forgotten():
    model = TextClassifier().fit(["a"], ["x"]).forget(["a"], ["x"])
    with pytest.raises(SklearnNotFittedError):
        check_is_fitted(model)


def test_not_fitted_is_the_error_that_scikit_learn_users_catch():
    for kind in (ValueError, AttributeError, NotFittedError):
        with pytest.raises(kind, match="call fit"):
            TextClassifier().predict(["good"])
    assert not hasattr(TextClassifier(), "classes_")


def test_fit_and_partial_fit_give_the_model_itself(model):
    assert model.fit(TEXTS, LABELS) is model
    assert model.partial_fit(["more"], ["pos"]) is model
    assert model.forget(["more"], ["pos"]) is model


# Model selection


@pytest.mark.parametrize("scoring", [None, "f1_macro", "roc_auc", "neg_log_loss"])
def test_cross_validation(scoring):
    scores = cross_val_score(TextClassifier(), TEXTS, LABELS, cv=3, scoring=scoring)
    assert scores.shape == (3,)
    assert (scores > (0.9 if scoring != "neg_log_loss" else -0.5)).all()


def test_cross_validation_with_numpy_pandas_and_weights():
    pandas = pytest.importorskip("pandas")
    weights = np.ones(len(TEXTS))
    for texts in (np.array(TEXTS), pandas.Series(TEXTS)):
        result = cross_validate(
            TextClassifier(), texts, LABELS, cv=2, params={"sample_weight": weights}
        )
        assert result["test_score"].tolist() == [1.0, 1.0]


def test_predictions_in_cross_validation():
    proba = cross_val_predict(TextClassifier(), TEXTS, LABELS, cv=3, method="predict_proba")
    assert proba.shape == (24, 2)
    assert proba.sum(axis=1) == pytest.approx(np.ones(24))


def test_a_grid_over_alpha_event_and_ngrams():
    grid = {
        "alpha": [0.1, 1],
        "event": ["multinomial", "bernoulli", "complement"],
        "ngrams": [(1, 1), (1, 2)],
    }
    search = GridSearchCV(TextClassifier(), grid, cv=2).fit(TEXTS, LABELS)
    assert search.best_score_ == 1.0
    assert search.predict(["good", "awful"]).tolist() == ["pos", "neg"]
    assert len(search.cv_results_["params"]) == 12


def test_a_grid_over_whole_recipes():
    grid = {"features": [Features(), Features(preset="chars")]}
    search = GridSearchCV(TextClassifier(), grid, cv=2).fit(TEXTS, LABELS)
    assert search.best_params_ == {"features": Features()}


def test_a_grid_of_numpy_numbers():
    grid = {"alpha": np.logspace(-2, 0, 2), "min_count": np.arange(1, 3)}
    search = GridSearchCV(TextClassifier(), grid, cv=2).fit(TEXTS, LABELS)
    assert search.best_score_ == 1.0


def test_two_processes_give_what_one_gives(model):
    work = [joblib.delayed(model.predict_proba)([text]) for text in TEXTS[:4]]
    rows = joblib.Parallel(n_jobs=2)(work)
    assert [row[0].tolist() for row in rows] == model.predict_proba(TEXTS[:4]).tolist()


# Joined with others


def test_it_ends_a_pipeline():
    pipeline = make_pipeline(FunctionTransformer(shout), TextClassifier(lowercase=False))
    pipeline.set_params(textclassifier__alpha=0.5).fit(TEXTS, LABELS)
    assert pipeline.predict(["good", "bad"]).tolist() == ["pos", "neg"]
    assert pipeline.score(TEXTS, LABELS) == 1.0
    assert pipeline.classes_.tolist() == ["neg", "pos"]
    assert [row.word for row in pipeline[-1].words(1, label="pos")] == ["GOOD"]


def test_it_votes():
    voters = [("words", TextClassifier()), ("chars", TextClassifier("chars"))]
    vote = VotingClassifier(voters, voting="soft").fit(TEXTS, LABELS)
    assert vote.predict(["good", "awful"]).tolist() == ["pos", "neg"]


def test_it_can_be_calibrated():
    calibrated = CalibratedClassifierCV(TextClassifier(), cv=2).fit(TEXTS, LABELS)
    assert calibrated.predict(["good", "awful"]).tolist() == ["pos", "neg"]


def test_a_table_tells_the_names_of_its_columns():
    model = TableClassifier()
    assert not hasattr(model, "feature_names_in_")
    model.fit({"size": [1.5, 2.5], "age": [3.5, 4.5]}, ["a", "b"])
    assert model.feature_names_in_.tolist() == ["age", "size"]
    assert model.n_features_in_ == 2

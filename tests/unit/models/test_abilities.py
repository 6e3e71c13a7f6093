"""Every kind of model has one base: it has the methods of what it can do, and no others."""

import copy
import inspect
import pickle

import pytest
from sklearn.base import clone

from nabi import (
    Features,
    InputError,
    LinearClassifier,
    NeighboursClassifier,
    PrunedClassifier,
    TableClassifier,
    TextClassifier,
)
from nabi.models.base import ABILITIES, require
from nabi.models.recipe import RecipeParameters, recipe_parameters
from nabi.rules import RuledClassifier, RulesClassifier, RuleSet

TEXTS = ["good film", "bad film", "so good", "so bad"]
LABELS = ["+", "-", "+", "-"]
RULES = RuleSet.parse('"good" -> "+"', default="-")
TEXT = TextClassifier().fit(TEXTS, LABELS)
MODELS = {
    "nb": TEXT,
    "table": TableClassifier().fit({"size": [1.0, 2.0, 3.0, 4.0]}, LABELS),
    "nbsvm": LinearClassifier().fit(TEXTS, LABELS),
    "neighbours": NeighboursClassifier().fit(TEXTS, LABELS),
    "pruned": PrunedClassifier.of(TEXT),
    "rules": RulesClassifier(RULES),
    "ruled": RuledClassifier(TEXT, RULES),
}
CAN = {
    "nb": set(ABILITIES),
    "table": set(ABILITIES),
    "nbsvm": {"words"},
    "neighbours": set(),
    "pruned": {"words"},
    "rules": set(),
    "ruled": {"partial_fit", "forget", "learned"},
}


@pytest.mark.parametrize("name", MODELS)
def test_a_model_has_the_methods_of_what_it_can_do(name):
    model = MODELS[name]
    assert {method for method in ABILITIES if hasattr(model, method)} == CAN[name]
    for method in set(ABILITIES) - CAN[name]:
        with pytest.raises(InputError, match=f"a model of kind {name} cannot {ABILITIES[method]}"):
            require(model, method)


def test_rules_beside_a_model_that_cannot_learn_say_so():
    both = RuledClassifier(MODELS["nbsvm"], RULES)
    with pytest.raises(InputError, match="a model of kind nbsvm cannot learn more texts: train"):
        both.partial_fit(TEXTS, LABELS)
    with pytest.raises(InputError, match="a model of kind nbsvm cannot forget texts: train it"):
        both.forget(TEXTS, LABELS)


@pytest.mark.parametrize("name", MODELS)
def test_copies_have_parameters_and_answers_of_their_own(name):
    model = MODELS[name]
    documents = [{"size": 2.0}] if name == "table" else ["so good"]
    for twin in (copy.copy(model), copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert type(twin) is type(model)
        assert twin.predict_proba(documents).tolist() == model.predict_proba(documents).tolist()
        assert twin.exclusive() is not model.exclusive()
    if name not in ("rules", "ruled"):
        assert clone(model).get_params() == model.get_params()


def test_the_options_of_a_recipe_are_those_of_features():
    known = list(inspect.signature(Features).parameters)
    assert ["preset", *recipe_parameters()] == known
    assert recipe_parameters() == recipe_parameters(RecipeParameters)
    for model in (LinearClassifier, NeighboursClassifier):
        assert [*recipe_parameters(model)] == [n for n in known[1:] if n not in ("keep", "keep_by")]
    assert Features(**recipe_parameters()) == Features() == TextClassifier().recipe


def test_the_parameters_of_a_model_stand_in_their_order():
    recipe = list(recipe_parameters(LinearClassifier))
    own = ["C", "alpha", "beta", "class_weight", "unit_length", "sharpness", "threads"]
    assert list(LinearClassifier().get_params()) == ["model", "features", *recipe, *own]
    assert LinearClassifier("svm", "chars").get_params()["features"] == "chars"
    with pytest.raises(TypeError):
        TextClassifier("words", (1, 2))


class Loud(TextClassifier):
    """A subclass with a parameter of its own."""

    def __init__(self, *, volume=1, **options):
        super().__init__(**options)
        self.volume = volume

    def get_params(self, deep=True):
        return {"volume": self.volume, **TextClassifier.get_params(self)}

    @classmethod
    def _param_names(cls):
        return list(inspect.signature(TextClassifier).parameters)


def test_a_subclass_may_have_parameters_of_its_own():
    model = Loud(volume=3, ngrams=(1, 2)).fit(TEXTS, LABELS)
    assert (model + model).volume == 3
    assert model.recipe.ngrams == (1, 2)
    assert pickle.loads(pickle.dumps(model)).volume == 3

"""Hyperparameters that enter the race: recipes, event models, least counts, costs."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from nabi.features.recipe import Features
from nabi.models.linear.classifier import LinearClassifier
from nabi.models.table import TableClassifier
from nabi.models.text import TextClassifier

Params = Mapping[str, Any]
# Those that were the best of some set come first (docs/quality.md), quick ones before others.
COUNTING_RECIPES: tuple[Params, ...] = (
    {"features": "words"},
    {"features": "words", "ngrams": (1, 2)},
    {"features": "words", "ngrams": (1, 2), "negation": True},
    {"features": "tweets", "ngrams": (1, 2)},
    {"features": "sklearn", "ngrams": (1, 2)},
    {"features": "words", "ngrams": (1, 3)},
    {"features": "words", "ngrams": (1, 2), "chars": (2, 4)},
    {"features": "chars", "chars": (2, 4)},
    {"features": "words", "ngrams": (1, 2), "chars": (3, 5)},
    {"features": "chars", "chars": (2, 5)},
    {"features": "sklearn"},
)
# Those that count each word as often as it comes first, then those that count it once.
EVENTS: tuple[Params, ...] = (
    {"event": "multinomial"},
    {"event": "complement"},
    {"event": "binary"},
    {"event": "complement", "binary": True},
)
BERNOULLI: Params = {"event": "bernoulli"}  # with the first recipe alone
UNIFORM: Params = {"prior": "uniform"}  # for uneven classes; not with complement, which has none
MIN_COUNTS: tuple[Params, ...] = ({}, {"min_count": 2})

# Those that differ most come first: of large texts in many classes not all can be tried.
LINEAR_RECIPES: tuple[Params, ...] = (
    {"features": "words", "ngrams": (1, 2)},
    {"features": "words", "ngrams": (1, 2), "chars": (2, 5)},
    {"features": "words", "ngrams": (1, 2), "binary": False},
    {"features": "words", "ngrams": (1, 2), "chars": (2, 5), "binary": False},
    {"features": "sklearn", "ngrams": (1, 2), "binary": False},
    {"features": "words", "ngrams": (1, 3), "min_count": 2},
    {"features": "chars", "chars": (2, 5)},
    {"features": "chars", "chars": (2, 5), "binary": False},
)
FITS: tuple[Params, ...] = (
    {"model": "nbsvm", "C": 1.0},
    {"model": "svm", "C": 1.0},
    {"model": "nbsvm", "C": 3.0},
    {"model": "svm", "C": 3.0},
    {"model": "nbsvm", "C": 0.01, "unit_length": False},
    {"model": "nbsvm", "C": 0.3},
    {"model": "svm", "C": 0.3},
    {"model": "nblr", "C": 0.1, "unit_length": False},
    {"model": "logistic", "C": 30.0},
)


# For uneven classes, where a small one counts as much as a large one.
WEIGHTED_FITS: tuple[Params, ...] = (
    {"model": "svm", "C": 1.0, "class_weight": "balanced"},
    FITS[0],
    {"model": "nbsvm", "C": 1.0, "class_weight": "balanced"},
    *FITS[1:],
)


@dataclass(frozen=True, eq=False)
class Setting:
    """Hyperparameters of one model in the race; equal to no other setting."""

    params: Params
    fit: int = -1  # index among the ways to fit; -1 of a counting model

    @property
    def is_linear(self) -> bool:
        """Whether weights are fitted, and not derived from the counts."""
        return self.fit >= 0

    @property
    def model(self) -> TextClassifier | LinearClassifier:
        """The model, not fitted yet."""
        model: TextClassifier | LinearClassifier = model_of(self.params)
        return model

    @cached_property
    def recipe(self) -> Features:
        """Features to count; settings with the same ones share the counting."""
        recipe = self.model.recipe
        return recipe if self.is_linear else recipe.counting


def counting_settings(weighted: bool = False) -> list[Setting]:
    """Every counting model that is tried, recipe by recipe; the smoothing is chosen later.

    Of `weighted` classes each is as probable as any other.
    """
    return [
        Setting({**recipe, **event, **min_count, **prior})
        for recipe in COUNTING_RECIPES
        for event in (*EVENTS, *([BERNOULLI] if recipe is COUNTING_RECIPES[0] else []))
        for min_count in MIN_COUNTS
        for prior in ({}, UNIFORM)
        if not prior or (weighted and event["event"] != "complement")
    ]


def linear_settings(weighted: bool = False) -> list[Setting]:
    """Every linear model that is tried: each recipe with each way to fit it.

    Ways with class weights are among them where classes are to be `weighted`.
    """
    fits = WEIGHTED_FITS if weighted else FITS
    return [
        Setting({**recipe, **fit}, i) for recipe in LINEAR_RECIPES for i, fit in enumerate(fits)
    ]


def model_of(params: Params, *, threads: int | None = None) -> Any:
    """Create the model that a trial's parameters describe, not fitted yet."""
    options = dict(params)
    kind = options.pop("model", "nb")
    if kind in ("nb", "table"):
        return {"nb": TextClassifier, "table": TableClassifier}[kind](**options, threads=threads)
    return LinearClassifier(kind, **options, threads=threads)

"""The options of a recipe as parameters of a model: one place for all models of texts."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar

from nabi.errors import RecipeError
from nabi.features.recipe import Features, Tokenizer

RECIPE = tuple(field.name for field in fields(Features) if field.name != "preset")


class _HasFeatures:
    features: str | Features  # a model has it at a position of its own


@dataclass(eq=False, repr=False, kw_only=True)
class RecipeParameters(_HasFeatures):
    """Parameters that complete a preset to a recipe; see `nabi.Features`."""

    ngrams: tuple[int, int] = (1, 1)
    chars: tuple[int, int] | None = Features.chars
    lowercase: bool = Features.lowercase
    binary: bool = Features.binary
    negation: bool = Features.negation
    stop_words: Any = Features.stop_words
    min_count: int = Features.min_count
    keep: int | None = Features.keep
    keep_by: str = Features.keep_by
    buckets: int | None = Features.buckets
    tokenizer: Tokenizer | None = None
    unspaced: tuple[int, int] | None = Features.unspaced
    hangul: tuple[int, int] | None = Features.hangul
    strip_accents: bool = Features.strip_accents
    normalize: str | None = Features.normalize
    stem: str | None = Features.stem
    korean: bool = Features.korean
    entities: bool | None = Features.entities

    @property
    def recipe(self) -> Features:
        """The recipe that the parameters describe."""
        options = {name: getattr(self, name) for name in RECIPE}
        if isinstance(self.features, Features):
            defaults = recipe_parameters(type(self))
            also = [name for name in defaults if getattr(self, name) != defaults[name]]
            if also:
                raise RecipeError(
                    f"features is a whole recipe, and {', '.join(also)} is given as well; "
                    f"set it in the recipe"
                )
            return self.features
        if self.features == "chars" and self.ngrams == type(self).ngrams:
            options["ngrams"] = Features.ngrams  # the default says nothing of characters
        return Features(preset=self.features, **options)

    @classmethod
    def parameters_of(cls, recipe: Features) -> dict[str, Any]:
        """The parameters that describe a recipe."""
        defaults = recipe_parameters(cls)
        options = {name: getattr(recipe, name) for name in defaults}
        options["ngrams"] = recipe.ngrams or defaults["ngrams"]
        if recipe.entities == Features.has_entities(recipe.preset, recipe.tokenizer):
            options["entities"] = None
        if recipe.no_hangul is not None:
            options["hangul"] = defaults["hangul"]
        return {"features": recipe.preset, **options}


@dataclass(eq=False, repr=False, kw_only=True)
class RecipeWithoutSelection(RecipeParameters):
    """The parameters of a recipe for a model that does not select words by their counts."""

    keep: ClassVar[None] = None  # type: ignore[misc]
    keep_by: ClassVar[str] = Features.keep_by  # type: ignore[misc]

    def _check_no_selection(self, recipe: Features) -> None:
        if recipe.keep is not None:
            selects = "selects words by counts, for TextClassifier alone"
            raise RecipeError(f"keep={recipe.keep} {selects}")


def recipe_parameters(model: type[RecipeParameters] = RecipeParameters) -> dict[str, Any]:
    """The recipe's options and their defaults, as the parameters of a class of models."""
    return {field.name: field.default for field in fields(model) if field.name in RECIPE}


def stored_recipe(header: Mapping[str, Any], tokenizer: Tokenizer | None) -> Features:
    """The recipe of a file's header, with the tokenizer that a file knows by its name alone."""
    recipe = Features.from_dict(header["recipe"])
    return recipe if tokenizer is None else replace(recipe, tokenizer=tokenizer)

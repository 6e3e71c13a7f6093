"""nabi: naive Bayes for text and tables, exact and explained.

>>> import nabi
>>> model = nabi.TextClassifier().fit(["good film", "bad film"], ["pos", "neg"])
>>> model.predict(["good"]).tolist()
['pos']
"""

TYPE_CHECKING = False  # as of `typing`, whose import takes longer than all of this

if TYPE_CHECKING:
    from typing import Any

    from nabi.errors import (
        DamagedFileError,
        DataError,
        DistinctWarning,
        IgnoredWarning,
        ImpossibleWarning,
        InputError,
        InputTypeError,
        InputWarning,
        ManyClassesWarning,
        MissingExtraError,
        MixedWarning,
        ModelFileError,
        NabiError,
        NewerFormatError,
        NotAModelError,
        NotFittedError,
        NotLearnedError,
        NotSeparableError,
        RecipeError,
        RoundingWarning,
        RulesError,
        StaleWarning,
        UnseenCategoryError,
    )
    from nabi.explain.explanation import ColumnTerm, Explanation, TableExplanation, Term, WordWeight
    from nabi.explain.neighbours import Neighbour, NeighboursExplanation, SharedWord
    from nabi.features.recipe import Features
    from nabi.judging.cross_validation import crossval
    from nabi.models.linear.classifier import LinearClassifier
    from nabi.models.load import edit, from_bytes, load
    from nabi.models.merging import merge
    from nabi.models.neighbours import NeighboursClassifier
    from nabi.models.pruned.classifier import PrunedClassifier
    from nabi.models.table import TableClassifier
    from nabi.models.text import TextClassifier
    from nabi.readers.reader import read
    from nabi.search.best import best
    from nabi.search.training import train, tune
    from nabi.server.client import Client

__version__ = "0.1.0"

# Names by module, imported when they are asked for, and this module imports none: so the command
# line is there to hear Ctrl-C before anything is loaded, and nobody waits for what they do not use.
_LATER = {
    "nabi.errors": (
        "DamagedFileError DataError DistinctWarning IgnoredWarning ImpossibleWarning "
        "InputError InputTypeError InputWarning ManyClassesWarning MissingExtraError "
        "MixedWarning ModelFileError NabiError NewerFormatError NotAModelError NotFittedError "
        "NotLearnedError NotSeparableError RecipeError RoundingWarning RulesError "
        "StaleWarning UnseenCategoryError"
    ),
    "nabi.explain.explanation": "ColumnTerm Explanation TableExplanation Term WordWeight",
    "nabi.explain.neighbours": "Neighbour NeighboursExplanation SharedWord",
    "nabi.features.recipe": "Features",
    "nabi.judging.cross_validation": "crossval",
    "nabi.models.linear.classifier": "LinearClassifier",
    "nabi.models.load": "edit from_bytes load",
    "nabi.models.merging": "merge",
    "nabi.models.neighbours": "NeighboursClassifier",
    "nabi.models.pruned.classifier": "PrunedClassifier",
    "nabi.models.table": "TableClassifier",
    "nabi.models.text": "TextClassifier",
    "nabi.readers.reader": "read",
    "nabi.search.best": "best",
    "nabi.search.training": "train tune",
    "nabi.server.client": "Client",
}


_ROOMS = (
    *("errors", "estimators", "judging", "margins", "metrics", "plots", "readers"),
    *("report", "rules", "search", "server"),
)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_ROOMS})


def __getattr__(name: str) -> "Any":
    from importlib import import_module

    if name in _ROOMS:
        return import_module(f"nabi.{name}")
    for module, names in _LATER.items():
        if name in names.split():
            globals()[name] = getattr(import_module(module), name)
            return globals()[name]
    raise AttributeError(f"module 'nabi' has no attribute {name!r}")


__all__ = [
    "Client",
    "ColumnTerm",
    "DamagedFileError",
    "DataError",
    "DistinctWarning",
    "Explanation",
    "Features",
    "IgnoredWarning",
    "ImpossibleWarning",
    "InputError",
    "InputTypeError",
    "InputWarning",
    "LinearClassifier",
    "ManyClassesWarning",
    "MissingExtraError",
    "MixedWarning",
    "ModelFileError",
    "NabiError",
    "Neighbour",
    "NeighboursClassifier",
    "NeighboursExplanation",
    "NewerFormatError",
    "NotAModelError",
    "NotFittedError",
    "NotLearnedError",
    "NotSeparableError",
    "PrunedClassifier",
    "RecipeError",
    "RoundingWarning",
    "RulesError",
    "SharedWord",
    "StaleWarning",
    "TableClassifier",
    "TableExplanation",
    "Term",
    "TextClassifier",
    "UnseenCategoryError",
    "WordWeight",
    "__version__",
    "best",
    "crossval",
    "edit",
    "from_bytes",
    "load",
    "merge",
    "read",
    "train",
    "tune",
]

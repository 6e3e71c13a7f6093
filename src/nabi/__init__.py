"""nabi: naive Bayes for text and tables, exact and explained.

>>> import nabi
>>> model = nabi.TextClassifier().fit(["good film", "bad film"], ["pos", "neg"])
>>> model.predict(["good"]).tolist()
['pos']
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from nabi.errors import (
    DamagedFileError,
    DataError,
    IgnoredWarning,
    ImpossibleWarning,
    InputError,
    InputTypeError,
    InputWarning,
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
from nabi.features.recipe import Features
from nabi.models.load import load
from nabi.models.text import TextClassifier

if TYPE_CHECKING:
    from nabi.explain.explanation import ColumnTerm, Explanation, TableExplanation, Term, WordWeight
    from nabi.explain.neighbours import Neighbour, NeighboursExplanation, SharedWord
    from nabi.models.linear.classifier import LinearClassifier
    from nabi.models.neighbours import NeighboursClassifier
    from nabi.models.pruned.classifier import PrunedClassifier
    from nabi.models.table import TableClassifier
    from nabi.search.best import best

__version__ = "0.1.0"

# What takes a third of the time that `import nabi` takes, and many never ask for.
_LATER = {
    "best": "nabi.search.best",
    "ColumnTerm": "nabi.explain.explanation",
    "Explanation": "nabi.explain.explanation",
    "TableExplanation": "nabi.explain.explanation",
    "Term": "nabi.explain.explanation",
    "WordWeight": "nabi.explain.explanation",
    "LinearClassifier": "nabi.models.linear.classifier",
    "PrunedClassifier": "nabi.models.pruned.classifier",
    "TableClassifier": "nabi.models.table",
    "Neighbour": "nabi.explain.neighbours",
    "NeighboursClassifier": "nabi.models.neighbours",
    "NeighboursExplanation": "nabi.explain.neighbours",
    "SharedWord": "nabi.explain.neighbours",
}


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module 'nabi' has no attribute {name!r}")
    return getattr(import_module(_LATER[name]), name)


__all__ = [
    "ColumnTerm",
    "DamagedFileError",
    "DataError",
    "Explanation",
    "Features",
    "IgnoredWarning",
    "ImpossibleWarning",
    "InputError",
    "InputTypeError",
    "InputWarning",
    "LinearClassifier",
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
    "load",
]

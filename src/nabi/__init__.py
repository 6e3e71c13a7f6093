"""nabi: naive Bayes for text and tables, exact and explained.

>>> import nabi
>>> model = nabi.TextClassifier().fit(["good film", "bad film"], ["pos", "neg"])
>>> model.predict(["good"]).tolist()
['pos']
"""

from nabi.columns.evidence import ColumnTerm, TableExplanation
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
    RecipeError,
    RoundingWarning,
    UnseenCategoryError,
)
from nabi.evidence import Explanation, Term, WordWeight
from nabi.features import Features
from nabi.loading import load
from nabi.table import TableClassifier
from nabi.text import TextClassifier

__version__ = "0.1.0"

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
    "MissingExtraError",
    "MixedWarning",
    "ModelFileError",
    "NabiError",
    "NewerFormatError",
    "NotAModelError",
    "NotFittedError",
    "NotLearnedError",
    "RecipeError",
    "RoundingWarning",
    "TableClassifier",
    "TableExplanation",
    "Term",
    "TextClassifier",
    "UnseenCategoryError",
    "WordWeight",
    "__version__",
    "load",
]

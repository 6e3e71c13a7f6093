"""How good a model is on documents it never saw, and which documents deserve a second look.

>>> from nabi import TextClassifier
>>> from nabi.judging import crossval, duplicates
>>> texts, labels = ["good film", "bad film", "so good", "so bad"] * 2, ["+", "-"] * 4
>>> crossval(TextClassifier(), texts, labels).accuracy
1.0
>>> [group.at for group in duplicates(texts)]
[(0, 4), (1, 5), (2, 6), (3, 7)]
"""

from nabi.judging.cross_validation import CrossValidation, crossval
from nabi.judging.duplicate_texts import DuplicateGroup, Leak, duplicates, leakage
from nabi.judging.suspect_labels import Suspect, suspects, suspects_of

__all__ = [
    "CrossValidation",
    "DuplicateGroup",
    "Leak",
    "Suspect",
    "crossval",
    "duplicates",
    "leakage",
    "suspects",
    "suspects_of",
]

"""Mixin of the classifiers of two classes."""

from typing import Any

import numpy as np
from sklearn.utils.multiclass import check_classification_targets

from nabi.base.arrays import Array
from nabi.errors import InputError


class Binary:
    """Mixin: a scikit-learn classifier that takes two classes."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.classifier_tags.multi_class = False
        return tags


def two_classes(y: Any) -> Array:
    """Return the two labels in order; refuse one label, or more than two."""
    check_classification_targets(y)
    classes = np.unique(y)
    if len(classes) == 1:
        raise InputError(
            f"y holds one class, {classes[0].item()!r}; expected two, with a plane between"
        )
    if len(classes) > 2:
        # scikit-learn's own checks look for the first sentence.
        raise InputError(
            f"Only binary classification is supported. y holds {len(classes)} classes; "
            f"OneVsRestClassifier of scikit-learn makes a model for each"
        )
    return classes

"""Labels of two classes as signs."""

from typing import Any

import numpy as np
from sklearn.utils.multiclass import check_classification_targets

from nabi.base.arrays import F64, Array
from nabi.errors import InputError


def two_classes(y: Any) -> tuple[Array, F64]:
    """The labels in order, and -1.0 or +1.0 for each sample: the second label is +1."""
    check_classification_targets(y)
    classes, codes = np.unique(y, return_inverse=True)
    if len(classes) == 1:
        raise InputError(
            f"y holds one class, {classes[0].item()!r}; expected two, with a plane between"
        )
    if len(classes) > 2:
        # In scikit-learn's words, which its own checks look for.
        raise InputError(
            f"Only binary classification is supported. y holds {len(classes)} classes; "
            f"OneVsRestClassifier of scikit-learn makes a model for each"
        )
    return classes, np.where(codes == 1, 1.0, -1.0)

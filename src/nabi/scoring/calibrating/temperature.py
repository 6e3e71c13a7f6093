"""The scale of log joints, by the length of a document: temperature scaling."""

from functools import partial

import numpy as np

from nabi.base.arrays import F64
from nabi.scoring.calibrating.documents import Documents
from nabi.scoring.calibrating.newton import Map, minimised
from nabi.scoring.calibration import LEAST, MOST_SCALE, Calibration, scales

TOLERANCE = 1e-12


def tempered(documents: Documents, logs: F64, near: Calibration | None) -> Calibration:
    """Return the scale and exponent of the least log loss, by Newton's method.

    With b = exp(theta x), x = (1, -log n): d loss / d b = E[j] - j_actual and its second derivative
    Var[j], under P(c|d). A penalty of theta**2 / 2, a document's worth, keeps them finite where
    every document is right.
    """
    X = np.column_stack([np.ones(len(logs)), -logs])
    near = near or start(documents)
    first = np.array([near.log_scale, near.exponent])
    documents = documents._replace(joint=np.maximum(documents.joint, LEAST))
    theta = minimised(lambda theta: _loss(documents, X, theta), first, tolerance=TOLERANCE)
    theta = np.clip(theta, -MOST_SCALE, MOST_SCALE)
    return Calibration(float(theta[0]), float(theta[1]) if logs.any() else 0.0)


def start(documents: Documents) -> Calibration:
    """Return where to start: a scale by which the median distance of the second best class is 1."""
    second = np.zeros(len(documents.actual))
    if documents.joint.shape[1] > 1:
        for some, (joint, _, _) in documents.blocks():
            second[some] = np.partition(joint, -2, axis=1)[:, -2]
    # Not np.median, which imports all of numpy.ma.
    middle = float(np.partition(-second, len(second) // 2)[len(second) // 2])
    return Calibration(min(max(-float(np.log(max(1.0, middle))), -MOST_SCALE), MOST_SCALE))


def _loss(documents: Documents, X: F64, theta: F64) -> tuple[float, F64, Map]:
    """The loss, its slope, and Newton's step; the curvature is Gauss-Newton's, never negative."""
    scale = scales(X @ theta)
    own, slope, bend = np.empty((3, len(scale)))
    for some, (joint, _, actual) in documents.blocks():
        right = joint[np.arange(len(actual)), actual]
        # The best class has 0, and so the sum of the exponentials is 1 at least.
        p = np.exp(joint * scale[some, None])
        total = np.einsum("ij->i", p)  # of few classes faster than p.sum
        mean = np.einsum("ij,ij->i", p, joint) / total
        square = np.einsum("ij,ij,ij->i", p, joint, joint) / total
        own[some] = right * scale[some] - np.log(total)
        slope[some] = mean - right
        bend[some] = np.maximum(square - mean * mean, 0)
    slope, bend = slope * scale, bend * scale * scale
    loss = float(theta @ theta / 2 - own.sum())
    curvature = (X * bend[:, None]).T @ X + np.eye(2)
    return loss, X.T @ slope + theta, partial(np.linalg.solve, curvature)

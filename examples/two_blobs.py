"""Two blobs: a hundred and fifty points of a plane to learn from, and fifty to test.

The points are scikit-learn's make_blobs. Each blob is a Gaussian for either coordinate; where one
becomes more probable than the other, the plane is cut in two.
Run it: python examples/two_blobs.py, with --save DIR for the picture
"""

import argparse
from pathlib import Path

import numpy as np
from sklearn.datasets import make_blobs

import nabi

LEARNED = 150


def points() -> tuple[tuple[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]:
    """((X, y) to learn, (X, y) to test)"""
    X, y = make_blobs(n_samples=200, centers=2, n_features=2, random_state=0, cluster_std=0.4)
    return (X[:LEARNED], y[:LEARNED]), (X[LEARNED:], y[LEARNED:])


def pictures() -> dict[str, object]:
    from nabi import plots

    train, test = points()
    model = nabi.TableClassifier().fit(*train)
    return {"two-blobs.png": plots.decision_regions(model, *train, test=test)}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--save", type=Path, metavar="DIR", help="write the picture there")
    save = parser.parse_args().save

    train, test = points()
    model = nabi.TableClassifier().fit(*train)
    told = model.explain(test[0][:1])
    print(f"{len(train[1])} points learned, {len(test[1])} tested: score {model.score(*test)}\n")
    print(f"The first of them, at {np.round(test[0][0], 2).tolist()}, which is {test[1][0]}:\n")
    print(told)
    doubt = model.predict_proba(test[0]).min(axis=1).max()
    print(f"\nThe probability of the other class is {doubt:.1e} at most.")
    if save:
        save.mkdir(parents=True, exist_ok=True)
        for name, picture in pictures().items():
            picture.figure.savefig(save / name)


if __name__ == "__main__":
    main()

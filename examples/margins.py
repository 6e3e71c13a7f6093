"""Margins: how far apart species of iris are, in two measures of their flowers.

A plane separates setosa from the others, and the best one stands on three flowers alone. None
separates versicolor from virginica: that is an error, and some flowers have to be let through.
Run it: python examples/margins.py, with --save DIR for pictures
"""

import argparse
from pathlib import Path

import numpy as np
from sklearn.datasets import load_iris

import nabi
from nabi.margins import OptimalMargin, SoftMargin, geometric_margin

MEASURES = ["petal length", "sepal width"]  # in cm


def flowers() -> tuple[np.ndarray, np.ndarray]:
    """Two measures of 150 flowers, and their species."""
    iris = load_iris()
    return iris.data[:, [2, 1]], iris.target_names[iris.target]


def setosa() -> tuple[np.ndarray, np.ndarray]:
    X, species = flowers()
    return X, np.where(species == "setosa", "setosa", "other")


def two_others() -> tuple[np.ndarray, np.ndarray]:
    X, species = flowers()
    return X[species != "setosa"], species[species != "setosa"]


def pictures() -> dict[str, object]:
    from nabi import plots

    hard = plots.margins(OptimalMargin().fit(*setosa()), *setosa())
    soft = plots.margins(SoftMargin(C=1).fit(*two_others()), *two_others())
    for ax in (hard, soft):
        ax.set(xlabel=MEASURES[0], ylabel=MEASURES[1])
    return {"margins.png": hard, "margins-soft.png": soft}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--save", type=Path, metavar="DIR", help="write pictures there")
    save = parser.parse_args().save

    X, y = setosa()
    model = OptimalMargin().fit(X, y)
    margins = geometric_margin(model.coef_, model.intercept_, X, y)
    print(f"setosa or not: margin {model.margin_:.4f} cm, held by {len(model.support_)} flowers")
    for at in model.support_.tolist():
        print(f"    flower {at}: {dict(zip(MEASURES, X[at].tolist(), strict=True))}, {y[at]}")
    print(f"The farthest flower is {margins.max():.2f} cm away.\n")

    X, y = two_others()
    try:
        OptimalMargin().fit(X, y)
    except nabi.NotSeparableError as error:
        print(f"versicolor or virginica: {error}\n")
    for C in (0.01, 1, 100):
        model = SoftMargin(C=C).fit(X, y)
        within, wrong = (int((model.slack_ > most + 1e-6).sum()) for most in (0, 1))
        print(f"C={C}: margin {model.margin_:.2f} cm, {within} within it, {wrong} of them wrong")
    if save:
        save.mkdir(parents=True, exist_ok=True)
        for name, picture in pictures().items():
            picture.figure.savefig(save / name)


if __name__ == "__main__":
    main()

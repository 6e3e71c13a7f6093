"""Body measures: a table of numbers, Gaussian in each class, by both divisors of the variance.

Eight people are measured; a ninth is tall, light and small of foot. Each column says how probable
its value is for either sex, the evidence adds up, and the prior has its say.
Run it: python examples/body_measures.py, with --save DIR for the pictures
"""

import argparse
from pathlib import Path

import numpy as np

import nabi

COLUMNS = ("height", "weight", "foot")  # feet, pounds, inches
PEOPLE = {
    "male": [(6, 180, 12), (5.92, 190, 11), (5.58, 170, 12), (5.92, 165, 10)],
    "female": [(5, 100, 6), (5.5, 150, 8), (5.42, 130, 7), (5.75, 150, 9)],
}
NINTH = (6, 130, 8)
RECRUIT = (5.83, 152, 9)
CAMP = {"male": 0.99, "female": 0.01}


def row(measures: tuple[float, ...]) -> dict[str, float]:
    return dict(zip(COLUMNS, map(float, measures), strict=True))


def fitted(ddof: int) -> nabi.TableClassifier:
    rows = [row(measures) for people in PEOPLE.values() for measures in people]
    labels = [label for label, people in PEOPLE.items() for _ in people]
    return nabi.TableClassifier(ddof=ddof, var_smoothing=0).fit(rows, labels)


def pictures() -> dict[str, object]:
    from nabi import plots

    model = fitted(ddof=1)
    return {
        "body-densities.png": plots.densities(model),
        "body-explanation.png": plots.explanation(model.explain(row(NINTH))),
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--save", type=Path, metavar="DIR", help="write the pictures there")
    save = parser.parse_args().save

    print(f"Who is {NINTH[0]} ft tall, {NINTH[1]} lb heavy and has feet of {NINTH[2]} in?\n")
    for ddof, divisor in ((1, "n - 1"), (0, "n")):
        model = fitted(ddof)
        joint = np.exp(model.joint_log_likelihood([row(NINTH)]))[0]
        both = ", ".join(f"{c} {p:.5e}" for c, p in zip(model.classes_, joint, strict=True))
        print(f"  divisor {divisor:<5}  P(class) P(measures|class): {both}")

    model = fitted(ddof=1)
    told = model.explain(row(NINTH))
    print(f"\nWith divisor n - 1:\n\n{told}")
    # The score is the log of how much more probable female is, with as many men as women.
    odds = np.exp(told.score)
    print(
        f"\nTo turn this one, a camp would need {odds:,.0f} men to a woman. Not so for another:\n"
    )
    for name, prior in (("in town", None), ("in an army camp", CAMP)):
        found = model.explain(row(RECRUIT), prior=prior)
        print(f"  {RECRUIT} {name:<15}  {found.label} ({found.proba[found.label]:.2f})")
    if save:
        save.mkdir(parents=True, exist_ok=True)
        for name, picture in pictures().items():
            picture.figure.savefig(save / name)


if __name__ == "__main__":
    main()

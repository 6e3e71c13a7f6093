"""Recommend: what someone may like, from what they liked and did not.

Each dish has a few properties and a time; likes and dislikes are the two classes. Dishes that were
not tried are ranked by P(like), each with the evidence. A like that is taken back is forgotten, as
if it had never been given, and the ranking follows.
Run it: python examples/recommend.py, with --save DIR for the picture
"""

import argparse
from pathlib import Path

import nabi

DISHES = """\
kimchi stew         30 spicy soup pork
chilli noodles      15 spicy noodles nuts
lentil curry        40 spicy rice beans
pad thai            25 noodles nuts egg
miso soup           10 soup beans
tofu in hot sauce   20 spicy rice beans
cheese on toast      8 cheese bread
lasagne             90 cheese noodles beef baked
roast beef         120 beef baked
mushroom pie        75 cheese baked
fish fingers        20 fish fried
cream cake          60 sweet baked
bibimbap            35 spicy rice egg
ramen               30 soup noodles egg pork
bean burrito        25 spicy beans cheese bread
macaroni cheese     45 cheese noodles baked
peanut stew         40 spicy soup nuts
apple crumble       50 sweet baked
fish soup           45 soup fish
fried rice          15 rice egg fried
beef noodle soup    90 soup noodles beef spicy
egg sandwich         8 egg bread"""
LIKED = (
    "kimchi stew",
    "chilli noodles",
    "lentil curry",
    "pad thai",
    "tofu in hot sauce",
    "miso soup",
)
DISLIKED = (
    "lasagne",
    "roast beef",
    "mushroom pie",
    "fish fingers",
    "cream cake",
    "cheese on toast",
)
TAKEN_BACK = ("kimchi stew", "miso soup")


def dishes() -> dict[str, dict[str, object]]:
    """From the name of a dish to its row: a time, and for each property whether it has it."""
    lines = [(line[:19].strip(), *line[19:].split()) for line in DISHES.splitlines()]
    every = sorted({tag for _, _, *tags in lines for tag in tags})
    return {
        name: {"minutes": float(minutes), **{tag: tag in tags for tag in every}}
        for name, minutes, *tags in lines
    }


def fitted(menu: dict[str, dict[str, object]]) -> nabi.TableClassifier:
    rows = [menu[name] for name in LIKED + DISLIKED]
    model = nabi.TableClassifier({"minutes": "lognormal"})
    return model.fit(rows, ["like"] * len(LIKED) + ["dislike"] * len(DISLIKED))


def ranked(model: nabi.TableClassifier, menu: dict[str, dict[str, object]]) -> list[str]:
    """The dishes that were not tried, the most probable like first."""
    new = [name for name in menu if name not in LIKED + DISLIKED]
    told = {name: model.explain(menu[name]) for name in new}
    return sorted(new, key=lambda name: -told[name].proba["like"])


def why(told: nabi.TableExplanation, most: int = 3) -> str:
    """'+spicy +soup -cheese': what it has that speaks most for and against a like."""
    has = [t for t in told.terms if t.value is True or t.column == "minutes"]
    likes = {t.column: t.weights["like"] > t.weights["dislike"] for t in has}
    return " ".join(f"{'+' if likes[t.column] else '-'}{t.column}" for t in has[:most])


def show(model: nabi.TableClassifier, menu: dict[str, dict[str, object]]) -> None:
    for name in ranked(model, menu):
        told = model.explain(menu[name])
        print(f"  {told.proba['like']:.2f}  {name:<18} {why(told)}")


def pictures() -> dict[str, object]:
    from nabi import plots

    menu = dishes()
    model = fitted(menu)
    best = ranked(model, menu)[0]
    return {"recommend.png": plots.explanation(model.explain(menu[best]), top=9)}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--save", type=Path, metavar="DIR", help="write the picture there")
    save = parser.parse_args().save

    menu = dishes()
    model = fitted(menu)
    before = ranked(model, menu)
    print(f"Liked: {', '.join(LIKED)}\nDisliked: {', '.join(DISLIKED)}\n\nP(like) of the others:\n")
    show(model, menu)
    model.forget([menu[name] for name in TAKEN_BACK], ["like"] * len(TAKEN_BACK))
    print(f"\nWithout the likes of {' and '.join(TAKEN_BACK)}:\n")
    show(model, menu)
    after = ranked(model, menu)
    print(f"\n{before[0]} was first, {after[0]} is now: nothing is left of the two likes.")
    if save:
        save.mkdir(parents=True, exist_ok=True)
        for name, picture in pictures().items():
            picture.figure.savefig(save / name)


if __name__ == "__main__":
    main()

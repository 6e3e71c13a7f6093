"""Author: age group and gender from what someone writes, and from numbers beside it.

The authors are invented: dice deal them phrases and habits, some of which lean to an age or to a
gender, and half of the numbers is missing. One model takes the text and the numbers of a table
together. It is asked twice, for age and for gender, on authors that it has not learned.
Run it: python examples/author_age_gender.py, with --save DIR for the pictures
"""

import argparse
import random
from pathlib import Path

import nabi

EVERYONE = """what a day it was
the bus was late again
i had soup for lunch
it rained the whole evening
i watched a film about the sea
the cat slept on my bag
we missed the train by a minute
there was a long queue at the bakery
somebody took my umbrella
i cannot find my keys
the new bridge is open at last
we walked along the river""".splitlines()
BY_AGE = {
    "under 20": """my maths teacher was off sick
exams start next week and i am not ready
mum says i have to tidy my room
we hung out after school
this song is literally my whole life
i got grounded for a week
our class trip was epic
my locker would not open""".splitlines(),
    "20 to 39": """my flatmate burnt the rice
the landlord raised the rent
i sent off three job applications
we moved our stuff in a rented van
the baby kept us up till four
my thesis is due and my boss wants the slides
pancakes with friends from uni
the wedding was lovely and i danced too much""".splitlines(),
    "40 and over": """the grandchildren came for tea
my knees told me the weather
the tomatoes are doing well this year
our daughter passed her driving test
the choir meets on thursdays
i had the boiler serviced
the pension letter came at last
we drove to the coast in the caravan""".splitlines(),
}
BY_GENDER = {
    "female": """as his mum i worry
my sisters and i laughed so much
us girls went swimming
my husband did the dishes
one of the mothers drove us
i was the only woman on the team""".splitlines(),
    "male": """as her dad i worry
my brothers and i laughed a lot
me and the lads went swimming
my wife did the dishes
one of the fathers drove us
i was the only man on the team""".splitlines(),
}
# Of each age: posts a day, words a sentence, and the hour of posting.
HABITS = {"under 20": (5, 7, 17), "20 to 39": (2, 10, 21), "40 and over": (1, 14, 10)}
TOLD = 142  # an author to look at: by the numbers 20 to 39, which is wrong
NUMBERS = ("posts_a_day", "words_a_sentence", "hour")
MODELS = {"posts_a_day": "poisson", "words_a_sentence": "gaussian", "hour": "histogram"}


def author(dice: random.Random) -> dict[str, object]:
    """A row: age, gender, a text and three numbers, any of which may be missing."""
    age, gender = dice.choice(list(BY_AGE)), dice.choice(list(BY_GENDER))
    posts, words, hour = HABITS[age]
    numbers = (
        sum(dice.random() < posts / 20 for _ in range(20)),
        round(dice.gauss(words, 3), 1),
        round(dice.gauss(hour, 3)) % 24,
    )
    known = {name: n for name, n in zip(NUMBERS, numbers, strict=True) if dice.random() < 0.5}
    text = ", ".join(phrase(dice, age, gender) for _ in range(4))
    return {"age": age, "gender": gender, "text": text, **dict.fromkeys(NUMBERS), **known}


def phrase(dice: random.Random, age: str, gender: str) -> str:
    """Mostly what anyone would write, at times what fits age or gender, seldom what does not."""
    if dice.random() < 0.5:
        return dice.choice(EVERYONE)
    stray = dice.random() < 0.2
    if dice.random() < 0.5:
        return dice.choice(BY_AGE[dice.choice(list(BY_AGE)) if stray else age])
    return dice.choice(BY_GENDER[dice.choice(list(BY_GENDER)) if stray else gender])


def authors(n: int, seed: int) -> dict[str, list]:
    """A table of so many authors."""
    dice = random.Random(seed)
    rows = [author(dice) for _ in range(n)]
    return {name: [row[name] for row in rows] for name in rows[0]}


def fitted(table: dict[str, list], label: str, names: tuple[str, ...]) -> nabi.TableClassifier:
    models = {name: MODELS.get(name, "text") for name in names}
    return nabi.TableClassifier(models).fit({name: table[name] for name in names}, table[label])


def pictures() -> dict[str, object]:
    from nabi import plots

    table = authors(600, seed=1)
    age = fitted(table, "age", ("text", *NUMBERS))
    gender = fitted(table, "gender", ("text", *NUMBERS))
    return {
        "author-densities.png": plots.densities(age),
        "author-words.png": plots.word_weights(gender, 8, column="text"),
        "author-explanation.png": plots.explanation(age.explain(one(authors(200, seed=2)))),
    }


def one(table: dict[str, list]) -> dict[str, object]:
    """A row of a table, without age and gender."""
    return {name: table[name][TOLD] for name in ("text", *NUMBERS)}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--save", type=Path, metavar="DIR", help="write the pictures there")
    save = parser.parse_args().save

    train, test = authors(600, seed=1), authors(200, seed=2)
    print("Right of 200 new authors, from  text  numbers  both\n")
    for label, chance in (("age", "1 in 3"), ("gender", "1 in 2")):
        found = []
        for names in (("text",), NUMBERS, ("text", *NUMBERS)):
            model = fitted(train, label, names)
            found.append(model.score({name: test[name] for name in names}, test[label]))
        shares = "     ".join(f"{share:.2f}" for share in found)
        print(f"  {label:<6} (by chance {chance})    {shares}")
    model = fitted(train, "age", ("text", *NUMBERS))
    print("\nThe numbers help with age; on gender they say nothing. One whose text outweighs them,")
    print(f"{test['age'][TOLD]} in truth:\n\n{model.explain(one(test))}")
    if save:
        save.mkdir(parents=True, exist_ok=True)
        for name, picture in pictures().items():
            picture.figure.savefig(save / name)


if __name__ == "__main__":
    main()

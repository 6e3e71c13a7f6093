"""Summary: which sentences to keep? Their looks tell more than their words.

A text need not be prose: here it is a list of clues to a sentence, and with event="bernoulli" a
clue that is absent counts too. In the articles * marks what the editor kept.
Run it: python examples/summary.py
"""

import re

import nabi

TRAIN = """# The library opens on Sundays
* From May the town library will open on Sundays, from ten to four.
"I have waited years for this," said one reader.
She comes to the library by bus, and brings her 2 sons.
* A test last autumn drew 400 visitors a day, twice the number on weekdays.
# A bridge for bicycles
* The council voted on Monday to build a bicycle bridge over the river.
Two plans for the bridge had been on the table.
* The work will cost 3 million and take two years.
# Bees on the roof of the hospital
Few patients know who lives above them.
* Since spring the hospital has kept 6 hives of bees on its roof.
He checks them every week, as a rule before breakfast.
"They are calmer than some doctors," he says.
* The honey, 80 kilos this year, is sold to pay for the garden of the hospital.
# Fewer trains in August
* The railway will run half as many trains in August while it renews the tracks.
"I only found out at the station," said a man with a large trunk.
* Tickets stay valid on 12 extra buses, and all is to be as before on 1 September."""
TEST = """# The old pool closes
"I learned to swim here," said a woman at the gate.
* In October the town will close its old pool because the roof is no longer safe.
She was not alone.
* A new one for 9 million is to open in 2 years on the other side of the park.
# A night without lamps
* On Friday the whole island will switch off its street lamps for one night.
It is not the first place to do so.
"You will see stars you forgot," said the teacher who had the idea.
* About 900 guests have booked rooms, and the island hopes to repeat it every year.
# Chess comes to the market hall
The market hall was built in 1902 and has seen better days.
* It now has ten tables for chess, free for all from morning to night.
"My fish is sold out by nine, so I play," says one trader.
He has lost 14 games.
* More than 2000 games were played in the first month, and schools want tables too."""


def clues(sentence: str, place: int, title: str) -> str:
    """'He took 2 pills.' -> 'short number he-she-it'"""
    words = re.findall(r"\w+", sentence.lower())
    found = {
        "opening": place == 0,
        "short": len(words) < 10,
        "number": re.search(r"\d", sentence),
        "quote": '"' in sentence,
        "he-she-it": words[0] in ("he", "she", "it", "they"),
        "title": any(len(word) > 3 and word in title.lower() for word in words),
    }
    return " ".join(clue for clue in found if found[clue])


def sentences(article: str) -> tuple[list[str], list[str], list[str]]:
    """(sentences, their clues, keep or leave) of an article."""
    title, *lines = article.splitlines()
    plain = [line.removeprefix("* ") for line in lines]
    seen = [clues(s, place, title) for place, s in enumerate(plain)]
    return plain, seen, ["keep" if line[0] == "*" else "leave" for line in lines]


def main() -> None:
    model = nabi.TextClassifier(tokenizer=str.split, event="bernoulli")
    for article in TRAIN.split("# ")[1:]:
        model.partial_fit(*sentences(article)[1:])
    print("What speaks for keeping a sentence:\n")
    for row in model.words(None, label="keep"):
        print(f"  {row.word:<10} {row.weight:+.2f}  kept {row.count:g}, left {row.elsewhere:g}")

    right = lead = 0
    for article in TEST.split("# ")[1:]:
        lines, seen, gold = sentences(article)
        chosen = sorted(model.predict_proba(seen)[:, 0].argsort()[-2:])
        right += sum(gold[i] == "keep" for i in chosen)
        lead += gold[:2].count("keep")
        print("\n" + article.splitlines()[0], *(lines[i] for i in chosen), sep="\n  ")
    print(f"\n{right} of 6 are what the editor kept (always the first two sentences: {lead} of 6)")


if __name__ == "__main__":
    main()

"""Word sense: which "spring" is it? The words around it tell.

A sense is a class, and a text is what stands near the word: the tokenizer takes the longer words
among the seven on each side. The word itself says nothing, and is left out.
Run it: python examples/word_sense.py
"""

import re

import nabi

TRAIN = {
    "season": """
        The first flowers of spring came up through the snow.
        In spring the days grow longer and the birds return.
        After a cold winter we had a warm and early spring.
        The farmer sows his wheat in spring and cuts it in summer.
        Every spring the cherry trees in the park are full of flowers.
        School starts again in spring, when the weather is mild.
        We always paint the boat in spring, before the summer guests arrive.
        The birds build their nests in early spring, when the trees turn green.""",
    "water": """
        The walkers filled their bottles with cold water from the spring.
        A spring rises under the rock and feeds the river below.
        The village drew its drinking water from a spring on the hill.
        Steam rose from the hot spring where people came to bathe.
        The stream begins at a small spring high in the mountain.
        Clear water ran from the spring down into the valley.
        They drank from the spring and washed their faces in the stream.
        The bath is fed by a hot spring, rich in salt and iron.""",
    "coil": """
        The spring in the old clock had lost its tension.
        A steel spring pushes the valve shut when the engine stops.
        Press the button and the spring pulls the bolt back.
        The mattress creaked because a spring was broken.
        He wound the spring of the toy and the wheels began to turn.
        The spring of the pen jumped out when I opened it.
        Each wheel of the car hangs on a steel spring.
        Without the spring, the lever of the machine does not move back.""",
}
TEST = {
    "season": """
        The garden is at its best in spring, when the apple trees flower.
        Last spring was so cold that the birds came late.
        She was born in the spring, before the long dry summer.
        We plant the beans in spring, after the snow is gone.""",
    "water": """
        The water of this spring is so cold that it hurts the teeth.
        Deer come down to the spring at night to drink.
        The river has its source in a spring under the hill.
        In winter the monkeys bathe in the hot spring to keep warm.""",
    "coil": """
        The door shuts by itself, since a spring pulls it back.
        The watch stopped because its spring was broken.
        A weak spring lets the lever of the brake hang loose.
        The toy jumps when you press the button and let the spring go.""",
}
TARGET, REACH = "spring", 7


def context(sentence: str) -> list[str]:
    """'He wound the spring of the toy clock' -> ['wound', 'clock']"""
    words = re.findall(r"\w+", sentence.lower())
    at = words.index(TARGET)
    near = words[max(at - REACH, 0) : at] + words[at + 1 : at + 1 + REACH]
    return [word for word in near if len(word) > 3]


def rows(part: dict[str, str]) -> list[tuple[str, str]]:
    """(sentence, sense) of each sentence."""
    return [(line.strip(), sense) for sense in part for line in part[sense].splitlines()[1:]]


def main() -> None:
    model = nabi.TextClassifier(tokenizer=context).fit(*zip(*rows(TRAIN), strict=True))
    print(f"What stands near {TARGET!r}:\n")
    for sense in TRAIN:
        print(f"  {sense:<7}", ", ".join(row.word for row in model.words(7, label=sense)))
    print("\nNew sentences, and the words that decided (+) or spoke against (-):\n")
    for text, sense in rows(TEST):
        told = model.explain(text)
        verdict = told.label if told.label == sense else f"{told.label}, not {sense}"
        words = [f"{'+' if t.evidence > 0 else '-'}{t.word}" for t in told.terms]
        print(f"  {text}\n    {verdict} ({told.proba[told.label]:.2f}): {' '.join(words)}")
    print(f"\naccuracy {model.score(*zip(*rows(TEST), strict=True)):.2f} (by chance: 0.33)")


if __name__ == "__main__":
    main()

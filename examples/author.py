"""Author: who wrote it shows in small words and commas, whatever the text is about.

Three invented writers tell of the same train, garden, supper and clock. The tokenizer drops every
word that has a subject and keeps habits: function words and punctuation. The test is on other
subjects: a storm, a dog, a letter, a bicycle.
Run it: python examples/author.py
"""

import re

import nabi

TRAIN = {
    "Edith": """
        The journey, which had been delayed by some hours, was not without its pleasures; indeed the
        hills, upon which the snow still lay, were a sight that one would not have missed. It must
        be said that the garden, though neglected, had a charm of its own; the roses were planted
        by an uncle of whom little was spoken. The supper was, upon the whole, a modest one; yet it
        was served with such grace that nothing would have been preferred to it. The clock had not
        been wound since the winter; nor was there anyone by whom it might have been repaired.""",
    "Max": """
        The train was late. I sat. I read the paper. Then I read it again. Snow on the hills. No
        coffee. We got in at nine. I dug the garden. It took all day. Roses here, beans there. The
        spade broke. I got a new spade and went on. Supper was soup and bread. I ate at the table by
        the door. It was good. I did the dishes. The clock stopped. I took it down. I took it apart.
        A spring was gone. I put it back on the wall. It is right two times a day.""",
    "Ruby": """
        So we were just sitting there on the train, and you know what, it was really lovely, that
        snow, and we're late but who cares! You should see my garden, it's such a mess, but it has
        so many roses and I'm really proud of them, so do come over! We had this soup, and then some
        more because it was just so good, and you know I can't stop when there's cheese as well! So
        the clock's dead, but it's so pretty that I'm just leaving it up there, because why not!""",
}
TEST = {
    "Edith": """
        The storm, of which we had been warned, came upon us in the night, and was not soon over.
        The dog, whose age was not known, had been left to her by a cousin of whom she never spoke.
        A letter had been found; though it was without a name, the hand was known to all of us.
        The bicycle, which I had lent to a friend, was returned to me in a most sorry state.""",
    "Max": """
        The storm came at ten. I shut the windows. A tree fell on the shed. I made tea.
        The dog is old. It eats and then it sleeps. I take it to the beach. It likes the beach.
        I got a letter. No name on it. I read it and put it in the fire. It was a good fire.
        I sold the bicycle. A man came and took it. I was sad for a day, then I got a boat.""",
    "Ruby": """
        There was this storm, and I'm not kidding, the roof was shaking, so I hid under the bed!
        He's such a funny dog, you'd love him, he just looks at you until you give him some toast.
        I've got this letter and there's no name on it, so now I really want to know who it's from!
        My bicycle is gone, but it was so old, and I was going to buy another one in spring.""",
}
FUNCTION_WORDS = """
    a an and any as at because been but by can could did do for from had has have he her him i if
    in indeed is it its just me might much my no none nor not nothing of on one only or other really
    she should so some such that the their them then there they this though to too until up upon
    was we well were what when which who whom whose why with without would yet you your"""


def habits(text: str) -> list[str]:
    """'The dog, whose name' -> ['the', ',', 'whose']"""
    tokens = re.findall(r"\w+|[^\w\s]", text.lower())
    return [t for t in tokens if t in FUNCTION_WORDS.split() or not t.isalnum()]


def fitted(**recipe: object) -> nabi.TextClassifier:
    return nabi.TextClassifier(**recipe).fit(list(TRAIN.values()), list(TRAIN))


def main() -> None:
    rows = [(line.strip(), author) for author in TEST for line in TEST[author].splitlines()[1:]]
    texts, authors = zip(*rows, strict=True)
    model = fitted(tokenizer=habits)
    print("Habits that give them away:\n")
    for author in TRAIN:
        print(f"  {author:<6}", "  ".join(row.word for row in model.words(10, label=author)))

    print("\nNew texts, and what the model sees of them:\n")
    for text, author in rows:
        told = model.explain(text)
        verdict = told.label + ("" if told.label == author else f", not {author}")
        print(f"  {verdict:<14} {told.proba[told.label]:.2f}  {' '.join(habits(text))}")
    print(f"\naccuracy by habits {model.score(texts, authors):.2f} (by chance: 0.33),", end=" ")
    print(f"by all words {fitted().score(texts, authors):.2f},", end=" ")
    print(f"by characters {fitted(features='chars').score(texts, authors):.2f}")


if __name__ == "__main__":
    main()

"""Sentiment, worked by hand: a review is a sum, and every word has its share in it.

    lambda(w) = log P(w|pos) / P(w|neg)
    score(d)  = log P(pos) / P(neg) + sum of lambda(w) over the words of d

The table of lambda is computed here from plain counts, then compared with nabi's.
Run it: python examples/sentiment.py
"""

from collections import Counter
from math import isclose, log

import nabi

POS = [
    "a warm funny film with a great cast",
    "great music and a great story",
    "funny clever and full of heart",
    "i loved the story and the music",
    "warm clever and never dull",
    "a great film i loved it",
]
NEG = [
    "a dull film with a weak story",
    "slow dull and far too long",
    "weak jokes and a boring cast",
    "i hated the slow boring plot",
]
TEST = {
    "i loved this warm film": "pos",
    "clever from start to end": "pos",
    "the music has so much heart": "pos",
    "a slow film with a weak plot": "neg",
    "boring jokes dull people": "neg",
    "not funny at all": "neg",
}
REVIEW = "clever and funny but far too long"
ALPHA = 1


def table_of_lambda() -> dict[str, float]:
    """{word: log P(w|pos) / P(w|neg)}, smoothed by adding ALPHA to every count."""
    count = {c: Counter(" ".join(texts).split()) for c, texts in (("pos", POS), ("neg", NEG))}
    V = sorted(count["pos"] | count["neg"])
    P = {c: {w: (n[w] + ALPHA) / (n.total() + ALPHA * len(V)) for w in V} for c, n in count.items()}
    return {w: log(P["pos"][w] / P["neg"][w]) for w in V}


def score_aloud(d: str, logprior: float, lam: dict[str, float]) -> float:
    """score(d), each step of the sum printed."""
    score = logprior
    print(f"  {'log prior':<10}{logprior:+8.4f}  {score:+10.4f} so far")
    for w in d.split():
        score += lam.get(w, 0.0)
        print(f"  {w:<10}" + (f"{lam[w]:+8.4f}  {score:+10.4f}" if w in lam else " unknown"))
    return score


def main() -> None:
    lam, logprior = table_of_lambda(), log(len(POS) / len(NEG))
    print("The two ends of the table of lambda, - for neg, + for pos:\n")
    ranked = sorted(lam, key=lam.__getitem__)
    for w in ranked[:6] + ranked[-6:]:
        print(f"  {w:<8}{lam[w]:+8.4f}  {('-' if lam[w] < 0 else '+') * round(abs(lam[w]) * 10)}")

    print(f"\nThe sum for {REVIEW!r}:\n")
    score = score_aloud(REVIEW, logprior, lam)
    print(f"  score     {score:+8.4f}  above 0 it is pos, below 0 it is neg\n")

    model = nabi.TextClassifier(alpha=ALPHA)
    model.fit(POS + NEG, ["pos"] * len(POS) + ["neg"] * len(NEG))
    told = model.explain(REVIEW)
    sign = 1 if told.label == "pos" else -1  # evidence speaks for the label
    assert isclose(told.prior, sign * logprior)
    assert isclose(told.score, sign * score)
    assert all(isclose(term.evidence, sign * lam[term.word] * term.times) for term in told.terms)
    assert all(isclose(row.weight, lam[row.word]) for row in model.words(None, label="pos"))
    print(f"nabi says {told.label}, with the same lambdas, for {told.label}: {told.score:+.4f}\n")

    said = dict(zip(TEST, model.predict(list(TEST)), strict=True))
    wrong = [d for d in TEST if said[d] != TEST[d]]
    print(f"On new reviews: {len(TEST) - len(wrong)} of {len(TEST)} right (a coin: 3)")
    for d in wrong:
        print(f"  {d!r} is {TEST[d]}, not {said[d]}: words are weighed one by one")


if __name__ == "__main__":
    main()

"""Spam: uneven classes, a threshold chosen for precision, and a prior changed after training.

A good message lost is worse than a spam message seen, so only what reaches a threshold of
P(spam|d) is called spam. The threshold comes from the training messages: each is forgotten,
judged by the model that then has never seen it, and learned again. Both steps are exact.
Run it: python examples/spam.py
"""

import numpy as np

import nabi

HAM = """are you free for lunch on friday
the meeting moved to three in room four
can you send me the slides before noon
happy birthday and many good wishes from all of us
your parcel is at the door of the neighbour
please call the dentist to confirm your visit
the train is late so start without me
i won the chess game and we had cake
could you review my draft by monday
dinner is ready come home now
the bank is closed today so i will pay the rent tomorrow
do you want my old desk it is free
the invoice for march is attached please check the total
call me when you are on the train
we won two to one what a game
your account of the trip made us laugh
the offer from the new school came today i said yes""".splitlines()
SPAM = """you have won a cash prize claim now
free prize call now to claim your reward
your account is locked click the link to confirm your bank details
cheap pills best offer click now
urgent claim your free cash reward today
limited offer win a free phone click here""".splitlines()
TEST_HAM = """the library book is due on friday
can we move lunch to one
your sister called about the party
please bring the tickets and some cash
the plumber comes today at ten
free seats are at the back of the room
did you win the race
click the top button to start the heater""".splitlines()
TEST_SPAM = """you are the winner of a free holiday claim today
confirm your details now or your account is closed
cash offer for you call now
cheap watches best prices click the link""".splitlines()
THRESHOLDS = (0.5, 0.8, 0.95)
SPAM_COLUMN = 1  # classes_ are sorted: ham, spam


def p_unseen(model: nabi.TextClassifier, text: str, label: str) -> float:
    """P(spam|text) by the model that has not learned the text."""
    model.forget([text], [label])
    p = model.predict_proba([text])[0, SPAM_COLUMN]
    model.partial_fit([text], [label])
    return p


def precision_recall(p: np.ndarray, spam: np.ndarray, threshold: float) -> tuple[float, float]:
    said = p >= threshold
    return spam[said].mean(), said[spam].mean()


def main() -> None:
    texts, labels = HAM + SPAM, ["ham"] * len(HAM) + ["spam"] * len(SPAM)
    model = nabi.TextClassifier().fit(texts, labels)
    p = np.array([p_unseen(model, *row) for row in zip(texts, labels, strict=True)])
    found = {t: precision_recall(p, np.array(labels) == "spam", t) for t in THRESHOLDS}
    print(f"{len(HAM)} good messages and {len(SPAM)} spam, each judged as if never seen:\n")
    for t, (precision, recall) in found.items():
        print(f"  threshold {t:.2f}: precision {precision:.2f}, recall {recall:.2f}")
    chosen = max(found, key=lambda t: (found[t], -t))

    tests = TEST_HAM + TEST_SPAM
    spam = np.arange(len(tests)) >= len(TEST_HAM)
    here = model.predict_proba(tests)[:, SPAM_COLUMN]
    precision, recall = precision_recall(here, spam, chosen)
    print(f"\n{chosen} is best. On new messages: precision {precision:.2f}, recall {recall:.2f}")

    model.prior = {"ham": 0.2, "spam": 0.8}
    there = model.predict_proba(tests)[:, SPAM_COLUMN]
    print("P(spam|d) here, and behind an old public address where 4 of 5 messages are spam:\n")
    for *ps, text in sorted(zip(here, there, tests, strict=True)):
        print("  " + "  ".join(f"{p:.2f}{'*' if p >= chosen else ' '}" for p in ps) + f"  {text}")
    print(f"\n* called spam, at {chosen} or above. The counts are the same; only the prior moved.")


if __name__ == "__main__":
    main()

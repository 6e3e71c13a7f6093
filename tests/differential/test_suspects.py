"""Labels that were turned on purpose are found again."""

import random

import nabi
from nabi.suspects import suspects


def test_of_turned_labels_most_are_at_the_top_of_the_list(dataset):
    texts, labels, more, others = dataset("sms_spam")
    texts, labels = texts + more, labels + others
    turned = set(random.Random(0).sample(range(len(texts)), len(texts) // 20))
    other = {"ham": "spam", "spam": "ham"}
    given = [other[label] if i in turned else label for i, label in enumerate(labels)]
    found = [one.at for one in suspects(nabi.TextClassifier(), texts, given)]
    first = found[: len(turned)]
    assert len(turned & set(first)) / len(turned) >= 0.7

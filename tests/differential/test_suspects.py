"""Labels that were turned on purpose are found again, and so are messages that were sent on."""

import random
from collections import Counter

import nabi
from nabi.judging import duplicates, leakage, suspects


def test_of_turned_labels_most_are_at_the_top_of_the_list(dataset):
    texts, labels, more, others = dataset("sms_spam")
    texts, labels = texts + more, labels + others
    turned = set(random.Random(0).sample(range(len(texts)), len(texts) // 20))
    other = {"ham": "spam", "spam": "ham"}
    given = [other[label] if i in turned else label for i, label in enumerate(labels)]
    found = [one.at for one in suspects(nabi.TextClassifier(), texts, given)]
    first = found[: len(turned)]
    assert len(turned & set(first)) / len(turned) >= 0.7


def test_every_message_that_comes_twice_is_in_a_group(dataset):
    texts, labels, _, _ = dataset("sms_spam")
    groups = duplicates(texts, labels)
    often = Counter(" ".join(text.casefold().split()) for text in texts)
    equal = {i for i, text in enumerate(texts) if often[" ".join(text.casefold().split())] > 1}
    grouped = {i for group in groups for i in group.at}
    assert equal < grouped  # nearly equal ones too
    assert len(grouped) - len(equal) < len(equal) / 4
    assert [group.at for group in groups if group.differ] == []


def test_a_seventh_of_the_messages_for_testing_were_learned(dataset):
    texts, labels, more, others = dataset("sms_spam")
    leaks = leakage(texts, more)
    assert 0.12 < len(leaks) / len(more) < 0.16
    assert all(labels[leak.of] == others[leak.at] for leak in leaks)


def test_blocks_change_no_group(dataset, monkeypatch):
    texts, _, more, _ = dataset("sms_spam")
    whole = duplicates(texts), leakage(texts, more)
    for name, value in (("BLOCK", 100), ("RUN", 3), ("LONG", 2)):
        monkeypatch.setattr(f"nabi.judging.near_pairs.{name}", value)
    assert (duplicates(texts), leakage(texts, more)) == whole

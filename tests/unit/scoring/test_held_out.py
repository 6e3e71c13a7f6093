"""HeldOut: losses by hand, and documents that were not learned."""

import copy
import math

import numpy as np
import pytest

import nabi
from nabi.counts.batch import CountedBatch
from nabi.counts.text import Counts
from nabi.features.batch import batch_of
from nabi.features.recipe import Features
from nabi.scoring.held_out.text import HeldOut
from nabi.scoring.smoothing import GRID

RECIPE = Features()
TEXTS, LABELS = ["a b", "a", "b"], ["x", "x", "y"]
PLACES = np.array([0, 0, 1], np.uint32)
ONE_BY_ONE = np.arange(3, dtype=np.uint32)


def held_out(texts, labels, alphas=(1.0,)):
    counted = CountedBatch(texts, labels, RECIPE, keeps=True)
    counts = Counts(RECIPE, ledger=False)
    counts.learn(counted)
    return HeldOut(counts, RECIPE, "multinomial", np.array(alphas)), counted.bags


def forgotten(model, text, label):
    """A model without one of its texts."""
    return copy.deepcopy(model).forget([text], [label])


def test_losses_by_hand():
    scores, bags = held_out([*TEXTS, "b"], [*LABELS, "y"])
    groups = np.array([0, 1, 2, 3], np.uint32)
    places = np.array([0, 0, 1, 1], np.uint32)
    loss, accuracy = scores.losses(bags, places, groups, prior="uniform")
    # P(x|"a b") = (2/3 1/3) / (2/3 1/3 + 1/4 3/4), P(x|"a") = (1/2) / (1/2 + 1/4),
    # P(y|"b") = (2/3) / (2/3 + 2/5), twice.
    own = [(2 / 9) / (2 / 9 + 3 / 16), 2 / 3, 5 / 8, 5 / 8]
    assert loss.tolist() == [pytest.approx(-sum(map(math.log, own)) / 4)]
    assert accuracy.tolist() == [1.0]


def test_a_label_that_is_all_gone_costs_without_bound():
    scores, bags = held_out(TEXTS, LABELS, alphas=[0.5, 1.0])
    loss, accuracy = scores.losses(bags, PLACES, ONE_BY_ONE)
    assert loss.tolist() == [math.inf, math.inf]
    assert accuracy.tolist() == [2 / 3, 2 / 3]


@pytest.mark.parametrize(
    ("texts", "places"), [(TEXTS, [1, 0, 1]), (TEXTS, [0, 1, 1]), (["a a a", "a", "b"], [0, 0, 1])]
)
@pytest.mark.parametrize("groups", [[0, 1, 2], [0, 0, 1]])
def test_documents_that_were_not_learned(texts, places, groups):
    scores, _ = held_out(TEXTS, LABELS)
    given = np.array(places, np.uint32), np.array(groups, np.uint32)
    with pytest.raises(nabi.InputError, match="expected those that the model learned"):
        scores.joint(batch_of(texts, RECIPE), *given)


def test_bags_of_another_table():
    scores, _ = held_out(TEXTS, LABELS)
    _, bags = held_out(["a b c", "a", "b"], LABELS)
    with pytest.raises(nabi.InputError, match="documents that do not fit the table"):
        scores.joint(bags, PLACES, ONE_BY_ONE)


def test_without_a_prior():
    scores, bags = held_out(["a b", "a", "b", "b"], ["x", "x", "y", "y"])
    joint, _ = scores.joint(
        bags, np.array([0, 0, 1, 1], np.uint32), np.arange(4, dtype=np.uint32), prior=None
    )
    # Without "a" the classes have seen a, b and b, b.
    assert np.exp(joint[1, 0]) == pytest.approx([1 / 2, 1 / 4])


def test_counts_that_are_not_whole_for_many_classes_and_smoothings():
    texts = [f"all of them {i % 9} have {i % 7} words" for i in range(120)]
    labels = [f"{i % 40:02}" for i in range(120)]
    counted = CountedBatch(
        texts, labels, RECIPE, weights=[0.3 + i / 64 for i in range(120)], keeps=True
    )
    counts = Counts(RECIPE, ledger=False)
    counts.learn(counted)
    given = counted.bags, np.arange(120, dtype=np.uint32) % 40, np.arange(120, dtype=np.uint32)
    alphas = np.array([0.1, 0.5, 2.0])
    together, _ = HeldOut(counts, RECIPE, "multinomial", alphas).joint(*given, units=counted.units)
    for i in range(3):
        alone = HeldOut(counts, RECIPE, "multinomial", alphas[i : i + 1])
        joint, _ = alone.joint(*given, units=counted.units)
        assert together[:, i] == pytest.approx(joint[:, 0])


def test_a_prior_that_leaves_no_class():
    scores, bags = held_out(TEXTS, LABELS)
    with pytest.raises(nabi.InputError, match="the prior is 0 for all classes that are left"):
        scores.joint(bags, PLACES, ONE_BY_ONE, prior={"x": 0, "y": 1})


def test_counting_that_keeps_gives_the_same_table():
    texts = ["b a a", "", "a 2", "b c"]
    plain = CountedBatch(texts, ["x", "y", "x", "y"], Features(), threads=1)
    kept = CountedBatch(texts, ["x", "y", "x", "y"], Features(), threads=1, keeps=True)
    assert [x.tolist() for x in kept.table.cells()] == [x.tolist() for x in plain.table.cells()]
    assert kept.fingerprints.tolist() == plain.fingerprints.tolist()
    assert (plain.bags, len(kept.bags)) == (None, 4)


@pytest.mark.parametrize("event", ["multinomial", "complement"])
def test_short_documents_keep_the_smoothing_of_all_and_a_long_one_does_not(event):
    words = np.random.default_rng(0).zipf(1.3, (600, 6)) % 1000
    texts = [" ".join(map(str, row)) for row in [*words, [*range(2000, 2300)] * 4]]
    labels = ["x", "y"] * 300 + ["x"]
    counted = CountedBatch(texts, labels, RECIPE, keeps=True)
    counts = Counts(RECIPE, ledger=False)
    counts.learn(counted)
    places, groups = counted.classes, np.arange(601, dtype=np.uint32)
    scores = HeldOut(counts, RECIPE, event, GRID)
    *_, alphas = scores.joint_best_alpha(counted.bags, places, groups)
    model = nabi.TextClassifier(event=event).fit(texts, labels)
    wanted = {i: forgotten(model, texts[i], labels[i]).alpha_ for i in [0, 1, 7, 300, 599, 600]}
    assert {i: alphas[i] for i in wanted} == wanted
    assert len(set(alphas)) == 2

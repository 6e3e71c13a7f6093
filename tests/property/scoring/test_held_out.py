"""Promise 6: held-out results are those of training again on the remaining documents."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import nabi
from nabi.counts.batch import CountedBatch
from nabi.counts.text import Counts
from nabi.features.batch import batch_of
from nabi.judging import crossval
from nabi.scoring.held_out.text import HeldOut
from nabi.scoring.smoothing import GRID
from strategies import short_texts

pytestmark = pytest.mark.filterwarnings("ignore::nabi.InputWarning")

models = st.builds(
    nabi.TextClassifier,
    features=st.sampled_from(["words", "words", "sklearn", "tweets"]),
    event=st.sampled_from(["multinomial", "binary", "bernoulli", "complement"]),
    alpha=st.sampled_from([1e-6, 0.01, 0.5, 1, 3.0, "auto", "auto"]),
    ngrams=st.sampled_from([(1, 1), (1, 2), (2, 3)]),
    chars=st.sampled_from([None, None, (2, 3)]),
    min_count=st.sampled_from([1, 1, 2, 3]),
    buckets=st.sampled_from([None, None, 7]),
    stop_words=st.sampled_from([None, ["no", "film"]]),
    prior=st.sampled_from(["empirical", "uniform"]),
    threads=st.sampled_from([1, 2]),
)
weights = st.sampled_from([1, 2, 0.5, 0.3])
letters = st.lists(st.sampled_from("abcdef"), max_size=8).map(" ".join)


@st.composite
def documents(draw):
    """(texts, labels, groups, weights)"""
    n = draw(st.integers(2, 9))
    each = lambda strategy: draw(st.lists(strategy, min_size=n, max_size=n))  # noqa: E731
    groups = draw(st.sampled_from([list(range(n)), [i % 3 for i in range(n)], [0] * (n - 1) + [1]]))
    texts = each(st.one_of(letters, letters, short_texts))
    return texts, each(st.sampled_from("xyz")), groups, draw(st.none() | st.just(each(weights)))


def rest(model, texts, labels, groups, weights, *, group):
    """The model trained on the documents of all other groups."""
    kept = [i for i, other in enumerate(groups) if other != group]
    some = None if weights is None else [weights[i] for i in kept]
    again = nabi.TextClassifier(**model.get_params())
    return again.fit([texts[i] for i in kept], [labels[i] for i in kept], sample_weight=some)


def refitted(model, texts, labels, groups, weights):
    """log P(c|d) of each document by a model trained on the documents of all other groups."""
    classes = sorted(set(labels))
    logs = np.full((len(texts), len(classes)), -np.inf)
    for group in set(groups):
        again = rest(model, texts, labels, groups, weights, group=group)
        places = [classes.index(label) for label in again.classes_.tolist()]
        for i in (i for i, other in enumerate(groups) if other == group):
            logs[i, places] = again.predict_log_proba([texts[i]])[0]
    return logs


@given(models, documents())
def test_held_out_is_training_again(model, data):
    texts, labels, groups, weights = data
    got = crossval(model, texts, labels, groups=groups, sample_weight=weights).log_proba
    wanted = refitted(model, *data)
    assert np.isneginf(got).tolist() == np.isneginf(wanted).tolist()
    some = np.isfinite(wanted)
    assert got[some] == pytest.approx(wanted[some], rel=1e-9, abs=1e-9)


@given(models, documents(), st.integers(2, 4))
def test_folds_are_groups(model, data, folds):
    texts, labels, _, weights = data
    assume(folds <= len(texts))
    from nabi.scoring.held_out.text import fold_numbers

    by_fold = crossval(model, texts, labels, folds=folds, seed=3, sample_weight=weights)
    numbers = fold_numbers(by_fold.actual.astype(np.uint32), folds, 3)
    grouped = crossval(model, texts, labels, groups=numbers, sample_weight=weights)
    assert by_fold.log_proba.tobytes() == grouped.log_proba.tobytes()


@given(models, documents())
def test_threads_do_not_change_a_bit(model, data):
    texts, labels, groups, weights = data
    found = [
        crossval(model.set_params(threads=n), texts, labels, groups=groups, sample_weight=weights)
        for n in (1, 3)
    ]
    assert found[0].log_proba.tobytes() == found[1].log_proba.tobytes()


ALPHAS = np.array([0.01, 0.5, 3.0])


def learned(model, texts, labels, weights, alphas=ALPHAS):
    """(held-out scores of all smoothings, the counted documents, their places)"""
    counted = CountedBatch(texts, labels, model.recipe, weights=weights, keeps=True)
    counts = Counts(model.recipe, ledger=False)
    counts.learn(counted)
    places = np.array([counts.labels.index(label) for label in labels], np.uint32)
    return HeldOut(counts, model.recipe, model.event, alphas), counted, places


def losses(model, texts, labels, groups, weights):
    held_out, counted, places = learned(model, texts, labels, weights)
    numbers = np.array(groups, np.uint32)
    options = {"units": counted.units, "prior": model.prior, "threads": model.threads}
    return held_out.losses(counted.bags, places, numbers, **options)


@given(models, documents())
def test_the_smoothing_is_what_training_again_chooses(model, data):
    texts, labels, groups, weights = data
    held_out, counted, places = learned(
        model.set_params(alpha="auto"), texts, labels, weights, GRID
    )
    numbers = np.array(groups, np.uint32)
    *_, alphas = held_out.joint_best_alpha(counted.bags, places, numbers, units=counted.units)
    wanted = {group: rest(model, *data, group=group).alpha_ for group in set(groups)}
    assert alphas.tolist() == [wanted[group] for group in groups]


@given(models, documents())
def test_kept_bags_score_as_texts_that_are_read_again(model, data):
    texts, labels, groups, weights = data
    held_out, counted, places = learned(model, texts, labels, weights)
    scores = [
        held_out.joint(batch, places, np.array(groups, np.uint32), units=counted.units)[0]
        for batch in (counted.bags, batch_of(texts, model.recipe))
    ]
    assert scores[0].tobytes() == scores[1].tobytes()


@given(models, documents())
def test_losses_are_those_of_cross_validation(model, data):
    texts, labels, groups, weights = data
    loss, accuracy = losses(model, *data)
    for i, alpha in enumerate(ALPHAS):
        model.set_params(alpha=alpha)
        result = crossval(model, texts, labels, groups=groups, sample_weight=weights)
        assert accuracy[i] == result.accuracy
        assert loss[i] == pytest.approx(result.log_loss, rel=1e-9, abs=1e-9)


@given(models, documents(), st.randoms(use_true_random=False))
def test_losses_do_not_depend_on_the_order(model, data, random):
    order = list(range(len(data[0])))
    random.shuffle(order)
    again = [None if each is None else [each[i] for i in order] for each in data]
    model.set_params(threads=1)
    found = losses(model, *data)
    shuffled = losses(model.set_params(threads=3), *again)
    assert [x.tobytes() for x in found] == [x.tobytes() for x in shuffled]

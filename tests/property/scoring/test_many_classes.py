"""Of many classes, the predicted one is the first with the greatest score, to the last bit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nabi

pytestmark = pytest.mark.filterwarnings("ignore::nabi.ImpossibleWarning")

WORDS = [f"w{i}" for i in range(2000)]  # so many that a table of all classes would be large
events = st.sampled_from(["multinomial", "binary", "bernoulli", "complement"])
alphas = st.sampled_from([0, 1e-6, 0.01, 1.0, "auto"])


def some_texts(rng, number, *, longest=12):
    """Texts in which early words are frequent; some are long, some empty or of unknown words."""
    lengths = np.where(rng.random(number) < 0.1, longest * 20, rng.integers(0, longest, number))
    drawn = (rng.pareto(0.5, int(lengths.sum())) % (len(WORDS) + 4)).astype(int)
    words = np.array([*WORDS, "unknown", "words", "only", "here"], object)[drawn]
    return [" ".join(part) for part in np.split(words, np.cumsum(lengths)[:-1])]


def trained(seed, *, classes=400, **options):
    """A model of so many classes; many have equal counts, so that scores tie."""
    rng = np.random.default_rng(seed)
    texts = [*some_texts(rng, 3 * classes), *WORDS]
    model = nabi.TextClassifier(ledger=False, **options)
    return model.fit(texts, [i % classes for i in range(len(texts))])


def best_by_scores(model, texts, **options):
    joint = model.joint_log_likelihood(texts, **options)
    assert joint.shape[1] >= 128
    return joint.argmax(axis=1)  # the first of those that tie


@settings(max_examples=25)
@given(st.integers(0, 2**32), events, alphas, st.sampled_from([None, "uniform"]))
def test_the_predicted_class_has_the_greatest_score(seed, event, alpha, prior):
    model = trained(seed, event=event, alpha=alpha)
    asked = some_texts(np.random.default_rng(seed + 1), 100)
    expected = best_by_scores(model, asked, prior=prior)
    for _ in range(3):  # by weights of their own words first, then by those of all words
        assert model.predict_numbers(asked, prior=prior).tolist() == expected.tolist()


@settings(max_examples=10)
@given(st.integers(0, 2**32), st.sampled_from([1, 2, 3, 8]))
def test_a_class_depends_on_its_text_alone(seed, threads):
    model = trained(seed, alpha=0.1, threads=threads)
    asked = some_texts(np.random.default_rng(seed + 1), 60)
    one_by_one = [int(model.predict_numbers([text])[0]) for text in asked]
    assert model.predict_numbers(asked * 200).tolist() == one_by_one * 200


@settings(max_examples=10)
@given(st.integers(0, 2**32))
def test_a_class_with_a_prior_of_zero_is_not_predicted(seed):
    model = trained(seed, alpha=0.1)
    rng = np.random.default_rng(seed)
    prior = rng.integers(0, 2, 400) * rng.random(400)
    prior[0] = 1
    given = dict(enumerate((prior / prior.sum()).tolist()))
    asked = some_texts(rng, 100)
    found = model.predict_numbers(asked, prior=given)
    assert found.tolist() == best_by_scores(model, asked, prior=given).tolist()
    assert (prior[found] > 0).all()

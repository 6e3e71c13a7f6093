"""What neighbours are: by plain counting, for any texts in any order."""

import math
from collections import Counter

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import nabi
from strategies import documents, recipes, short_texts

pytestmark = pytest.mark.filterwarnings("ignore::nabi.InputWarning")

lists = st.lists(short_texts, max_size=6)
ks = st.integers(1, 6)


@st.composite
def models(draw, **options):
    """An untrained classifier by neighbours."""
    return nabi.NeighboursClassifier(
        draw(recipes(**options)),
        k=draw(st.one_of(ks, st.just("auto"))),
        weights=draw(st.sampled_from(["cosine", "uniform"])),
        keep_texts=draw(st.booleans()),
        threads=draw(st.sampled_from([None, 1, 2])),
    )


def learned(model, docs):
    return type(model)(**model.get_params()).fit(docs.texts, docs.labels)


def plain_similarities(recipe, texts, asked):
    """The cosine between a text and each of some others, by the definition."""
    bags = [Counter(set(words) if recipe.binary else words) for words in map(recipe.of, texts)]
    df = Counter(word for bag in bags for word in bag)

    def vector(bag):
        weights = {
            word: (1 + math.log(times)) * (1 + math.log((1 + len(bags)) / (1 + df[word])))
            for word, times in bag.items()
            if word in df
        }
        length = math.sqrt(math.fsum(weight**2 for weight in weights.values()))
        return {word: weight / length for word, weight in weights.items()}

    words = recipe.of(asked)
    own = vector(Counter(set(words) if recipe.binary else words))
    return [math.fsum(own[w] * x for w, x in vector(bag).items() if w in own) for bag in bags]


@given(models(views=False), documents(short_texts), short_texts)
def test_the_nearest_are_those_of_the_largest_cosine(model, docs, text):
    model = learned(model, docs).set_params(k=3)
    wanted = plain_similarities(model.recipe, docs.texts, text)
    near = model.explain(text).neighbours
    got = [each.similarity for each in near]
    assert got == pytest.approx(sorted((s for s in wanted if s), reverse=True)[:3], abs=1e-9)
    for each in near:
        assert math.fsum(w.part for w in each.words) == pytest.approx(each.similarity, abs=1e-9)


@given(models(), documents(short_texts), st.integers(0, 99))
def test_a_file_does_not_depend_on_the_order_of_the_texts(saved, model, docs, seed):
    assert saved(learned(model, docs)) == saved(learned(model, docs.shuffled(seed)))


@given(models(), documents(short_texts))
def test_a_file_gives_equal_bytes_again(saved, in_memory, model, docs):
    before = saved(learned(model, docs))
    tokenizer = model.recipe.tokenizer
    assert saved(nabi.load(in_memory / "saved.nabi", tokenizer=tokenizer)) == before


@given(models(), documents(short_texts), lists)
def test_batch_is_one_by_one(model, docs, asked):
    model = learned(model, docs)
    assume(asked)
    one_by_one = b"".join(model.predict_log_proba([text]).tobytes() for text in asked)
    assert model.predict_log_proba(asked).tobytes() == one_by_one


@settings(max_examples=5)
@given(models(), documents(short_texts), lists, st.integers(0, 9))
def test_neither_blocks_nor_threads_change_a_probability(model, docs, asked, seed):
    model = learned(model, docs)
    many = [*asked, *docs.texts] * 200
    few = model.predict_proba([*asked, *docs.texts])
    got = model.set_params(threads=1 + seed % 3).predict_proba(many)
    assert got.tobytes() == np.tile(few, (200, 1)).tobytes()


@given(models(), documents(short_texts), lists)
def test_probabilities_are_above_zero_and_sum_to_one(model, docs, asked):
    p = learned(model, docs).predict_proba(asked)
    assert (p > 0).all()
    assert p.sum(axis=1) == pytest.approx(np.ones(len(asked)))


@given(models(), documents(short_texts), short_texts)
def test_an_explanation_gives_what_predict_gives(model, docs, text):
    model = learned(model, docs)
    got = model.explain(text)
    assert got.label == model.predict([text])[0]
    assert list(got.proba.values()) == model.predict_proba([text])[0].tolist()
    votes = Counter()
    for each in got.neighbours:
        votes[each.label] += each.vote
    assert dict(got.votes) == pytest.approx({label: votes[label] for label in got.votes})

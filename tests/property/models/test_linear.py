"""Promises of linear models of text."""

import tempfile
from pathlib import Path

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st

import nabi
from nabi.counts.batch import CountedBatch
from nabi.counts.text import Counts
from nabi.models.linear.classifier import LinearClassifier
from nabi.models.linear.hyperparameters import MODELS
from nabi.models.linear.problem import Problem
from nabi.scoring.held_out.text import fold_numbers

words = st.sampled_from(["a", "b", "good", "bad", "ab", "né", "나비", "", "!"])
documents = st.lists(words, max_size=6).map(" ".join)
rows = st.lists(st.tuples(documents, st.sampled_from(["x", "y", "z"])), min_size=4, max_size=20)
options = st.fixed_dictionaries(
    {
        "model": st.sampled_from(sorted(MODELS)),
        "ngrams": st.sampled_from([(1, 1), (1, 2)]),
        "chars": st.sampled_from([None, (1, 2)]),
        "binary": st.booleans(),
        "min_count": st.sampled_from([1, 2]),
        "beta": st.sampled_from([1.0, 0.25]),
        "unit_length": st.booleans(),
        "C": st.sampled_from([0.1, 1.0, 10.0]),
        "buckets": st.sampled_from([None, 7]),
    }
)


def fitted(rows, options, **more):  # type: ignore[no-untyped-def]
    texts, labels = zip(*rows, strict=True)
    assume(len(set(labels)) > 1)
    return LinearClassifier(**options, **more).fit(list(texts), list(labels))


def saved(model: LinearClassifier) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m.nabi"
        model.save(path)
        again = nabi.load(path)
        again.save(path.with_suffix(".2"))
        assert path.read_bytes() == path.with_suffix(".2").read_bytes()
        return path.read_bytes()


@given(rows, options, st.randoms(use_true_random=False))
def test_the_file_depends_on_the_texts_alone(rows, options, random) -> None:  # type: ignore[no-untyped-def]
    shuffled = list(rows)
    random.shuffle(shuffled)
    one = saved(fitted(rows, options, threads=1))
    assert one == saved(fitted(shuffled, options, threads=2))


@given(rows, options, st.lists(documents, max_size=5))
def test_a_batch_is_one_by_one_and_a_loaded_model_says_the_same(rows, options, asked) -> None:  # type: ignore[no-untyped-def]
    model = fitted(rows, options)
    with tempfile.TemporaryDirectory() as folder:
        model.save(Path(folder) / "m.nabi")
        loaded = nabi.load(Path(folder) / "m.nabi")
    together = model.predict_proba(asked)
    for i, text in enumerate(asked):
        assert model.predict_proba([text])[0].tolist() == together[i].tolist()
        assert loaded.predict_proba([text])[0].tolist() == together[i].tolist()


@given(rows, options, documents)
def test_the_evidence_sums_to_the_score(rows, options, text) -> None:  # type: ignore[no-untyped-def]
    model = fitted(rows, options)
    told = model.explain(text)
    for i, label in enumerate(model.classes_.tolist()):
        total = told.log_prior[label] + sum(term.weights[label] for term in told.terms)
        assert np.isclose(total, told.joint[label], rtol=1e-9, atol=1e-9)
        assert np.isclose(told.joint[label], model._joint([text], None)[0, i], rtol=1e-9, atol=1e-9)
    evidence = told.prior + sum(term.evidence for term in told.terms)
    assert np.isclose(evidence, told.score, rtol=1e-9, atol=1e-9)
    assert told.label == model.predict([text])[0]


@given(rows, options)
def test_scores_of_texts_left_out_are_those_of_a_refit(rows, options) -> None:  # type: ignore[no-untyped-def]
    model = fitted(rows, options, sharpness=1.0)
    texts, labels = map(list, zip(*rows, strict=True))
    counted = CountedBatch(texts, labels, model.recipe, keeps=True)
    counts = Counts(model.recipe, ledger=False)
    counts.learn(counted)
    problem = Problem(counted, counts, model.hyperparameters, logs=not options["binary"])
    order = problem.order.astype(int)
    fold = np.empty(len(order), np.uint32)
    fold[order] = fold_numbers(problem.actual[order], 2, seed=None)
    scores = problem.held_out_scores(fold, model.hyperparameters, None)
    for k in range(2):
        rest, asked = order[fold[order] != k], order[fold[order] == k]
        others = [labels[i] for i in rest]
        assume(sorted(set(others)) == counts.labels)
        refit = LinearClassifier(**options, sharpness=1.0).fit([texts[i] for i in rest], others)
        expected = refit._joint([texts[i] for i in asked], None)
        assert np.allclose(scores[asked], expected, rtol=1e-4, atol=1e-4)

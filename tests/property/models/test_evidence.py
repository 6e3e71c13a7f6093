"""Promise 5 on extreme numbers: the evidence sums to the score, also where large terms cancel."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nabi
from hostile import parts
from nabi.files import model_file

words = st.lists(st.sampled_from("abcdef"), min_size=1, max_size=20).map(" ".join)
labels = st.permutations(list("xxyyzz"))
weights = st.lists(st.sampled_from([2.0**-24, 1.0, 2.0**20]), min_size=6, max_size=6)
extreme = st.sampled_from([1e-3, -1e-3, 0.7, -0.7, 1e15, -1e15, 1e30, -1e30])
numbers = st.one_of(st.sampled_from([0.0, 1.0, -1e151, 1e153, 1e155, 1e308]), st.floats(-1e9, 1e9))


def check_sum(why, joint):
    """The score is the sum of the evidence; joints are as scored, beside the largest number."""
    score = [why.prior, getattr(why, "absent", 0.0), *(term.evidence for term in why.terms)]
    assert why.score == pytest.approx(math.fsum(score), rel=1e-9)
    terms = [weight for term in why.terms for weight in term.weights.values()]
    largest = max(map(abs, [*joint, *why.log_prior.values(), *terms]))
    assert list(why.joint.values()) == pytest.approx(joint.tolist(), abs=1e-9 * largest)


@given(
    st.lists(words, min_size=6, max_size=6),
    labels,
    weights,
    st.sampled_from(["multinomial", "binary", "complement", "bernoulli"]),
    st.sampled_from([1e-9, 1.0, 1e9]),
)
def test_the_evidence_of_words_sums_to_the_score(texts, labels, weights, event, alpha):
    model = nabi.TextClassifier(event=event, alpha=alpha, ngrams=(1, 1))
    model.fit(texts, labels, sample_weight=weights)
    for text in texts:
        check_sum(model.explain(text), model.joint_log_likelihood([text])[0])


@given(st.lists(words, min_size=6, max_size=6), labels, st.lists(extreme, min_size=24, max_size=24))
def test_the_evidence_of_linear_models_sums_to_the_score(tmp_path_factory, texts, labels, some):
    fitted = nabi.LinearClassifier("svm", ngrams=(1, 1), sharpness=1.0).fit(texts, labels)
    header, arrays = parts(fitted)
    arrays["weights"] = np.resize(some, len(arrays["weights"])).astype(np.float32)
    path = tmp_path_factory.mktemp("linear") / "extreme.nabi"
    model_file.write(path, header, arrays)
    model = nabi.load(path)
    for text in texts[:2]:
        check_sum(model.explain(text), model.decision_function([text])[0])


@given(st.lists(st.tuples(numbers, numbers), min_size=7, max_size=7), labels)
def test_the_evidence_of_columns_sums_to_the_score(rows, labels):
    model = nabi.TableClassifier({"a": "gaussian", "b": "gaussian"})
    *learned, asked = [{"a": a, "b": b % 1e9} for a, b in rows]
    model.fit(learned, labels)
    check_sum(model.explain(asked), model.joint_log_likelihood([asked])[0])


@pytest.mark.parametrize("far", [1e149, 1e151, -1e153, 8e153, 1e154, 2e154, 1e155, 1e308])
def test_a_number_far_out_is_explained_as_it_is_scored(far):
    model = nabi.TableClassifier({"a": "gaussian"}).fit([{"a": x} for x in (0, 1, 5, 7)], [*"xxyy"])
    why, joint = model.explain({"a": far}), model.joint_log_likelihood([{"a": far}])[0]
    assert list(why.joint.values()) == pytest.approx(joint.tolist(), rel=1e-12)
    assert why.score == pytest.approx(joint[1] - joint[0], rel=1e-12)
    assert why.label == model.predict([{"a": far}])[0]

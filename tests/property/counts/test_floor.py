"""The floor is one of all counts: the same wherever they come from, and predicts as min_count."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import nabi
from nabi.events import EVENTS
from strategies import documents, learned, models

pytestmark = [
    pytest.mark.filterwarnings("ignore::nabi.InputWarning"),
    pytest.mark.filterwarnings("ignore::nabi.ImpossibleWarning"),
]
floors = st.integers(1, 4)


@given(models(), documents(), documents(), floors)
def test_the_floor_of_a_sum_is_that_of_all_documents(model, a, b, least):
    whole = learned(model, a + b).floor(least)
    assert (learned(model, a) + learned(model, b)).floor(least).to_bytes() == whole.to_bytes()


@given(documents(), floors, st.sampled_from(list(EVENTS)))
def test_it_predicts_as_a_model_with_min_count(docs, least, event):
    model = learned(nabi.TextClassifier(event=event), docs)
    view = learned(nabi.TextClassifier(event=event, min_count=least), docs)
    texts = docs.columns[0]
    ours, theirs = (m.joint_log_likelihood(texts) for m in (model.floor(least), view))
    assert ours.tobytes() == theirs.tobytes()


@given(models(), documents(), floors, floors)
def test_of_two_floors_the_higher_counts(reloaded, model, docs, one, other):
    model = learned(model, docs)
    twice = reloaded(model.floor(one)).floor(other)
    assert twice.to_bytes() == model.floor(max(one, other)).to_bytes()

"""One text at a time gives what a batch gives, to the last bit."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nabi
from nabi.models.one_text import OneText
from strategies import documents, learned, models, short_texts, texts

pytestmark = [
    pytest.mark.filterwarnings("ignore::nabi.InputWarning"),
    pytest.mark.filterwarnings("ignore::nabi.ImpossibleWarning"),
]


@given(models(), documents(), st.lists(texts, min_size=1, max_size=4))
def test_one_text_equals_the_model(model, docs, asked):
    model = learned(model, docs, event="multinomial")
    one = OneText.of(model)
    if one is None:
        return
    assert one.labels == model.classes_.tolist()
    found = [one.shares(text) for text in asked]
    numbers = [one.number(text) for text in asked]
    assert [best for best, _ in found] == numbers == model.predict_numbers(asked).tolist()
    shares = np.array([row for _, row in found])
    assert shares.tobytes() == model.predict_proba(asked).tobytes()


@given(documents(), short_texts, st.booleans())
def test_one_text_sees_what_was_learned_and_forgotten_since(docs, text, prepared):
    model = nabi.TextClassifier(ledger=False).fit(["a b", "b c"], docs.labels[:1] * 2)
    model.partial_fit(docs.texts, docs.labels)
    if prepared:
        model.scoring().prepare()
    model.forget(docs.texts[:1], docs.labels[:1])
    one = OneText.of(model)
    assert one is not None
    assert one.shares(text)[1] == model.predict_proba([text])[0].tolist()


@pytest.mark.parametrize(
    "model",
    [
        nabi.TextClassifier(event="bernoulli"),
        nabi.TextClassifier(event="binary"),
        nabi.TextClassifier(alpha=0),
        nabi.TextClassifier(min_count=2),
        nabi.TextClassifier(prior={"+": 1.0, "-": 0.0}),
        nabi.TextClassifier(normalize="NFC"),
        nabi.TextClassifier(),
    ],
    ids=repr,
)
def test_models_that_are_not_for_it(model):
    model.fit(["good film", "bad film"], ["+", "-"])
    if repr(model) == "TextClassifier()":
        assert OneText.of(model).number("bad") == 1
        model.calibrate(["good film", "bad film"], ["+", "-"])
    assert OneText.of(model) is None


def test_scores_of_counts_that_got_a_class_are_refused():
    model = nabi.TextClassifier().fit(["good film", "bad film"], ["+", "-"])
    one = OneText.of(model)
    model.partial_fit(["so so"], ["?"])
    with pytest.raises(RuntimeError, match="the counts have changed"):
        one.number("good")

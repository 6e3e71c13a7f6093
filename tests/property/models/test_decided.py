"""What is explained is what is predicted, by every kind of model, also where thresholds decide."""

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

import nabi
from nabi.metrics import Decision
from nabi.rules import RuledClassifier, RuleSet

TEXTS = ["good film", "bad film", "so good", "so bad", "dull film", "so dull"] * 4
LABELS = ["pos", "neg", "pos", "neg", "dull", "dull"] * 4
WORDS = ["good", "bad", "dull", "film", "so", "new"]
RULES = RuleSet.parse("so and good -> neg")

MODELS = {
    "text": nabi.TextClassifier().fit(TEXTS, LABELS),
    "calibrated": nabi.TextClassifier(event="complement").fit(TEXTS * 9, LABELS * 9),
    "linear": nabi.LinearClassifier().fit(TEXTS, LABELS),
    "neighbours": nabi.NeighboursClassifier(k=3).fit(TEXTS, LABELS),
    "pruned": nabi.PrunedClassifier.of(nabi.TextClassifier().fit(TEXTS, LABELS)),
    "ruled": RuledClassifier(nabi.TextClassifier().fit(TEXTS, LABELS), RULES),
    "table": nabi.TableClassifier({"about": "text"}).fit({"about": TEXTS}, LABELS),
}
MODELS["calibrated"].calibrate(TEXTS * 9, LABELS * 9)

limits = st.dictionaries(st.sampled_from(["pos", "neg", "dull"]), st.floats(0, 1), max_size=3)
labels = st.sampled_from(["ask", "pos", None])


@pytest.mark.parametrize("kind", MODELS)
@given(limits, labels, st.floats(0, 1), st.lists(st.sampled_from(WORDS), max_size=5))
def test_what_is_explained_is_what_is_predicted(kind, limits, not_sure, confidence, words):
    model, text = MODELS[kind], " ".join(words)
    is_none = not limits and not_sure is None
    model.decide_by(None if is_none else Decision(limits, not_sure, confidence))
    document = {"about": text} if kind == "table" else text
    found = model.explain(document)
    assert found.label == model.predict([document])[0]
    top = model.classes_[np.argmax(model.predict_proba([document])[0])]
    assert found.decided_by is not None or is_none or found.label == top
    assert str(found).startswith(found.label) or kind == "ruled"

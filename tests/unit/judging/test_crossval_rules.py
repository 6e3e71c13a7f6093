"""Cross-validation of a model with rules: as training again without each document."""

import numpy as np
import pytest

import nabi
from nabi.judging import crossval
from nabi.rules import RuledClassifier, RuleSet

ROWS = [
    ("win a prize now", "spam"),
    ("win money now", "spam"),
    ("see you at lunch", "ham"),
    ("lunch at noon", "ham"),
    ("the plan for noon", "ham"),
]
TEXTS, LABELS = map(list, zip(*ROWS, strict=True))
RULES = RuleSet.parse("money -> ham\nplan -> ham")


def test_results_are_those_of_training_again_without_each_text():
    result = crossval(RuledClassifier(nabi.TextClassifier(alpha=1.0), RULES), TEXTS, LABELS)
    for i, text in enumerate(TEXTS):
        rest = [TEXTS[:i] + TEXTS[i + 1 :], LABELS[:i] + LABELS[i + 1 :]]
        again = RuledClassifier(nabi.TextClassifier(alpha=1.0).fit(*rest), RULES)
        assert again.predict([text])[0] == result.classes[result.predicted[i]]
        with np.errstate(divide="ignore"):
            expected = np.log(again.predict_proba([text])[0])
        assert result.log_proba[i] == pytest.approx(expected, abs=1e-9)
    assert result.ruled.tolist() == [False, True, False, False, True]


def test_documents_may_have_the_fields_of_the_rules():
    rules = RuleSet.parse("from: joe -> ham")
    documents = [{"text": text, "from": "joe" if i == 1 else None} for i, text in enumerate(TEXTS)]
    result = crossval(RuledClassifier(nabi.TextClassifier(), rules), documents, LABELS, folds=2)
    assert result.ruled.tolist() == [False, True, False, False, False]


def test_progress_is_told_while_rules_are_asked():
    seen = []
    model = RuledClassifier(nabi.TextClassifier(), RULES)
    crossval(model, TEXTS * 60, LABELS * 60, progress=lambda *step: seen.append(step))
    assert seen == [("rules", 0, 300), ("rules", 256, 300)]


def test_rules_as_evidence_are_refused():
    model = RuledClassifier(nabi.TextClassifier(), RULES, how="evidence")
    with pytest.raises(nabi.InputError, match="how='evidence'; crossval takes rules that decide"):
        crossval(model, TEXTS, LABELS)

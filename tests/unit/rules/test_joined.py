"""Rules that decide before a model, or speak beside it."""

import math

import numpy as np
import pytest

import nabi
from nabi import InputError, NotFittedError, NotLearnedError
from nabi.rules import RuledClassifier, RuleSet

TEXTS = ["win a prize now", "win money now", "see you at lunch", "lunch at noon", "the plan"]
LABELS = ["spam", "spam", "ham", "ham", "ham"]
RULES = RuleSet.parse("invoice -> spam\nfrom: ann -> ham", file="mail.rules")


@pytest.fixture
def model():
    return nabi.TextClassifier(alpha=1.0).fit(TEXTS, LABELS)


def test_a_rule_decides_and_the_model_the_rest(model):
    both = RuledClassifier(model, RULES)
    documents = ["invoice for lunch", "lunch", {"from": "Ann", "text": "win money"}, "win"]
    assert both.predict(documents).tolist() == ["spam", "ham", "ham", "spam"]
    proba = both.predict_proba(documents)
    assert proba[[0, 2]].tolist() == [[0.0, 1.0], [1.0, 0.0]]
    assert proba[[1, 3]].tolist() == model.predict_proba(["lunch", "win"]).tolist()
    assert both.classes_.tolist() == ["ham", "spam"]


def test_the_evidence_shows_the_rule_that_decides(model):
    explained = RuledClassifier(model, RULES).explain("invoice for lunch")
    assert (explained.label, explained.proba) == ("spam", {"ham": 0.0, "spam": 1.0})
    assert (explained.rules.rule.line, explained.model.label) == (1, "ham")
    lines = str(explained).splitlines()
    assert lines[0] == "spam  (mail.rules:1)"
    assert lines[3] == "  text[0:7]  'invoice'"
    assert lines[-1].startswith("a rule decides; the model alone: ham  (0.")


def test_where_no_rule_holds_the_evidence_is_the_models(model):
    explained = RuledClassifier(model, RULES).explain("lunch")
    assert explained.rules.rule is None
    assert explained.joint == model.explain("lunch").joint
    assert str(explained) == f"no rule holds; the model decides\n\n{model.explain('lunch')}"


def test_rules_as_evidence_are_counted(model):
    rules = RuleSet.parse("now -> spam\nlunch -> spam")
    both = RuledClassifier(nabi.TextClassifier(alpha=1.0), rules, how="evidence")
    both.fit(TEXTS, LABELS)
    joint = model.joint_log_likelihood(["now"])[0]
    # Of 3 ham "now" holds for 0 and "lunch" for 2; of 2 spam for 2 and for 0.
    ham = joint[0] + math.log(1 / 5) + math.log(1 - 3 / 5)
    spam = joint[1] + math.log(3 / 4) + math.log(1 - 1 / 4)
    expected = 1 / (1 + math.exp(ham - spam))
    assert both.predict_proba(["now"])[0, 1] == pytest.approx(expected, rel=1e-12)
    assert both.predict(["now", "lunch"]).tolist() == ["spam", "ham"]


def test_the_evidence_of_rules_sums_to_the_joint():
    rules = RuleSet.parse("now -> spam\nlunch -> spam")
    both = RuledClassifier(nabi.TextClassifier(), rules, how="evidence").fit(TEXTS, LABELS)
    explained = both.explain("lunch is now")
    for label in ("ham", "spam"):
        added = sum(term.weights[label] for term in explained.terms)
        assert explained.joint[label] == explained.model.joint[label] + added
    logs = np.array([explained.joint[label] for label in ("ham", "spam")])
    proba = np.exp(logs - np.logaddexp(*logs))
    assert list(explained.proba.values()) == pytest.approx(proba.tolist(), rel=1e-12)
    assert explained.terms[0].counts == {"ham": (0, 3), "spam": (2, 2)}
    assert "  line 1 holds: ham -1.6094, spam -0.2877  (held for: ham 0 of 3, spam" in str(
        explained
    )


def test_learning_more_and_forgetting_are_exact():
    rules = RuleSet.parse("now or lunch -> spam")
    both = RuledClassifier(nabi.TextClassifier(), rules, how="evidence").fit(TEXTS, LABELS)
    before = both.predict_proba(TEXTS).tolist()
    both.partial_fit(["now", "invoice"], ["ham", "other"])
    assert both.predict_proba(TEXTS).shape == (5, 3)
    both.forget(["now", "invoice"], ["ham", "other"])
    assert both.predict_proba(TEXTS).tolist() == before
    with pytest.raises(NotLearnedError):
        both.forget(["never seen"], ["ham"])
    assert both.predict_proba(TEXTS).tolist() == before


def test_rules_are_counted_beside_a_model_that_has_learned(model):
    both = RuledClassifier(model, RuleSet.parse("now -> spam"), how="evidence")
    with pytest.raises(NotFittedError, match=r"or count\(documents, labels\) if the model"):
        both.predict(["now"])
    both.count(TEXTS, LABELS)
    learned = RuledClassifier(nabi.TextClassifier(alpha=1.0), both.rules, how="evidence")
    learned.fit(TEXTS, LABELS)
    assert both.predict_proba(TEXTS).tolist() == learned.predict_proba(TEXTS).tolist()


def test_the_threads_are_those_of_the_model(model):
    both = RuledClassifier(model, RULES)
    both.threads = 3
    assert (both.threads, model.threads) == (3, 3)


def test_rules_beside_a_model_of_tables():
    rows = [{"text": "win now", "size": 9.0}, {"text": "lunch", "size": 1.0}] * 2
    model = nabi.TableClassifier({"text": "text", "size": "gaussian"})
    both = RuledClassifier(model, RuleSet.parse("invoice -> spam")).fit(rows, ["spam", "ham"] * 2)
    assert both.predict([{"text": "an invoice", "size": 1.0}, rows[1]]).tolist() == ["spam", "ham"]


def test_whole_numbers_are_classes_by_their_names():
    model = nabi.TextClassifier().fit(["a", "b"], [0, 1])
    assert RuledClassifier(model, RuleSet.parse("c -> 1")).predict(["a c", "a"]).tolist() == [1, 0]


@pytest.mark.parametrize(
    ("text", "file", "message"),
    [
        ("a -> spm", "m.rules", "the rule at m.rules:1 says 'spm'; the classes of the model are"),
        ("a -> ham\nb -> spm", None, "the rule at line 2 says 'spm'; the classes of the model"),
    ],
)
def test_a_label_that_is_no_class_is_refused(model, text, file, message):
    with pytest.raises(InputError, match=message):
        RuledClassifier(model, RuleSet.parse(text, file=file)).predict(["x"])


@pytest.mark.parametrize("options", [{"how": "votes"}, {"alpha": 0}, {"alpha": "1"}])
def test_bad_options_are_refused(model, options):
    with pytest.raises(InputError):
        RuledClassifier(model, RULES, **options)


def test_documents_and_labels_of_different_numbers_are_refused(model):
    with pytest.raises(InputError, match="1 documents and 2 labels"):
        RuledClassifier(model, RULES).fit(["a"], ["x", "y"])
    assert model.class_count_.tolist() == [3.0, 2.0]

"""Every kind of model decides by the thresholds that it is given, and keeps them in its file."""

import copy
import json
import pickle

import pytest
from sklearn.base import clone

import nabi
from hostile import parts
from nabi import InputError, InputTypeError, ModelFileError
from nabi.files import model_file
from nabi.metrics import Decision
from nabi.rules import RuledClassifier, RulesClassifier, RuleSet

TEXTS, LABELS = ["good film", "bad film", "so good", "so bad"], ["+", "-", "+", "-"]
ASK = Decision({"+": 1.0}, not_sure="ask", confidence=0.999)
RULES = RuleSet.parse('"great" -> "+"', default="-")


def text():
    return nabi.TextClassifier().fit(TEXTS, LABELS)


MODELS = {
    "text": text,
    "table": lambda: nabi.TableClassifier().fit({"size": [1.0, 2.5, 1.5, 2.0]}, LABELS),
    "linear": lambda: nabi.LinearClassifier().fit(TEXTS, LABELS),
    "neighbours": lambda: nabi.NeighboursClassifier().fit(TEXTS, LABELS),
    "pruned": lambda: nabi.PrunedClassifier.of(text()),
    "rules": lambda: RulesClassifier(RULES),
    "ruled": lambda: RuledClassifier(text(), RULES),
}
every_kind = pytest.mark.parametrize("kind", MODELS)


def asked(kind):
    return [{"size": 1.74}, {"size": 1.76}] if kind == "table" else ["good", "bad"]


@every_kind
def test_predict_decides_and_probabilities_stay(kind):
    model, documents = MODELS[kind](), asked(kind)
    proba, params = model.predict_proba(documents), model.get_params()
    plain = ["-", "-"] if kind == "rules" else ["ask", "ask"]
    assert model.decide_by(ASK).predict(documents).tolist() == plain
    assert (model.predict_proba(documents) == proba).all()
    assert model.get_params() == params
    assert (
        model.decide_by(None).predict(documents).tolist()
        == model.classes_[model.predict_numbers(documents)].tolist()
    )


def format_but_for_unicode(path):
    """The format of a file, if it did not tell the version of its Unicode tables."""
    header, _ = model_file.read(path)
    inner = header.get("model")  # of a model beside rules
    for each in (header, inner) if isinstance(inner, dict) else (header,):
        each.pop("unicode", None)
    return model_file.format_of(header)


@every_kind
def test_the_file_and_copies_keep_the_decision(kind, tmp_path):
    model = MODELS[kind]().decide_by(ASK)
    model.save(tmp_path / "a.nabi")
    loaded = nabi.load(tmp_path / "a.nabi")
    loaded.save(tmp_path / "b.nabi")
    assert (tmp_path / "a.nabi").read_bytes() == (tmp_path / "b.nabi").read_bytes()
    assert format_but_for_unicode(tmp_path / "a.nabi") == 3
    for twin in (loaded, copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
        assert twin.decision == ASK
    model.decide_by(None).save(tmp_path / "a.nabi")
    assert format_but_for_unicode(tmp_path / "a.nabi") < 3


@pytest.mark.parametrize("kind", ["text", "table", "linear", "neighbours"])
def test_fit_and_clone_start_without_a_decision(kind):
    model = MODELS[kind]().decide_by(ASK)
    assert clone(model).decision is None
    documents = {"size": [1.0, 2.5, 1.5, 2.0]} if kind == "table" else TEXTS
    assert model.fit(documents, LABELS).decision is None


def test_the_score_is_that_of_the_decisions():
    model = text()
    assert model.score(["good", "bad"], ["+", "-"]) == 1.0
    assert model.decide_by(ASK).score(["good", "bad"], ["+", "-"]) == 0.0


def test_what_a_rule_decides_is_sure():
    model = RuledClassifier(text(), RULES).decide_by(ASK)
    assert model.predict(["great", "good"]).tolist() == ["+", "ask"]


def test_learning_and_forgetting_leave_the_decision_even_of_a_class_that_is_gone(saved):
    model = text().decide_by(ASK)
    before = saved(model)
    model.forget(["good film", "so good"], ["+", "+"])
    assert model.predict(["good"]).tolist() == ["-"]
    assert saved(model.partial_fit(["so good", "good film"], ["+", "+"])) == before


def test_a_sum_keeps_the_larger_decision_in_any_order(saved):
    none, low, high = text(), text().decide_by(Decision({"+": 0.5})), text()
    high.decide_by(Decision({"+": 0.9}))
    assert (none + low).decision == (low + none).decision == low.decision
    assert saved((low + high) + none) == saved(none + (high + low))
    assert (low + high).decision == high.decision
    assert (low - none).decision == sum([low]).decision == low.select(1).decision == low.decision


def test_a_threshold_goes_with_a_renamed_class_and_not_with_a_joined_one():
    model = text().decide_by(ASK)
    assert model.relabel({"+": "pos"}).decision.thresholds == {"pos": 1.0}
    assert model.relabel({"+": "all", "-": "all"}).decision.thresholds == {}
    assert text().decide_by(Decision({"+": 0.9})).relabel({"+": None}).decision is None


def test_a_pruned_model_decides_as_the_whole_one_and_fits_its_size(tmp_path):
    small = nabi.PrunedClassifier.of(text().decide_by(ASK), size=1500)
    small.save(tmp_path / "small.nabi")
    assert small.decision == ASK
    assert (tmp_path / "small.nabi").stat().st_size <= 1500


def test_a_decision_of_other_classes_is_refused():
    with pytest.raises(InputError, match="a threshold of 'pos', which is no class"):
        text().decide_by(Decision({"pos": 0.5}))
    with pytest.raises(InputTypeError, match=r"decision is dict, expected a nabi.metrics.Decision"):
        text().decide_by({"+": 0.5})
    with pytest.raises(nabi.NotFittedError):
        nabi.TextClassifier().decide_by(ASK)


GOOD = {"thresholds": [["+", 0.5], ["-", 0.25]], "not_sure": ["ask", 0.8]}
HOSTILE = [
    None,
    [],
    {},
    {"thresholds": [], "not_sure": None},
    {**GOOD, "more": 1},
    {**GOOD, "thresholds": {"+": 0.5}},
    {**GOOD, "thresholds": [["-", 0.25], ["+", 0.5]]},
    {**GOOD, "thresholds": [["+", 0.5], ["+", 0.5]]},
    {**GOOD, "thresholds": [["+", 0.5, 1]]},
    {**GOOD, "thresholds": [["+", 1]]},
    {**GOOD, "thresholds": [["+", True]]},
    {**GOOD, "thresholds": [["+", 1.5]]},
    {**GOOD, "thresholds": [["+", -0.0]]},
    {**GOOD, "thresholds": [["+", "0.5"]]},
    {**GOOD, "thresholds": [[1, 0.5]]},
    {**GOOD, "thresholds": [[["+"], 0.5]]},
    {**GOOD, "not_sure": "ask"},
    {**GOOD, "not_sure": ["ask"]},
    {**GOOD, "not_sure": ["ask", 0.8, 0.8]},
    {**GOOD, "not_sure": [None, 0.8]},
    {**GOOD, "not_sure": [["ask"], 0.8]},
    {**GOOD, "not_sure": ["ask", 2.0]},
    {**GOOD, "not_sure": ["ask", 1]},
]


@pytest.mark.parametrize("stored", HOSTILE, ids=json.dumps)
@pytest.mark.parametrize("kind", ["text", "ruled"])
def test_a_decision_that_no_model_has_is_refused(kind, stored, tmp_path):
    header, arrays = parts(MODELS[kind]().decide_by(ASK))
    own = header["model"] if kind == "ruled" else header
    for decision, refused in ((GOOD, False), (stored, True)):
        own["decision"] = decision
        model_file.write(tmp_path / "a.nabi", header, arrays)
        if refused:
            with pytest.raises(ModelFileError, match="is damaged"):
                nabi.load(tmp_path / "a.nabi")
        else:
            assert nabi.load(tmp_path / "a.nabi").decision.to_dict() == GOOD

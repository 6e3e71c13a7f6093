"""Rules in model files, alone and beside a model; and files that no nabi wrote."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

import nabi
from hostile import accepted, errors, outcomes, parts, without
from nabi import InputError, InputTypeError, RulesError
from nabi.rules import RuledClassifier, RulesClassifier, RuleSet

RULES = '# by hand\nbad: in "my list.txt"\n\nbad or won -> spam, urgent\nlunch -> ham\n'
LISTS = {"my list.txt": "# senders\njoe\nann lee\n"}
TEXTS = ["win a prize now", "win money now", "see you at lunch", "lunch at noon", "the plan"]
LABELS = ["spam", "spam", "ham", "ham", "ham"]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "model.nabi"


def rules(**options):
    return RuleSet.parse(RULES, lists=LISTS, file="some/where/mail.rules", **options)


def joined(**options):
    model = nabi.TextClassifier(alpha=1.0)
    return RuledClassifier(model, rules(), **options).fit(TEXTS, LABELS)


def test_a_file_of_rules_stands_alone(tmp_path, path):
    (tmp_path / "my list.txt").write_text(LISTS["my list.txt"], "utf8")
    (tmp_path / "mail.rules").write_text(RULES, "utf8")
    RuleSet.read(tmp_path / "mail.rules", default="ham", time_limit=0.5).save(path)
    (tmp_path / "my list.txt").unlink()
    model = nabi.load(path)
    assert model.predict(["Ann Lee", "you won", "tea"]).tolist() == ["spam", "spam", "ham"]
    assert (model.rules.source, model.rules.lists) == (RULES, LISTS)
    assert (model.rules.time_limit, model.rules.file) == (0.5, "mail.rules")


@pytest.mark.parametrize(("stored", "limit"), [(3600.0, 1.0), (1.0, 1.0), (0.25, 0.25)])
def test_a_file_may_only_lower_the_time_limit(tmp_path, path, stored, limit):
    again, both = tmp_path / "again.nabi", tmp_path / "both.nabi"
    rules(time_limit=stored).save(path)
    RuledClassifier(joined().model, rules(time_limit=stored)).save(both)
    assert [nabi.load(file).rules.time_limit for file in (path, both)] == [limit, limit]
    nabi.load(path).save(again)
    assert again.read_bytes() == path.read_bytes()


def test_who_loads_a_file_sets_the_time_limit(path):
    RuleSet.parse("/(x+x+)+y/ -> spam", time_limit=3600).save(path)
    assert nabi.load(path, time_limit=30).rules.time_limit == 30.0
    with pytest.raises(RulesError, match=r"took longer than 0\.02 s"):
        nabi.load(path, time_limit=0.02).predict(["x" * 5000])
    with pytest.raises(InputError, match="time_limit=-1; expected seconds, from above 0 to 3600"):
        nabi.load(path, time_limit=-1)


def test_the_rule_that_decides_is_named_as_before(path):
    rules().save(path)
    lines = str(nabi.load(path).explain("joe won")).splitlines()
    assert lines[0] == "spam  (mail.rules:4)"
    assert lines[2:] == [
        '  bad or "won" -> spam, urgent',
        "  text[0:3]  'joe'",
        "  text[4:7]  'won'",
    ]


def test_rules_are_certain():
    model = RulesClassifier(rules(default="other"))
    assert model.classes_.tolist() == ["ham", "other", "spam"]
    assert model.predict_proba(["won", "tea"]).tolist() == [[0, 0, 1], [0, 1, 0]]
    assert model.predict_log_proba(["lunch"]).tolist() == [[0, -np.inf, -np.inf]]
    assert model.score(["won", "lunch", "tea"], ["spam", "spam", "other"]) == pytest.approx(2 / 3)


def test_without_a_default_the_label_is_empty():
    model = RulesClassifier(rules())
    assert model.classes_.tolist() == ["", "ham", "spam"]
    assert model.predict(["tea", "lunch"]).tolist() == ["", "ham"]


def test_rules_put_together_by_hand_are_saved_as_they_are(path):
    some = replace(rules(), rules=rules().rules[1:], definitions=())
    some.save(path)
    assert nabi.load(path).rules == some
    assert nabi.load(path).rules.source == '"lunch" -> ham\n'
    assert nabi.load(path).rules.lists == {}


def test_lists_of_rules_without_a_source_are_written_from_their_entries(path):
    given = rules()
    RuleSet(given.rules, given.definitions).save(path)
    assert nabi.load(path).rules.lists == {"my list.txt": "joe\nann lee"}


@pytest.mark.parametrize("options", [{}, {"how": "evidence", "alpha": 0.5}])
def test_rules_beside_a_model_come_back(options, saved, reloaded):
    both = joined(**options)
    again = reloaded(both)
    assert saved(again) == saved(both)
    assert (again.how, again.alpha) == (both.how, both.alpha)
    asked = ["joe at noon", "win now", "lunch"]
    assert again.predict_proba(asked).tobytes() == both.predict_proba(asked).tobytes()
    assert str(again.explain("joe at noon")) == str(both.explain("joe at noon")).replace(
        "some/where/", ""
    )


def test_what_came_back_learns_and_forgets(saved, reloaded):
    both = joined(how="evidence")
    before = saved(both)
    again = reloaded(both).partial_fit(["you won tea"], ["tea"])
    assert again.classes_.tolist() == ["ham", "spam", "tea"]
    assert saved(again.forget(["you won tea"], ["tea"])) == before


def test_what_was_never_counted_is_not_counted_below_zero(saved, reloaded):
    model = nabi.TextClassifier(alpha=1.0).fit(TEXTS, LABELS)
    both = RuledClassifier(model, rules()).partial_fit(["tea"], ["ham"])
    both.forget(["lunch at noon"], ["ham"])  # one rule held for it, and none for what was counted
    assert both._counts["ham"].tolist() == [0, 0, 0]
    assert saved(reloaded(both)) == saved(both)


def test_as_evidence_what_was_not_counted_cannot_be_forgotten(saved):
    model = nabi.TextClassifier(alpha=1.0).fit(TEXTS, LABELS)
    both = RuledClassifier(model, rules(), how="evidence").count(["tea"], ["ham"])
    before = saved(both)
    with pytest.raises(nabi.NotLearnedError, match="of 'ham' were not counted for the rules"):
        both.forget(["lunch at noon"], ["ham"])
    assert saved(both) == before


def test_a_calibration_comes_back_with_the_model(reloaded):
    both = joined()
    both.model.calibrate(TEXTS, LABELS)
    assert reloaded(both).is_calibrated
    assert reloaded(both).predict_proba(["win"]).tolist() == both.predict_proba(["win"]).tolist()


@pytest.mark.parametrize(
    "model",
    [
        nabi.NeighboursClassifier(k=1).fit(TEXTS, LABELS),
        nabi.TableClassifier({"text": "text"}).fit([{"text": text} for text in TEXTS], LABELS),
    ],
    ids=["neighbours", "table"],
)
def test_rules_beside_other_models_come_back(model, saved, reloaded):
    both = RuledClassifier(model, rules())
    again = reloaded(both)
    assert type(again.model) is type(model)
    assert saved(again) == saved(both)
    asked = [{"text": "won"}, {"text": "lunch at"}, {"text": "win"}]
    assert again.predict(asked).tolist() == ["spam", "ham", "spam"]


def test_a_tokenizer_is_that_of_the_model(path):
    model = nabi.TextClassifier(tokenizer=str.split).fit(TEXTS, LABELS)
    RuledClassifier(model, rules()).save(path)
    assert nabi.load(path, tokenizer=str.split).predict(["win"]).tolist() == ["spam"]
    RulesClassifier(rules()).save(path)
    with pytest.raises(InputError, match="was trained without a tokenizer"):
        nabi.load(path, tokenizer=str.split)


def test_rules_have_no_prior():
    with pytest.raises(InputError, match="have no prior; leave it out"):
        RulesClassifier(rules()).predict(["won"], prior="uniform")


def test_rules_as_evidence_need_counts():
    model = nabi.NeighboursClassifier(k=1)
    with pytest.raises(InputError, match="how='evidence' adds to the counts"):
        RuledClassifier(model, rules(), how="evidence")


def test_rules_stand_beside_no_other_rules():
    with pytest.raises(InputError, match="write all of them into one RuleSet"):
        RuledClassifier(RulesClassifier(rules()), rules())


@pytest.mark.parametrize("given", ["won -> spam", None])
def test_rules_are_a_rule_set(given):
    with pytest.raises(InputTypeError, match="expected a RuleSet"):
        RulesClassifier(given)


def test_rules_that_cannot_be_a_file_are_refused(path):
    with pytest.raises(InputTypeError, match="default=3; expected a label"):
        replace(rules(), default=3).save(path)
    with pytest.raises(InputError, match="invalid Unicode cannot be saved"):
        RuleSet.parse("won -> spam  # \ud800").save(path)


@pytest.mark.parametrize("missing", ["lark", "regex"])
def test_a_missing_extra_is_said_in_one_line(path, missing):
    rules().save(path)
    code = f"import sys; sys.modules[{missing!r}] = None; from nabi.cli import main; "
    code += f"sys.exit(main(['info', {str(path)!r}]))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert ran.returncode == 1
    assert missing in ran.stderr
    assert ran.stderr.endswith(" -m pip install 'lark>=1.1' 'regex>=2024.4.16'\n")
    assert ran.stderr.count("\n") == 1


# ---- hostile files ----


USES = {
    "explain": lambda model: str(model.explain("joe won")),
    "predict": lambda model: model.predict(["lunch", "x"]),
    "save": parts,
}


def refused(path, header, arrays):
    """Whether every use refuses a file."""
    return accepted(outcomes(path, header, arrays, USES)) == {}


@pytest.mark.parametrize("how", [None, "decides", "evidence"])
def test_an_honest_file_is_used(path, how):
    model = joined(how=how) if how else RulesClassifier(rules())
    assert errors(outcomes(path, *parts(model), USES)) == {}


BAD_RULES = [
    *(None, [], "won -> spam", {}),
    {"text": None},
    {"text": "won spam"},
    {"text": ""},
    {"text": "lunch -> ham\n"},
    {"lists": {}},
    {"lists": None},
    {"lists": []},
    {"lists": {"my list.txt": 5}},
    {"lists": {"my list.txt": "# none\n"}},
    {"lists": {**LISTS, "other.txt": "a"}},
    {"default": 5},
    {"default": "other"},
    {"time_limit": 0.0},
    {"time_limit": 1},
    {"time_limit": 1e9},
    {"time_limit": None},
    {"file": 5},
    {"file": "/etc/mail.rules"},
    {"more": 1},
]


@pytest.mark.parametrize("change", BAD_RULES, ids=str)
def test_rules_that_no_file_has_are_refused(path, change):
    header, arrays = parts(RulesClassifier(rules()))
    bad = {**header["rules"], **change} if change and isinstance(change, dict) else change
    assert refused(path, {**header, "rules": bad}, arrays)


def test_a_list_is_never_read_from_the_disk(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "secret.txt").write_text("word\n", "utf8")
    header, arrays = parts(RulesClassifier(RuleSet.parse("won -> spam")))
    bad = {**header["rules"], "text": "in secret.txt -> spam"}
    assert refused(path, {**header, "rules": bad}, arrays)


@pytest.mark.parametrize("labels", [["ham"], ["", "ham", "spam", "x"], [], ["x", "y", "z"], None])
def test_labels_that_the_rules_do_not_give_are_refused(path, labels):
    header, arrays = parts(RulesClassifier(rules()))
    assert refused(path, {**header, "labels": labels}, arrays)


def test_arrays_of_rules_alone_are_refused(path):
    header, _ = parts(RulesClassifier(rules()))
    assert refused(path, header, {"more": np.zeros(1)})


@pytest.mark.parametrize(
    "change",
    [
        {"how": "votes"},
        {"how": None},
        {"alpha": 0.0},
        {"alpha": 1},
        {"alpha": None},
        {"counted": ["ham"]},
        {"counted": ["spam", "ham"]},
        {"counted": ["ham", 1]},
        {"counted": ["ham", None]},
        {"counted": None},
        {"labels": ["ham", "x"]},
        {"ledger": False},
        {"model": None},
        {"model": {}},
        {"model": {"kind": "ruled"}},
        {"model": {"kind": "rules"}},
        {"model": {"kind": ["text"]}},
        {"rules": None},
    ],
    ids=str,
)
def test_a_header_that_no_rules_beside_a_model_have_is_refused(path, change):
    header, arrays = parts(joined(how="evidence"))
    assert refused(path, {**header, **change}, arrays)


def test_a_rule_for_a_class_that_the_model_has_not_is_refused(path):
    header, arrays = parts(joined())
    bad = {**header["rules"], "text": "won -> eggs", "lists": {}}
    assert refused(path, {**header, "rules": bad}, arrays)


@pytest.mark.parametrize(
    "counts",
    [
        [3, 0, 2, 2, 0],
        [3, 0, 2, 2, 0, 0, 0],
        [3, 4, 2, 2, 0, 0],
        [3, -1, 2, 2, 0, 0],
        [0, 0, 0, 2, 0, 0],
        [2**60, 0, 2, 2, 0, 0],
    ],
)
def test_counts_that_cannot_be_are_refused(path, counts):
    header, arrays = parts(joined(how="evidence"))
    assert arrays["rule_counts"].tolist() == [3, 0, 2, 2, 0, 0]
    arrays["rule_counts"] = np.array(counts, np.int64)
    assert refused(path, header, arrays)


def test_arrays_that_lack_or_are_of_another_type_are_refused(path):
    for name in parts(joined())[1]:
        header, arrays = parts(joined())
        real = {**arrays, name: arrays[name].astype(np.float64)}
        for bad in (without(arrays, name), real):
            assert refused(path, header, bad), name

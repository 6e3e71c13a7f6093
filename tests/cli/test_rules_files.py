"""The commands on model files of rules, alone and beside a model."""

import json

import pytest

import nabi
from nabi.rules import RuledClassifier, RuleSet

MAIL = (
    "text,label,from\n"
    "you have won dollars,spam,joe@x.com\n"
    "lunch?,ham,ann@y.org\n"
    "lunch you have won,ham,\n"
    "see you,ham,Joe <joe@x.com>\n"
)
RULES = 'blacklisted: from: in blacklist.txt\nblacklisted or "have won" -> spam\nlunch -> ham\n'
TEXTS = ["win a prize now", "win money now", "see you at lunch", "lunch at noon", "the plan"]
LABELS = ["spam", "spam", "ham", "ham", "ham"]


@pytest.fixture
def mail(folder):
    """A folder with rules alone, deciding, on fields, as evidence, and beside a table."""
    folder.write("mail.csv", MAIL)
    fields = RuleSet.parse(
        RULES, file="mail.rules", default="ham", lists={"blacklist.txt": "joe@x.com"}
    )
    plain = RuleSet.parse("invoice -> spam\nlunch -> ham", file="mail.rules")
    model = nabi.TextClassifier(alpha=1.0).fit(TEXTS, LABELS)
    rows = [{"text": "win now", "size": 9.0}, {"text": "lunch", "size": 1.0}] * 2
    table = nabi.TableClassifier({"text": "text", "size": "gaussian"}).fit(rows, ["a", "b"] * 2)
    models = {
        "rules": fields,
        "plain": plain,
        "decides": RuledClassifier(model, plain),
        "fields": RuledClassifier(model, fields),
        "evidence": RuledClassifier(nabi.TextClassifier(alpha=1.0), plain, how="evidence").fit(
            TEXTS, LABELS
        ),
        "table": RuledClassifier(table, RuleSet.parse("invoice -> a")),
    }
    for name, each in models.items():
        each.save(folder.path / f"{name}.nabi")
    return folder


def test_fields_are_columns(mail):
    lines = mail.nabi("predict", "rules.nabi", "mail.csv", "--proba").splitlines()
    assert [line.split(",")[-2:] for line in lines] == [
        ["predicted", "proba"],
        ["spam", "1.0"],
        ["ham", "1.0"],
        ["spam", "1.0"],
        ["spam", "1.0"],
    ]
    assert mail.nabi("predict", "fields.nabi", "mail.csv", "--proba").splitlines() == lines


def test_a_column_that_the_rules_need_is_missed(mail):
    mail.write("other.csv", "text,label\nlunch,ham\n")
    got = mail.refused("predict", "rules.nabi", "other.csv")
    assert got == (
        "other.csv: no column 'from', at which mail.rules looks; the columns are 'text', 'label'"
    )


def test_a_text_that_no_rule_fits_has_an_empty_label(mail):
    out = mail.nabi("predict", "plain.nabi", "-", stdin="an invoice\ntea\n")
    assert out == "text,predicted\nan invoice,spam\ntea,\n"


def test_rules_are_judged_as_a_model_is(mail):
    got = json.loads(mail.nabi("evaluate", "rules.nabi", "mail.csv", "--json"))
    assert (got["accuracy"], got["rows"]["used"]) == (0.5, 4)
    got = json.loads(mail.nabi("evaluate", "decides.nabi", "mail.csv", "--json"))
    assert got["accuracy"] == 0.75


def test_the_rule_that_decided_is_shown(mail):
    out = mail.nabi("explain", "rules.nabi", '{"text": "tea", "from": "joe@x.com"}')
    assert out.splitlines() == [
        "spam  (mail.rules:2)",
        "",
        '  blacklisted or "have won" -> spam',
        "  from[0:9]  'joe@x.com'",
    ]
    assert mail.nabi("explain", "plain.nabi", "tea") == "(no label)  (no rule holds)\n"


def test_beside_a_model_the_rule_or_the_model_is_shown(mail):
    lines = mail.nabi("explain", "decides.nabi", "invoice for the plan").splitlines()
    assert lines[:4] == [
        *("spam  (mail.rules:1)", "", '  "invoice" -> spam', "  text[0:7]  'invoice'")
    ]
    assert lines[-1].startswith("a rule decides; the model alone: ham  (probability 0.")
    lines = mail.nabi("explain", "decides.nabi", "win money").splitlines()
    assert lines[0] == "no rule holds; the model decides:"
    assert lines[2].startswith("spam  (probability 0.")


def test_the_evidence_of_rules_is_shown(mail):
    out = mail.nabi("explain", "evidence.nabi", "lunch now")
    held = "  line 2 holds: ham -0.5108, spam -1.3863  (held for: ham 2 of 3, spam 0 of 2)\n"
    assert held + '    "lunch" -> ham\n' in out
    assert "the model alone:" in out
    got = json.loads(mail.nabi("explain", "evidence.nabi", "lunch now", "--json"))
    added = sum(term["weights"]["ham"] for term in got["terms"])
    assert got["joint"]["ham"] == pytest.approx(
        added + sum(t["weights"]["ham"] for t in got["model"]["terms"]) - 0.5108256, rel=1e-6
    )


def test_json_names_the_rule(mail):
    got = json.loads(mail.nabi("explain", "fields.nabi", "you have won", "--json"))
    assert got["rules"]["rule"]["line"] == 2
    hit = {"field": "text", "begin": 4, "end": 12, "text": "have won"}
    assert (got["rules"]["hits"], got["proba"]) == ([hit], {"ham": 0.0, "spam": 1.0})


def test_info_says_what_rules_there_are(mail):
    lines = mail.nabi("info", "rules.nabi").splitlines()[3:]
    assert [line.split(None, 1) for line in lines] == [
        ["kind", "rules"],
        ["rules", "2"],
        ["definitions", "1"],
        ["lists", "blacklist.txt"],
        ["fields", "from"],
        ["default", "ham"],
        ["time_limit", "1.0"],
        ["classes", "ham, spam"],
    ]
    lines = mail.nabi("info", "evidence.nabi").splitlines()[3:6]
    assert [line.split() for line in lines] == [
        ["kind", "ruled"],
        ["beside", "TextClassifier"],
        ["how", "evidence"],
    ]


def test_rules_beside_a_table(mail):
    mail.write("t.csv", "text,label,size\nan invoice,a,1\nlunch,b,1\n")
    lines = mail.nabi("predict", "table.nabi", "t.csv").splitlines()
    assert lines[1:] == ["an invoice,a,1,a", "lunch,b,1,b"]
    got = json.loads(mail.nabi("evaluate", "table.nabi", "t.csv", "--json"))
    assert got["accuracy"] == 1.0
    out = mail.nabi("explain", "table.nabi", '{"text": "an invoice", "size": 1}')
    assert out.startswith('a  (line 1)\n\n  "invoice" -> a\n')


def test_what_is_learned_is_counted_for_the_rules_too(mail):
    before = (mail.path / "fields.nabi").read_bytes()
    mail.nabi("learn", "fields.nabi", "mail.csv", "-q")
    both = nabi.load(mail.path / "fields.nabi")
    assert {label: row.tolist() for label, row in both._counts.items()} == {
        "ham": [3, 2, 2],
        "spam": [1, 1, 0],
    }
    mail.nabi("forget", "fields.nabi", "mail.csv", "-q")
    assert (mail.path / "fields.nabi").read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (("learn", "plain.nabi", "mail.csv"), "a model of kind rules cannot learn more texts: "),
        (("words", "plain.nabi"), "a model of kind rules cannot say what single words weigh: "),
        (("merge", "evidence.nabi", "-o", "m.nabi"), "evidence.nabi: a model of kind ruled cannot"),
        (("calibrate", "decides.nabi", "mail.csv"), "a model of kind ruled cannot be calibrated"),
        (("predict", "plain.nabi", "mail.csv", "--prior", "uniform"), "rules decide whatever is"),
        (("versus", "rules.nabi", "plain.nabi", "mail.csv"), "rules.nabi has rules that look at"),
        (("explain", "rules.nabi", '{"from": "joe"}'), "a document without the field 'text'"),
    ],
)
def test_what_rules_cannot_do_is_refused(mail, arguments, what):
    assert mail.refused(*arguments).startswith(what)


def test_the_classes_of_rules_have_no_texts(mail):
    assert json.loads(mail.nabi("classes", "rules.nabi", "--json")) == {"ham": 0.0, "spam": 0.0}
    assert "0.00%" in mail.nabi("classes", "rules.nabi")


def test_rules_are_compared_with_a_model(mail):
    out = mail.nabi("versus", "plain.nabi", "decides.nabi", "mail.csv")
    assert "both right 2, only a right 0, only b right 1, both wrong 1" in out


def test_every_command_that_applies_rules_has_a_time_limit(folder):
    folder.write("mail.csv", "text,label\n" + "x" * 5000 + ",spam\n")
    rules = RuleSet.parse("/(x+x+)+y/ -> spam", time_limit=3600)
    model = nabi.TextClassifier().fit(TEXTS, LABELS)
    RuledClassifier(model, rules).save(folder.path / "slow.nabi")
    data = ["mail.csv"]
    for command in ("predict", "evaluate", "explain", "versus", "learn", "forget"):
        more = {"explain": ["x" * 5000], "versus": ["slow.nabi", *data]}.get(command, data)
        said = folder.refused(command, "slow.nabi", *more, "--time-limit", "0.02")
        assert "/(x+x+)+y/ took longer than 0.02 s" in said, command

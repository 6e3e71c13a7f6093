"""`nabi rules check`: what each rule covers, how often it is right; and bad input."""

import json
import shlex

import pytest

MAIL = (
    "text,label,from\n"
    "you have won dollars,spam,joe@x.com\n"
    "lunch?,ham,ann@y.org\n"
    "lunch you have won,ham,\n"
    "see you,ham,Joe <joe@x.com>\n"
)
RULES = (
    "# mail\n"
    "blacklisted sender: from: in blacklist.txt\n"
    'blacklisted sender or "have won" -> spam\n'
    "lunch -> ham\n"
)


@pytest.fixture
def mail(folder):
    folder.write("mail.csv", MAIL)
    folder.write("mail.rules", RULES)
    folder.write("blacklist.txt", "joe@x.com\n")
    return folder


def test_one_row_is_checked_in_the_singular(mail):
    mail.write("one.csv", "text,label\nlunch at noon,ham\n")
    mail.write("one.rules", "prize -> spam\n")
    _, out, _ = mail.run("rules", "check", "one.rules", "one.csv")
    assert "\nrules decide 0 of 1 row, 0 of them rightly\n" in out


def test_coverage_precision_and_conflicts_of_each_rule(mail):
    lines = mail.nabi("rules", "check", "mail.rules", "mail.csv").splitlines()
    assert lines[0] == "4 rows read = 4 used + 0 rejected"
    assert lines[1] == "rules decide 4 of 4 rows, 2 of them rightly"
    assert (
        lines[5].split()
        == ("3 spam 3 0.7500 3 0.3333 0 blacklisted sender or " + '"have won"').split()
    )
    assert lines[6].split() == ["4", "ham", "2", "0.5000", "1", "1.0000", "1", '"lunch"']


def test_the_same_as_json(mail):
    got = json.loads(mail.nabi("rules", "check", "mail.rules", "mail.csv", "--json"))
    assert got["rows"] == {"read": 4, "used": 4, "rejected": 0}
    assert (got["covered"], got["right"], got["file"]) == (4, 2, "mail.rules")
    assert got["rules"][1] == {
        "line": 4,
        "rule": '"lunch" -> ham',
        "labels": ["ham"],
        "matched": 2,
        "coverage": 0.5,
        "decided": 1,
        "right": 2,
        "precision": 1.0,
        "conflicts": 1,
    }


def test_rules_on_the_text_alone_need_no_other_column(folder):
    folder.write("mail.rules", '"win" -> spam\nnever -> ham\n')
    lines = folder.nabi("rules", "check", "mail.rules", "mail.csv").splitlines()
    assert lines[1] == "rules decide 2 of 5 rows, 2 of them rightly"
    assert lines[6].split() == ["2", "ham", "0", "0.0000", "0", "0", '"never"']


def test_named_columns_and_json_rows(mail):
    rows = [{"body": "hi", "kind": "spam", "From": "joe@x.com"}, {"body": "hi", "kind": "ham"}]
    mail.write("mail.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    options = ["--text", "body", "--label", "kind", "--json"]
    got = json.loads(mail.nabi("rules", "check", "mail.rules", "mail.jsonl", *options))
    assert [each["matched"] for each in got["rules"]] == [1, 0]


def test_bad_rows_are_set_aside_and_counted(mail):
    mail.write("mail.csv", MAIL + "one,two\n")
    out = mail.nabi("rules", "check", "mail.rules", "mail.csv", "--skip-bad")
    assert out.splitlines()[0] == "5 rows read = 4 used + 1 rejected (see mail.rejects.csv)"
    assert "expected 3 columns, found 2" in mail.read("mail.rejects.csv")


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ("won -> spam\nlunch", "mail.rules:2:6: came the end of the line, expected and, or, ->;"),
        ("from: in none.txt -> x", "mail.rules:1:7: no file none.txt; expected a list with one"),
        ("to: joe -> x", "mail.csv: no column 'to', at which mail.rules looks; the columns are"),
        (
            "/(l+l*)+x/ -> x",
            "mail.rules:1:1: /(l+l*)+x/ took longer than 0.05 s on a text of 5,004",
        ),
    ],
)
def test_what_is_wrong_is_one_line(mail, rules, message):
    mail.write("mail.rules", rules)
    mail.write("mail.csv", f"{MAIL}see {'l' * 5000},ham,\n")
    assert message in mail.refused(
        "rules", "check", "mail.rules", "mail.csv", "--time-limit", "0.05"
    )


def test_a_missing_file_of_rules(mail):
    assert (
        mail.refused("rules", "check", "no.rules", "mail.csv")
        == "no.rules: no such file or directory"
    )


def test_without_data_the_syntax_alone_is_checked(mail):
    assert mail.nabi("rules", "check", "mail.rules").splitlines() == [
        "the syntax of mail.rules is right: 2 rules, 1 definition, 1 list",
        "labels: spam, ham",
        "fields beside the text: from",
    ]
    got = json.loads(mail.nabi("rules", "check", "mail.rules", "--json"))
    assert (got["labels"], got["fields"], got["rules"][1]["line"]) == (["spam", "ham"], ["from"], 4)
    mail.write("mail.rules", "won and -> spam\n")
    assert mail.refused("rules", "check", "mail.rules").startswith("mail.rules:1:9: came '->',")


def test_a_label_that_no_row_and_no_class_has_is_noted_with_the_nearest(mail):
    mail.write("mail.rules", "won -> spma\nlunch -> eggs, ham\n")
    code, out, err = mail.run("rules", "check", "mail.rules", "mail.csv", "--json")
    assert (code, err.splitlines()) == (
        0,
        [
            "nabi: mail.rules:1: 'spma' is the label of no row; did you mean 'spam'?",
            "nabi: mail.rules:2: 'eggs' is the label of no row",
        ],
    )
    assert json.loads(out)["unknown_labels"] == [
        {"line": 1, "label": "spma", "nearest": "spam"},
        {"line": 2, "label": "eggs", "nearest": None},
    ]


def test_labels_are_checked_against_a_model(mail):
    assert mail.run("rules", "check", "mail.rules", "--model", "mail.nabi")[2] == ""
    mail.write("mail.rules", "won -> spma\n")
    _, out, err = mail.run("rules", "check", "mail.rules", "--model", "mail.nabi", "--json")
    assert err == "nabi: mail.rules:1: 'spma' is no class of mail.nabi; did you mean 'spam'?\n"
    assert json.loads(out)["not_classes"] == [{"line": 1, "label": "spma", "nearest": "spam"}]


# ---- rules in a cross-validation ----


def test_rules_decide_in_a_cross_validation(folder):
    folder.write("mail.rules", "money -> ham\nplan -> ham\n")
    out = folder.nabi("crossval", "mail.csv", "--rules", "mail.rules")
    assert "rules decide 2 of 5 texts, 1 of them rightly\n" in out
    got = json.loads(folder.nabi("crossval", "mail.csv", "--rules", "mail.rules", "--json"))
    assert got["rules"] == {"decided": 2, "right": 1, "unknown_labels": []}
    plain = json.loads(folder.nabi("crossval", "mail.csv", "--json"))
    assert (plain["accuracy"], got["accuracy"]) == (1.0, 0.8)


def test_rules_that_do_not_fit_a_cross_validation(folder):
    folder.write("mail.rules", "money -> spam\n")
    folder.write("t.csv", "size,age,label\n1.5,3.5,a\n2.5,4.5,b\n")
    said = folder.refused("crossval", "t.csv", "--rules", "mail.rules", code=2)
    assert said.startswith("--rules is for texts, and these are rows of a table; leave it out.")
    folder.write("mail.rules", "from: joe -> spam\n")
    assert "asks for the fields from" in folder.refused(
        "crossval", "mail.csv", "--rules", "mail.rules"
    )


def test_a_rule_of_an_unknown_label_is_noted_and_counts_as_wrong(folder):
    folder.write("mail.rules", "money -> spma\nwin and plan -> never\n")
    _, out, err = folder.run("crossval", "mail.csv", "--rules", "mail.rules", "--json")
    noted = folder.run("rules", "check", "mail.rules", "mail.csv")[2]
    assert err == noted
    assert err.startswith("nabi: mail.rules:1: 'spma' is the label of no row; did you mean 'spam'?")
    got = json.loads(out)
    assert (got["accuracy"], list(got["classes"])) == (0.8, ["ham", "spam", "spma"])
    assert [each["label"] for each in got["rules"]["unknown_labels"]] == ["spma", "never"]


def test_training_with_a_rule_of_an_unknown_label_writes_no_file(folder):
    folder.write("mail.rules", "money -> spma\n")
    said = folder.refused("train", "mail.csv", "--rules", "mail.rules", "-o", "ruled.nabi")
    assert said.endswith("the classes of the model are 'ham', 'spam'; did you mean 'spam'?")


@pytest.mark.parametrize("given", ["mail.rules mail.csv", "--json mail.rules", "'my mail.rules'"])
def test_where_check_is_left_out_the_line_to_type_is_said(mail, given):
    said = mail.refused("rules", *shlex.split(given), code=2)
    assert said.endswith(
        f" is no command of `nabi rules`; type nabi rules check {given}. Try `nabi rules --help`."
    )


def test_a_slip_in_the_second_word_is_known(mail):
    said = mail.refused("rules", "check-it", "mail.rules", code=2)
    assert said.startswith("No such command 'check-it'. Did you mean 'check'?")


def test_the_second_word_is_shown_and_completed(mail):
    code, out, err = mail.run("rules")
    assert code == 2
    assert "check  Check hand-written rules" in out + err
    mail.environment |= {
        "_NABI_COMPLETE": "bash_complete",
        "COMP_WORDS": "nabi rules ch",
        "COMP_CWORD": "2",
    }
    assert mail.run()[1].split() == ["plain,check"]


def test_training_with_rules_names_the_command_that_judges_both(folder):
    folder.write("mail.rules", "win -> spam\n")
    out = folder.nabi("train", "mail.csv", "--rules", "mail.rules", "-o", "r.nabi")
    assert out.endswith(
        "  nabi crossval mail.csv --rules mail.rules  # how good rules and model are\n"
    )
    alone = ("train", "mail.csv", "--model", "rules", "--rules", "mail.rules", "-o", "r.nabi")
    assert folder.nabi(*alone).splitlines()[1] == "labels: ham, spam"

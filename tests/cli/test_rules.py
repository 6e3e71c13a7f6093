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


def test_a_missing_file_of_rules_and_missing_data(mail):
    assert (
        mail.refused("rules", "check", "no.rules", "mail.csv")
        == "no.rules: no such file or directory"
    )
    assert mail.refused("rules", "check", "mail.rules", code=2).startswith("Missing DATA: a file")


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

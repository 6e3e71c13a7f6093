"""What can be written as a rule, what it means, and what is said of text that is none."""

import pickle
import runpy
import sys

import pytest

from nabi import InputError, MissingExtraError, RulesError
from nabi.rules import RuleSet, language, patterns


def written(text, **options):
    return str(RuleSet.parse(text, **options))


def refused(text):
    with pytest.raises(RulesError) as caught:
        RuleSet.parse(text, file="mail.rules")
    return str(caught.value)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("won -> spam", '"won" -> spam'),
        ('"Have been  selected" -> spam', '"Have been  selected" -> spam'),
        ("a OR b And not c -> x", '"a" or ("b" and not "c") -> x'),
        ("(a or b) and c -> x", '("a" or "b") and "c" -> x'),
        ("a and (b and c) -> x", '"a" and ("b" and "c") -> x'),
        ("((a)) -> x", '"a" -> x'),
        ("not not a -> x", 'not not "a" -> x'),
        ("not (a or b) -> x", 'not ("a" or "b") -> x'),
        ('AT  LEAST 2 of ("a", b, c or d) -> x', 'at least 2 of ("a", "b", "c" or "d") -> x'),
        ("a near b -> x", '"a" near "b" -> x'),
        ("a Near/5 b -> x", '"a" near "b" -> x'),
        ("(a or b) near/10 c -> x", '("a" or "b") near/10 "c" -> x'),
        (r"/a\/b+/ -> x", r"/a\/b+/ -> x"),
        ("/a/i or /b/ -> x", "/a/i or /b/ -> x"),
        ('subject: "won" -> x', 'subject: "won" -> x'),
        ("subject: not won -> x", 'subject: not "won" -> x'),
        ("subject: (a or b) and c -> x", 'subject: ("a" or "b") and "c" -> x'),
        ("subject: a near b -> x", 'subject: "a" near "b" -> x'),
        ('"Reply To": a -> x', '"Reply To": "a" -> x'),
        ("a -> spam, very  urgent, spam", '"a" -> spam, "very urgent"'),
        ('a -> "not spam"', '"a" -> "not spam"'),
        (r'a -> "a \"b\" \\ c"', r'"a" -> "a \"b\" \\ c"'),
        ("a -> 1", '"a" -> "1"'),
        ("don't and e-mail and not-bad -> x", '"don\'t" and "e-mail" and "not-bad" -> x'),
        ("landing or android -> x", '"landing" or "android" -> x'),
        ("# mail\n\n  \na -> x  # this\n# end", '"a" -> x'),
        ("a\n  or b  # more\n\n  and c\n  -> x\n\nd -> y", '"a" or ("b" and "c") -> x\n"d" -> y'),
        ("\r\na -> x\r\n \r\nb -> y\r\n", '"a" -> x\n"b" -> y'),
        ("bad words: a or b\nBad  Words -> x", 'bad words: "a" or "b"\nBad Words -> x'),
        ("won -> x\nwon: a or winner", 'won: "a" or "winner"\nwon -> x'),
        ("from: from: a\nfrom -> x", 'from: from: "a"\nfrom -> x'),
    ],
)
def test_a_rule_is_read_and_written(text, canonical):
    assert written(text) == canonical + "\n"
    assert RuleSet.parse(canonical) == RuleSet.parse(text)


def test_the_rule_of_the_specification(tmp_path):
    (tmp_path / "blacklist.txt").write_text("joe@example.com\n", "utf8")
    (tmp_path / "mail.rules").write_text(
        "blacklisted sender: from: in blacklist.txt\n"
        'blacklisted sender OR ("dollars" AND "have been selected") -> spam\n',
        "utf8",
    )
    rules = RuleSet.read(tmp_path / "mail.rules")
    assert rules.rules[0].line == 2
    documents = [{"from": "Joe <joe@example.com>", "text": "hi"}, "dollars: you have been selected"]
    assert rules.predict([*documents, "dollars", "selected"]).tolist() == ["spam"] * 2 + [None] * 2


CONDITION = 'expected a word, a "phrase", a /pattern/, not or (; '
QUOTE = 'words such as and, or, not stand in quotes where they are meant: "and"'
LABEL = 'expected a label; such as -> spam; in quotes where it is more: -> "not spam"'
JOIN = "join what stands side by side by and, or or near"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('"a"', ":1:4: came the end of the line, expected and, or, ->; say at its end what"),
        ('b -> x\n"a" "b" -> x', f""":2:5: came '"b"', expected and, or, near, ->; {JOIN}"""),
        ("(a -> x", ":1:4: came '->', expected ); close with ) what ( opens"),
        ("a) -> x", ":1:2: came ')', expected and, or, ->; take it away, or write the ("),
        ("a, b -> x", f":1:2: came ',', expected and, or, ->; {JOIN}"),
        ("a or -> x", f":1:6: came '->', {CONDITION}{QUOTE}"),
        ("and -> x", f":1:1: came 'and', {CONDITION}{QUOTE}"),
        (": a -> x", f":1:1: came ':', {CONDITION}{QUOTE}"),
        ("x: a: -> x", f":1:7: came '->', {CONDITION}{QUOTE}"),
        ("a ->", f":1:5: came the end of the line, {LABEL}"),
        ("a -> b,", f":1:8: came the end of the line, {LABEL}"),
        ("a -> not spam", f":1:6: came 'not', {LABEL}"),
        ("a -> in progress", f":1:6: came 'in progress', {LABEL}"),
        ("a -> x -> y", ":1:8: came '->', expected a comma, the end of the line; begin what"),
        ('a -> " "', """:1:6: came the label '" "', expected one with letters, such as spam"""),
        ('a or "b', """:1:6: came '"b', a quote that is not closed; expected another " on its"""),
        ("a or /b", ":1:6: came '/b', a pattern that is not closed; expected another / on its"),
        ("at least two of (a) -> x", ":1:1: came 'at least two of (a) -> x', expected a number"),
        ("at least 3 of (a, b) -> x", ":1:1: came at least 3 of 2 things, expected 1 to 2"),
        ("at least 0 of (a, b) -> x", ":1:1: came at least 0 of 2 things, expected 1 to 2"),
        ("€ -> x", f":1:1: came '€', {CONDITION}put it in quotes if it is part of a phrase"),
        ('"!!" -> x', """:1:1: came '"!!"', which has no words; write what it is as a /pattern/"""),
        ("a near/0 b -> x", ":1:3: came near/0, expected near/1 (side by side) or more"),
        ("x y: a: b -> c", ":1:1: came the field 'a' inside of the field 'x y', expected one; a"),
        ("not " * 60 + "a -> x", ":1:1: conditions stand 61 deep in each other, expected 50 at"),
        ("b -> x\n/(/ -> x", ":2:1: '/(/' cannot be searched for: missing ) at position 1"),
        ("/" + "a" * 1001 + "/ -> x", "cannot be searched for: it has 1001 characters, more"),
        ("/" + "(" * 490 + ")" * 490 + "/ -> x", "cannot be searched for: its brackets are too"),
        ("have been -> x", ":1:1: nothing is called 'have been'; define it on a line of its own"),
        ("bad wrds -> x\nbad words: a", ":1:1: nothing is called 'bad wrds' (did you mean 'bad w"),
        ("x: a\n\nX: b\nx -> y", ":3:1: came 'X', which line 1 has defined; give it another name"),
        ("x: a or x\nx -> y", ":1:9: 'x' is defined by itself (x -> x); put it in quotes if"),
        ("x: a or y\ny: z\nz: not x\nx -> y", ":1:9: 'y' is defined by itself (y -> z -> x -> y)"),
        ("x: a\nb -> y", ":1:1: 'x' is defined and never used; to make a rule of it, end it with"),
        ("(a and b) near c -> d", """:1:11: came '"a" and "b"' beside near, expected words, ph"""),
        ("x: not a\nx near x -> d", ":2:3: came 'x' beside near, expected words, phrases, lists"),
        ("in nothing.txt -> x", ":1:1: no file nothing.txt; expected a list with one entry on"),
        ("", ':1:1: no rules; expected a line such as "you have won" -> spam'),
        ("# a -> x", ':1:1: no rules; expected a line such as "you have won" -> spam'),
        ("\n\nx: a\ny: b", ':3:1: no rules; expected a line such as "you have won" -> spam'),
    ],
)
def test_what_is_no_rule_is_refused_with_its_place(text, message):
    said = refused(text)
    assert said.startswith("mail.rules:")
    assert message in said


@pytest.mark.parametrize(
    ("pattern", "times"),
    [
        ("", 0),
        (r"\d{3}-\d{4}", 10),
        ("(a{3}b){4}", 25),
        ("a+b*c?", 6),
        ("(((a)+)+)+", 8),
        ("(?:a{10}){10}{1}", 286),
        (r"\{9[{9}]x[^]{9}]{2}\({8}", 16),
        ("a)b{2}", 5),
        ("(?#[)(a{3}){2}]", 13),
        ("(?:a{3})(?#a){2}", 18),
        ("(?:a{3})(?i)(?s-m)(?#a){2}", 18),
        ("(?:a{3}[[:alpha:](]){2}", 21),
        ("[[:^digit:]x[](a{3}){2}]", 14),
        ("(a{3}){2(b{4})}", 12),
        (r"\(?x[(?V]", 4),
        ("(?:|b){100}" * 3, 1212),
    ],
)
def test_repeats_add_up_and_multiply(pattern, times):
    assert patterns.repeats(pattern) == times


@pytest.mark.parametrize(
    "pattern",
    [
        "(?:(?:|b){999}){999}",
        "(?:|b){10000}" * 20,
        "(?:" * 150 + "x" + ")+" * 150,
        "(?:(?:|b){999}[[:alpha:](]?){999}",
        "(?:(?:|b){999})(?#c){999}",
        "(?:(?:|b){999})(?i){999}",
    ],
)
def test_patterns_that_would_run_away_from_the_clock_are_refused(pattern):
    assert "its repeats make up more than 10,000" in refused(f"/{pattern}/ -> x")


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        *((f"(?<n>a{call}?b)", "it calls a part of itself") for call in ("(?R)", "(?1)", "(?-1)")),
        *(
            (f"(?<n>a{call}?b)", "it calls a part of itself")
            for call in ("(?&n)", "(?P>n)", "(?P&n)")
        ),
        ("(a)[[:alpha:][](?R)?]", "it calls a part of itself"),
        ("(a{1(?R)?})", "it calls a part of itself"),
        *((f"{flag}a{{1 0}}", "it sets the flag x or V") for flag in ("(?x)", "(?V1)", "(?ix:a)")),
        (r"(?#\)[)(?R)?]", "a set or comment in it is open, or has [: or"),
        ("[a[:b", "a set or comment in it is open, or has [: or"),
        ("[a[:b:c]", "a set or comment in it is open, or has [: or"),
    ],
)
def test_patterns_whose_repeats_cannot_be_counted_are_refused(pattern, why):
    assert f"cannot be searched for: {why}" in refused(f"/{pattern}/ -> x")


def test_long_texts_are_cut_in_messages():
    said = refused("a " + '"' + "b" * 50 + '" -> x')
    assert f"""came '"{"b" * 36}...', expected""" in said


@pytest.mark.parametrize(("order", "place"), [(range(60), "50:6"), (range(60)[::-1], "52:5")])
def test_definitions_that_build_on_each_other_too_deep_are_refused(order, place):
    chain = "\n".join(f"n{i + 1}: n{i}" for i in order)
    assert f":{place}: conditions stand more than 50 deep" in refused(f"{chain}\nn0: a\nn60 -> x")


def test_definitions_that_double_each_other_cost_what_they_say():
    doubled = "\n".join(f"n{i + 1}: n{i} or n{i}" for i in range(20))
    rules = RuleSet.parse(f"{doubled}\nn0: win\nn20 and n20 near z -> x")
    explained = rules.explain("win z")
    assert [hit.text for hit in explained.hits] == ["win", "z"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"# all\n\n", "list.txt has no entries; expected one on each line"),
        (b"joe\n!!\n", "list.txt:2: '!!' has no words to look for"),
        (b"joe\n\xff\n", "list.txt is not UTF-8 at byte 4; save it as UTF-8"),
        (b"\xef\xbb\xbfjoe\n\xff\n", "list.txt is not UTF-8 at byte 7; save it as UTF-8"),
    ],
)
def test_a_list_that_is_none_is_refused(tmp_path, content, message):
    (tmp_path / "list.txt").write_bytes(content)
    with pytest.raises(RulesError) as caught:
        RuleSet.parse("in list.txt -> x", file=str(tmp_path / "mail.rules"))
    assert str(caught.value).endswith(message)
    assert (caught.value.line, caught.value.column) == (1, 1)


@pytest.mark.parametrize(
    ("content", "place"),
    [
        (b"a -> x\nb\xff -> x\n", "2:2"),
        (b"\xff", "1:1"),
        ("\ufeffé".encode() + b"\xff", "1:2"),
        ("\ufeffa -> x\né".encode() + b"\xff", "2:2"),
    ],
)
def test_a_file_that_is_not_utf_8_is_refused_with_its_place(tmp_path, content, place):
    path = tmp_path / "mail.rules"
    path.write_bytes(content)
    with pytest.raises(RulesError, match=f"mail.rules:{place}: came bytes that are not UTF-8"):
        RuleSet.read(path)


def test_a_byte_order_mark_is_passed_over(tmp_path):
    path = tmp_path / "mail.rules"
    path.write_bytes(b"\xef\xbb\xbfa -> x\n")
    assert RuleSet.read(path).labels == ("x",)


def test_a_missing_file_of_rules_is_an_os_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        RuleSet.read(tmp_path / "no.rules")


@pytest.mark.parametrize("limit", [0, -1, "1", True, float("nan"), 1e9])
def test_a_time_limit_is_a_number_of_seconds(limit):
    with pytest.raises(InputError, match="expected seconds, from above 0 to 3600"):
        RuleSet.parse("a -> x", time_limit=limit)


def test_rules_survive_pickle():
    rules = RuleSet.parse("n: /a+/ or b\nn -> x, y")
    twin = pickle.loads(pickle.dumps(rules))
    assert twin == rules
    assert twin.predict(["b"]).tolist() == ["x"]


@pytest.mark.parametrize(("package", "module"), [("lark", language), ("regex", patterns)])
def test_a_missing_extra_is_one_line(monkeypatch, package, module):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError) as caught:
        runpy.run_path(module.__file__)
    assert str(caught.value).startswith("nabi.rules ")
    assert f"{package}, which is not installed; {sys.executable} -m pip" in str(caught.value)

"""Any text is rules or an error, rules read what they write, and hold as plainly read."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import nabi
from nabi.rules import RuledClassifier, RulesClassifier, RuleSet
from nabi.rules.nodes import And, Enough, Listed, Name, Near, Not, Or, Pattern, Phrase, Within
from nabi.rules.patterns import PIECE, PatternError, compiled
from strategies import short_texts

LIST = ["b c", "a a", "d"]
PIECES = [
    *("a", "b c", "won", '"a b"', '"a', '"!!"', "(", ")", "()", "and", "or", "not", "AND", "near"),
    *(
        "near/3",
        "near/0",
        "->",
        "-> x",
        "-> x, y",
        ",",
        ":",
        "x:",
        "x",
        "subject:",
        "at least 1 of",
    ),
    *(
        "at least",
        "in",
        "in no.txt",
        'in "',
        "/a+/",
        "/(/",
        "/",
        "/a/i",
        "#",
        "# c",
        "\\",
        "€",
        "'",
    ),
    *(
        "\n",
        "\n",
        "\n  ",
        "\r\n",
        "\t",
        "\ufeff",
        "\u2028",
        "\x0b",
        "\x00",
        "\ud800",
        "<",
        ">",
        "-",
    ),
]
broken = st.lists(st.sampled_from(PIECES), max_size=25).flatmap(
    lambda pieces: st.sampled_from(["", " "]).map(lambda space: space.join(pieces))
)


def outcome(text):
    """Rules, or the error."""
    try:
        return RuleSet.parse(text, file="x.rules")
    except nabi.RulesError as error:
        return error


@given(st.one_of(broken, broken, st.text(st.characters(), max_size=60), short_texts))
def test_any_text_is_rules_or_an_error(text):
    rules = outcome(text)
    if isinstance(rules, nabi.RulesError):
        assert re.match(r"x\.rules:[0-9]+:[0-9]+: ", str(rules))
        return
    assert RuleSet.parse(str(rules), file="x.rules") == rules
    assert rules.matches(["a b c", text]).shape == (2, len(rules.rules))


@given(st.text(st.sampled_from("()[]{}|?*+.^$\\abLPpN<>=!:&~#-,0123"), max_size=30))
def test_any_pattern_is_one_or_an_error(pattern):
    text = f"/{pattern}/ -> x"
    try:
        rules = RuleSet.parse(text, time_limit=0.5)
    except nabi.RulesError:
        return
    assert RuleSet.parse(str(rules)) == rules


members = st.lists(st.sampled_from(["a", "(", ")", "[", "[:alpha:]", "{2}", r"\]", "(?#", "^"]))
pieces = st.one_of(
    st.sampled_from(["a", "b+", "(?i)", "{1(", r"\(", r"\[", "]", "}", "|", "(?:a)(?#b){2}"]),
    members.map(lambda several: f"[{''.join(several)}a]"),
    members.map(lambda several: f"(?#{''.join(several)})"),
)
syntax = st.recursive(
    pieces,
    lambda inner: st.one_of(
        st.lists(inner, min_size=2, max_size=4).map("".join),
        st.builds("{}{})".format, st.sampled_from(["(", "(?:", "(?="]), inner),
    ),
    max_leaves=6,
)


@given(syntax)
def test_a_pattern_is_counted_as_regex_reads_it(pattern):
    try:
        made = compiled(pattern, False)
    except PatternError:
        return
    opened = [piece.start() for piece in PIECE.finditer(pattern) if piece["open"]]
    assert sum(pattern[at + 1] != "?" for at in opened) == made.groups


# ---- random conditions ----

words = st.sampled_from(["a", "b", "c", "d"])
sentences = st.lists(words, min_size=1, max_size=3).map(" ".join).map(Phrase)
lists = st.just(Listed("list.txt"))
patterns = st.builds(Pattern, st.sampled_from(["a.b", "^c", "(a|b) c$", "D"]), st.booleans())
spots = st.one_of(
    sentences, lists, st.lists(sentences, min_size=2, max_size=3).map(lambda s: Or(tuple(s)))
)
nears = st.builds(lambda n, a, b: Near(n, (a, b)), st.integers(1, 6), spots, spots)
leaves = st.one_of(sentences, sentences, lists, patterns, nears)


def several(conditions):
    return st.lists(conditions, min_size=2, max_size=4).map(tuple)


def fields(part, name):
    """In a field, unless it is in one already."""
    return part if isinstance(part, Within) else Within(name, (part,))


def larger(conditions):
    return st.one_of(
        several(conditions).map(Or),
        several(conditions).map(And),
        conditions.map(lambda part: Not((part,))),
        st.builds(fields, conditions, st.sampled_from(["subject", "Reply To", "not"])),
        several(conditions).flatmap(
            lambda parts: st.integers(1, len(parts)).map(lambda n: Enough(n, parts))
        ),
    )


conditions = st.recursive(leaves, larger, max_leaves=10)
documents = st.fixed_dictionaries(
    {name: st.lists(words, max_size=10).map(" ".join) for name in ("text", "subject", "reply to")}
)


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """The name of a file of rules, beside which there is a list."""
    folder = tmp_path_factory.mktemp("rules")
    (folder / "list.txt").write_text("\n".join(LIST), "utf8")
    return str(folder / "x.rules")


@given(conditions)
def test_what_is_written_is_read_again_as_the_same(file, condition):
    (rule,) = RuleSet.parse(f"{condition} -> x", file=file).rules
    assert rule.condition == condition
    assert str(rule) == f"{condition} -> x"


@given(st.lists(st.text(max_size=12).filter(str.strip), min_size=1, max_size=3, unique=True))
def test_labels_of_any_letters_are_read_again(labels):
    names = [label.replace("\n", " ") + "!" for label in labels]
    quoted = ", ".join('"' + n.replace("\\", "\\\\").replace('"', '\\"') + '"' for n in names)
    rules = RuleSet.parse(f"a -> {quoted}")
    assert rules.rules[0].labels == tuple(dict.fromkeys(names))
    assert RuleSet.parse(str(rules)) == rules


# ---- a plain reading of the same conditions ----


def spans(node, text):
    """(first, last) word of each place, by looking everywhere."""
    if isinstance(node, Or):
        return [span for part in node.parts for span in spans(part, text)]
    said = text.split()
    wanted = LIST if isinstance(node, Listed) else [node.text]
    return [
        (i, j - 1)
        for i in range(len(said))
        for j in range(i + 1, len(said) + 1)
        if " ".join(said[i:j]) in wanted
    ]


def plainly(node, document, field="text"):
    """Whether a condition holds."""
    text = document.get(field, "")
    if isinstance(node, Near):
        one, other = (spans(part, text) for part in node.parts)
        gaps = [max(b0 - a1, a0 - b1) for a0, a1 in one for b0, b1 in other]
        return any(1 <= gap <= node.distance for gap in gaps)
    if isinstance(node, Phrase | Listed):
        return bool(spans(node, text))
    if isinstance(node, Pattern):
        return bool(re.search(node.pattern, text, re.IGNORECASE if node.ignore_case else 0))
    if isinstance(node, Within):
        return plainly(node.parts[0], document, node.name.lower())
    held = [plainly(part, document, field) for part in node.parts]
    if isinstance(node, Not):
        return not held[0]
    return sum(held) >= {Or: 1, And: len(held)}.get(type(node), getattr(node, "count", 0))


@given(conditions, documents)
def test_a_condition_holds_when_a_plain_reading_says_so(file, condition, document):
    rules = RuleSet.parse(f"{condition} -> x", file=file)
    assert rules.matches([document]).tolist() == [[plainly(condition, document)]]


@given(conditions, documents)
def test_what_was_found_stands_there(file, condition, document):
    explained = RuleSet.parse(f"{condition} -> x", file=file).explain(document)
    assert (explained.rule is not None) == plainly(condition, document)
    for hit in explained.hits:
        assert document.get(hit.field, "")[hit.begin : hit.end] == hit.text


@given(st.lists(conditions, min_size=2, max_size=4), documents)
def test_a_name_stands_for_its_condition(file, parts, document):
    text = "".join(f"part {i}: {part}\n" for i, part in enumerate(parts))
    names = tuple(Name(f"part {i}", f"part {i}") for i in range(len(parts)))
    for whole in (Or, And):
        rules = RuleSet.parse(f"{text}{whole(names)} -> x", file=file)
        assert rules.rules[0].condition == whole(names)
        assert rules.matches([document]).tolist() == [[plainly(whole(tuple(parts)), document)]]
        assert RuleSet.parse(str(rules), file=file) == rules


# ---- files ----


@given(st.lists(conditions, min_size=1, max_size=3), documents, st.sampled_from([None, "y", "z"]))
def test_rules_come_back_from_their_file(file, saved, reloaded, parts, document, default):
    text = "".join(f"{part} -> x{i}  # {i}\n\n" for i, part in enumerate(parts))
    model = RulesClassifier(RuleSet.parse(text, file=file, default=default))
    again = reloaded(model)
    assert saved(again) == saved(model)
    assert (again.rules, again.rules.source, again.rules.lists) == (
        *(model.rules, text, model.rules.lists),
    )
    assert str(again.explain(document)) == str(model.explain(document)).replace(file, "x.rules")


@given(st.lists(st.tuples(documents, st.sampled_from(["x", "y"])), min_size=2), conditions)
def test_counts_of_rules_come_back_from_their_file(file, saved, reloaded, rows, condition):
    given, labels = [row[0] for row in rows], [row[1] for row in rows]
    rules = RuleSet.parse(f"{condition} -> {labels[0]}", file=file)
    both = RuledClassifier(nabi.TextClassifier(), rules, how="evidence").fit(given, labels)
    again = reloaded(both)
    assert saved(again) == saved(both)
    assert again.predict_proba(given).tobytes() == both.predict_proba(given).tobytes()
    both.partial_fit(given[:1], ["z"]).forget(given[:1], ["z"])
    assert saved(again) == saved(both)

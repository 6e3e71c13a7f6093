"""JSON: an object a line or an array of objects, every error with its line."""

import json

import pytest

from nabi.errors import DataError
from nabi.readers import json_rows, lines, read
from rows import rows_of, skipped, texts_of

GOOD = '{"text": "a", "label": "x"}'


@pytest.fixture
def table(tmp_path):
    """The function `lines -> the path of a file that holds them`."""

    def make(*lines, name="mail.jsonl", end="\n"):
        path = tmp_path / name
        path.write_bytes("".join(line + end for line in lines).encode("utf-8", "surrogateescape"))
        return path

    return make


def test_an_object_a_line(table):
    path = table(GOOD, '{"label": "y", "id": 7, "text": "b\\n\\u0000\\ud83d\\ude00"}')
    assert rows_of(read(path)) == [("a", "x"), ("b\n\0😀", "y")]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_end_in_three_ways(table, end):
    assert rows_of(read(table(GOOD, "", "  ", GOOD, end=end))) == [("a", "x")] * 2


@pytest.mark.parametrize(
    ("value", "label"),
    [
        ("1", "1"),
        ("1.5", "1.5"),
        ("true", "true"),
        ("12345678901234567890123", "12345678901234567890123"),
        ('["a", null]', '["a", null]'),
        ('{"é": 1}', '{"é": 1}'),
    ],
)
def test_other_values_are_read_as_json_writes_them(table, value, label):
    path = table(f'{{"text": "a", "label": {value}}}')
    assert rows_of(read(path)) == [("a", label)]


def test_a_text_may_be_missing(table):
    path = table('{"text": null, "label": "x"}', '{"label": "y"}', GOOD)
    assert rows_of(read(path)) == [(None, "x"), (None, "y"), ("a", "x")]


def test_names_need_not_stand_in_the_first_object(table):
    path = table('{"id": 1}', GOOD)
    assert skipped(path) == ([("a", "x")], [(1, '{"id": 1}')])


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"text": "a"', "not JSON: Expecting ',' delimiter at column 13; expected an object on"),
        ('{"text": "a", "label": "x"} {}', "not JSON: Extra data at column 29"),
        ('{"text": "a", "label": "x",}', "not JSON: "),
        ('{"text": "a\tb", "label": "x"}', "not JSON: Invalid control character at column 12"),
        ('{"text": "a", "label": NaN}', "not JSON: NaN is no value"),
        ('{"text": "a", "label": "x", "text": "b"}', "not JSON: 'text' twice in an object"),
        ('{"text": "\\ud800", "label": "x"}', "half of a surrogate pair"),
        ('{"text": "\udcff", "label": "x"}', "bytes that are not UTF-8 "),
        ("[1, 2]", "an array, expected an object"),
        ("3", "a number, expected an object"),
        ("true", "true or false, expected an object"),
        ('"a"', "a string, expected an object"),
        ("null", "null, expected an object"),
        ('{"text": "a"}', "the label is empty; every text needs one"),
        ('{"text": "a", "label": " "}', "the label is empty; every text needs one"),
        ('{"text": "a", "label": null}', "the label is empty; every text needs one"),
        ("[" * 100_000, "JSON nested too deeply"),
    ],
)
def test_a_bad_line_of_many(table, line, reason):
    path = table(GOOD, "", line, GOOD)
    with pytest.raises(DataError) as caught:
        rows_of(read(path))
    assert str(caught.value).startswith(f"{path}:3: {reason}")
    assert caught.value.skippable
    shown = line.replace("\udcff", "\\xff")
    assert skipped(path) == ([("a", "x")] * 2, [(3, shown)])


def test_a_line_that_is_too_long(table, monkeypatch):
    monkeypatch.setattr(lines, "LONGEST", 2000)
    monkeypatch.setattr(lines, "BLOCK", 500)
    long = json.dumps({"text": "b" * 9000, "label": "y"})
    rows, rejects = skipped(table(GOOD, long, GOOD))
    assert (rows, [(line, row[:11]) for line, row in rejects]) == (
        [("a", "x")] * 2,
        [(2, '{"text": "b')],
    )


def test_where_counts_only_rows_that_were_used(table):
    reader = read(table(GOOD, "bad", "", '{"text": "b"}', GOOD), skip_bad=True)
    assert len(rows_of(reader)) == 2
    assert reader.where(1).endswith("mail.jsonl:5")


def test_parts_are_small(table, monkeypatch):
    monkeypatch.setattr(lines, "MANY", 100)
    reader = read(table(*[GOOD] * 40))
    assert [len(part) for part in reader] == [4] * 10


@pytest.mark.parametrize("data", ["", " \n \n", "\ufeff"])
def test_an_empty_file(table, data):
    with pytest.raises(DataError, match=r"mail.jsonl: the file is empty"):
        read(table(data, end=""))


@pytest.mark.parametrize("skip_bad", [False, True])
def test_a_file_without_objects(table, skip_bad):
    with pytest.raises(DataError, match=r"mail.jsonl:1: a number, expected an object"):
        read(table("1", "2"), skip_bad=skip_bad)


# ---- arrays ----


def array(*elements):
    return "[\n" + ",\n".join(elements) + "\n]\n"


@pytest.mark.parametrize("block", [1, 3, 17, 1000])
def test_an_array_of_objects(table, monkeypatch, block):
    monkeypatch.setattr(json_rows, "BLOCK", block)
    path = table("\ufeff" + array(GOOD, '{"label": "é",\n "text": "b]},["}', GOOD), name="a.json")
    assert rows_of(read(path)) == [("a", "x"), ("b]},[", "é"), ("a", "x")]


def test_elements_of_an_array_have_lines(table):
    path = table(array(GOOD, '{"text":\n "b"}', "3", GOOD), name="a.json")
    assert [line for line, _ in skipped(path)[1]] == [3, 5]
    with pytest.raises(DataError, match=r"a.json:3: the label is empty"):
        rows_of(read(path))


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (f"[{GOOD},\n {GOOD}", "2: not JSON: expected ',' or ']', found 'the end'"),
        (f"[{GOOD},\n {GOOD[:-1]}]", "2: not JSON: Expecting ',' delimiter"),
        (f"[{GOOD}]\n{GOOD}", "2: not JSON: something after the end of the array"),
        (f"[{GOOD}\n{GOOD}]", "2: not JSON: expected ',' or ']', found '{'"),
        (f"[{GOOD},\n]", "2: not JSON: Expecting value"),
        (f"[{GOOD},\n\udcff]", "1: not JSON: bytes that are not UTF-8"),
    ],
)
def test_a_broken_array_cannot_be_skipped(table, data, said):
    path = table(data, name="a.json", end="")
    for skip_bad in (False, True):
        with pytest.raises(DataError) as caught:
            rows_of(read(path, skip_bad=skip_bad))
        assert str(caught.value) == f"{path}:{said}"
        assert not caught.value.skippable


def test_an_empty_array(table):
    with pytest.raises(DataError, match=r"a.json: no JSON object in the file"):
        read(table("[ ]", name="a.json"))


def test_texts_alone(table):
    assert texts_of(read(table('{"text": "a"}'), labelled=False)) == ["a"]

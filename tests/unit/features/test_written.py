"""Numbers as people write them in files."""

import math

import pytest

from nabi.features.written import written_numbers


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("2,5", 2.5),
        ("-0,125", -0.125),
        ("1234,5", 1234.5),
        ("1.234,5", 1234.5),
        ("1.234.567,25", 1234567.25),
        ("1,234.5", 1234.5),
        ("1,234,567", 1234567),
        (" 7 ", 7),
        ("1.234", 1.234),
        ("9.5%", 9.5),
        ("-3 %", -3),
        ("$1,200.50", 1200.5),
        ("1.200,50 €", 1200.5),
        ("₩ 12000", 12000),
    ],
)
def test_a_number_is_read_by_its_form(text, number):
    found = written_numbers([text])
    assert (found.numbers.tolist(), found.unread.tolist()) == ([number], [False])


@pytest.mark.parametrize(
    "text",
    ["1,234", "-12,345", "1,2,3", "1.2,3", "1_000", "12,34.5", "old", "$1,234", "$5%", "%", "5 km"],
)
def test_what_is_no_number_or_two_of_them_is_not_read(text):
    assert written_numbers(["2,5", text]).unread.tolist() == [False, True]


@pytest.mark.parametrize("text", ["NA", "n/a", "#N/A", "?", "-", "—", ".", "NULL", "", "nan", None])
def test_marks_of_a_missing_value(text):
    found = written_numbers([text, "3"])
    assert math.isnan(found.numbers[0])
    assert found.unread.tolist() == [False, False]


def test_what_was_made_of_marks_and_commas_is_said():
    assert written_numbers(["?", " NA ", "2,50"]).said() == (
        "'?' and 'NA' are read as missing, '2,50' as 2.5"
    )
    assert written_numbers(["-", "1"]).said() == "'-' is read as missing"
    assert written_numbers(["9.1%", "12 %"]).said() == "'9.1%' is read as 9.1"
    assert written_numbers(["1,234.5", "1"]).said() == "'1,234.5' is read as 1234.5"

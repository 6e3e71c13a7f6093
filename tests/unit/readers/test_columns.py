"""Which column is the text and which the label; where it is not clear, one is proposed."""

import pytest

from nabi.errors import DataError
from nabi.readers import read
from rows import rows_of, texts_of


@pytest.fixture
def table(tmp_path):
    """The function `header -> the path of a file with one row, 1,2,...`."""

    def make(header):
        path = tmp_path / "mail.csv"
        row = ",".join(str(i + 1) for i in range(header.count(",") + 1))
        path.write_text(f"{header}\n{row}\n")
        return path

    return make


def refusal(path, **options):
    with pytest.raises(DataError) as caught:
        read(path, **options)
    assert caught.value.file == str(path)
    return caught.value.what


@pytest.mark.parametrize("header", ["text,label", "TEXT,Label", " Text , label ", '"text","label"'])
def test_the_default_names_in_any_case(table, header):
    assert rows_of(read(table(header))) == [("1", "2")]


def test_the_very_name_goes_before_its_other_cases(tmp_path):
    path = tmp_path / "mail.jsonl"
    path.write_text('{"Text": "no", "text": "yes", "label": "x"}\n')
    assert rows_of(read(path)) == [("yes", "x")]


def test_names_of_ones_own(table):
    assert rows_of(read(table("a,b,c"), text="c", label="a")) == [("3", "1")]


def test_without_labels_a_text_is_enough(table):
    assert texts_of(read(table("id,text"), labelled=False)) == ["2"]
    assert texts_of(read(table("id,text"), label="nothing", labelled=False)) == ["2"]


def test_the_text_can_be_the_label(table):
    assert rows_of(read(table("a,b"), text="b", label="b")) == [("2", "2")]


def test_a_wrong_name_that_is_nearly_right(table):
    said = refusal(table("message,category"), text="messages", label="category")
    assert (
        said
        == "no column 'messages' (did you mean 'message'?); the columns are 'message', 'category'"
    )


def test_a_name_in_another_case(table):
    assert "did you mean 'Message'?" in refusal(table("Message,y"), text="message", label="y")


def test_a_wrong_name_like_no_other(table):
    assert refusal(table("a,b"), text="zzz") == "no column 'zzz'; the columns are 'a', 'b'"


def test_obvious_names_are_proposed(table):
    said = refusal(table("id,message,category"))
    assert said.startswith("no column 'text'; try --text message; the columns are")
    said = refusal(table("id,message,category"), text="message")
    assert said.startswith("no column 'label'; try --label category; the columns are")


def test_several_proposals_the_surest_first(table):
    said = refusal(table("title,Body,message,y"))
    assert "try --text message (or 'Body', 'title'); " in said


def test_a_proposal_that_needs_quotes_has_them(table):
    assert "try --text 'Review'" not in refusal(table("Review,y"))
    assert "name it with --text COL; " in refusal(table("the review,y"))


def test_nothing_to_propose(table):
    said = refusal(table("a,b"))
    assert said == "no column 'text'; name it with --text COL; the columns are 'a', 'b'"


def test_only_some_of_many_columns_are_listed(table):
    said = refusal(table(",".join(f"column{i:02}" for i in range(40))))
    assert said.endswith("'column11', ... (40 in all)")


def test_a_long_name_is_cut(table):
    assert f"'{'x' * 37}...'" in refusal(table("x" * 100 + ",b"))


def test_columns_of_one_name_and_of_none(table):
    said = refusal(table("a,a,,A,column_3,"))
    assert said.endswith("are 'a', 'a_2', 'column_3_3', 'A_4', 'column_3', 'column_6'")


def test_of_two_texts_the_first_has_the_name(table):
    assert rows_of(read(table("text,text,label"))) == [("1", "3")]
    assert rows_of(read(table("text,text,label"), text="text_2")) == [("2", "3")]

"""CSV: every dialect, every line end, and what is wrong with a row is said with its line."""

import pytest

from nabi.errors import DataError, InputError
from nabi.readers import csv_file, dialect, read
from rows import rows_of, skipped, texts_of


@pytest.fixture
def table(tmp_path):
    """The function `bytes -> the path of a file that holds them`."""

    def make(data, name="mail.csv"):
        path = tmp_path / name
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return path

    return make


# ---- what is read ----


@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
def test_the_delimiter_is_seen(table, mark):
    path = table(f"id{mark}text{mark}label\n1{mark}good{mark}x\n2{mark}bad{mark}y\n")
    assert rows_of(read(path)) == [("good", "x"), ("bad", "y")]


def test_a_delimiter_in_quotes_is_none(table):
    path = table('text;label\n"a, b; c";x\n"d, e; f";y\n')
    assert rows_of(read(path)) == [("a, b; c", "x"), ("d, e; f", "y")]


def test_a_delimiter_of_ones_own(table):
    assert rows_of(read(table("text:label\na,b:x\n"), delimiter=":")) == [("a,b", "x")]


@pytest.mark.parametrize("mark", ["", "::", '"', "\n", "é"])
def test_a_delimiter_is_one_plain_character(table, mark):
    with pytest.raises(InputError, match="expected one ASCII character"):
        read(table("text,label\n"), delimiter=mark)


@pytest.mark.parametrize("name", ["mail.tsv", "mail.tab"])
def test_the_name_tells_of_tabs(table, name):
    assert rows_of(read(table("text\tlabel\na, b\tx\n", name))) == [("a, b", "x")]


def test_tabs_without_quoted_fields_have_plain_quotes(table):
    path = table('text\tlabel\n"to be\tx\nor "not"\ty\n', "mail.tsv")
    assert rows_of(read(path)) == [('"to be', "x"), ('or "not"', "y")]


def test_tabs_with_a_quoted_field_have_quotes(table):
    path = table('text\tlabel\n"a\tb"\tx\n', "mail.tsv")
    assert rows_of(read(path, quotes=True)) == [("a\tb", "x")]
    assert rows_of(read(table('text\tlabel\n"a ""b"""\tx\n', "m.tsv"))) == [('a "b"', "x")]


def test_quotes_can_be_plain_characters(table):
    path = table('text,label\n"a,x\nb",y\n')
    assert rows_of(read(path, quotes=False)) == [('"a', "x"), ('b"', "y")]


def test_without_a_header_columns_have_numbers(table):
    path = table("x,good\ny,bad\n")
    assert rows_of(read(path, header=False, text="2", label="1")) == [("good", "x"), ("bad", "y")]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_end_in_three_ways(table, end):
    path = table(end.join(["text,label", '"a\nb\r\nc\rd",x', "e,y", ""]))
    assert rows_of(read(path)) == [("a\nb\r\nc\rd", "x"), ("e", "y")]


def test_lines_of_one_file_may_end_differently(table):
    path = table('text,label\r\n"a\r\nb",x\nc,y\r\n"d\re",z')
    assert rows_of(read(path)) == [("a\r\nb", "x"), ("c", "y"), ("d\re", "z")]


def test_a_return_within_a_line_is_no_end_of_it(table):
    path = table("text,label\na\rb,x\nc,y\rz,w\n")
    assert skipped(path) == ([("a\rb", "x")], [(3, "c,y\rz,w")])


def test_blank_lines_are_no_rows(table):
    path = table("\n\ntext,label\n\na,x\n\n\r\nb,y\n\n")
    assert rows_of(read(path)) == [("a", "x"), ("b", "y")]


def test_an_empty_field_is_an_empty_text(table):
    path = table('text,label\n,x\n"",y\n')
    assert rows_of(read(path)) == [("", "x"), ("", "y")]


def test_nul_bytes_are_kept(table):
    assert rows_of(read(table(b"text,label\na\0b,x\0\n"))) == [("a\0b", "x\0")]


def test_quotes_within_a_field_are_plain(table):
    assert rows_of(read(table('text,label\n5" disk "new",x\n'))) == [('5" disk "new"', "x")]


def test_only_a_quoted_field_can_be_empty_in_a_file_of_one_column(table):
    assert texts_of(read(table('text\na\n""\n\nb\n'), labelled=False)) == ["a", "", "b"]


# ---- several blocks ----


def test_a_field_of_rows_stays_a_field_wherever_a_block_ends(table, monkeypatch):
    texts = ['evil row,zzz\n"quoted",zzz\n' * n for n in range(1, 12)]
    lines = ["text,label", *('"' + t.replace('"', '""') + '",x' for t in texts), ""]
    path = table("\n".join(lines))
    for size in (1, 7, 64, 1000):
        monkeypatch.setattr(csv_file, "BLOCK", size)
        assert rows_of(read(path)) == [(text, "x") for text in texts]


def test_lines_are_counted_over_all_blocks(table, monkeypatch):
    monkeypatch.setattr(csv_file, "BLOCK", 16)
    path = table("text,label\n" + '"a\nb",x\n' * 50 + "bad\n" + "c,y\n" * 20 + "d,\n")
    rows, rejects = skipped(path)
    assert (len(rows), rejects) == (70, [(102, "bad"), (123, "d,")])


def test_a_part_has_so_many_rows_and_no_more(table, monkeypatch):
    monkeypatch.setattr(csv_file, "ROWS", 3)
    path = table("text,label\n" + "a,x\nb\n" * 4 + '"c\nd",y\n')
    reader = read(path, skip_bad=True)
    assert [len(part) for part in reader] == [2, 1, 2]
    assert [reject.line for reject in reader.rejects] == [3, 5, 7, 9]
    assert reader.where(4).endswith("mail.csv:10")


def test_a_record_longer_than_a_block_grows_in_its_place(table, monkeypatch):
    monkeypatch.setattr(csv_file, "BLOCK", 8)
    path = table('text,label\na,x\n"' + "b\n" * 100 + '",y\nc,z\n')
    assert rows_of(read(path)) == [("a", "x"), ("b\n" * 100, "y"), ("c", "z")]


# ---- what is wrong ----


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("b", "expected 2 columns, found 1"),
        ("b,y,z", "expected 2 columns, found 3"),
        ("b,y,,", "expected 2 columns, found 4"),
        ("  ", "expected 2 columns, found 1"),
        ("b,", "the label is empty; every text needs one"),
        ('b,"  "', "the label is empty; every text needs one"),
        ('"b"q,y', "a quote that closes before the field ends "),
        ("b\udcff,y", "bytes that are not UTF-8 "),
    ],
)
def test_a_bad_row_is_named_by_its_line(table, row, reason):
    data = f'text,label\n"a\n\nb",x\n{row}\nc,z\n'.encode("utf-8", "surrogateescape")
    path = table(data)
    with pytest.raises(DataError) as caught:
        rows_of(read(path))
    assert str(caught.value).startswith(f"{path}:5: {reason}")
    assert (caught.value.line, caught.value.skippable) == (5, True)
    shown = row.replace("\udcff", "\\xff")
    assert skipped(path) == ([("a\n\nb", "x"), ("c", "z")], [(5, shown)])


def test_an_unclosed_quote_takes_one_line_and_not_the_file(table):
    path = table('text,label\na,x\n"b,y\nc,z\nd,w\n')
    with pytest.raises(DataError, match=r"mail.csv:3: a quote that is never closed \(--no-quotes"):
        rows_of(read(path))
    assert skipped(path) == ([("a", "x"), ("c", "z"), ("d", "w")], [(3, '"b,y')])


def test_an_unclosed_quote_is_named_by_the_line_where_it_opens(table):
    path = table('text,label\na,x\n"b\nc","d\ne,z\n')
    with pytest.raises(DataError, match=r"mail.csv:4: a quote that is never closed"):
        rows_of(read(path))
    assert skipped(path) == ([("a", "x"), ("e", "z")], [(3, '"b'), (4, 'c","d')])


def test_an_unclosed_quote_at_the_very_end(table):
    assert skipped(table('text,label\na,x\n"b,y')) == ([("a", "x")], [(3, '"b,y')])


def test_a_quote_must_close_soon(table, monkeypatch):
    monkeypatch.setattr(dialect, "LONGEST", 64)
    path = table('text,label\n"a,x\n' + "b,y\n" * 100 + '"c",z\n')
    rows, rejects = skipped(path)
    assert (rows[0], len(rows), rejects) == (("b", "y"), 101, [(2, '"a,x')])


def test_a_line_without_an_end_is_refused(table, monkeypatch):
    monkeypatch.setattr(csv_file, "BLOCK", 1000)
    monkeypatch.setattr(csv_file, "LONGEST", 1000)
    with pytest.raises(DataError, match=r"mail.csv:3: a line of more than .* MB; is this a CSV"):
        rows_of(read(table("text,label\na,x\n" + "b" * 9000)))


def test_the_first_bad_row_is_the_one_that_is_named(table):
    with pytest.raises(DataError, match=r"mail.csv:2: the label is empty"):
        rows_of(read(table("text,label\na,\nb\n")))


def test_rejects_stand_in_the_order_of_the_file(table):
    path = table("text,label\na,\nb\nc,\nd,e,f\ng,x\n")
    assert [line for line, _ in skipped(path)[1]] == [2, 3, 4, 5]


@pytest.mark.parametrize("data", ["", "\n\r\n", b"\xef\xbb\xbf"])
def test_an_empty_file(table, data):
    with pytest.raises(DataError, match=r"mail.csv: the file is empty$"):
        read(table(data))


@pytest.mark.parametrize("data", ["text,label", "text,label\n", "text,label\r\n\r\n"])
def test_a_header_and_nothing_else(table, data):
    with pytest.raises(DataError, match="no rows: the file holds a header at most"):
        rows_of(read(table(data)))


def test_where_no_row_can_be_used_the_first_reason_is_given(table):
    with pytest.raises(DataError) as caught:
        skipped(table("text,label\na\nb\n"))
    said = "no row can be used: all 2 were rejected (line 2, expected 2 columns, found 1)"
    assert caught.value.what == said


@pytest.mark.parametrize(
    ("header", "reason"),
    [
        ('"text"s,label', "a quote that closes before"),
        ('"text,label', "a quote that is never closed"),
        ("text,l\udcff", "bytes that are not UTF-8"),
    ],
)
def test_a_bad_header(table, header, reason):
    path = table(f"\n{header}\na,x\n".encode("utf-8", "surrogateescape"))
    with pytest.raises(DataError, match=f"mail.csv:2: {reason}"):
        read(path)


# ---- where ----


def test_where_counts_only_rows_that_were_used(table):
    reader = read(table('text,label\n"a\nb",x\nbad\nc,\nd,y\n'), skip_bad=True)
    assert rows_of(reader) == [("a\nb", "x"), ("d", "y")]
    assert [reader.where(i).rpartition(":")[2] for i in (0, 1)] == ["2", "6"]
    with pytest.raises(IndexError):
        reader.where(2)


def test_where_over_blocks(table, monkeypatch):
    monkeypatch.setattr(csv_file, "BLOCK", 10)
    reader = read(table("text,label\n" + "a,x\nb,\n" * 9), skip_bad=True)
    assert len(rows_of(reader)) == 9
    assert reader.where(8).endswith("mail.csv:18")


def test_a_reader_can_be_read_again(table):
    reader = read(table("text,label\na,x\nb\n"), skip_bad=True)
    assert rows_of(reader) == rows_of(reader) == [("a", "x")]
    assert (reader.read, reader.used, reader.rejected, len(reader.rejects)) == (2, 1, 1, 1)


def test_quotes_of_a_tab_separated_file_count_wherever_they_come(tmp_path):
    path = tmp_path / "late.tsv"
    path.write_text("text\tlabel\n" + "plain\tpos\n" * 40_000 + '"a ""b"""\t"neg"\n')
    *_, last = read(path)
    assert (last.texts.to_list()[-1], last.labels[-1]) == ('a "b"', "neg")


def test_quotes_that_can_only_be_plain_are_plain(tmp_path):
    path = tmp_path / "bare.tsv"
    path.write_text('text\tlabel\n"hello" he said\tpos\nc "d\tneg\n')
    (part,) = read(path)
    assert part.texts.to_list() == ['"hello" he said', 'c "d']


def test_a_header_of_very_many_columns(tmp_path):
    path = tmp_path / "wide.csv"
    wide = ",".join(f"column number {i}" for i in range(20_000))
    path.write_text(f"text,label,{wide}\na,b{',' * 20_000}\n")
    (part,) = read(path)
    assert (part.texts.to_list(), part.labels) == (["a"], ["b"])


def test_a_field_of_many_megabytes(tmp_path):
    path = tmp_path / "big.csv"
    path.write_text('text,label\n"' + 'word, ""\n' * 2_200_000 + '",pos\nshort,neg\n')
    rows = [label for part in read(path) for label in part.labels]
    assert rows == ["pos", "neg"]


# ---- a first line that names the delimiter ----


@pytest.mark.parametrize("first", ["sep=;\n", "SEP=;\r\n", '\ufeff"sep=;"\n'])
def test_a_first_line_that_names_the_delimiter(tmp_path, first):
    path = tmp_path / "mail.csv"
    path.write_bytes(f"{first}text;label\na, b, c;x\nd;\ne;y\n".encode())
    assert skipped(path) == ([("a, b, c", "x"), ("e", "y")], [(4, "d;")])
    reader = read(path, skip_bad=True)
    assert [len(part) for part in reader] == [2]
    assert reader.where(1) == f"{path}:5"


def test_errors_after_a_line_that_names_the_delimiter(tmp_path):
    path = tmp_path / "mail.csv"
    path.write_text("sep=|\ntext|label\na|x\nb\n")
    with pytest.raises(DataError, match=r"mail.csv:4: expected 2 columns, found 1"):
        rows_of(read(path))
    path.write_text('sep=|\n"text"s|label\na|x\n')
    with pytest.raises(DataError, match=r"mail.csv:2: a quote that closes"):
        read(path)


def test_the_delimiter_of_an_option_goes_first(tmp_path):
    (tmp_path / "mail.csv").write_text("sep=;\ntext,label\na;b,x\n")
    assert rows_of(read(tmp_path / "mail.csv", delimiter=",")) == [("a;b", "x")]


# ---- cp1252 and Latin-1 ----


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ("\xe9t\xe9", "no byte is of cp1252 alone: try --encoding latin-1"),
        ("\x93caf\xe9\x94", "0x93 is “ in cp1252: try --encoding cp1252"),
        ("\x81\x93", "no byte is of cp1252 alone: try --encoding latin-1"),
    ],
)
@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_the_encoding_that_is_proposed(tmp_path, row, said, kind):
    path = tmp_path / f"mail.{kind}"
    rows = {"csv": f"text,label\n{row},x\n", "jsonl": f'{{"text": "{row}", "label": "x"}}\n'}
    path.write_bytes(rows[kind].encode("latin-1"))
    with pytest.raises(DataError) as caught:
        rows_of(read(path))
    assert caught.value.what == f"bytes that are not UTF-8 ({said} if the whole file is)"


@pytest.mark.parametrize(
    ("row", "encoding", "language"),
    [
        ("배송이 빠르고 정말 좋아요 5/5", "cp949", "Korean"),
        ("とても面白い映画でした。", "cp932", "Japanese"),
        ("とても面白い映画でした。", "euc_jp", "Japanese"),
        ("这部电影真的很好看，我很喜欢。", "gb18030", "Chinese"),
    ],
)
@pytest.mark.parametrize("kind", ["csv", "txt"])
def test_an_eastern_encoding_is_proposed(tmp_path, row, encoding, language, kind):
    path = tmp_path / f"mail.{kind}"
    path.write_bytes(f"text,label\ngood,x\n{row},x\n".encode(encoding))
    with pytest.raises(DataError) as caught:
        rows_of(read(path))
    why = f"the letters are {language} in {encoding}: try --encoding {encoding}"
    assert caught.value.what == f"bytes that are not UTF-8 ({why} if the whole file is)"
    assert rows_of(read(path, encoding=encoding)) == [("good", "x"), (row, "x")]


@pytest.mark.parametrize("row", ["it’s what they’re", "“Grüße” – ça été", "don’t"])
def test_western_text_is_not_taken_for_an_eastern_one(tmp_path, row):
    (tmp_path / "mail.csv").write_bytes(f"text,label\n{row},x\n".encode("cp1252"))
    with pytest.raises(DataError, match="in cp1252: try --encoding cp1252"):
        rows_of(read(tmp_path / "mail.csv"))


def test_the_encoding_of_other_rows_counts(tmp_path):
    (tmp_path / "mail.csv").write_bytes("text,label\ncafé,x\n“b”,x\n".encode("cp1252"))
    with pytest.raises(DataError, match=r":2: .* try --encoding cp1252"):
        rows_of(read(tmp_path / "mail.csv"))

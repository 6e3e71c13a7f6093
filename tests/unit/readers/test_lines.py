"""fastText, plain lines, and folders with a sub-folder for each class."""

import pytest

from nabi.errors import DataError
from nabi.readers import lines, read
from rows import rows_of, skipped, texts_of


@pytest.fixture
def write(tmp_path):
    """The function `(name, content) -> the path of that file`."""

    def make(name, data):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data.encode("utf-8", "surrogateescape"))
        return path

    return make


# ---- lines ----


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("block", [1, 4, 1000])
def test_a_text_a_line_blank_or_not(write, monkeypatch, end, block):
    monkeypatch.setattr(lines, "BLOCK", block)
    path = write("a.txt", end.join(["\ufeffa, b", "", " c", "  ", 'd"', "e"]))
    assert texts_of(read(path, format="lines", labelled=False)) == [
        "a, b",
        "",
        " c",
        "  ",
        'd"',
        "e",
    ]


def test_a_return_within_a_line_is_part_of_it(write):
    path = write("a.txt", "a\rb\nc\0\n")
    assert texts_of(read(path, format="lines", labelled=False)) == ["a\rb", "c\0"]


def test_lines_have_no_labels(write):
    with pytest.raises(DataError, match=r"a.txt: no column 'label'; .* the columns are 'text'"):
        read(write("a.txt", "a\n"), format="lines")


def test_bytes_that_are_not_utf8(write):
    reader = read(write("a.txt", "a\n\udcff\nb\n"), format="lines", labelled=False, skip_bad=True)
    assert texts_of(reader) == ["a", "b"]
    assert [(each.line, each.row) for each in reader.rejects] == [(2, "\\xff")]


@pytest.mark.parametrize("extra", [0, 1, 2, 700, 100_000])
def test_a_line_that_is_too_long(write, monkeypatch, extra):
    monkeypatch.setattr(lines, "LONGEST", 2000)
    monkeypatch.setattr(lines, "BLOCK", 500)
    path = write("a.txt", "a\n" + "b" * (2000 + extra) + "\nc\n\udcff\n")
    reader = read(path, format="lines", labelled=False, skip_bad=True)
    assert len(texts_of(reader)) == (2 if extra else 3)
    assert [each.line for each in reader.rejects] == ([2, 4] if extra else [4])


def test_a_file_of_blank_lines(write):
    assert texts_of(read(write("a.txt", "\n\n"), format="lines", labelled=False)) == ["", ""]


def test_a_file_that_is_not_called_csv_and_has_no_columns_is_lines(write):
    for first in ("win now", "you have won a prize"):
        path = write("a.log", f"{first}\nat noon\n")
        assert texts_of(read(path, labelled=False)) == [first, "at noon"]
    for name, data in [("a.csv", "win now\nat noon\n"), ("a.log", "message\nat noon\n")]:
        assert texts_of(read(write(name, data), labelled=False)) == ["at noon"]


# ---- fastText ----


def test_fasttext(write):
    path = write("a.txt", "__label__x good  one \n\n__label__ümit bad\r\n__label__y\tc\n__label__z")
    assert rows_of(read(path)) == [("good  one", "x"), ("bad", "ümit"), ("c", "y"), ("", "z")]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("good", "no __label__... at the start of the line"),
        ("__label__ good", "no __label__... at the start of the line"),
        ("__label__x __label__y good", "more than one label; nabi learns one for each text"),
        ("__label__x \udcff", "bytes that are not UTF-8 "),
    ],
)
def test_a_bad_line_of_fasttext(write, line, reason):
    path = write("a.txt", f"__label__x a\n\n{line}\n__label__y b\n")
    with pytest.raises(DataError) as caught:
        rows_of(read(path))
    assert str(caught.value).startswith(f"{path}:3: {reason}")
    assert skipped(path) == ([("a", "x"), ("b", "y")], [(3, line.replace("\udcff", "\\xff"))])


def test_where_in_fasttext(write):
    reader = read(write("a.txt", "__label__x a\nbad\n\n__label__y b\n"), skip_bad=True)
    assert len(rows_of(reader)) == 2
    assert reader.where(1).endswith("a.txt:4")


def test_parts_are_small(write, monkeypatch):
    monkeypatch.setattr(lines, "MANY", 1000)
    reader = read(write("a.txt", "__label__x good\n" * 1000))
    assert {len(part) for part in reader} <= {67, 62, 1000 % 67}
    assert reader.used == 1000


# ---- folders ----


def test_a_folder_for_each_class(write, tmp_path):
    for name in ("y/2", "y/1", "x/deep/3", "x/4", ".git/5", "x/.hidden", "y/.git/6"):
        write(f"mail/{name}.txt", f"text {name}")
    write("mail/README", "no class")
    expected = [("text x/4", "x"), ("text x/deep/3", "x"), ("text y/1", "y"), ("text y/2", "y")]
    reader = read(tmp_path / "mail")
    assert rows_of(reader) == expected
    assert reader.where(2) == str(tmp_path / "mail" / "y" / "1.txt")


def test_a_text_of_a_folder_is_kept_whole(write, tmp_path):
    write("mail/x/1", "\ufeff a\r\nb\n\n")
    assert rows_of(read(tmp_path / "mail")) == [(" a\r\nb\n\n", "x")]


def test_a_file_that_is_not_utf8(write, tmp_path):
    bad = write("mail/x/1", "\udcff")
    write("mail/x/2", "a")
    with pytest.raises(DataError, match=f"^{bad}: bytes that are not UTF-8"):
        rows_of(read(tmp_path / "mail"))
    assert skipped(tmp_path / "mail") == ([("a", "x")], [(None, "")])


def test_the_files_of_a_folder_in_another_encoding(write, tmp_path):
    write("mail/x/1", "\udce9t\udce9")
    assert rows_of(read(tmp_path / "mail", encoding="latin-1")) == [("été", "x")]


def test_a_folder_without_folders(write, tmp_path):
    write("mail/1.txt", "a")
    with pytest.raises(DataError, match="mail: a folder without sub-folders; expected one sub-fol"):
        rows_of(read(tmp_path / "mail"))


def test_without_labels_every_file_of_a_folder_is_a_text(write, tmp_path):
    for name in ("2.txt", "1.txt", ".hidden"):
        write(f"mail/{name}", f"text {name}")
    (part,) = read(tmp_path / "mail", labelled=False, keep=True)
    assert part.names == ["path", "text"]
    assert part.texts.to_list() == ["text 1.txt", "text 2.txt"]
    assert part.columns[0].to_list() == [str(tmp_path / "mail" / f"{i}.txt") for i in (1, 2)]


def test_a_link_to_a_folder_is_followed_with_and_without_labels(write, tmp_path):
    write("far/1.txt", "a")
    (tmp_path / "mail").mkdir()
    (tmp_path / "mail" / "x").symlink_to(tmp_path / "far")
    assert rows_of(read(tmp_path / "mail")) == [("a", "x")]
    assert texts_of(read(tmp_path / "mail", labelled=False)) == ["a"]


def test_without_labels_a_file_in_a_sub_folder_has_its_name_as_label(write, tmp_path):
    for name in ("1.txt", "x/2.txt", "x/deep/3.txt"):
        write(f"mail/{name}", name)
    (part,) = read(tmp_path / "mail", labelled=False, keep=True)
    assert part.names == ["path", "label", "text"]
    assert part.columns[1].to_list() == [None, "x", "x"]


# ---- texts themselves ----


def test_texts_in_the_place_of_paths():
    assert texts_of(read("win\nnow", "a/b.csv", format="text", labelled=False)) == [
        "win\nnow",
        "a/b.csv",
    ]


def test_folders_without_files(tmp_path):
    (tmp_path / "mail" / "x").mkdir(parents=True)
    with pytest.raises(DataError, match="mail: no rows"):
        rows_of(read(tmp_path / "mail"))

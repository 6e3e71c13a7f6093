"""Which files are read: names, patterns, formats, compression, encodings, standard input."""

import csv
import gc
import glob
import gzip
import io
import os
import tempfile
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import duckdb
import pytest

from nabi.errors import DataError, InputError
from nabi.readers import read
from nabi.readers.rejects import Reject, Rejects
from rows import rows_of, skipped, texts_of, zstd

CSV = b"text,label\ngood,x\nbad,y\n"
ROWS = [("good", "x"), ("bad", "y")]
JSONL = b'{"text": "good", "label": "x"}\n{"text": "bad", "label": "y"}\n'
FASTTEXT = b"__label__x good\n__label__y bad\n"


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """All files lie in the current folder, and copies of them in a folder of their own."""
    (tmp_path / "copies").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "copies"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def stdin(monkeypatch, data):
    monkeypatch.setattr("sys.stdin", SimpleNamespace(buffer=io.BytesIO(data)))


# ---- names ----


@pytest.mark.parametrize(
    "name", ["a[1].csv", "a*.csv", "it's.csv", 'so "so".csv', "a b?.csv", "-x"]
)
def test_a_name_may_hold_anything(here, name):
    (here / name).write_bytes(CSV)
    assert rows_of(read(name)) == ROWS


@pytest.mark.parametrize("name", ["a[1].parquet", "it's.parquet", 'so "so" *.parquet'])
def test_so_may_the_name_of_a_parquet_file(here, name):
    duckdb.sql("SELECT 'good' AS text, 'x' AS label").write_parquet("plain.parquet")
    os.rename("plain.parquet", name)
    (here / "a1.parquet").write_bytes(b"a trap for patterns")
    assert rows_of(read(name)) == [("good", "x")]


def test_a_path_object(here):
    (here / "mail.csv").write_bytes(CSV)
    assert rows_of(read(here / "mail.csv")) == ROWS


def test_a_pattern_names_files_in_order(here):
    for name in "bac":
        (here / f"{name}.csv").write_text(f"text,label\n{name},x\n")
    assert texts_of(read("*.csv")) == ["a", "b", "c"]


def test_a_pattern_for_folders(here):
    (here / "mail" / "new").mkdir(parents=True)
    (here / "mail" / "new" / "a.csv").write_bytes(CSV)
    assert rows_of(read("**/*.csv")) == ROWS


def test_files_of_several_formats_in_one_read(here):
    (here / "a.csv").write_bytes(CSV)
    (here / "b.jsonl").write_bytes(JSONL)
    (here / "c.txt").write_bytes(FASTTEXT)
    reader = read("a.csv", "b.jsonl", "c.txt")
    assert rows_of(reader) == ROWS * 3
    assert [reader.where(i) for i in (1, 2, 5)] == ["a.csv:3", "b.jsonl:1", "c.txt:2"]


def test_rejects_of_several_files(here):
    (here / "b.csv").write_bytes(CSV + b"bad\n")
    (here / "a.csv").write_bytes(b"text,label\nworse\n" + CSV[11:])
    reader = read("b.csv", "a.csv", skip_bad=True)
    assert rows_of(reader) == ROWS * 2
    assert [reject.where for reject in reader.rejects] == ["b.csv:4", "a.csv:2"]
    assert (reader.read, reader.used, reader.rejected) == (6, 4, 2)


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("male.csv", "male.csv: no such file; did you mean mail.csv?"),
        ("nothing/like/it.csv", "nothing/like/it.csv: no such file"),
        ("*.xyz", r"*.xyz: no file matches this pattern"),
    ],
)
def test_a_file_that_is_not_there(here, path, said):
    (here / "mail.csv").write_bytes(CSV)
    with pytest.raises(DataError) as caught:
        read(path)
    assert str(caught.value) == said


def test_nothing_to_read():
    with pytest.raises(InputError, match="no data; expected a file"):
        read()


def test_files_and_a_query():
    with pytest.raises(InputError, match="both files and a query"):
        read("mail.csv", sql="SELECT 1")


# ---- formats ----


@pytest.mark.parametrize("data", [CSV, JSONL, FASTTEXT])
def test_the_content_tells_the_format(here, data):
    (here / "mail").write_bytes(data)
    assert rows_of(read("mail")) == ROWS


def test_a_format_of_ones_own(here):
    (here / "mail.csv").write_bytes(JSONL)
    assert rows_of(read("mail.csv", format="jsonl")) == ROWS


@pytest.mark.parametrize("format", ["parquet", "folder"])
def test_a_format_that_it_is_not(here, format):
    (here / "mail.csv").write_bytes(CSV)
    with pytest.raises(DataError, match=f"mail.csv: this is not {format}; it looks like csv"):
        read("mail.csv", format=format)


def test_a_folder_has_no_other_format(here):
    (here / "mail").mkdir()
    with pytest.raises(DataError, match="mail: a folder, expected a file of format csv"):
        read("mail", format="csv")


def test_an_unknown_format(here):
    with pytest.raises(InputError, match="format='xls'; there are: csv, tsv, jsonl, parquet"):
        read("mail.xls", format="xls")


# ---- compression ----


@pytest.mark.parametrize(("pack", "end"), [(gzip.compress, ".gz"), (zstd.compress, ".zst")])
@pytest.mark.parametrize(("data", "name"), [(CSV, "a.csv"), (JSONL, "a.jsonl"), (FASTTEXT, "a")])
def test_compressed_files(here, pack, end, data, name):
    (here / (name + end)).write_bytes(pack(data))
    assert rows_of(read(name + end)) == ROWS


def test_the_content_tells_the_compression(here):
    (here / "mail.csv").write_bytes(gzip.compress(CSV))
    assert rows_of(read("mail.csv")) == ROWS


def test_rejects_of_a_compressed_file_have_lines(here):
    (here / "a.csv.gz").write_bytes(gzip.compress(b'text,label\n"a\nb",x\nbad\nc,\n'))
    assert skipped("a.csv.gz") == ([("a\nb", "x")], [(4, "bad"), (5, "c,")])


@pytest.mark.parametrize("pack", [gzip.compress, zstd.compress])
@pytest.mark.parametrize("left", [12, -12])
def test_a_compressed_file_that_is_cut(here, pack, left):
    data = CSV + b"".join(b"%d,x\n" % (i * 7919 % 1000003) for i in range(50_000))
    (here / "a.csv.gz").write_bytes(pack(data)[:left])
    with pytest.raises(DataError, match=r"a.csv.gz: cannot be decompressed: "):
        rows_of(read("a.csv.gz"))


# ---- encodings ----


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize(
    ("text", "name"), [("text,label\ngrün,x\n", "a.csv"), ('{"text": "grün", "label": "x"}', "a")]
)
def test_a_byte_order_mark_tells_the_encoding(here, encoding, text, name):
    mark = "\ufeff" if encoding in ("utf-16-le", "utf-16-be") else ""
    (here / name).write_bytes((mark + text).encode(encoding))
    assert rows_of(read(name)) == [("grün", "x")]


def test_an_encoding_that_is_given(here):
    (here / "a.csv").write_bytes("text,label\ngrün,x\n".encode("latin-1"))
    assert rows_of(read("a.csv", encoding="latin-1")) == [("grün", "x")]


def test_an_encoding_of_a_compressed_file(here):
    (here / "a.csv.gz").write_bytes(gzip.compress("text,label\ngrün,x\n".encode("cp1252")))
    assert rows_of(read("a.csv.gz", encoding="cp1252")) == [("grün", "x")]


def test_mixed_encodings_are_rejected_row_by_row(here):
    (here / "a.csv").write_bytes(b"text,label\ngr\xc3\xbcn,x\ngr\xfcn,y\nred,z\n")
    assert skipped("a.csv") == ([("grün", "x"), ("red", "z")], [(3, "gr\\xfcn,y")])


def test_an_encoding_that_it_is_not(here):
    (here / "a.csv").write_bytes(b"text,label\n\x81,x\n")
    with pytest.raises(DataError, match=r"a.csv: not cp1252: .*; try another --encoding"):
        read("a.csv", encoding="cp1252")


def test_an_unknown_encoding(here):
    with pytest.raises(InputError, match="encoding='utf-9' is unknown; expected one such as utf-8"):
        read("a.csv", encoding="utf-9")


@pytest.mark.parametrize(
    "data",
    [
        b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4,
        b"\x7fELF" + b"\0" * 200,
        "text,label\na,x\n".encode("utf-16-le") * 4,
    ],
)
def test_a_binary_file(here, data):
    (here / "a.csv").write_bytes(data)
    with pytest.raises(DataError, match=r"a.csv: not text: this looks like a binary file; "):
        read("a.csv")


# ---- standard input ----


@pytest.mark.parametrize("data", [CSV, JSONL, FASTTEXT, gzip.compress(CSV, mtime=0)])
def test_standard_input(monkeypatch, data):
    stdin(monkeypatch, data)
    assert rows_of(read("-")) == ROWS


def test_errors_of_standard_input_have_lines(monkeypatch):
    stdin(monkeypatch, CSV + b"bad\n")
    with pytest.raises(DataError, match=r"^<stdin>:4: expected 2 columns, found 1$"):
        rows_of(read("-"))


def test_where_in_standard_input_after_all_of_it_was_read(monkeypatch):
    stdin(monkeypatch, CSV)
    reader = read("-")
    assert rows_of(reader) == ROWS
    assert reader.where(1) == "<stdin>:3"


def test_a_pipe_of_the_shell(here):
    os.mkfifo("pipe")
    with ThreadPoolExecutor() as pool:
        pool.submit((here / "pipe").write_bytes, CSV)
        assert rows_of(read("pipe")) == ROWS


# ---- copies ----


def copies():
    gc.collect()
    return glob.glob("copies/*")


def test_copies_go_with_the_reader(monkeypatch):
    stdin(monkeypatch, CSV)
    reader = read("-")
    assert len(copies()) == 1
    del reader
    assert copies() == []


def test_copies_go_when_the_reader_is_closed(monkeypatch):
    stdin(monkeypatch, CSV)
    reader = read("-")
    reader.close()
    assert copies() == []
    reader.close()  # a second time is no harm


def test_copies_go_when_reading_is_given_up(monkeypatch):
    stdin(monkeypatch, CSV)
    parts = iter(read("-"))
    next(parts)
    assert len(copies()) == 1
    parts.close()
    del parts
    assert copies() == []


@pytest.mark.parametrize("data", [b"a,b\n1,2\n", b"", bytes(300)])
def test_copies_go_when_there_is_nothing_to_read(monkeypatch, data):
    stdin(monkeypatch, data)
    with pytest.raises(DataError):
        read("-")
    assert copies() == []


def test_files_are_closed_when_reading_is_given_up(here):
    (here / "a.csv").write_bytes(CSV)
    before = os.listdir("/proc/self/fd")
    parts = iter(read("a.csv"))
    next(parts)
    parts.close()
    assert os.listdir("/proc/self/fd") == before


# ---- rejects ----


def test_rejects_are_written_as_csv(here):
    rows = [Reject("a.csv", 3, "why", 'b,"c\nd'), Reject("folder/x", None, "not UTF-8", "\udcff")]
    rejects = Rejects()
    for row in rows:
        rejects.add(row)
    rejects.save("rejects.csv")
    said = 'file,line,reason,row\na.csv,3,why,"b,""c\nd"\nfolder/x,,not UTF-8,\\udcff\n'
    assert (here / "rejects.csv").read_text() == said
    assert list(rejects) == [rows[0], Reject("folder/x", None, "not UTF-8", "\\udcff")]


@pytest.mark.parametrize("data", [b"text,label\na,x\nb\rc\n", b'text,label\na,x\n"b\rc" d,x\n'])
def test_a_row_with_a_bare_return_is_one_row_of_the_rejects_file(here, data):
    (here / "bad.csv").write_bytes(data)
    reader = read("bad.csv", skip_bad=True)
    assert rows_of(reader) == [("a", "x")]
    reader.write_rejects("rejects.csv")
    assert rows_of(read("rejects.csv", text="row", label="line")) == [(reader.rejects[0].row, "3")]
    with open("rejects.csv", newline="") as file:
        assert len(list(csv.DictReader(file))) == 1


# ---- files that are none ----


@pytest.fixture(params=["pipe", "zero", "nothing"])
def special(here, request):
    """A path in a class's folder where no regular file is."""
    (here / "mail" / "spam").mkdir(parents=True)
    (here / "mail" / "spam" / "good.txt").write_text("win")
    path = here / "mail" / "spam" / "special"
    if request.param == "pipe":
        os.mkfifo(path)
    else:
        path.symlink_to({"zero": "/dev/zero", "nothing": "nowhere"}[request.param])
    return path


def test_a_folder_gives_regular_files_alone(special):
    with pytest.raises(DataError, match="special: no regular file") as error:
        rows_of(read("mail"))
    assert error.value.skippable
    reader = read("mail", skip_bad=True)
    assert rows_of(reader) == [("win", "spam")]
    assert [os.path.basename(each.file) for each in reader.rejects] == ["special"]


def test_a_pattern_gives_regular_files_alone(here):
    (here / "a.csv").write_bytes(CSV)
    os.mkfifo(here / "b.csv")
    with pytest.raises(DataError, match=r"b\.csv: no regular file .*; name it by itself"):
        read("*.csv")


def test_a_device_is_refused_and_the_null_device_is_empty(here):
    with pytest.raises(DataError, match="/dev/zero: a device, expected a file, a folder, a pipe"):
        read("/dev/zero")
    with pytest.raises(DataError, match="/dev/null"):
        rows_of(read("/dev/null"))


def test_a_pipe_that_is_named_is_read(here):
    os.mkfifo(here / "pipe.csv")
    with ThreadPoolExecutor(1) as pool:
        pool.submit((here / "pipe.csv").write_bytes, CSV)
        assert rows_of(read("pipe.csv")) == ROWS


@pytest.mark.parametrize(("name", "encoding"), [("-", None), ("a.csv", "utf-16")])
def test_a_copy_takes_half_of_the_free_space_at_most(here, monkeypatch, name, encoding):
    (here / "a.csv").write_bytes(CSV.decode().encode("utf-16"))
    stdin(monkeypatch, CSV)
    free = lambda folder: SimpleNamespace(free=2 * len(CSV) - 1)  # noqa: E731
    monkeypatch.setattr("shutil.disk_usage", free)
    with pytest.raises(DataError, match=r"needs a copy of more than .* set TMPDIR"):
        read(name, encoding=encoding)
    assert os.listdir(here / "copies") == []
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=2 * len(CSV)))
    stdin(monkeypatch, CSV)
    assert rows_of(read(name, encoding=encoding)) == ROWS

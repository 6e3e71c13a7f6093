"""Bad input: one line that names file and line, exit code 1, and every file as it was."""

import csv
import io
import json
import os
import resource
import subprocess
from itertools import pairwise

import pytest

GOOD = "text,label\nwin now,spam\nat noon,ham\n"
TRAIN = ("train", "bad.csv", "-o", "mail.nabi")  # which would replace a good model


def bad(folder, content, name="bad.csv"):
    folder.write(name, content)
    return folder


# What is not there


@pytest.mark.parametrize(
    "command",
    [
        "train nope.csv -o mail.nabi",
        "learn mail.nabi nope.csv",
        "forget mail.nabi nope.csv",
        "predict mail.nabi nope.csv -o mail.csv",
    ],
)
def test_a_missing_file(folder, command):
    assert folder.refused(*command.split()).startswith("nope.csv: no such file")


def test_a_name_that_is_nearly_right_is_proposed(folder):
    assert folder.refused("train", "mail.cvs") == "mail.cvs: no such file; did you mean mail.csv?"


@pytest.mark.parametrize("command", ["words", "info", "explain", "learn", "predict", "classes"])
def test_a_missing_model(folder, command):
    more = {"explain": ["x"], "learn": ["mail.csv"], "predict": ["mail.csv"]}.get(command, [])
    assert folder.refused(command, "nope.nabi", *more) == "nope.nabi: no such file or directory"


def test_a_file_that_is_no_model(folder):
    assert folder.refused("info", "mail.csv") == "'mail.csv' is not a nabi model"


def test_a_damaged_model(folder):
    data = bytearray((folder.path / "mail.nabi").read_bytes())
    data[-40] ^= 1
    folder.write("mail.nabi", bytes(data))
    assert "'mail.nabi' is damaged" in folder.refused("learn", "mail.nabi", "mail.csv")


def test_a_missing_column_gets_proposals(folder):
    bad(folder, "id,message,category\n1,win,spam\n")
    got = folder.refused(*TRAIN)
    assert got.startswith("bad.csv: no column 'text' and no column 'label'; try --text message ")
    assert got.endswith("the columns are 'id', 'message', 'category'")


def test_a_misspelt_column_is_recognised(folder):
    bad(folder, "id,message,category\n1,win,spam\n")
    got = folder.refused(*TRAIN, "--text", "massage", "--label", "category")
    assert got.startswith("bad.csv: no column 'massage' (did you mean 'message'?)")


# What holds nothing


def test_an_empty_file(folder):
    bad(folder, "")
    assert folder.refused(*TRAIN).startswith("bad.csv: ")
    assert "empty" in folder.refused(*TRAIN)


def test_an_empty_standard_input(folder):
    assert "<stdin>" in folder.refused("train", "-", "-o", "mail.nabi", stdin="")


def test_a_header_and_no_row(folder):
    bad(folder, "text,label\n")
    assert folder.refused(*TRAIN).startswith("bad.csv: no rows")


def test_no_row_that_can_be_used(folder):
    bad(folder, "text,label\na,\nb,\n")
    code, _, err = folder.run(*TRAIN, "--skip-bad")
    assert code == 1
    assert err.startswith("nabi: bad.csv: no row can be used: all 2 were rejected")


# Rows that do not fit


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        ("a,b,c", "expected 2 columns, found 3"),
        ("alone", "expected 2 columns, found 1"),
        ("no label,", "label is empty"),
        ('"never closed,ham', "quote"),
    ],
)
def test_a_bad_row_stops_with_its_line_and_the_flag_that_skips_it(folder, row, reason):
    bad(folder, GOOD + row + "\nsee you,ham\n")
    got = folder.refused(*TRAIN)
    assert got.startswith("bad.csv:4: ")
    assert reason in got
    assert "--skip-bad" in got


def test_lines_are_counted_as_an_editor_does_where_fields_have_several(folder):
    bad(folder, 'text,label\n"one\ntwo\nthree",ham\n\na,b,c\n')
    assert folder.refused(*TRAIN).startswith("bad.csv:6: expected 2 columns, found 3")


def test_a_wrong_delimiter(folder):
    bad(folder, GOOD)
    got = folder.refused(*TRAIN, "--delimiter", ";")
    assert got.startswith("bad.csv: no column 'text'")
    assert "'text,label'" in got


def test_a_delimiter_of_two_characters(folder):
    assert "delimiter='::'" in folder.refused(
        "train", "mail.csv", "-o", "mail.nabi", "--delimiter", "::"
    )


def test_invalid_json_on_one_line_of_many(folder):
    good = '{"text": "win", "label": "spam"}\n'
    bad(folder, good * 1000 + '{"text": "win", \n' + good * 10, "bad.jsonl")
    got = folder.refused("train", "bad.jsonl", "-o", "mail.nabi")
    assert got.startswith("bad.jsonl:1001: not JSON")
    assert "--skip-bad" in got


def test_a_row_of_fasttext_without_a_label(folder):
    bad(folder, "__label__spam win\nno label\n", "bad.txt")
    got = folder.refused("train", "bad.txt", "-o", "mail.nabi")
    assert got.startswith("bad.txt:2: no __label__")


# Bytes that are no text


def test_mixed_encodings_name_the_line(folder):
    bad(folder, GOOD.encode() + "café,ham\n".encode("latin-1") + "café,ham\n".encode())
    got = folder.refused(*TRAIN)
    assert got.startswith("bad.csv:4: bytes that are not UTF-8")


def test_latin_1_is_refused_until_it_is_named(folder):
    bad(folder, "text,label\ncafé noir,ham\nwin,spam\n".encode("latin-1"))
    got = folder.refused(*TRAIN)
    assert got.startswith("bad.csv:2: bytes that are not UTF-8")
    assert "--encoding latin-1" in got
    folder.nabi(*TRAIN, "--encoding", "latin-1")
    words = json.loads(folder.nabi("words", "mail.nabi", "--class", "ham", "--json"))
    assert "café" in [row["word"] for row in words]


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig"])
def test_a_byte_order_mark_says_the_encoding(folder, encoding):
    bad(folder, "text,label\ncafé noir,ham\nwin,spam\n".encode(encoding))
    assert "vocabulary: 3" in folder.nabi(*TRAIN)


def test_an_encoding_that_is_not_known(folder):
    got = folder.refused("train", "mail.csv", "-o", "mail.nabi", "--encoding", "klingon")
    assert "'klingon'" in got


@pytest.mark.parametrize("command", ["train bad.csv -o mail.nabi", "predict mail.nabi bad.csv"])
def test_a_binary_file(folder, command):
    bad(folder, b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 8)
    assert folder.refused(*command.split()).startswith("bad.csv: not text")


def test_a_folder_without_sub_folders(folder):
    (folder.path / "texts").mkdir()
    folder.write("texts/1.txt", "win")
    got = folder.refused("train", "texts", "-o", "mail.nabi")
    assert got.startswith("texts: a folder without sub-folders")


def test_a_query_that_is_wrong(folder):
    got = folder.refused("train", "--sql", "select from where", "-o", "mail.nabi")
    assert got.startswith("--sql: ")


# With --skip-bad


def rejects(folder, name):
    return list(csv.DictReader(io.StringIO(folder.read(name))))


BAD = GOOD + 'a,b,c\nalone\nno label,\nlast one,ham\n"never closed,ham\n'


def test_bad_rows_go_to_a_file_beside_the_model(folder):
    bad(folder, BAD)
    code, out, _ = folder.run("train", "bad.csv", "-o", "new.nabi", "--skip-bad")
    assert code == 0
    assert out.splitlines()[0] == "7 rows read = 3 used + 4 rejected (see new.rejects.csv)"
    found = rejects(folder, "new.rejects.csv")
    assert [(row["file"], row["line"]) for row in found] == [
        *(("bad.csv", line) for line in ("4", "5", "6", "8"))
    ]
    assert found[0]["row"].strip() == "a,b,c"
    assert found[2]["reason"].startswith("the label is empty")


def test_the_rejects_file_may_be_named(folder):
    bad(folder, BAD)
    options = ("--skip-bad", "--rejects", "aside.csv", "--json")
    got = json.loads(folder.run("learn", "mail.nabi", "bad.csv", *options)[1])
    assert got["rows"] == {"read": 7, "used": 3, "rejected": 4}
    assert got["rejects"] == "aside.csv"
    assert len(rejects(folder, "aside.csv")) == 4


def test_rows_that_cannot_be_predicted_are_told_beside_the_others(folder):
    bad(folder, "id,text\n1,win now\n2\n3,at noon\n")
    code, out, err = folder.run("predict", "mail.nabi", "bad.csv", "--skip-bad")
    assert (code, out) == (0, "id,text,predicted\n1,win now,spam\n3,at noon,ham\n")
    assert err.splitlines() == ["nabi: 3 rows read = 2 used + 1 rejected (see stdin.rejects.csv)"]


@pytest.mark.parametrize("seed", range(3))
def test_rows_read_are_those_used_and_those_rejected(folder, seed):
    import random

    pick = random.Random(seed)
    kinds = ["good,ham", "a,b,c", "alone", "no label,", '"two\nlines",spam', '"broken" x,ham']
    bad(folder, "text,label\ngood,ham\n" + "".join(f"{pick.choice(kinds)}\n" for _ in range(200)))
    got = json.loads(folder.run(*TRAIN, "--skip-bad", "--json")[1])
    rows = got["rows"]
    assert rows["read"] == rows["used"] + rows["rejected"] == 201
    assert rows["used"] == sum(got["classes"].values())
    lines = [int(row["line"]) for row in rejects(folder, got["rejects"])]
    assert all(a < b for a, b in pairwise(lines))
    assert len(lines) == rows["rejected"]


# Where the output cannot go


@pytest.mark.parametrize(
    "command",
    [
        "train mail.csv -o nowhere/x.nabi",
        "merge mail.nabi mail.nabi -o nowhere/x.nabi",
        "classes mail.nabi --drop ham -o nowhere/x.nabi",
        "predict mail.nabi mail.csv -o nowhere/x.csv",
    ],
)
def test_an_output_in_a_folder_that_is_not_there(folder, command):
    got = folder.refused(*command.split())
    assert got.startswith("-o nowhere/x.")
    assert got.endswith("mkdir -p nowhere")


@pytest.mark.parametrize("command", ["train mail.csv -o", "predict mail.nabi mail.csv -o"])
def test_an_output_that_is_a_folder(folder, command):
    (folder.path / "x.csv").mkdir()
    got = folder.refused(*command.split(), "x.csv")
    assert got == "-o x.csv: that is a folder; give the name of a file in it"


def test_an_output_whose_format_is_not_known(folder):
    got = folder.refused("predict", "mail.nabi", "mail.csv", "-o", "x.doc")
    assert got.startswith("x.doc: cannot tell the format")


def test_a_model_does_not_go_to_a_device(folder):
    assert "Not a regular file" in folder.refused("train", "mail.csv", "-o", "/dev/full")


@pytest.mark.parametrize(
    "command",
    ["predict mail.nabi mail.csv", "predict mail.nabi -", "words mail.nabi", "info mail.nabi"],
)
def test_standard_output_on_a_full_disk(folder, command):
    with open("/dev/full", "wb") as full:
        got = folder.refused(*command.split(), stdin="win\n", stdout=full)
    assert got == "no space left on device"


def small_files():
    resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024))


@pytest.mark.parametrize(
    "command",
    [
        "train big.csv -o mail.nabi",
        "learn mail.nabi big.csv",
        "predict mail.nabi big.csv -o out.csv",
        "predict mail.nabi big.csv -o out.parquet",
        "predict mail.nabi lines.txt --format lines -o out.csv",
    ],
)
def test_a_disk_that_fills_up_leaves_the_old_file(folder, command):
    words = [f"word{i}" for i in range(3000)]
    folder.write("big.csv", "text,label\nx,spam\n" + "".join(f"{word},ham\n" for word in words))
    folder.write("lines.txt", "\n".join(words))
    folder.write("out.csv", "old")
    folder.write("out.parquet", "old")
    name = "mail.nabi" if "-o" not in command else command.split()[-1]
    got = folder.refused(*command.split(), preexec_fn=small_files)
    assert got.startswith(f"{name}: ")
    assert "too large" in got.lower()


@pytest.fixture
def tiny_disk(folder):
    """A disk of 64 kB at `disk`."""
    place = folder.path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(place)]
    if os.geteuid() or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("no tmpfs can be mounted here")
    yield folder
    subprocess.run(["umount", str(place)], check=True)


@pytest.mark.parametrize(
    "command", ["train big.csv -o disk/x.nabi", "predict mail.nabi big.csv -o disk/x.csv"]
)
def test_a_disk_that_is_full(tiny_disk, command):
    words = "".join(f"word{i},ham\n" for i in range(9000))
    tiny_disk.write("big.csv", "text,label\nx,spam\n" + words)
    old = (tiny_disk.path / "mail.nabi").read_bytes() if "nabi" in command[-5:] else "old"
    tiny_disk.write(command.split()[-1], old)
    got = tiny_disk.refused(*command.split())
    assert got.startswith(command.split()[-1] + ": ")
    assert "no space left on device" in got.lower()


# Wrong usage: exit code 2


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("frobnicate", "No such command 'frobnicate'. Try `nabi --help`."),
        ("train --xyzzyx", "No such option: --xyzzyx. Try `nabi train --help`."),
        ("train", "Missing DATA: a file, a folder, a pattern, or -. Try `nabi train --help`."),
        ("words", "Missing argument 'MODEL'. Try `nabi words --help`."),
        ("predict mail.nabi mail.csv -k 0", "-k"),
        ("train mail.csv --alpha x", "--alpha"),
        ("train mail.csv -o -", "A model goes to a file, not to standard output"),
    ],
)
def test_wrong_usage_says_where_help_is(folder, command, message):
    assert message in folder.refused(*command.split(), code=2)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--ngrams two", "--ngrams two; expected a range such as 1-2"),
        ("--features magic", "'magic'"),
        ("--event magic", "'magic'"),
        ("--alpha -1", "alpha=-1.0"),
        ("--prior spam", "--prior spam; expected uniform, empirical or c=p,..."),
        ("--prior spam=1", "the prior lacks 'ham'"),
        ("--prior spam=2,ham=3", "sum to 1"),
        ("--stop-words nope.txt", "--stop-words nope.txt; expected how many"),
        ("--stop-words /dev/zero", "/dev/zero: more than 64 MiB came"),
        ("--rules /dev/zero --model rules", "/dev/zero: more than 64 MiB came"),
        ("--stem klingon", "stem='klingon'; there are: "),
        ("--normalize NFX", "normalize='NFX'; there are: NFC, NFKC"),
        ("--unspaced 1-9", "unspaced=(1, 9); expected (lo, hi)"),
        ("--hangul 2-99", "hangul=(2, 99); expected (lo, hi)"),
        ("--hangul 2-3 --chars 2-4", "hangul=(2, 3) counts characters beside single words"),
    ],
)
def test_options_of_the_recipe_that_make_no_sense(folder, options, message):
    assert message in folder.refused("train", "mail.csv", "-o", "mail.nabi", *options.split())


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("train mail.csv -o mail.csv", "-o mail.csv: that file is no nabi model"),
        ("predict mail.nabi mail.csv -o mail.csv", "-o mail.csv: that file is read here"),
        ("merge mail.nabi mail.nabi -o mail.csv", "-o mail.csv: that file is no nabi model"),
        ("train mail.csv -o y.nabi --rejects mail.csv", "--rejects mail.csv: that file is read"),
        ("train mail.csv -o y.nabi --rejects y.nabi", "--rejects y.nabi: that file is written"),
        ("learn mail.nabi mail.csv --rejects mail.nabi", "--rejects mail.nabi: that file is read"),
    ],
)
def test_nothing_is_written_over_what_is_read(folder, command, said):
    assert folder.refused(*command.split()).startswith(said)

"""Job arrays: shares of the data are trained apart, and merged to the model of one process."""

import gzip
import json
import random
import subprocess

import duckdb
import pytest

import nabi
from nabi.files import model_file
from tests.cli.conftest import NABI

PLAIN = ("--no-score", "--no-calibrate")


@pytest.fixture
def data(folder):
    """The folder with 500 texts in one CSV file, and in five."""
    rnd = random.Random(0)
    words = [f"w{i}" for i in range(300)]
    rows = [
        (" ".join(rnd.choices(words, k=8)) + ',\n"x"', "spam" if i % 3 else "ham")
        for i in range(500)
    ]
    for name, some in [("all", rows), *((f"p{i}", rows[i::5]) for i in range(5))]:
        folder.write(f"{name}.csv", csv(some))
    return folder


def csv(rows):
    quoted = (f'"{text.replace(chr(34), chr(34) * 2)}",{label}\n' for text, label in rows)
    return "text,label\n" + "".join(quoted)


def content(folder, name):
    return (folder.path / name).read_bytes()


def trained(folder, data, n, *options):
    """Train all shares of the data, and merge them."""
    made = []
    for i in range(n):
        folder.nabi("train", *data, "--shard", f"{i}/{n}", "-o", f"part-{i}.nabi", *options)
        made += [f"part-{i}.nabi"] if (folder.path / f"part-{i}.nabi").exists() else []
    folder.run("merge", *made, "-o", "merged.nabi", "-q")
    return content(folder, "merged.nabi")


def one(folder, data, *options):
    folder.run("train", *data, "-o", "one.nabi", *PLAIN, "-q", *options)
    return content(folder, "one.nabi")


@pytest.mark.parametrize("options", [(), ("--ngrams", "1-2"), ("--no-ledger",)])
@pytest.mark.parametrize("files", [["all.csv"], [f"p{i}.csv" for i in range(5)]])
@pytest.mark.parametrize("n", [1, 2, 5, 8])
def test_shares_merge_to_the_model_of_one_process(data, files, n, options):
    assert trained(data, files, n, *options) == one(data, files, *options)


def test_real_processes_side_by_side(data):
    line = 'xargs -P 4 -I{} "$0" "$@" train all.csv --shard {}/4 -o part-{}.nabi --ngrams 1-2 -q'
    run = {"cwd": data.path, "env": data.environment, "check": True}
    subprocess.run(["sh", "-c", f"seq 0 3 | {line}", *NABI], **run)
    merge = ["merge", *(f"part-{i}.nabi" for i in range(4)), "-o", "merged.nabi", "--floor", "2"]
    subprocess.run([*NABI, *merge, "-q"], **run)
    model = nabi.from_bytes(one(data, ["all.csv"], "--ngrams", "1-2"))
    assert content(data, "merged.nabi") == model.floor(2).to_bytes()


@pytest.mark.parametrize("kind", ["jsonl", "parquet", "csv.gz"])
def test_every_format_has_shares(data, kind):
    if kind == "csv.gz":
        data.write("all.csv.gz", gzip.compress(content(data, "all.csv")))
    else:
        duckdb.sql(f"copy (from '{data.path}/all.csv') to '{data.path}/all.{kind}'")
    assert trained(data, [f"all.{kind}"], 3) == one(data, ["all.csv"])


def test_a_folder_has_shares(data):
    for i in range(200):
        (data.path / "mails" / "ab"[i % 2]).mkdir(parents=True, exist_ok=True)
        data.write(f"mails/{'ab'[i % 2]}/{i}.txt", f"text {i}")
    assert trained(data, ["mails"], 3) == one(data, ["mails"])


@pytest.mark.parametrize("ledger", [(), ("--ledger", "strong"), ("--no-ledger",)])
def test_a_table_has_shares(data, ledger):
    rnd = random.Random(1)
    lines = ["age,city,id,about,job"]
    for i in range(400):
        about = " ".join(rnd.choices(["maths", "lorry", "music", "roads", "school"], k=5))
        city = rnd.choice(["Rome", "Oslo", ""]) if i < 300 else f"New {i}"
        lines.append(f"{rnd.gauss(40, 9):.2f},{city},{i},{about},{'ab'[i % 2]}")
    data.write("people.csv", "\n".join(lines) + "\n")
    options = ("--label", "job", *ledger)
    made = []
    for i in range(3):
        data.run("train", "people.csv", "--shard", f"{i}/3", "-o", f"part-{i}.nabi", *options)
        made.append(f"part-{i}.nabi")
    data.nabi("merge", *made, "-o", "merged.nabi")
    assert content(data, "merged.nabi") == one(data, ["people.csv"], *options)


def test_a_finished_share_is_not_trained_again(data):
    train = ("train", "all.csv", "--shard", "1/3", "-o", "part.nabi")
    data.nabi(*train)
    before = (data.path / "part.nabi").stat().st_mtime_ns
    said = "shard 1/3: part.nabi is finished already, with the same data and options\n"
    assert data.nabi(*train) == said
    assert json.loads(data.nabi(*train, "--json"))["finished"] is True
    assert (data.path / "part.nabi").stat().st_mtime_ns == before


@pytest.mark.parametrize("change", ["data", "options", "share", "learned", "damaged"])
def test_a_share_of_other_data_or_options_is_trained_again(data, change):
    train = ["train", "all.csv", "--shard", "1/3", "-o", "part.nabi"]
    data.nabi(*train)
    if change == "data":
        data.write("all.csv", content(data, "p1.csv"))
    elif change == "options":
        train += ["--ngrams", "1-2"]
    elif change == "share":
        train[3] = "2/3"
    elif change == "learned":
        data.nabi("learn", "part.nabi", "p0.csv", "-q")
    else:
        data.write("part.nabi", content(data, "part.nabi")[:-1] + b"x")
    assert "finished" not in data.nabi(*train)


def test_missing_shares_are_told(data):
    for i in (0, 2):
        data.nabi("train", "all.csv", "--shard", f"{i}/4", "-o", f"part-{i}.nabi", "-q")
    code, _, err = data.run("merge", "part-0.nabi", "part-2.nabi", "-o", "x.nabi")
    said = "nabi: 2 of 4 shards are not here (1, 3): if they have rows, the sum lacks them\n"
    assert (code, err) == (0, said)


def test_a_claim_of_countless_shards_is_told_at_once(data):
    for i in (0, 2):
        data.nabi("train", "all.csv", "--shard", f"{i}/4", "-o", f"part-{i}.nabi", "-q")
        header, arrays = model_file.read(data.path / f"part-{i}.nabi")
        header["shard"]["of"] = 10**15
        model_file.write(data.path / f"part-{i}.nabi", header, arrays)
    _, _, err = data.run("merge", "part-0.nabi", "part-2.nabi", "-o", "x.nabi")
    assert f"{10**15 - 2} of {10**15} shards are not here (1, 3, 4, 5, 6, 7, 8, 9, 10, 11, " in err


def test_shares_of_other_data_are_told(data):
    data.nabi("train", "all.csv", "--shard", "0/2", "-o", "a.nabi", "-q")
    data.nabi("train", "p0.csv", "--shard", "1/2", "-o", "b.nabi", "-q")
    _, _, err = data.run("merge", "a.nabi", "b.nabi", "-o", "x.nabi")
    assert "nabi: the models are not all shards of one training: data or options differ\n" in err


def test_the_same_share_twice_is_told(data):
    data.nabi("train", "all.csv", "--shard", "0/2", "-o", "a.nabi", "-q")
    _, _, err = data.run("merge", "a.nabi", "a.nabi", "-o", "x.nabi")
    assert "1 of 2 shards are not here (1)" in err
    assert "texts of a.nabi are in the models before it already" in err


def test_a_share_without_rows_writes_nothing(folder):
    out = folder.nabi("train", "mail.csv", "--shard", "3/4", "-o", "part.nabi")
    assert out.endswith("shard 3/4 has no rows; nothing is written\n")
    assert not (folder.path / "part.nabi").exists()


def test_rejected_rows_are_told_by_each_share_that_reads_them(data):
    data.write("bad.csv", "text,label\na,x\nb\nc,y\n")
    out = data.nabi("train", "bad.csv", "--shard", "0/2", "-o", "p.nabi", "--skip-bad")
    assert out.startswith("3 rows read = 2 used + 1 rejected")


@pytest.mark.parametrize(
    ("typed", "code", "said"),
    [
        ("--shard 4/4", 2, "--shard 4/4: expected a share from 0/4 to 3/4."),
        ("--shard x", 2, "--shard x: expected I/N, such as 0/64 for the first of 64."),
        ("--shard 0/0", 2, "expected one share or more, such as 0/1"),
        (f"--shard 0/{10**20}", 2, "expected I/N"),
        ("--shard 0/2 --best", 2, "counts add up"),
        ("--shard 0/2 --strict", 2, "one share does not tell what looks wrong"),
        ("--shard 0/2 --model svm", 2, "--shard is for --model nb"),
        ("--shard 0/2 --test mail.csv", 2, "judge the merged model"),
        ("--shard 0/2 --prior spam=0.5,ham=0.5", 2, "a share may lack a class"),
    ],
)
def test_what_a_share_cannot_have_is_refused(folder, typed, code, said):
    code_, _, err = folder.run("train", "mail.csv", *typed.split(), "-o", "x.nabi")
    assert (code_, said in err) == (code, True), err


def test_standard_input_has_no_shares(folder):
    code, _, err = folder.run("train", "-", "--shard", "0/2", "-o", "x.nabi", stdin="text,label\n")
    assert (code, err) == (1, "nabi: standard input cannot be shared among jobs; name files\n")


def test_a_query_has_no_shares(folder):
    typed = ("--sql", "from 'mail.csv'", "--shard", "0/2", "-o", "x.nabi")
    assert "rows of a query have no certain order" in folder.run("train", *typed)[2]

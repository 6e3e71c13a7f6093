"""`nabi prune`, and the other commands with what it writes."""

import json
import re

import pytest

import nabi
from nabi.cli.commands.prune import as_bytes
from nabi.models.pruned.classifier import PrunedClassifier

TEST = "text,label\nwin a prize,spam\nlunch at noon,ham\nthe plan,spam\n"


def pruned(folder, *options):
    return folder.nabi("prune", "mail.nabi", "-o", "small.nabi", "--size", "2kB", *options)


def test_what_is_kept_and_lost_is_told(folder):
    folder.write("test.csv", TEST)
    lines = pruned(folder, "--data", "test.csv").splitlines()
    assert lines[0].startswith("mail.nabi: 13 words, ")
    assert lines[1].startswith("small.nabi: 13 words, 1.1 kB, weights of 8 bits")
    assert lines[2] == "kept: 100.0% of what the words tell of the class, in the training data"
    assert lines[3:6] == [
        "3 rows read = 3 used + 0 rejected",
        "accuracy 0.6667 -> 0.6667 (+0.0000)",
        "decisions that changed: 0 of 3",
    ]


def test_without_data_it_says_what_to_type(folder):
    lines = pruned(folder).splitlines()
    assert lines[-5] == "To measure the loss of accuracy, give texts that were not learned: --data."
    assert lines[-2:] == ['  nabi predict small.nabi "a text of yours"', "  nabi info small.nabi"]


def test_for_a_program(folder):
    folder.write("test.csv", TEST)
    size = len((folder.path / "mail.nabi").read_bytes())
    options = ["--size", "1050", "--data", "test.csv", "--bits", "16", "--json"]
    got = json.loads(folder.nabi("prune", "mail.nabi", "-o", "small.nabi", *options))
    assert (got["of_bytes"], got["of_words"], got["bits"]) == (size, 13, 16)
    assert got["model_bytes"] == len((folder.path / "small.nabi").read_bytes()) <= 1050
    assert got["words"] == nabi.load(folder.path / "small.nabi").n_features_ < 13
    assert 0 < got["evidence"] < 1
    assert got["rows"] == {"read": 3, "used": 3, "rejected": 0}
    assert {"accuracy_before", "accuracy", "changed"} <= set(got)


def test_quiet_prints_nothing(folder):
    assert pruned(folder, "-q") == ""
    assert isinstance(nabi.load(folder.path / "small.nabi"), PrunedClassifier)


def test_several_files_and_bad_rows(folder):
    folder.write("a.csv", TEST)
    folder.write("b.csv", "text,label\nwin,spam\nnone\n")
    out = pruned(folder, "--data", "a.csv", "--data", "b.csv", "--skip-bad")
    assert "5 rows read = 4 used + 1 rejected (see small.rejects.csv)" in out


@pytest.mark.parametrize(
    ("given", "size"),
    [("1MB", 10**6), ("500kB", 500_000), ("2 MiB", 2**21), ("1.5kb", 1500), ("800", 800)],
)
def test_sizes(given, size):
    assert as_bytes(given) == size


@pytest.mark.parametrize("given", ["", "big", "1XB", "-1MB", "0", "0.1", "1e6"])
def test_a_size_that_is_none_is_refused(folder, given):
    got = folder.refused("prune", "mail.nabi", "-o", "s.nabi", f"--size={given}", code=2)
    assert "expected a size such as 1MB" in got


def test_a_size_for_no_word_is_refused(folder):
    got = folder.refused("prune", "mail.nabi", "-o", "s.nabi", "--size", "100")
    assert got.startswith("100 bytes are too few: the labels, the recipe and one word take ")
    sizes = re.search(r"take ([\d,]+), all words ([\d,]+); give a size between$", got).groups()
    one, every = (int(size.replace(",", "")) for size in sizes)
    assert 100 < one < every


def test_what_cannot_be_pruned_is_refused(folder):
    nabi.TableClassifier().fit({"a": [1.0, 2.0]}, ["x", "y"]).save(folder.path / "t.nabi")
    size = ("-o", "s.nabi", "--size", "1MB")
    assert "classifies tables" in folder.refused("prune", "t.nabi", *size)
    assert "is read here" in folder.refused("prune", "mail.nabi", "-o", "mail.nabi", *size[2:])
    got = folder.refused("prune", "mail.nabi", *size, "--bits", "4", code=2)
    assert "expected 8 or 16" in got
    pruned(folder, "-q")
    assert "pruned already" in folder.refused("prune", "small.nabi", *size)


def test_other_commands_take_it(folder):
    folder.write("test.csv", TEST)
    pruned(folder, "-q")
    said = [folder.nabi("predict", name, "test.csv") for name in ("mail.nabi", "small.nabi")]
    assert said[0] == said[1]
    told = json.loads(folder.nabi("explain", "small.nabi", "win a prize", "--json"))
    assert told["label"] == "spam"
    assert "accuracy 0.6667" in folder.nabi("evaluate", "small.nabi", "test.csv")
    assert "No difference" in folder.nabi("versus", "mail.nabi", "small.nabi", "test.csv")
    words = json.loads(folder.nabi("words", "small.nabi", "--class", "spam", "--json"))
    assert (words[0]["word"], words[0]["count"]) == ("now", None)
    assert "now" in folder.nabi("words", "small.nabi")


def test_info_tells_what_it_was_made_of(folder):
    pruned(folder, "-q")
    lines = folder.nabi("info", "small.nabi").splitlines()
    assert lines[4:9] == [
        "recipe      preset words, hangul 2-4, entities yes",
        "made_of     multinomial",
        "of_words    13",
        "kept        1.0",
        "bits        8",
    ]
    facts = json.loads(folder.nabi("info", "small.nabi", "--json"))
    assert (facts["bits"], facts["vocabulary"]) == (8, 13)


def test_what_needs_counts_is_refused(folder):
    folder.write("test.csv", TEST)
    pruned(folder, "-q")
    assert "cannot learn" in folder.refused("learn", "small.nabi", "test.csv")
    assert "cannot forget" in folder.refused("forget", "small.nabi", "test.csv")
    got = folder.refused("merge", "small.nabi", "small.nabi", "-o", "two.nabi")
    assert "cannot be merged" in got
    assert "cannot have other classes" in folder.refused(
        "classes", "small.nabi", "--rename", "spam=junk"
    )
    assert "cannot be calibrated" in folder.refused("calibrate", "small.nabi", "test.csv")
    got = folder.refused("evaluate", "small.nabi", "test.csv", "--report", "r.html")
    assert got == "--report: no report is made of a model of kind pruned; leave it out"

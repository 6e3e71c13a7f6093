"""`nabi train`: from files of every kind to a model file, and what it says of it."""

import gzip
import json

import pytest

import nabi


def test_it_says_what_was_learned_and_what_to_do_next(folder):
    out = folder.nabi("train", "mail.csv", "-o", "new.nabi")
    lines = out.splitlines()
    assert lines[:3] == [
        "5 rows read = 5 used + 0 rejected",
        "2 classes: ham 3, spam 2",
        "vocabulary: 13, alpha 1",
    ]
    assert lines[3].startswith("74 B of text in ")
    assert "MB/s" not in lines[3]
    assert lines[lines.index("Next:") + 1 :] == [
        '  nabi explain new.nabi "a text of yours"',
        "  nabi predict new.nabi mail.csv -o labelled.csv",
        "  nabi words new.nabi",
        "  nabi crossval mail.csv",
        "    the figures of each class, and which are taken for which",
        "  nabi train mail.csv -o new.nabi --best",
        "    tries other recipes and linear models for a minute: often more accurate",
    ]


def test_a_rate_is_told_of_much_text(folder):
    folder.write(
        "big.csv", "text,label\n" + "some words that are long enough,a\n" * 40_000 + "b,b\n"
    )
    assert "1.2 MB of text in " in (out := folder.nabi("train", "big.csv", "-o", "new.nabi"))
    assert " MB/s)\n" in out


def test_the_model_is_that_of_the_library(folder):
    folder.nabi("train", "mail.csv", "-o", "new.nabi")
    assert (folder.path / "new.nabi").read_bytes() == (folder.path / "mail.nabi").read_bytes()


def test_without_a_name_the_file_is_model_nabi(folder):
    assert "model: model.nabi (" in folder.nabi("train", "mail.csv")
    assert nabi.load(folder.path / "model.nabi").n_features_ == 13


def test_json_is_for_programs(folder):
    result = json.loads(folder.nabi("train", "mail.csv", "-o", "new.nabi", "--json"))
    assert result["rows"] == {"read": 5, "used": 5, "rejected": 0}
    assert result["classes"] == {"ham": 3.0, "spam": 2.0}
    assert (result["vocabulary"], result["model"]) == (13, "new.nabi")
    assert result["model_bytes"] == (folder.path / "new.nabi").stat().st_size


def test_quiet_says_nothing(folder):
    assert folder.nabi("train", "mail.csv", "-o", "new.nabi", "--quiet") == ""
    assert (folder.path / "new.nabi").exists()


def test_a_name_with_a_space_is_quoted_in_what_to_do_next(folder):
    assert "nabi words 'my mail.nabi'" in folder.nabi("train", "mail.csv", "-o", "my mail.nabi")


def test_every_option_of_the_recipe_reaches_the_model(folder):
    folder.write("stop.txt", "the a\n")
    options = "--features tweets --ngrams 1-2 --chars 2-3 --event bernoulli --alpha 0.5"
    options += " --prior spam=0.1,ham=0.9 --negation --stop-words stop.txt --no-lowercase"
    folder.nabi("train", "mail.csv", "-o", "new.nabi", *options.split(), "--no-ledger")
    model = nabi.load(folder.path / "new.nabi")
    assert (model.recipe.ngrams, model.recipe.chars) == ((1, 2), (2, 3))
    assert (model.event, model.alpha, model.ledger) == ("bernoulli", 0.5, False)
    assert model.prior == {"spam": 0.1, "ham": 0.9}
    assert (model.recipe.negation, model.recipe.lowercase) == (True, False)
    assert sorted(model.recipe.stop_words) == ["a", "the"]


@pytest.mark.parametrize(
    ("typed", "ledger"),
    [([], True), (["--ledger", "strong"], "strong"), (["--ledger", "none"], False)],
)
def test_the_kind_of_the_ledger_can_be_chosen(folder, typed, ledger):
    folder.nabi("train", "mail.csv", "-o", "new.nabi", *typed)
    assert nabi.load(folder.path / "new.nabi").ledger == ledger
    told = folder.nabi("info", "new.nabi")
    assert ("strong fingerprints" in told) == (ledger == "strong")


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        (["--ledger", "weak"], "--ledger weak: expected plain, strong or none"),
        (["--ledger", "strong", "--no-ledger"], "give one of them"),
        (["--ledger", "strong", "--model", "svm"], "--ledger is for --model nb"),
    ],
)
def test_a_ledger_that_there_is_not_is_refused(folder, typed, message):
    assert message in folder.refused("train", "mail.csv", "-o", "new.nabi", *typed, code=2)


@pytest.mark.parametrize(("option", "value"), [("min_count", 2), ("keep", 3), ("buckets", 64)])
def test_options_with_numbers_reach_the_model(folder, option, value):
    flag = "--" + option.replace("_", "-")
    folder.nabi("train", "mail.csv", "-o", "new.nabi", flag, str(value), "--threads", "1")
    assert getattr(nabi.load(folder.path / "new.nabi").recipe, option) == value


@pytest.mark.parametrize(
    ("options", "recipe"),
    [
        ("--unspaced 2", {"unspaced": (2, 2)}),
        ("--unspaced no", {"unspaced": None}),
        ("--hangul 2-3", {"hangul": (2, 3)}),
        ("--hangul no", {"hangul": None}),
        ("--strip-accents --normalize NFC", {"strip_accents": True, "normalize": "NFC"}),
        ("--stem dutch --stop-words dutch", {"stem": "dutch", "stop_words": "dutch"}),
    ],
)
def test_options_of_the_language_reach_the_model(folder, options, recipe):
    folder.nabi("train", "mail.csv", "-o", "new.nabi", *options.split())
    assert nabi.load(folder.path / "new.nabi").recipe == nabi.Features(**recipe)


def test_chinese_needs_no_option(folder):
    folder.write("x.csv", "text,label\n很好看的电影,good\n难看的电影,bad\n")
    folder.nabi("train", "x.csv", "-o", "new.nabi")
    folder.write("new.csv", "text\n真好看\n太难看了\n")
    out = folder.nabi("predict", "new.nabi", "new.csv")
    assert [line.split(",")[1] for line in out.splitlines()] == ["predicted", "good", "bad"]


TSV = "text\tlabel\nwin a prize\tspam\nat noon\tham\n"
JSONL = '{"text": "win a prize", "label": "spam"}\n{"text": "at noon", "label": "ham"}\n'


@pytest.mark.parametrize(
    ("name", "content", "options"),
    [
        ("x.tsv", TSV, ()),
        ("x.csv", TSV.replace("\t", ";"), ()),
        ("x.dat", TSV.replace("\t", "!"), ("--delimiter", "!")),
        ("x.jsonl", JSONL, ()),
        ("x.txt", "__label__spam win a prize\n__label__ham at noon\n", ()),
        ("x.csv", TSV.split("\n", 1)[1], ("--no-header", "--text", "1", "--label", "2")),
        ("x.csv", 'text,label\n"win" a prize,spam\nat noon,ham\n', ("--no-quotes",)),
        ("x.csv.gz", gzip.compress(TSV.replace("\t", ",").encode(), mtime=0), ()),
        ("x.csv", TSV.replace("\t", ",").encode("utf-16"), ()),
    ],
)
def test_data_come_in_many_forms(folder, name, content, options):
    folder.write(name, content)
    result = json.loads(folder.nabi("train", name, "-o", "new.nabi", "--json", *options))
    assert result["classes"] == {"ham": 1.0, "spam": 1.0}
    assert result["vocabulary"] == 5


def test_a_folder_has_one_sub_folder_for_each_class(folder):
    for label, text in [("spam", "win a prize"), ("ham", "at noon")]:
        (folder.path / "texts" / label).mkdir(parents=True)
        folder.write(f"texts/{label}/1.txt", text)
    result = json.loads(folder.nabi("train", "texts", "-o", "new.nabi", "--json"))
    assert (result["classes"], result["vocabulary"]) == ({"ham": 1.0, "spam": 1.0}, 5)


def test_data_come_from_standard_input_patterns_and_queries(folder):
    folder.nabi("train", "-", "-o", "stdin.nabi", stdin=folder.read("mail.csv"))
    folder.nabi("train", "m*.csv", "-o", "pattern.nabi")
    folder.nabi("train", "--sql", "select * from 'mail.csv'", "-o", "query.nabi")
    expected = (folder.path / "mail.nabi").read_bytes()
    for name in ("stdin", "pattern", "query"):
        assert (folder.path / f"{name}.nabi").read_bytes() == expected


def test_columns_have_names(folder):
    folder.write("x.csv", "id,body,kind\n1,win a prize,spam\n2,at noon,ham\n")
    out = folder.nabi("train", "x.csv", "-o", "new.nabi", "--text", "body", "--label", "kind")
    assert "2 classes: ham 1, spam 1\nvocabulary: 5, alpha 1\n" in out

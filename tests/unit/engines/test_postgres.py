"""Models as SQL, run by a PostgreSQL of the test's own."""

import os
import random
import subprocess

import numpy as np
import pytest

import nabi
import postgres
from nabi.engines.sql import sql_export
from rows import ODD_TEXTS as ODD

psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed")
RECIPES = {
    "words": {},
    "pairs": {"ngrams": (1, 2), "unspaced": (2, 3), "hangul": None},
    "sklearn": {"features": "sklearn", "lowercase": False},
    "characters": {"features": "chars", "ngrams": (1, 3)},
}
PIECES = ["a", "can't", "don’t", "x_1", "ΣΑΣ", "ΟΔΟΣ,", "Σ", "İstanbul", "ẞ", "ǅ", "한국어", "ㅋㅋ"]
PIECES += [
    "東京タワー",
    "ไทย",
    "१२",
    "e\u0301",
    "\u0301",
    "❤\ufe0f",
    "👍🏽",
    "👩\u200d🚀",
    "🇰🇷🇺",
    "©",
]
PIECES += ["&amp;", "&amp;lt;", "&#8220;", "&#x41;", "&#0;", "&#55296;", "&nothing;", "&", ";"]
PIECES += ["'", "’", "it's", "\\", "%", "\x1c", "\x85", "\xa0", "\u2028", "\t", "\n"]


@pytest.fixture(scope="module")
def connection():
    if reason := postgres.missing():
        pytest.skip(reason)
    with postgres.cluster() as address, psycopg.connect(address, autocommit=True) as opened:
        yield opened


def fill(connection, texts):
    connection.execute("drop schema public cascade; create schema public")
    connection.execute("create table texts (id integer, text text)")
    with connection.cursor().copy("copy texts from stdin") as rows:
        for row in enumerate(texts):
            rows.write_row(row)


@pytest.mark.parametrize("options", RECIPES.values(), ids=RECIPES)
def test_tokens_labels_and_scores_are_those_of_the_kernel(connection, options):
    draw = random.Random(1)
    texts = [
        "".join(draw.choice(PIECES) + draw.choice([" ", ""]) for _ in range(9)) for _ in range(150)
    ]
    model = nabi.TextClassifier(**options).fit([*texts, "a"], [f"{i % 3}" for i in range(151)])
    export = sql_export(model, dialect="postgres")
    fill(connection, texts)
    connection.execute(export.script)
    tokens = connection.execute(export.tokens).fetchall()
    expected = [(i, token) for i, text in enumerate(texts) for token in model.recipe.of(text)]
    assert sorted(tokens) == sorted(expected)
    rows = sorted(connection.execute(export.classify).fetchall())
    assert [row[1] for row in rows] == model.predict(texts).tolist()
    joint = model.joint_log_likelihood(texts).max(axis=1)
    assert np.allclose([row[2] for row in rows], joint, rtol=0, atol=1e-6)


def test_psql_reads_a_folder(connection, tmp_path):
    model = nabi.TextClassifier().fit(['good, "so" good', "it's bad"], [True, False])
    sql_export(model, dialect="postgres").save(tmp_path / "model")
    fill(connection, ["so good", None])
    done = psql(connection, tmp_path / "model", "model.sql", "classify.sql")
    assert done.stderr == ""
    assert [line.split("|")[:2] for line in done.stdout.split()] == [["0", "t"], ["1", ""]]


def test_odd_labels_and_words_come_back_from_a_folder(connection, tmp_path):
    model = nabi.TextClassifier(features="chars", ngrams=(1, 2)).fit([*ODD[:-1], "y"], ODD)
    export = sql_export(model, dialect="postgres")
    export.save(tmp_path / "model")
    fill(connection, [])
    done = psql(connection, tmp_path / "model", "model.sql")
    assert (done.stderr, done.returncode) == ("", 0)
    for table, (_, rows) in export.tables.items():
        assert sorted(connection.execute(f"table {table}").fetchall()) == sorted(rows), table


def psql(connection, folder, *files):
    info = connection.info
    command = ["psql", "-h", info.host, "-p", str(info.port), "-U", info.user, info.dbname, "-Atq"]
    command += ["-v", "ON_ERROR_STOP=1", *(part for file in files for part in ("-f", file))]
    return subprocess.run(
        command,
        cwd=folder,
        capture_output=True,
        encoding="utf8",
        check=False,
        env={**os.environ, "PGCLIENTENCODING": "utf8"},
    )

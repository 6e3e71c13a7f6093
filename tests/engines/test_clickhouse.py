"""A model as a NAIVE_BAYES dictionary, run by chdb: nearly all labels are those of the model."""

import json
import random

import pytest

import nabi
from nabi.engines.clickhouse import clickhouse_export
from nabi.errors import InputError
from nabi.features.recipe import Features
from strategies import EMOJI, ENTITIES, MARKS, SCRIPTS, WORDS

PIECES = [
    *WORDS * 3,
    *SCRIPTS,
    *EMOJI,
    *MARKS,
    *ENTITIES,
    "&#x41;",
    "&#0;",
    "&#128512;",
    "\\",
    "\t",
]
RECIPES = {
    "words": {},
    "pairs": {"ngrams": (1, 2), "unspaced": (2, 3), "hangul": None, "stop_words": ["no", "a"]},
    "sklearn": {"features": "sklearn", "lowercase": False},
    "characters": {"features": "chars", "ngrams": (1, 3), "event": "binary"},
}
LABELS = ["it's", "b\\", "c"]
TEXTS, OWN = ["good film", "bad film"], ["pos", "neg"]


def texts_of(n, seed):
    draw = random.Random(seed)
    pieces = [piece.replace("\x00", "") for piece in PIECES]
    return [
        "".join(draw.choice(pieces) + draw.choice([" ", ""]) for _ in range(9)) for _ in range(n)
    ]


@pytest.fixture(scope="module")
def session():
    chdb = pytest.importorskip("chdb.session", reason="chdb is not installed")
    with chdb.Session() as opened:
        yield opened


def classified(session, export, texts):
    for table in ("dictionary nabi", "table nabi_ngrams", "table texts"):
        session.query(f"drop {table.split()[0]} if exists {table.split()[1]}")
    for statement in export.statements:
        session.query(statement)
    session.query("create table texts (id UInt32, text Nullable(String)) engine = Memory")
    rows = "\n".join(json.dumps({"id": i, "text": text}) for i, text in enumerate(texts))
    session.query(f"insert into texts format JSONEachRow {rows}")
    found = session.query(f"{export.classify} order by id", "JSONEachRow")
    return [json.loads(line)["label"] for line in str(found).splitlines()]


@pytest.mark.parametrize("options", RECIPES.values(), ids=RECIPES)
def test_labels_are_those_of_the_model(session, options):
    learned, texts = texts_of(90, seed=0), texts_of(300, seed=1)
    model = nabi.TextClassifier(**options).fit(learned, LABELS * 30)
    given = [text.encode("utf-8", "replace").decode() for text in texts]
    found = classified(session, clickhouse_export(model), given)
    joint = model.joint_log_likelihood(given)
    joint.sort(axis=1)
    clear = joint[:, -1] - joint[:, -2] > 1e-3  # single precision cannot tell what is nearer
    wrong = [i for i, label in enumerate(model.predict(given)) if label != found[i] and clear[i]]
    assert wrong == []
    assert clear.mean() > 0.9


def test_a_null_text_has_no_label(session):
    model = nabi.TextClassifier().fit(TEXTS, OWN)
    assert classified(session, clickhouse_export(model), ["good", None, ""]) == ["pos", None, "neg"]


def test_priors_are_those_of_the_model_and_not_of_its_counts(session):
    model = nabi.TextClassifier().fit(["a b c d e f", "a", "a"], ["long", "short", "short"])
    assert classified(session, clickhouse_export(model), ["zzz"]) == ["short"]
    export = clickhouse_export(model, prior={"long": 1.0, "short": 0.0})
    assert classified(session, export, ["a"]) == ["long"]


def test_a_file_has_every_statement_and_the_query(tmp_path):
    export = clickhouse_export(nabi.TextClassifier().fit(TEXTS, OWN), table="mails", text="body")
    export.save(tmp_path / "model.sql")
    text = (tmp_path / "model.sql").read_text("utf8")
    assert text.count(";\n") >= len(export.statements) + 1
    assert "from `mails`" in text


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"event": "complement"}, "ClickHouse has no event model complement"),
        ({"event": "bernoulli"}, "ClickHouse has no event model bernoulli"),
        ({"features": Features(negation=True)}, "SQL cannot express negation"),
        ({"alpha": 0}, "alpha=0 has probabilities of zero"),
    ],
)
def test_what_it_cannot_express_is_refused(options, what):
    with pytest.raises(InputError, match=what):
        clickhouse_export(nabi.TextClassifier(**options).fit(TEXTS, OWN))


def test_counts_that_are_not_whole_are_refused():
    model = nabi.TextClassifier().fit(TEXTS, OWN, sample_weight=[0.5, 1])
    with pytest.raises(InputError, match="ClickHouse takes whole counts"):
        clickhouse_export(model)

"""The tokens that SQL cuts are those of the kernel, on hostile texts and for every recipe."""

from collections import defaultdict

import duckdb
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nabi
from nabi.engines.sql import sql_export
from strategies import garbage, phrases

RECIPES = {
    "words": {},
    "pairs": {"ngrams": (1, 2)},
    "capitals": {"lowercase": False, "entities": False},
    "cut": {"unspaced": (2, 3), "ngrams": (2, 3), "hangul": None},
    "uncut": {"unspaced": None, "hangul": (1, 5), "binary": True},
    "stops": {"stop_words": ["no", "film", "한국어", "京"]},
    "sklearn": {"features": "sklearn", "ngrams": (1, 2)},
    "characters": {"features": "chars", "ngrams": (1, 4)},
    "both": {"chars": (2, 3), "hangul": None},
}


def whole(text):
    """A text that a database can hold: without lone surrogates and NUL."""
    return text.encode("utf-8", "replace").decode().replace("\0", "")


lists = st.lists(st.one_of(phrases, garbage).map(whole), min_size=60, max_size=120)


@pytest.mark.parametrize("options", RECIPES.values(), ids=RECIPES)
@settings(max_examples=2)
@given(texts=lists)
def test_tokens_and_scores_are_those_of_the_kernel(options, texts):
    labels = [f"{i % 3}" for i in range(len(texts))]
    model = nabi.TextClassifier(**options).fit([*texts, "film"], [*labels, "3"])
    export, database = sql_export(model, dialect="duckdb"), duckdb.connect()
    database.execute("create table texts (id integer, text varchar)")
    database.executemany("insert into texts values (?, ?)", list(enumerate(texts)))
    database.execute(export.script)
    found = defaultdict(list)
    for i, token in database.execute(export.tokens).fetchall():
        found[i].append(token)
    assert [sorted(found[i]) for i in range(len(texts))] == [
        sorted(model.recipe.of(text)) for text in texts
    ]
    scores = np.array([row[2] for row in database.execute(export.scores).fetchall()])
    joint = model.joint_log_likelihood(texts)
    assert np.allclose(scores.reshape(joint.shape), joint, rtol=0, atol=1e-6)

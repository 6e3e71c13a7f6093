"""Leave-one-out results of some of the documents that a model has learned."""

import numpy as np
import pytest

import nabi
from nabi.judging import crossval
from nabi.judging.learned import leave_one_out

TEXTS = ["good film", "bad film", "so good", "so bad", "good or bad", "bad or good", "a film"] * 4
LABELS = ["pos", "neg", "pos", "neg", "pos", "neg", "pos"] * 4


@pytest.mark.parametrize("ledger", [True, False])
@pytest.mark.parametrize("alpha", ["auto", 0.5])
def test_some_texts_have_the_scores_of_cross_validation(ledger, alpha):
    model = nabi.TextClassifier(alpha=alpha, ledger=ledger).fit(TEXTS, LABELS)
    found = leave_one_out(model, TEXTS[5:9], LABELS[5:9])
    wanted = crossval(nabi.TextClassifier(alpha=alpha), TEXTS, LABELS)
    assert found.own_log_proba.tolist() == wanted.own_log_proba[5:9].tolist()
    assert found.correct.tolist() == wanted.correct[5:9].tolist()


@pytest.mark.parametrize("missing", ["skip", "evidence"])
def test_some_rows_have_the_scores_of_cross_validation(missing):
    draw = np.random.default_rng(0)
    size = np.where(draw.random(60) < 0.1, np.nan, draw.normal(size=60))
    table = dict.fromkeys(("a", "b", "c"), size)
    table |= {"yes": (draw.random(60) < 0.3), "word": draw.choice(["x", "y"], 60)}
    kinds = {"a": "gaussian", "b": "histogram", "c": "ignore", "yes": "bernoulli"}
    labels, model = draw.choice(["u", "v"], 60), nabi.TableClassifier(kinds, missing=missing)
    wanted = crossval(model, table, labels)
    some = {name: column[7:30] for name, column in table.items()}
    found = leave_one_out(model.fit(table, labels), some, labels[7:30])
    assert found.own_log_proba == pytest.approx(wanted.own_log_proba[7:30], rel=1e-12)


def test_a_class_of_one_text_is_never_found():
    model = nabi.TextClassifier().fit([*TEXTS, "odd"], [*LABELS, "rare"])
    found = leave_one_out(model, ["odd", "good film"], ["rare", "pos"])
    assert found.correct.tolist() == [False, True]
    assert found.unseen.usable == 1
    assert (found.matrix().accuracy, found.matrix().labels) == (0.5, ("pos", "rare"))

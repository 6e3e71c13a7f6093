"""Cross-validation without a model: that of texts, or of tables."""

import numpy as np
import pytest

import nabi

TEXTS, LABELS = ["good film", "bad film", "so good", "so bad"] * 2, ["+", "-"] * 4
TABLE = {"size": [1.0, 1.2, 1.1, 3.0, 3.3, 3.1], "kind": ["a", "a", "a", "b", "b", "b"]}


def test_texts_are_judged_by_a_model_of_texts():
    found = nabi.crossval(TEXTS, LABELS, folds=2)
    given = nabi.crossval(nabi.TextClassifier(), TEXTS, LABELS, folds=2)
    assert np.array_equal(found.log_proba, given.log_proba)


@pytest.mark.parametrize("kind", ["dict", "list", "pandas", "polars", "arrow"])
def test_tables_are_judged_by_a_model_of_tables(kind):
    rows = [dict(zip(TABLE, row, strict=True)) for row in zip(*TABLE.values(), strict=True)]
    made = {
        "dict": lambda: TABLE,
        "list": lambda: rows,
        "pandas": lambda: pytest.importorskip("pandas").DataFrame(TABLE),
        "polars": lambda: pytest.importorskip("polars").DataFrame(TABLE),
        "arrow": lambda: pytest.importorskip("pyarrow").table(TABLE),
    }
    found = nabi.crossval(made[kind](), "kind")
    assert found.labels == ["a", "b"]
    assert found.accuracy == 1.0


def test_a_model_without_labels_is_refused():
    with pytest.raises(nabi.InputTypeError, match=r"expected crossval\(model, documents, labels\)"):
        nabi.crossval(nabi.TextClassifier(), TEXTS)


def test_tune_gives_the_model_of_the_class_method():
    model = nabi.tune(TEXTS, LABELS, budget=0.2)
    assert isinstance(model, nabi.TextClassifier)
    assert model.predict(["bad"]).tolist() == ["-"]
    assert model.trials_[0].texts == 8

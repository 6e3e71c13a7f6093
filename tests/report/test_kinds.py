"""Reports of linear models, neighbours and tables: what they have is shown, the rest left out."""

import numpy as np
import pytest

import nabi
from nabi import report
from nabi.judging import crossval
from nabi.report.passages import passage

SECTIONS = "Summary Confusions Classes Threshold Probabilities Words Learning Mistakes Labels"


def people(train):
    """A table with a text, a number and a category."""
    texts, labels = train
    sizes = [float(len(text) + 20 * (label == "sport")) for text, label in zip(*train, strict=True)]
    return {"note": texts, "size": sizes, "tint": [text[0] for text in texts]}, labels


MODELS = {
    "linear": nabi.LinearClassifier("nbsvm"),
    "neighbours": nabi.NeighboursClassifier(k=5),
    "table": nabi.TableClassifier({"note": "text", "tint": "categorical"}),
}


@pytest.fixture(scope="module", params=MODELS)
def kind(request):
    return request.param


@pytest.fixture(scope="module")
def given(kind, train):
    return people(train) if kind == "table" else train


def test_a_page_opens_without_errors(kind, given, opened):
    model = MODELS[kind]
    folds = {} if kind == "table" else {"folds": 3}
    found = opened(report.of_crossval(model, *given, **folds))
    left_out = {"Words"} if kind == "neighbours" else set()
    names = [link.split()[0] for link in found.page.locator("nav a").all_inner_texts()]
    assert names == [name for name in SECTIONS.split() if name not in left_out]
    assert found.page.locator("article.text mark").count() > 0
    assert (found.page.locator(".near li").count() > 0) == (kind == "neighbours")
    noun = "rows" if kind == "table" else "texts"
    assert f"Would more {noun} help?" in found.page.inner_text("main")
    assert (found.errors, len(found.requests)) == ([], 1)


def test_test_data_of_a_model_that_cannot_learn_more_make_no_curve(kind, given, opened):
    model = MODELS[kind].fit(*given)
    data = report.of_test(model, *given).data
    assert (data["learning"] is None) == (kind != "table")
    assert data["totals"]["accuracy"][0] == model.score(*given)
    with_train = report.of_test(model, *given, train=given).data
    assert [point[0] for point in with_train["learning"]["points"]][-1] == 240


def test_figures_are_those_of_cross_validation(kind, given):
    result = crossval(MODELS[kind], *given, folds=4)
    data = report.of_crossval(MODELS[kind], *given, folds=4).data
    assert data["totals"]["accuracy"][0] == result.accuracy
    assert data["totals"]["log_loss"] == pytest.approx(result.log_loss)
    assert sum(cell["count"] for cell in data["cells"]) == 240


def test_held_out_the_words_weigh_what_training_again_gives_them(train):
    texts, labels = train[0][:60], train[1][:60]
    groups = [i % 4 for i in range(60)]
    data = report.of_crossval(nabi.LinearClassifier("nbsvm"), texts, labels, groups=groups).data
    for text in data["texts"][:8]:
        at = int(text["where"].removeprefix("text ")) - 1
        rest = [i for i in range(60) if groups[i] != groups[at]]
        model = nabi.LinearClassifier("nbsvm")
        model.fit([texts[i] for i in rest], [labels[i] for i in rest])
        said, other = (str(model.classes_[text[name]]) for name in ("predicted", "against"))
        again = passage(model.explain(texts[at]), said, other)
        assert (again["pieces"], again["words"]) == (text["pieces"], text["words"])


def test_a_row_shows_its_columns_and_what_the_classes_have_seen(train):
    table, labels = people(train)
    model = MODELS["table"].fit(table, labels)
    row = {"note": "goal team", "size": 60.0, "tint": "g"}
    found = passage(model.explain(row), "sport", "money")
    text = "".join(p if isinstance(p, str) else p[0] for p in found["pieces"])
    assert text == "note: goal team · size: 60 · tint: g"
    assert {"goal", "team", "60"} <= {p[0] for p in found["pieces"] if not isinstance(p, str)}
    (size,) = (word for word in found["words"] if word[0] == "size 60")
    assert size[2].startswith("mean ")


def test_a_pages_votes_are_those_of_the_neighbours(train):
    model = MODELS["neighbours"].fit(*train)
    why = model.explain("goal team market")
    found = passage(why, "sport", "money")
    assert found["near"][0][:2] == [round(why.neighbours[0].similarity, 2), why.neighbours[0].label]
    assert found["tally"] == why.tally
    total = sum(term.weights["sport"] for term in why.words)
    assert total == pytest.approx(why.votes["sport"])
    assert np.isclose(sum(why.votes.values()), 5)

"""Models in a notebook: what they learned and how, of strings that are no HTML."""

import pytest
from html_page import Page
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import nabi
from nabi import Features, rules
from nabi.models.notebook import recipe_words

TEXTS = ["win a free prize now", "free win", "lunch at noon", "see you at lunch"]
SPAM, HAM = '"><script>spam</script>', "ham&amp;\x1b"
LABELS = [SPAM, SPAM, HAM, HAM]
TAGS = {"div", "b", "span", "table", "tr", "td", "details", "summary"}


def text_model(**options):
    return nabi.TextClassifier(**options).fit(TEXTS, LABELS)


def table():
    rows = [{"<about>": text, "n": float(i)} for i, text in enumerate(TEXTS)]
    return nabi.TableClassifier({"<about>": "text"}).fit(rows, LABELS)


def ruled():
    model = nabi.TextClassifier().fit(TEXTS, ["<b>", "<b>", "ham", "ham"])
    return rules.RuledClassifier(model, rules.RuleSet.parse('won -> "<b>"'))


MODELS = {
    "unfitted": lambda: nabi.TextClassifier(stop_words=["<b>"]),
    "text": text_model,
    "linear": lambda: nabi.LinearClassifier(sharpness=1.0).fit(TEXTS, LABELS),
    "neighbours": lambda: nabi.NeighboursClassifier(k=2).fit(TEXTS, LABELS),
    "pruned": lambda: nabi.PrunedClassifier.of(text_model(), words=3),
    "table": table,
    "rules": lambda: rules.RulesClassifier(rules.RuleSet.parse('won -> "<b>"', default="<i>")),
    "ruled": ruled,
}


def lines(model):
    """What a notebook shows, by its name."""
    cells = model._repr_html_().split("<tr")[1:]
    pairs = [Page(f"<tr{cell.split('</tr>')[0]}</tr>").texts for cell in cells]
    return dict(pairs)


@pytest.mark.parametrize("kind", MODELS)
def test_nothing_of_a_model_is_taken_for_html(kind):
    page = Page(MODELS[kind]()._repr_html_())
    assert page.tags <= TAGS
    assert page.attributes <= {"style", "dir"}
    assert page.open == []
    assert "\x1b" not in page.text


def test_a_model_shows_what_it_has_learned():
    shown = lines(text_model(ngrams=(1, 2)))
    assert shown["classes"] == '2: "><script>spam</script> 2, ham&amp;\\x1b 2'
    assert shown["texts"] == "4"
    assert shown["recipe"] == "words and pairs of words"
    assert (shown["vocabulary"], shown["alpha"]) == ("20", "1 (auto)")
    assert shown["calibrated"] == "no"


def test_a_small_model_tells_the_size_of_its_file(tmp_path):
    model = text_model()
    model.save(tmp_path / "model.nabi")
    size = (tmp_path / "model.nabi").stat().st_size
    assert lines(model)["size of its file"] == f"{size / 1000:.1f} kB"


def test_a_calibrated_model_and_its_prior_are_told():
    model = text_model(prior={SPAM: 0.25, HAM: 0.75}).calibrate(TEXTS, LABELS)
    shown = lines(model)
    assert shown["calibrated"] == "yes"
    assert shown["prior"] == '"><script>spam</script> 0.25, ham&amp;\\x1b 0.75'


def test_a_model_that_was_searched_for_says_how_good_it_is():
    model = nabi.TextClassifier.tune(TEXTS * 3, LABELS * 3, budget=0.2)
    first = model.trials_[0]
    figures = f"accuracy {first.accuracy:.4f}, log loss {first.log_loss:.4f}"
    page = Page(model._repr_html_())
    assert f"how good{figures} on 12 held-out texts" in page.text
    heads = "settingsaccuracymacro F1log losstried on"
    assert f"{len(model.trials_)} trials{heads}" in page.text
    assert heads in Page(model.trials_._repr_html_()).text


def test_an_unfitted_model_shows_the_parameters_that_were_given():
    html = nabi.TextClassifier(alpha=0.5, stop_words=["<b>"])._repr_html_()
    given, default = html.split("<details>")
    assert "not fitted yet: call fit(texts, labels)" in Page(given + "</div>").text
    assert "['<b>']" in Page(given).text
    others = len(nabi.TextClassifier().get_params()) - 2
    assert f"{others} parameters at their defaults" in default


def test_parameters_that_no_longer_fit_are_told_and_not_raised():
    model = text_model()
    model.ngrams = (1, 3)
    assert "call fit again" in Page(model._repr_html_()).text


@pytest.mark.parametrize(
    ("recipe", "said"),
    [
        (Features(), "words"),
        (Features(preset="chars"), "runs of 2-4 characters"),
        (Features(ngrams=(1, 3), binary=True), "runs of 1-3 words, each counted once in a text"),
        (Features(preset="tweets", negation=True), "words, as tweets cuts them, words after a "
         "negation apart"),
        (Features(stop_words=3, keep=1000), "words, without the 3 most frequent words, the 1,000 "
         "best"),
        (Features(unspaced=None), "words, unspaced none"),
    ],
)  # fmt: skip
def test_a_recipe_is_said_in_words(recipe, said):
    assert recipe_words(recipe) == said


def test_scikit_learn_shows_a_model_in_its_own_diagrams():
    model = text_model()
    pipeline = make_pipeline(FunctionTransformer(), model)
    for estimator in (pipeline, GridSearchCV(nabi.TextClassifier(), {"alpha": [1.0]})):
        assert "TextClassifier" in estimator._repr_html_()

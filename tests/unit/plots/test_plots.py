"""What is drawn is what the model says, and nothing is left behind."""

import subprocess
import sys

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.collections import PathCollection
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from sklearn.linear_model import RidgeClassifier
from sklearn.naive_bayes import GaussianNB

import nabi
from nabi import InputError, InputTypeError, NotFittedError, TableClassifier, TextClassifier, plots
from nabi.plots import drawing
from nabi.plots.densities import edge

TEXTS = ["good film", "good fun", "so good", "bad film", "bad bore", "so dull"]
LABELS = ["pos", "pos", "pos", "neg", "neg", "neg"]
X = np.array([[1.0, 1.2], [1.5, 0.8], [0.9, 0.7], [4.0, 4.4], [4.6, 3.9], [4.2, 4.9], [0.8, 1.1]])
Y = ["a", "a", "a", "b", "b", "b", "b"]  # the last one is out of place
TABLE = {
    "height": [6.0, 5.9, 5.6, 5.0, 5.5, 5.4],
    "pay": [10.0, 30.0, 20.0, 200.0, 500.0, 300.0],
    "calls": [0, 1, 0, 4, 5, 3],
    "spread": [0.0, -1.5, 2.0, 8.0, 9.0, 7.5],
    "town": ["Bonn", "Bonn", "Köln", "Köln", "Ulm", "Ulm"],
    "member": [True, True, False, False, False, True],
    "note": [
        *("a good long day", "good and long rest", "a long good time"),
        *("a bad day today", "bad and short rest", "what a bad time"),
    ],
}
KINDS = {"pay": "lognormal", "calls": "poisson", "spread": "histogram", "town": "categorical"}


@pytest.fixture
def texts():
    return TextClassifier().fit(TEXTS, LABELS)


@pytest.fixture
def table():
    return TableClassifier(KINDS).fit(TABLE, LABELS)


def bars(ax):
    return [p for p in ax.patches if isinstance(p, Rectangle)]


def written_on(ax):
    return [t.get_text() for t in ax.texts if t.get_text()]


def pixels(drawn):
    canvas = FigureCanvasAgg(drawn.figure)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())


# ---- word weights ----


def test_bars_are_as_long_as_the_weights(texts):
    ax = plots.word_weights(texts, 2)
    weights = [row.weight for row in texts.words(2, label="pos")]
    others = [-row.weight for row in texts.words(2, label="neg")]
    assert [bar.get_width() for bar in bars(ax)] == weights + others
    assert {"good", "bad", "3 : 0", "2 : 0"} <= set(written_on(ax))
    assert (ax.get_title("left"), ax.get_title("right")) == ("← neg", "pos →")


def test_one_class_has_its_words_at_the_left(texts):
    ax = plots.word_weights(texts, 3, label="pos")
    assert [t.get_text() for t in ax.get_yticklabels()] == ["good", "fun", "film"]
    assert [bar.get_width() for bar in bars(ax)] == [r.weight for r in texts.words(3, label="pos")]


def test_of_more_classes_each_has_a_panel():
    model = TextClassifier().fit(["a x", "b y", "c z"], ["one", "two", "three"])
    figure = plots.word_weights(model, 2)
    assert isinstance(figure, Figure)
    assert [ax.get_title("left") for ax in figure.axes] == ["one", "three", "two"]
    assert len({ax.get_xlim() for ax in figure.axes}) == 1


def test_panels_on_given_axes_stand_one_below_the_other():
    model = TextClassifier().fit(["a x", "b y", "c z"], ["one", "two", "three"])
    ax = Figure().add_subplot()
    assert plots.word_weights(model, 2, ax=ax) is ax
    assert [t.get_text() for t in ax.get_yticklabels()] == ["a", "x", "c", "z", "b", "y"]


def test_infinite_weights_are_drawn_and_said():
    model = TextClassifier(alpha=0).fit(["a c", "b c"], ["p", "q"])
    ax = plots.word_weights(model, 1)
    assert [bar.get_width() for bar in bars(ax)] == [1.0, -1.0]
    assert sum("∞" in text for text in written_on(ax)) == 2


def test_values_of_a_column_are_words_too(table):
    ax = plots.word_weights(table, 1, column="town")
    assert [bar.get_width() for bar in bars(ax)] == [
        row.weight * (1 if row.label == "pos" else -1)
        for label in ("pos", "neg")
        for row in table.words(1, label=label, column="town")
    ]


# ---- explanations ----


def test_the_bars_of_an_explanation_add_up_to_the_score(texts):
    told = texts.explain("so so good a film")
    *terms, score = bars(plots.explanation(told))
    assert sum(bar.get_width() for bar in terms) == pytest.approx(told.score)
    assert score.get_width() == pytest.approx(told.score)
    ends = [bar.get_x() + bar.get_width() for bar in terms]
    assert [bar.get_x() for bar in terms] == pytest.approx([0, *ends[:-1]])


def test_terms_beyond_top_are_one_bar(texts):
    told = texts.explain("so good bad fun film dull bore")
    ax = plots.explanation(told, top=2)
    names = [t.get_text() for t in ax.get_yticklabels()]
    assert names == ["prior", "good", "bad", "5 more words", "score"]
    assert bars(ax)[3].get_width() == pytest.approx(sum(t.evidence for t in told.terms[2:]))


def test_the_words_of_neighbours_share_the_votes():
    model = nabi.NeighboursClassifier(k=3).fit(TEXTS, LABELS)
    told = model.explain("a good film")
    ax = plots.explanation(told)
    lengths = [bar.get_width() for bar in ax.patches]
    assert [text.get_text() for text in ax.get_yticklabels()] == ["good", "film", "votes"]
    assert lengths[2] == pytest.approx(sum(lengths[:2]))
    assert lengths[2] == pytest.approx(told.votes["pos"] - told.votes["neg"])
    assert ax.get_xlabel() == "votes of 3 neighbours, shared by the words in common"


def test_word_weights_of_a_linear_model_are_drawn_and_neighbours_have_none():
    model = nabi.LinearClassifier(ngrams=(1, 1)).fit(TEXTS, LABELS)
    assert "log-odds" in plots.word_weights(model, 3).get_xlabel()
    with pytest.raises(InputTypeError, match=r"plots.explanation\(model.explain\(text\)\)"):
        plots.word_weights(nabi.NeighboursClassifier().fit(TEXTS, LABELS))


def test_words_lie_within_the_bar_of_their_column(table):
    told = table.explain({"height": 5.8, "note": "a good day"})
    ax = plots.explanation(told)
    found = dict(zip([t.get_text() for t in ax.get_yticklabels()], bars(ax), strict=True))
    words = sum(found[word].get_width() for word in ("good", "a", "day"))
    assert words == pytest.approx(found["note"].get_width())
    assert found["good"].get_x() == pytest.approx(found["note"].get_x())
    assert {"height = 5.8", "town = (missing)", "score"} <= set(found)


def test_that_a_text_is_there_has_a_bar_of_its_own():
    rows = [{"note": "a good long day"}, {"note": None}, {"note": "what a bad day"}]
    model = TableClassifier({"note": "text"}, missing="evidence").fit(rows, ["p", "p", "q"])
    ax = plots.explanation(model.explain({"note": "good"}))
    names = [text.get_text() for text in ax.get_yticklabels()]
    assert names == ["prior", "note", "good", "that it is there", "score"]
    assert bars(ax)[3].get_width() == pytest.approx(np.log((2 / 4) / (2 / 3)))


def test_a_bernoulli_explanation_has_a_bar_of_absent_words():
    told = TextClassifier(event="bernoulli").fit(TEXTS, LABELS).explain("good")
    *terms, _ = bars(plots.explanation(told))
    assert sum(bar.get_width() for bar in terms) == pytest.approx(told.score)


@pytest.mark.filterwarnings("ignore::nabi.ImpossibleWarning")
@pytest.mark.parametrize("text", ["a", "a b", "a c"])
def test_impossible_classes_are_drawn(text):
    model = TextClassifier(alpha=0).fit(["a c", "b c"], ["p", "q"])
    ax = plots.explanation(model.explain(text))
    assert all(np.isfinite(bar.get_width()) for bar in bars(ax))
    assert ("+∞" in written_on(ax)) == (text != "a b")


def test_one_class_alone_is_explained():
    told = TextClassifier().fit(["a b"], ["p"]).explain("a")
    ax = plots.explanation(told)
    assert (ax.get_title(), ax.get_title("left")) == ("p (1.00)", "")


# ---- densities ----


def test_a_grid_has_a_picture_for_each_column(table):
    figure = plots.densities(table)
    assert [ax.get_title("left") for ax in figure.axes] == sorted(TABLE)
    assert [t.get_text() for t in figure.legends[0].get_texts()] == ["neg", "pos"]


def test_a_gaussian_curve_is_the_density(table):
    ax = plots.densities(table, "height")
    mean = np.mean(TABLE["height"][3:])
    deviation = np.std(TABLE["height"][3:])
    x, y = ax.lines[0].get_data()
    assert x[y.argmax()] == pytest.approx(mean)
    assert y.max() == pytest.approx(1 / (deviation * np.sqrt(2 * np.pi)), rel=1e-6)
    assert ax.get_xlabel() == "height"


def test_bars_of_values_are_probabilities(table):
    town = [bar.get_height() for bar in bars(plots.densities(table, "town"))]
    assert town == pytest.approx([1 / 6, 2 / 6, 3 / 6, 3 / 6, 2 / 6, 1 / 6])
    member = [bar.get_height() for bar in bars(plots.densities(table, "member"))]
    assert member == pytest.approx([3 / 5, 2 / 5, 2 / 5, 3 / 5])


def test_poisson_bars_stand_at_whole_numbers(table):
    heights = [bar.get_height() for bar in bars(plots.densities(table, "calls"))]
    rate = (12 + 13 / 6) / 4
    assert heights[:2] == pytest.approx([np.exp(-rate), rate * np.exp(-rate)])
    assert sum(heights) == pytest.approx(2, abs=0.01)


def test_large_counts_are_steps():
    model = TableClassifier({"n": "poisson"}).fit({"n": [100, 110, 900, 950]}, list("aabb"))
    ax = plots.densities(model, "n")
    areas = [p.get_data().values.sum() for p in ax.patches]
    assert areas == pytest.approx([1, 1, 1, 1], abs=0.01)


def test_the_areas_of_a_histogram_are_probabilities(table):
    outline = plots.densities(table, "spread").patches[0].get_data()
    assert (outline.values * np.diff(outline.edges)).sum() == pytest.approx(1)
    assert outline.edges[0] <= -1.5
    assert outline.edges[-1] > 9.0


def test_edges_are_where_fine_bins_begin():
    assert edge(np.array([0, 1023 * 32, 1024 * 32 + 16])).tolist() == [0.0, 1.0, 3.0]
    assert edge(np.array([-1024 * 32])).tolist() == [-2.0]


def test_a_lognormal_column_has_a_log_axis(table):
    ax = plots.densities(table, "pay")
    x, y = ax.lines[1].get_data()
    assert ax.get_xscale() == "log"
    assert x[y.argmax()] == pytest.approx(6000 ** (1 / 3))


def test_a_column_that_says_nothing_says_so():
    kinds = {"x": "gaussian", "p": "poisson", "h": "histogram", "c": "categorical"}
    given = {"x": [1.5, 1.5], "p": [0, 0], "h": [2.0, 2.0], "c": [None, None]}
    figure = plots.densities(TableClassifier(kinds).fit(given, ["a", "b"]))
    assert [text for ax in figure.axes for text in written_on(ax)] == [
        "no value at all: says nothing",
        "all in one bin: says nothing",
        "nothing but zeros: says nothing",
        "always the same value: says nothing",
    ]


def test_numbers_beyond_all_pictures_are_not_drawn():
    given = {
        "x": [1.7e308, -1.7e308, 2.0],
        "h": [1e-300, 2e-300, 4e-300],
        "l": [1e-300, 1e300, 1.0],
    }
    model = TableClassifier({"h": "histogram", "l": "lognormal"}).fit(given, ["a", "a", "b"])
    figure = plots.densities(model)
    assert {text for ax in figure.axes for text in written_on(ax)} == {
        "numbers beyond what can be drawn"
    }
    with pytest.raises(
        InputError, match="'h' goes from 1e-300 to 4e-300, beyond what can be drawn"
    ):
        plots.decision_regions(model, given, ["a", "a", "b"], features=("h", "x"))


def test_models_of_no_words_are_drawn():
    for labels in (["a"], ["a", "b"], ["a", "b", "c"]):
        model = TextClassifier().fit([""] * len(labels), labels)
        assert pixels(plots.word_weights(model)).shape[1] == 800
    assert len(bars(plots.word_weights(TextClassifier().fit(["x"], ["a"])))) == 1


def test_many_values_are_cut():
    towns = [f"town {i:02}" for i in range(30)]
    model = TableClassifier({"town": "categorical"}).fit({"town": towns}, ["a", "b"] * 15)
    ax = plots.densities(model, "town")
    assert len(bars(ax)) == 24
    assert written_on(ax) == ["and 18 rarer values"]


# ---- decision regions ----


def test_points_are_circles_and_stars_and_errors_are_ringed():
    model = TableClassifier().fit(X, Y)
    ax = plots.decision_regions(model, X[:6], Y[:6], test=(X[6:], Y[6:]))
    drawn = [points for points in ax.collections if isinstance(points, PathCollection)]
    assert [len(points.get_offsets()) for points in drawn] == [6, 1, 1]
    names = [text.get_text() for text in ax.get_legend().get_texts()]
    assert names == ["a", "b", "learned", "test", "misclassified"]
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("x0", "x1")


@pytest.mark.parametrize("model", [GaussianNB(), RidgeClassifier(), TableClassifier()])
def test_any_classifier_has_regions(model):
    ax = plots.decision_regions(model.fit(X[:6], Y[:6]), X[:6], Y[:6])
    image = ax.images[0].get_array()
    assert image[0, 0, 0] > image[0, 0, 2]  # orange below, at the left
    assert image[-1, -1, 2] > image[-1, -1, 0]  # blue above, at the right


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_a_model_gets_the_kind_of_table_that_it_learned(library):
    frame = pytest.importorskip(library).DataFrame({"up": X[:, 0], "down": X[:, 1]})
    model = GaussianNB().fit(frame, Y)
    ax = plots.decision_regions(model, frame, Y, features=("down", "up"))
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("down", "up")


def test_other_columns_count_as_missing(table):
    given = {**TABLE, "label": LABELS}
    ax = plots.decision_regions(table, given, "label", features=("calls", "pay"))
    assert ax.get_xlabel() == "calls"
    assert ax.get_ylim()[0] > 0  # the log of what is below is not


def test_rows_without_a_number_are_not_drawn():
    rows = [{"x": 1.0, "y": 2.0}, {"x": 3.0, "y": 1.0}, {"x": None, "y": 1.5}]
    model = TableClassifier().fit(rows, ["a", "b", "b"])
    ax = plots.decision_regions(model, rows, ["a", "b", "b"])
    assert len(ax.collections[-1].get_offsets()) == 2


# ---- what is refused ----


@pytest.mark.parametrize("model", [TextClassifier(), TableClassifier()])
def test_a_model_that_has_learned_nothing_is_refused(model):
    with pytest.raises(NotFittedError, match="call fit first"):
        plots.word_weights(model)


def test_densities_and_regions_need_a_fitted_model():
    with pytest.raises(NotFittedError, match="call fit first"):
        plots.densities(TableClassifier())
    with pytest.raises(NotFittedError, match="call fit first"):
        plots.decision_regions(GaussianNB(), X, Y)


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda m: plots.densities(m, "weight"), "column='weight'; the columns are 'calls'"),
        (lambda m: plots.word_weights(m, column="pay"), "column='pay'; expected one of words"),
        (lambda m: plots.word_weights(m, 0, column="town"), "top=0; expected a whole number"),
        (lambda m: plots.decision_regions(m, TABLE, LABELS), "column 'town' is categorical"),
        (
            lambda m: plots.decision_regions(m, TABLE, LABELS, features=("pay", "size")),
            "features hold 'size'; the columns are",
        ),
        (
            lambda m: plots.decision_regions(m, TABLE, LABELS, features=["pay", "calls", "height"]),
            "expected two: name them in features",
        ),
        (
            lambda m: plots.decision_regions(m, TABLE, ["x"] * 6, features=("pay", "calls")),
            "labels hold 'x'; the model's classes are 'neg', 'pos'",
        ),
        (
            lambda m: plots.decision_regions(m, TABLE, LABELS[:5], features=("pay", "calls")),
            "6 rows but 5 labels",
        ),
    ],
)
def test_bad_input_is_refused(table, draw, message):
    with pytest.raises(InputError, match=message):
        draw(table)


def test_three_features_are_refused():
    wide = np.column_stack([X, X[:, 0]])
    with pytest.raises(InputError, match=r"3 features .*, expected two: fit the model on two"):
        plots.decision_regions(GaussianNB().fit(wide, Y), wide, Y)


def test_strange_things_are_refused(table, texts):
    with pytest.raises(InputTypeError, match="expected a result of model"):
        plots.explanation("good")
    with pytest.raises(InputTypeError, match="a TextClassifier has no columns"):
        plots.word_weights(texts, column="note")
    with pytest.raises(InputTypeError, match="ax is int, expected the Axes"):
        plots.densities(table, "pay", ax=3)
    with pytest.raises(InputTypeError, match="ax is for one column"):
        plots.densities(table, ax=Figure().add_subplot())


# ---- fonts, colours, and what is left behind ----


def test_every_picture_has_ink(texts, table):
    model = GaussianNB().fit(X, Y)
    for drawn in (
        plots.word_weights(texts),
        plots.explanation(table.explain({name: values[0] for name, values in TABLE.items()})),
        plots.densities(table),
        plots.decision_regions(model, X, Y),
    ):
        image = pixels(drawn)
        assert image.shape[1] == 800
        assert len(np.unique(image.view(np.uint32))) > 50


def test_names_are_drawn_letter_by_letter():
    model = TextClassifier(features="chars").fit(["$a$b_", "c\\d^"], ["_x", "$y"])
    ax = plots.explanation(model.explain("$a$ c"))
    pixels(ax)
    frame = {"$x_$": X[:6, 0], "_y": X[:6, 1]}
    table = TableClassifier().fit(frame, ["_x", "$y"] * 3)
    ax = plots.decision_regions(table, frame, ["_x", "$y"] * 3)
    assert [t.get_text() for t in ax.get_legend().get_texts()][:2] == ["$y", "_x"]
    pixels(ax)


def test_words_that_cannot_be_drawn_as_they_are():
    assert drawing.shortened("good ") == "'good '"
    assert drawing.shortened("a\nb\x07") == "a·b·"
    assert drawing.shortened("x" * 40) == "x" * 27 + "…"


def test_a_font_is_found_for_letters_that_the_usual_one_lacks(monkeypatch):
    monkeypatch.setattr(drawing, "has", lambda path, letter: letter != "나" or "Serif-Bold" in path)
    drawing._font_with.cache_clear()
    assert drawing.families("nabi") == drawing.families("") == ["sans-serif"]
    assert drawing.families("나비") == ["sans-serif", "DejaVu Serif"]
    drawing._font_with.cache_clear()


def test_a_notebook_shows_new_axes_and_figures(texts, table):
    for drawn_on in (plots.word_weights(texts), plots.densities(table)):
        png = drawn_on._repr_png_()
        assert png[:8] == b"\x89PNG\r\n\x1a\n"
        assert int.from_bytes(png[16:20], "big") == 800  # pixels wide
    given = Figure().add_subplot()
    assert not hasattr(plots.word_weights(texts, ax=given), "_repr_png_")  # pyplot shows its own


def test_nothing_is_left_in_pyplot(texts):
    import matplotlib.pyplot as plt

    ax = plots.explanation(texts.explain("good"))
    assert isinstance(ax, Axes)
    assert plt.get_fignums() == []


def test_nabi_does_not_import_matplotlib():
    code = "import sys, nabi, nabi.cli; print('matplotlib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_without_matplotlib_an_error_says_what_to_install():
    code = "import sys; sys.modules['matplotlib'] = None\nimport nabi.plots"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    last = done.stderr.splitlines()[-1]
    assert last == (
        "nabi.errors.MissingExtraError: nabi.plots draws with matplotlib, which is not installed; "
        f"{sys.executable} -m pip install 'matplotlib>=3.8'"
    )
    assert "During handling" not in done.stderr


def test_pictures_have_names_of_their_own():
    names = ["decision_regions", "densities", "explanation", "margins", "word_weights"]
    assert plots.__all__ == names
    assert not hasattr(nabi, "pyplot")

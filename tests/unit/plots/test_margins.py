"""The plane, its margin and the samples are drawn where they are."""

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import AxLine
from sklearn.linear_model import LogisticRegression

from nabi import InputError, InputTypeError, NotFittedError, plots
from nabi.margins import OptimalMargin, SoftMargin

X = [[0.0, 0.0], [0.0, 2.0], [3.0, 1.0], [5.0, 2.0]]
Y = ["in", "in", "out", "out"]
MIXED = ["in", "out", "in", "out"]
XOR = [[0, 0], [1, 1], [0, 1], [1, 0]]


def written_on(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()]


def drawn(ax):
    canvas = FigureCanvasAgg(ax.figure)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())


def test_the_plane_and_its_margin_are_lines():
    ax = plots.margins(OptimalMargin().fit(X, Y), X, Y)
    lines = [line for line in ax.lines if isinstance(line, AxLine)]
    assert [line.get_xy1()[0] for line in lines] == pytest.approx([0.0, 1.5, 3.0])
    assert [line.get_xy2()[0] for line in lines] == pytest.approx([0.0, 1.5, 3.0])
    assert [line.get_linestyle() for line in lines] == ["--", "-", "--"]
    assert ax.get_aspect() == 1.0


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_features_of_different_ranges_fill_the_picture(kernel):
    wide = np.array(X) * [1000, 1]
    ax = plots.margins(SoftMargin(kernel=kernel).fit(wide, Y), wide, Y)
    drawn(ax)
    assert ax.get_aspect() == "auto"
    assert -1 < ax.get_ylim()[0] < ax.get_ylim()[1] < 3


def test_support_vectors_are_ringed():
    ax = plots.margins(OptimalMargin().fit(X, Y), X, Y)
    points, rings = ax.collections
    assert points.get_offsets().tolist() == X
    assert rings.get_offsets().tolist() == X[:3]
    assert written_on(ax) == ["in", "out", "margin 1.5", "support vector"]


def test_samples_short_of_the_margin_have_a_cross():
    model = SoftMargin(C=10).fit([[0, 0], [1, 0], [2, 0], [3, 0]], MIXED)
    ax = plots.margins(model, [[0, 0], [1, 0], [2, 0], [3, 0]], MIXED)
    assert ax.collections[-1].get_offsets().tolist() == [[1, 0], [2, 0]]
    assert written_on(ax)[-1] == "short of the margin"


def test_kernels_have_curves():
    model = SoftMargin(C=100, kernel="rbf", gamma=2).fit(XOR, [0, 0, 1, 1])
    ax = plots.margins(model, XOR, [0, 0, 1, 1])
    assert not any(isinstance(line, AxLine) for line in ax.lines)
    assert len(ax.collections) == 2 + 3  # points and rings; f = -1, 0 and 1
    assert written_on(ax) == ["0", "1", "margin", "support vector"]


@pytest.mark.parametrize("library", ["pandas", "polars"])
@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_columns_of_a_frame_name_the_axes(library, kernel):
    columns = dict(zip(["$up", "down"], np.transpose(X), strict=True))
    frame = pytest.importorskip(library).DataFrame(columns)
    ax = plots.margins(SoftMargin(kernel=kernel).fit(frame, Y), frame, Y)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("$up", "down")


def test_other_classifiers_have_no_support_vectors():
    ax = plots.margins(LogisticRegression().fit(X, Y), X, Y)
    assert "support vector" not in written_on(ax)


def test_it_draws_on_axes_that_are_given_and_has_ink():
    ax = Figure().add_subplot()
    assert plots.margins(OptimalMargin().fit(X, Y), X, Y, ax=ax) is ax
    picture = drawn(plots.margins(OptimalMargin().fit(X, Y), X, Y))
    assert picture.shape[1] == 800
    assert len(np.unique(picture.view(np.uint32))) > 50


def test_what_has_no_margin_to_draw_is_refused():
    with pytest.raises(InputTypeError, match="model is str, expected one with a decision_function"):
        plots.margins("model", X, Y)
    with pytest.raises(NotFittedError, match="has no classes yet; call fit first"):
        plots.margins(OptimalMargin(), X, Y)
    with pytest.raises(InputError, match=r"X has shape \(2, 1\); expected samples of two features"):
        plots.margins(OptimalMargin().fit([[0], [1]], [0, 1]), [[0], [1]], [0, 1])
    with pytest.raises(InputError, match="the model has 3 classes; a margin is between two"):
        plots.margins(LogisticRegression().fit(X, [0, 1, 2, 2]), X, [0, 1, 2, 2])

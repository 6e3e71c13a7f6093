"""Counts remember the version of the Unicode tables that cut their texts, and are never mixed."""

import pytest

import nabi
from nabi import RecipeError, TableClassifier, TextClassifier
from nabi.features.unicode import VERSION


def of_version(version, model):
    """The model as another nabi would have saved it."""
    header, arrays = model.stored()
    header = {name: value for name, value in header.items() if name != "unicode"}
    if version is not None:
        header["unicode"] = version
    return type(model).from_state(header, arrays)


@pytest.fixture
def model():
    return TextClassifier().fit(["good film", "bad film"], ["pos", "neg"])


@pytest.fixture
def table():
    rows = [{"note": "a good film", "n": 1.5}, {"note": "a bad film", "n": 2.5}]
    return TableClassifier({"note": "text", "n": "gaussian"}).fit(rows, ["pos", "neg"])


def test_a_file_tells_the_version(model, table):
    assert model.stored()[0]["unicode"] == VERSION
    assert table.stored()[0]["unicode"] == VERSION


def test_a_table_without_texts_has_none():
    model = TableClassifier().fit([{"n": 1.5}, {"n": 2.5}], ["a", "b"])
    assert "unicode" not in model.stored()[0]


@pytest.mark.parametrize("kind", ["model", "table"])
def test_models_of_two_versions_are_not_added(kind, request):
    model = request.getfixturevalue(kind)
    other = of_version("9.0.0", model)
    said = rf"Unicode {VERSION} and 9\.0\.0: texts would be cut in another way; train both"
    for change in (lambda: model + other, lambda: model - other):
        with pytest.raises(RecipeError, match=said):
            change()


@pytest.mark.parametrize("verb", ["partial_fit", "forget"])
def test_a_model_of_another_version_does_not_change(model, verb):
    other = of_version("9.0.0", model)
    before = other.to_bytes()
    with pytest.raises(RecipeError, match=r"tables of Unicode 9\.0\.0, and this nabi has those of"):
        getattr(other, verb)(["good film"], ["pos"])
    assert other.to_bytes() == before
    assert other.predict(["good"]).tolist() == ["pos"]


def test_an_older_file_without_a_version_goes_on(model):
    old = of_version(None, model)
    data = old.to_bytes()
    assert nabi.from_bytes(data).to_bytes() == data
    assert "unicode" not in (old + model).stored()[0]
    assert old.partial_fit(["so good"], ["pos"]).class_count_.tolist() == [1.0, 2.0]


def test_other_classes_keep_the_version(model, table):
    for each in (model, table):
        old = of_version("9.0.0", each).relabel({"pos": "good"})
        assert old.stored()[0]["unicode"] == "9.0.0"


@pytest.mark.parametrize("version", ["", "x", "1.", 15, None, "1.2.3.4.5"])
def test_a_version_that_is_none_is_damage(model, version):
    header, arrays = model.stored()
    with pytest.raises(ValueError, match="a version of Unicode that is none"):
        TextClassifier.from_state({**header, "unicode": version}, arrays)

"""The columns that a model was trained on: kept in its file, and by what is made of the model."""

import copy
import pickle
from itertools import permutations

import pytest

import nabi
from nabi.errors import DamagedFileError
from nabi.files import model_file
from nabi.rules import RuledClassifier, RuleSet

TEXTS, LABELS = ["win now", "lunch", "win", "at noon"], ["spam", "ham", "spam", "ham"]
COLUMNS = {"text": "body", "label": "folder"}


def fitted(columns=COLUMNS):
    model = nabi.TextClassifier().fit(TEXTS, LABELS)
    model.source_columns = columns
    return model


def test_a_file_has_them_only_where_there_are_some(tmp_path):
    for columns in ({}, COLUMNS):
        fitted(columns).save(tmp_path / "m.nabi")
        header, _ = model_file.read(tmp_path / "m.nabi")
        assert header.get("source_columns", {}) == columns
        assert ("source_columns" in header) == bool(columns)
        without = {key: value for key, value in header.items() if key != "unicode"}
        assert model_file.format_of(without) == (3 if columns else 2)
        assert nabi.load(tmp_path / "m.nabi").source_columns == columns


def test_fit_and_partial_fit_set_none():
    model = nabi.TextClassifier().fit(TEXTS, LABELS).partial_fit(TEXTS, LABELS)
    assert (model.source_columns, "source_columns" in model.stored()[0]) == ({}, False)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))])
@pytest.mark.parametrize("made", [lambda m: m, lambda m: nabi.PrunedClassifier.of(m)])
def test_copies_have_them(copied, made):
    assert copied(made(fitted())).source_columns == COLUMNS


def test_of_sums_the_larger_is_kept_in_every_order():
    models = [fitted(columns) for columns in ({}, {"text": "a"}, {"text": "b"}, COLUMNS)]
    sums = {
        frozenset(((a + b) + (c + d)).source_columns.items()) for a, b, c, d in permutations(models)
    }
    assert sums == {frozenset({("text", "b")})}
    assert (models[1] - nabi.TextClassifier().fit(TEXTS[:1], LABELS[:1])).source_columns == {
        "text": "a"
    }


def test_a_calibration_does_not_depend_on_them():
    model = nabi.TextClassifier().fit(TEXTS * 9, LABELS * 9).calibrate(TEXTS * 9, LABELS * 9)
    before = model.digest()
    model.source_columns = COLUMNS
    assert (model.is_calibrated, model.digest()) == (True, before)


def test_a_model_beside_rules_keeps_its_own(tmp_path):
    rules = RuleSet.parse("prize -> spam")
    RuledClassifier(fitted(), rules).save(tmp_path / "m.nabi")
    header, _ = model_file.read(tmp_path / "m.nabi")
    assert model_file.format_of(header) == 5
    assert nabi.load(tmp_path / "m.nabi").model.source_columns == COLUMNS


def test_a_pruned_file_is_not_larger_for_them(tmp_path):
    long = fitted({"text": "x" * 500})
    nabi.PrunedClassifier.of(long, size=2000).save(tmp_path / "m.nabi")
    assert 1500 < (tmp_path / "m.nabi").stat().st_size <= 2000


@pytest.mark.parametrize(
    "hostile", [{}, [], "body", {"texts": "a"}, {"text": ""}, {"text": 1}, {"text": ["a"]}, None]
)
def test_a_hostile_file_is_refused(tmp_path, hostile):
    header, arrays = fitted().stored()
    model_file.write(tmp_path / "m.nabi", {**header, "source_columns": hostile}, arrays)
    with pytest.raises(DamagedFileError, match="source columns that are none"):
        nabi.load(tmp_path / "m.nabi")

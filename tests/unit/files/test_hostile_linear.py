"""Files of linear models that were changed by hand."""

from pathlib import Path

import numpy as np
import pytest

import nabi
from nabi.errors import DamagedFileError
from nabi.files import model_file
from nabi.models.linear.classifier import LinearClassifier

TEXTS = ["good film", "bad film", "so good", "so bad"] * 3
LABELS = ["+", "-", "+", "-"] * 3


def changed(path: Path, header: dict, arrays: dict) -> Path:  # type: ignore[type-arg]
    LinearClassifier("svm").fit(TEXTS, LABELS).save(path)
    own, stored = model_file.read(path)
    given = {name: array.copy() for name, array in stored.items()}
    model_file.write(path, {**own, **header}, {**given, **arrays})
    return path


@pytest.mark.parametrize(
    "header",
    [
        {"model": "tree"},
        {"C": "much"},
        {"C": -1.0},
        {"beta": 7},
        {"unit_length": "yes"},
        {"sharpness": {"auto": 0.0}},
        {"sharpness": {"auto": 1.0, "more": 2.0}},
        {"sharpness": -2.0},
        {"sharpness": None},
        {"recipe": {"preset": "sentences"}},
        {"recipe": {"preset": "words", "stop_words": 3}},
        {"recipe": 5},
        {"labels": ["a", "b", "c"]},
        {"labels": ["a"]},
        {"labels": []},
    ],
)
def test_a_strange_header_is_refused(tmp_path: Path, header: dict) -> None:  # type: ignore[type-arg]
    with pytest.raises(DamagedFileError, match="damaged"):
        nabi.load(changed(tmp_path / "m.nabi", header, {}))


@pytest.mark.parametrize(
    "arrays",
    [
        {"weights": np.zeros(3, np.float32)},
        {"weights": np.zeros(9, np.float64)},
        {"bias": np.zeros(2)},
        {"bias": np.array([np.nan])},
        {"scales": np.full(9, -1, np.float32)},
        {"scales": np.full(9, np.inf, np.float32)},
        {"word_offsets": np.zeros(1, np.uint32)},
    ],
)
def test_strange_arrays_are_refused(tmp_path: Path, arrays: dict) -> None:  # type: ignore[type-arg]
    with pytest.raises(DamagedFileError, match="damaged"):
        nabi.load(changed(tmp_path / "m.nabi", {}, arrays))


def test_weights_that_are_no_numbers_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "m.nabi"
    LinearClassifier("svm").fit(TEXTS, LABELS).save(path)
    header, arrays = model_file.read(path)
    weights = arrays["weights"].copy()
    weights[0] = np.nan
    model_file.write(path, header, {**arrays, "weights": weights})
    with pytest.raises(DamagedFileError, match="its weights do not fit its words"):
        nabi.load(path)


def test_words_that_are_no_text_are_refused_when_shown(tmp_path: Path) -> None:
    path = tmp_path / "m.nabi"
    LinearClassifier("svm").fit(TEXTS, LABELS).save(path)
    header, arrays = model_file.read(path)
    words = arrays["words"].copy()
    words[0] = 255
    model_file.write(path, header, {**arrays, "words": words})
    with pytest.raises(DamagedFileError, match="damaged"):
        nabi.load(path).words()

"""Files that earlier versions wrote: they load, answer as they did, and save to equal bytes."""

import contextlib
import io
import json
import warnings
from pathlib import Path

import numpy as np
import pytest

import nabi
from nabi.cli import main
from nabi.files import model_file

FOLDER = Path(__file__).resolve().parents[2] / "data" / "models"
ANSWERS = json.loads((FOLDER / "answers.json").read_text("utf8"))
FILES = sorted(FOLDER.glob("*.nabi"))
KINDS = {"text", "table", "linear", "neighbours", "pruned", "rules", "ruled"}

# Files of models that can forget; a calibration would have grown stale meanwhile.
LEARNING = [p for p in FILES if model_file.read(p)[0]["ledger"] and "calibrat" not in p.stem]

every_file = pytest.mark.parametrize("old", FILES, ids=lambda path: path.stem)


def load(old):
    if old.stem == "text-stem":
        pytest.importorskip("Stemmer")
    return nabi.load(old)


def asked(old):
    return ANSWERS["rows" if old.stem.startswith("table") else "texts"]


def printed(*arguments):
    """What a command prints that ends well."""
    with contextlib.redirect_stdout(io.StringIO()) as out:
        assert main([str(argument) for argument in arguments]) == 0
    return out.getvalue()


def test_there_is_a_file_of_every_kind_and_an_answer_for_every_file():
    assert {path.stem.split("-")[0] for path in FILES} == KINDS
    assert {path.stem for path in FILES} == set(ANSWERS) - {"texts", "rows"}


@every_file
def test_an_old_file_saves_to_equal_bytes(old, saved):
    assert saved(load(old)) == old.read_bytes()


@every_file
def test_an_old_file_answers_as_it_did(old):
    model, expected = load(old), ANSWERS[old.stem]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", nabi.StaleWarning)
        warnings.simplefilter("ignore", nabi.ImpossibleWarning)
        labels, proba = model.predict(asked(old)), model.predict_proba(asked(old))
    assert model.classes_.tolist() == expected["classes"]
    assert labels.tolist() == expected["labels"]
    assert np.abs(proba - expected["proba"]).max() <= 2e-9


def test_an_old_calibration_is_fresh_or_stale_as_it_was():
    states = {path.stem: load(path).calibration_state for path in FILES if "cali" in path.stem}
    assert states.pop("text-calibration-stale") == "stale"
    assert set(states.values()) == {"fresh"}


def test_an_old_calibration_stays_in_use_as_a_new_one_does(reloaded):
    model = load(FOLDER / "text-calibrated.nabi")
    one = ["one more good film"], ["good"]
    assert reloaded(model.partial_fit(*one)).calibration_state == "aged"
    assert model.forget(*one).calibration_state == "fresh"
    stale = load(FOLDER / "text-calibration-stale.nabi")
    assert reloaded(stale.forget(*one)).calibration_state == "fresh"


@every_file
def test_an_old_file_is_described_as_it_was(old):
    load(old)
    told = json.loads(printed("info", old, "--json"))
    assert {key: told[key] for key in ANSWERS[old.stem]["info"]} == ANSWERS[old.stem]["info"]
    assert told["checksum"] in printed("info", old)


@every_file
def test_an_old_file_explains_a_decision(old):
    load(old)
    label, document = ANSWERS[old.stem]["labels"][1], asked(old)[1]
    text = json.dumps(document) if isinstance(document, dict) else document
    assert str(label) in printed("explain", old, text)
    assert json.loads(printed("explain", old, text, "--json"))["label"] == label


@pytest.mark.parametrize("old", LEARNING, ids=lambda path: path.stem)
def test_what_an_old_file_learns_it_forgets_again(old, saved):
    model = load(old)
    more = asked(old)[:2], model.classes_[[0, -1]].tolist()
    assert saved(model.partial_fit(*more).forget(*more)) == old.read_bytes()


def test_a_prior_in_another_order_is_damage(tmp_path):
    header, arrays = model_file.read(FOLDER / "text-prior-mapping.nabi")
    own = {name: value for name, value in header.items() if name != "format"}
    changed = {**own, "prior": [*header["prior"][1:], header["prior"][0]]}
    model_file.write(tmp_path / "m.nabi", changed, arrays)
    with pytest.raises(nabi.DamagedFileError, match="a prior that is not written as nabi does"):
        nabi.load(tmp_path / "m.nabi")

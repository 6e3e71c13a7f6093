"""Models as bytes: those of their files, checked as files are."""

from pathlib import Path

import pytest

import nabi
from hostile import sealed
from nabi import DamagedFileError, InputError, InputTypeError, NotAModelError

FOLDER = Path(__file__).resolve().parents[2] / "data" / "models"
FILES = sorted(FOLDER.glob("*.nabi"))

every_file = pytest.mark.parametrize("old", FILES, ids=lambda path: path.stem)


@pytest.fixture
def data():
    return nabi.TextClassifier().fit(["good film", "bad film"], ["pos", "neg"]).to_bytes()


@every_file
def test_a_model_gives_the_bytes_of_its_file(old):
    if old.stem == "text-stem":
        pytest.importorskip("Stemmer")
    content = old.read_bytes()
    assert nabi.load(old).to_bytes() == content
    assert nabi.from_bytes(content).to_bytes() == content


@pytest.mark.parametrize("kind", [bytes, bytearray, lambda data: memoryview(b"x" + data)[1:]])
def test_bytes_may_come_in_any_buffer(data, kind):
    assert nabi.TextClassifier.from_bytes(kind(data)).to_bytes() == data


def test_a_class_refuses_the_bytes_of_another(data):
    said = "these bytes hold a TextClassifier, expected a TableClassifier; take TextClassifier.f"
    with pytest.raises(InputError, match=said):
        nabi.TableClassifier.from_bytes(data)


def test_a_name_is_no_bytes():
    with pytest.raises(InputTypeError, match=r"data is str, .* of this name: nabi\.load"):
        nabi.from_bytes("mail.nabi")


@pytest.mark.parametrize(
    ("change", "error", "said"),
    [
        (lambda data: b"", NotAModelError, "is not a nabi model: it is empty"),
        (lambda data: b"PK\x03\x04" + data, NotAModelError, "bytes is not a nabi model"),
        (lambda data: data[:-1], DamagedFileError, "is cut short"),
        (lambda data: data + b"\0", DamagedFileError, "is damaged: it has "),
        (lambda data: data[:-20] + b"x" + data[-19:], DamagedFileError, "its checksum differs"),
    ],
)
def test_bytes_are_checked_as_files_are(data, change, error, said):
    with pytest.raises(error, match=said):
        nabi.from_bytes(change(data))


def test_damage_under_a_checksum_that_fits_is_found(data):
    end = 8 + int.from_bytes(data[:8], "little")
    head = data[8:end].replace(b'\\"alpha\\":', b'\\"alphb\\":')
    with pytest.raises(DamagedFileError, match="the model is damaged: 'alpha'"):
        nabi.from_bytes(sealed(head, data[end:-16]))

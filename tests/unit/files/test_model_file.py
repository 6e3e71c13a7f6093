"""The model file: what is written comes back, and nothing else is ever taken for a model."""

import errno
import gzip
import json
import os
import pickle
import stat
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from safetensors import safe_open
from safetensors.numpy import save_file

from hostile import sealed
from nabi.errors import (
    DamagedFileError,
    InputError,
    InputTypeError,
    ModelFileError,
    NewerFormatError,
    NotAModelError,
)
from nabi.files import model_file
from nabi.files.replace import replacing

HEADER = {"alpha": 0.1, "labels": ["spam", "나비"]}
ARRAYS = {
    "words": np.frombuffer(b"offer", np.uint8),
    "offsets": np.array([0, 5], np.uint32),
    "counts": np.array([1, 2, 3], np.uint64),
}


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "model.nabi"
    model_file.write(path, HEADER, ARRAYS)
    return path


def head(**changes: Any) -> bytes:
    """The header of a file that holds the array "ab" = [7, 9], with changes to its fields."""
    fields: dict[str, Any] = {
        "__metadata__": {"nabi": '{"format":1}'},
        "ab": {"data_offsets": [0, 2], "dtype": "U8", "shape": [2]},
        "~checksum": {"data_offsets": [2, 18], "dtype": "U8", "shape": [16]},
    }
    fields.update(changes)
    text = json.dumps(fields, separators=(",", ":"), ensure_ascii=False)
    return text.encode() + b" " * (-len(text.encode()) % 8)


def refusal(path: Path, content: bytes, **options: bool) -> ModelFileError:
    """The error with which a file of this content is refused."""
    path.write_bytes(content)
    with pytest.raises(ModelFileError) as caught:
        model_file.read(path, **options)
    return caught.value


# What is written


def test_header_and_arrays_come_back(saved: Path) -> None:
    header, arrays = model_file.read(saved)
    assert header == HEADER
    assert {name: array.tolist() for name, array in arrays.items()} == {
        "counts": [1, 2, 3],
        "offsets": [0, 5],
        "words": [111, 102, 102, 101, 114],
    }
    assert {name: array.dtype for name, array in arrays.items()} == {
        name: array.dtype for name, array in ARRAYS.items()
    }


def test_the_bytes_are_as_documented(tmp_path: Path) -> None:
    path = tmp_path / "model.nabi"
    model_file.write(path, {}, {"ab": np.array([7, 9], np.uint8)})
    assert path.read_bytes() == sealed(head(), bytes([7, 9]))


def test_the_bytes_do_not_depend_on_the_order_of_the_content(saved: Path) -> None:
    again = saved.with_name("again.nabi")
    model_file.write(again, dict(reversed(HEADER.items())), dict(reversed(ARRAYS.items())))
    assert again.read_bytes() == saved.read_bytes()


def test_what_was_read_is_written_as_the_same_bytes(saved: Path) -> None:
    before = saved.read_bytes()
    model_file.write(saved, *model_file.read(saved))
    assert saved.read_bytes() == before


@pytest.mark.parametrize("dtype", ["u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8", "f4", "f8"])
def test_every_number_type_comes_back(tmp_path: Path, dtype: str) -> None:
    path = tmp_path / "model.nabi"
    model_file.write(path, {}, {"x": np.array([0, 1, 100], dtype), "none": np.array([], dtype)})
    _, arrays = model_file.read(path)
    assert arrays["x"].dtype == np.dtype(dtype)
    assert arrays["x"].tolist() == [0, 1, 100]
    assert arrays["none"].tolist() == []


def test_strides_and_byte_order_do_not_matter(tmp_path: Path) -> None:
    plain, odd = tmp_path / "plain.nabi", tmp_path / "odd.nabi"
    model_file.write(plain, {}, {"x": np.array([1, 2], "<u4")})
    model_file.write(odd, {}, {"x": np.array([1, 9, 2, 9], ">u4")[::2]})
    assert plain.read_bytes() == odd.read_bytes()


def test_arrays_are_aligned_read_only_and_not_copied(saved: Path) -> None:
    _, arrays = model_file.read(saved)
    for array in arrays.values():
        assert array.flags.aligned
        assert not array.flags.writeable
        assert not array.flags.owndata


def test_safetensors_opens_the_file(saved: Path) -> None:
    with safe_open(saved, "numpy") as file:
        assert sorted(file.keys()) == ["counts", "offsets", "words", "~checksum"]
        assert file.get_tensor("counts").tolist() == [1, 2, 3]
        assert json.loads(file.metadata()["nabi"]) == {"format": 1, **HEADER}


def test_a_type_that_the_file_does_not_hold_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputTypeError, match="array 'x' holds bool; a model file holds U8, U16"):
        model_file.write(tmp_path / "model.nabi", {}, {"x": np.array([True])})
    assert os.listdir(tmp_path) == []


def test_invalid_unicode_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"invalid Unicode cannot be saved: .*a\\ud800"):
        model_file.write(tmp_path / "model.nabi", {"labels": ["a\ud800"]}, {})
    assert os.listdir(tmp_path) == []


def test_a_header_that_no_reader_takes_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model_file, "_HEADER_LIMIT", 500)
    with pytest.raises(InputError, match=r"labels and recipe take 1,[0-9]+ bytes; 500 fit"):
        model_file.write(tmp_path / "model.nabi", {"labels": ["a" * 1000]}, {})


# How it is written


def test_a_new_file_gets_the_bits_that_the_umask_allows(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        model_file.write(tmp_path / "model.nabi", {}, {})
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "model.nabi").stat().st_mode) == 0o640


def test_a_replaced_file_keeps_its_bits(saved: Path) -> None:
    saved.chmod(0o604)
    model_file.write(saved, {}, {})
    assert stat.S_IMODE(saved.stat().st_mode) == 0o604
    assert model_file.read(saved) == ({}, {})


def test_a_link_stays_and_its_target_is_replaced(saved: Path) -> None:
    link = saved.with_name("link.nabi")
    link.symlink_to(saved)
    model_file.write(link, {"new": True}, {})
    assert link.is_symlink()
    assert model_file.read(saved) == ({"new": True}, {})


def test_a_model_that_is_in_use_can_be_replaced(saved: Path) -> None:
    _, arrays = model_file.read(saved)
    model_file.write(saved, {}, {"counts": np.array([9], np.uint64)})
    assert arrays["counts"].tolist() == [1, 2, 3]
    assert model_file.read(saved)[1]["counts"].tolist() == [9]


def test_a_name_as_long_as_the_disk_takes_can_be_saved(tmp_path: Path) -> None:
    path = tmp_path / ("나" * 80 + ".nabi")
    model_file.write(path, {}, {})
    assert model_file.read(path) == ({}, {})


@pytest.mark.parametrize("step", ["fsync", "replace", "fchmod"])
def test_an_error_leaves_the_old_file_and_nothing_else(
    saved: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    before = saved.read_bytes()
    monkeypatch.setattr(os, step, fail)
    with pytest.raises(OSError, match="cannot save the model: No space left") as caught:
        model_file.write(saved, {"new": True}, {})
    assert (caught.value.errno, caught.value.filename) == (errno.ENOSPC, str(saved))
    assert "Free some space, or save to another disk" in str(caught.value)
    assert (saved.read_bytes(), os.listdir(saved.parent)) == (before, ["model.nabi"])


def test_an_interrupt_leaves_the_old_file_and_nothing_else(
    saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(_: int) -> None:
        raise KeyboardInterrupt

    before = saved.read_bytes()
    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        model_file.write(saved, {"new": True}, {})
    assert (saved.read_bytes(), os.listdir(saved.parent)) == (before, ["model.nabi"])


def test_file_and_folder_are_synced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced = []
    monkeypatch.setattr(os, "fsync", lambda fd: synced.append(stat.S_ISDIR(os.fstat(fd).st_mode)))
    model_file.write(tmp_path / "model.nabi", {}, {})
    assert synced == [False, True]


@pytest.mark.parametrize(("code", "fails"), [(errno.EINVAL, False), (errno.EIO, True)])
def test_a_disk_that_cannot_sync_folders_will_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, fails: bool
) -> None:
    def sync(descriptor: int) -> None:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "fsync", sync)
    if fails:
        with pytest.raises(OSError, match="cannot save the model"):
            model_file.write(tmp_path / "model.nabi", {}, {})
    else:
        model_file.write(tmp_path / "model.nabi", {}, {})


def test_a_missing_folder_is_an_error_that_says_what_to_type(tmp_path: Path) -> None:
    path = tmp_path / "no" / "model.nabi"
    with pytest.raises(FileNotFoundError, match=f"mkdir -p {tmp_path}/no: '{path}'"):
        model_file.write(path, {}, {})


def test_a_folder_is_not_replaced(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError, match="give the name of a file in it"):
        model_file.write(tmp_path, {}, {})


def test_a_pipe_is_neither_replaced_nor_read(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(OSError, match="Not a regular file"):
        model_file.write(pipe, {}, {})
    with pytest.raises(NotAModelError, match="a model is read from a regular file"):
        model_file.read(pipe)


# What is refused


def flips(content: bytes) -> Iterator[bytes]:
    """The content with each byte changed, in three ways."""
    for place in range(len(content)):
        for flip in (0x01, 0x20, 0xFF):
            yield content[:place] + bytes([content[place] ^ flip]) + content[place + 1 :]


def test_a_flipped_byte_is_refused_wherever_it_is(saved: Path) -> None:
    for content in flips(saved.read_bytes()):
        error = refusal(saved, content)
        assert isinstance(error, NotAModelError | DamagedFileError)


def test_a_flipped_byte_never_harms_even_unverified(saved: Path) -> None:
    for content in flips(saved.read_bytes()):
        saved.write_bytes(content)
        try:
            _, arrays = model_file.read(saved, verify=False)
        except ModelFileError:
            continue
        assert [len(array) for array in arrays.values()] == [3, 2, 5]


def test_a_file_cut_anywhere_is_refused(saved: Path) -> None:
    content = saved.read_bytes()
    for size in range(len(content)):
        for verify in (True, False):
            error = refusal(saved, content[:size], verify=verify)
            expected = DamagedFileError if size > 8 else NotAModelError
            assert type(error) is expected, size


def test_a_cut_file_says_how_much_is_there(saved: Path) -> None:
    content = saved.read_bytes()
    assert len(content) == 397
    error = refusal(saved, content[:390])
    assert str(error) == f"'{saved}' is cut short: 390 bytes of 397"
    error = refusal(saved, content[:50])
    assert str(error) == f"'{saved}' is cut short: 50 bytes of more than 344"


def test_a_changed_count_says_that_the_checksum_differs(saved: Path) -> None:
    content = bytearray(saved.read_bytes())
    content[-30] ^= 1
    error = refusal(saved, bytes(content))
    assert str(error) == f"'{saved}' is damaged: its checksum differs. Restore it from a copy"


def test_bytes_after_the_end_are_refused(saved: Path) -> None:
    error = refusal(saved, saved.read_bytes() + b"\n", verify=False)
    assert str(error) == f"'{saved}' is damaged: it has 398 bytes, not 397"


@pytest.mark.parametrize("verify", [True, False])
def test_a_newer_format_says_how_to_upgrade(tmp_path: Path, verify: bool) -> None:
    path = tmp_path / "model.nabi"
    newer = head(__metadata__={"nabi": '{"format":7}'}, ab={"dtype": "I4"})
    error = refusal(path, sealed(newer), verify=verify)
    assert type(error) is NewerFormatError
    assert str(error) == (
        f"'{path}' was written by a newer nabi (format 7; this nabi reads up to 5). "
        "Upgrade: pip install -U nabi"
    )


def test_a_damaged_format_number_is_not_taken_for_a_newer_nabi(saved: Path) -> None:
    content = saved.read_bytes().replace(b'format\\":1', b'format\\":9')
    error = refusal(saved, content)
    assert "checksum differs" in str(error)


FOREIGN = {
    "is empty": b"",
    "looks like a Python pickle": pickle.dumps({"a": 1}),
    "is compressed with gzip": gzip.compress(b"nabi", mtime=0),
    "is not a nabi model": b"label,text\nspam,offer\n",
}


@pytest.mark.parametrize(("sentence", "content"), FOREIGN.items())
def test_other_files_are_not_models(tmp_path: Path, sentence: str, content: bytes) -> None:
    error = refusal(tmp_path / "other", content)
    assert type(error) is NotAModelError
    assert sentence in str(error)


def test_a_zip_archive_is_not_a_model(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "model.zip", "w") as archive:
        archive.writestr("model.nabi", b"")
    with pytest.raises(NotAModelError, match="it is a zip archive"):
        model_file.read(tmp_path / "model.zip")


@pytest.mark.parametrize("metadata", [None, {"format": "pt"}])
def test_safetensors_of_another_program_is_not_a_model(
    tmp_path: Path, metadata: dict[str, str] | None
) -> None:
    path = tmp_path / "model.safetensors"
    save_file({"x": np.array([1.0])}, path, metadata)
    with pytest.raises(NotAModelError, match="it is a safetensors file of another program"):
        model_file.read(path)


def test_a_folder_is_not_a_model(tmp_path: Path) -> None:
    with pytest.raises(NotAModelError, match="is a folder, not a nabi model"):
        model_file.read(tmp_path)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"No such file or directory: '.*/none\.nabi'"):
        model_file.read(tmp_path / "none.nabi")


# What a hostile hand may write, with a checksum that fits

BYTES = {"dtype": "U8", "shape": [2], "data_offsets": [0, 2]}
HOSTILE = {
    "not an array": head(ab=3),
    "fields missing": head(ab={}),
    "fields to spare": head(ab={**BYTES, "more": 1}),
    "type unknown": head(ab={**BYTES, "dtype": "BOOL"}),
    "type unhashable": head(ab={**BYTES, "dtype": []}),
    "two dimensions": head(ab={**BYTES, "shape": [1, 2]}),
    "no dimension": head(ab={**BYTES, "shape": []}),
    "shape negative": head(ab={**BYTES, "shape": [-2]}),
    "shape a truth value": head(ab={**BYTES, "shape": [True]}),
    "shape a fraction": head(ab={**BYTES, "shape": [2.0]}),
    "shape a word": head(ab={**BYTES, "shape": "2"}),
    "shape huge": head(ab={**BYTES, "shape": [2**64]}),
    "size differs": head(ab={**BYTES, "shape": [1]}),
    "hole": head(ab={**BYTES, "data_offsets": [1, 3]}),
    "overlap": head(ab={**BYTES, "data_offsets": [0, 3]}),
    "offsets negative": head(ab={**BYTES, "data_offsets": [-2, 0]}),
    "checksum missing": head(**{"~checksum": {"dtype": "U8", "shape": [0]}}),
    "name out of order": head(**{"~~": {**BYTES, "shape": [0], "data_offsets": [2, 2]}}),
    "format missing": head(__metadata__={"nabi": "{}"}),
    "format a truth value": head(__metadata__={"nabi": '{"format":true}'}),
    "format a word": head(__metadata__={"nabi": '{"format":"1"}'}),
    "format nought": head(__metadata__={"nabi": '{"format":0}'}),
    "format of thousands of digits": head(__metadata__={"nabi": '{"format":' + "9" * 9999 + "}"}),
    "metadata to spare": head(__metadata__={"nabi": '{"format":1}', "more": ""}),
    "header a list": head(__metadata__={"nabi": "[1]"}),
    "header no JSON": head(__metadata__={"nabi": "{"}),
    "header with spaces": head(__metadata__={"nabi": '{"format": 1}'}),
    "header with NaN": head(__metadata__={"nabi": '{"alpha":NaN,"format":1}'}),
    "header with a surrogate": head(__metadata__={"nabi": '{"a":"\\ud800","format":1}'}),
    "header nested": head(__metadata__={"nabi": '{"a":' + "[" * 99999 + '1,"format":1}'}),
    "a key twice": head().replace(b'"ab":', b'"ab":{},"ab":'),
    "fields nested": head().rstrip()[:-1] + b',"x":' + b"[" * 99999,
    "fields cut": head()[:-8],
    "invalid UTF-8": head().replace(b'"ab"', b'"a\xff"'),
    "null bytes": head().replace(b'"ab"', b'"a\0"'),
    "no padding": head().rstrip(),
    "padding to spare": head() + b" " * 8,
}


@pytest.mark.parametrize("header", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("verify", [True, False])
def test_a_crafted_header_is_refused(tmp_path: Path, header: bytes, verify: bool) -> None:
    error = refusal(tmp_path / "model.nabi", sealed(header, bytes([7, 9])), verify=verify)
    assert type(error) is DamagedFileError


def test_a_crafted_length_is_refused(tmp_path: Path) -> None:
    for length in (2**64 - 1, 2**63, 100_000_001):
        content = length.to_bytes(8, "little") + sealed(head())[8:]
        error = refusal(tmp_path / "model.nabi", content)
        assert "the length of its header makes no sense" in str(error)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)


@given(field=json_values, metadata=json_values, data=st.binary(max_size=20))
def test_any_header_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, field: Any, metadata: Any, data: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.nabi"
    nabi = json.dumps({"format": 1, "x": metadata}, separators=(",", ":"))
    path.write_bytes(sealed(head(__metadata__={"nabi": nabi}, ab=field), data))
    with pytest.raises(ModelFileError):
        model_file.read(path)


@given(
    labels=st.lists(st.text(st.characters(exclude_categories=["Cs"]))),
    alpha=st.floats(allow_nan=False, allow_infinity=False),
    numbers=st.lists(st.integers(0, 2**64 - 1)),
)
def test_any_content_comes_back(
    tmp_path_factory: pytest.TempPathFactory, labels: list[str], alpha: float, numbers: list[int]
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.nabi"
    arrays = {"bytes": np.zeros(len(labels), np.uint8), "x": np.array(numbers, np.uint64)}
    model_file.write(path, {"labels": labels, "alpha": alpha}, arrays)
    header, stored = model_file.read(path)
    assert header == {"labels": labels, "alpha": alpha}
    assert stored["x"].tolist() == numbers


def test_what_a_killed_writer_left_is_removed_by_the_next_change(tmp_path):
    path = tmp_path / "m.nabi"
    model_file.write(path, {"a": 1}, {})
    (tmp_path / ".m.nabi.0123456789abcdef.tmp").write_bytes(b"half")
    (tmp_path / ".other.nabi.0123456789abcdef.tmp").write_bytes(b"not ours")
    with model_file.exclusive(path, lambda: None):
        left = sorted(each.name for each in tmp_path.iterdir())
    assert left == [".other.nabi.0123456789abcdef.tmp", "m.nabi"]


def test_what_another_writer_is_at_stays(tmp_path):
    path = tmp_path / "m.nabi"
    model_file.write(path, {"a": 1}, {})
    with replacing(str(path)) as other:
        other.write(b"busy")
        with model_file.exclusive(path, lambda: None):
            assert len(list(tmp_path.iterdir())) == 2

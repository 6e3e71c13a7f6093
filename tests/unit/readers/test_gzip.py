"""Gzip files as they are unpacked ahead: members, padding, and what is damaged."""

import gzip
import io

import pytest

from nabi.readers import compression

DATA = bytes(range(256)) * 40


def unpacked(data):
    return compression.unpacked(io.BytesIO(data), "gzip").read()


@pytest.mark.parametrize("packed", [1, 7, 2**18])
@pytest.mark.parametrize("chunk", [1, 100, 2**20])
def test_members_and_zeros_after_them_are_read(monkeypatch, packed, chunk):
    monkeypatch.setattr(compression, "PACKED", packed)
    monkeypatch.setattr(compression, "CHUNK", chunk)
    members = [gzip.compress(some) for some in (b"", DATA[:700], b"", DATA[700:1500])]
    assert unpacked(b"\0\0\0".join(members) + b"\0") == DATA[:1500]


@pytest.mark.parametrize("left", [1, 8, 20])
def test_a_file_that_is_cut_is_damaged(left):
    with pytest.raises(EOFError):
        unpacked(gzip.compress(DATA)[:-left])


@pytest.mark.parametrize("end", [b"xyz", b"\0\0more", gzip.compress(DATA)[:-4] + b"\1\1\1\1"])
def test_what_follows_has_to_be_a_member(end):
    with pytest.raises(compression.zlib.error) as error:
        unpacked(gzip.compress(DATA) + end)
    assert compression.is_broken(error.value)

"""Compression by gzip and Zstandard."""

import gzip
import io
import sys
import zlib
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any, BinaryIO, Literal, cast

from nabi.base.ahead import ahead

Compression = Literal["none", "gzip", "zstd"]

EXTENSIONS: dict[str, Compression] = {".gz": "gzip", ".zst": "zstd", ".zstd": "zstd"}
_MAGIC: dict[bytes, Compression] = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}

CHUNK, CHUNKS = 2**20, 8  # bytes that are unpacked at a time, and how many times ahead
PACKED = 2**18  # bytes that are read of a gzip file at a time


def compression_of(start: bytes) -> Compression:
    """Return the compression of a file, going by its first bytes."""
    return next((kind for magic, kind in _MAGIC.items() if start.startswith(magic)), "none")


def plain(raw: BinaryIO, compression: Compression, mode: Literal["rb", "wb"]) -> BinaryIO:
    """Return a file of plain bytes over a compressed one; closing it leaves the other open."""
    if compression == "gzip":
        return cast(BinaryIO, gzip.GzipFile(fileobj=raw, mode=mode, filename="", mtime=0))
    if compression == "none":
        return raw
    if sys.version_info >= (3, 14):
        from compression import zstd
    else:
        from backports import zstd
    return cast(BinaryIO, zstd.ZstdFile(raw, mode))


class _Unpacked(io.RawIOBase):
    """The bytes of a file, unpacked by a thread a few chunks ahead of whoever reads them."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self._chunks = ahead(chunks, CHUNKS)
        self._rest = memoryview(b"")

    def readable(self) -> bool:
        """Yes."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill a buffer with what is there, at most one chunk; return how many bytes it is."""
        if not self._rest:
            self._rest = memoryview(next(self._chunks, b""))
        taken = min(len(buffer), len(self._rest))
        memoryview(buffer)[:taken] = self._rest[:taken]
        self._rest = self._rest[taken:]
        return taken

    def close(self) -> None:
        """End the thread."""
        self._chunks.close()
        super().close()


def unpacked(raw: BinaryIO, compression: Compression) -> BinaryIO:
    """Return a file of plain bytes over a compressed one, which a thread unpacks ahead."""
    if compression == "none":
        return raw
    if compression == "gzip":
        return io.BufferedReader(_Unpacked(_gunzipped(raw)), CHUNK)
    packed = plain(raw, compression, "rb")
    return io.BufferedReader(_Unpacked(iter(partial(packed.read, CHUNK), b"")), CHUNK)


def _gunzipped(raw: BinaryIO) -> Iterator[bytes]:
    """Yield the bytes of a gzip file, of all its members; zeros may follow one.

    `gzip.GzipFile` takes a quarter more time: it reads few bytes at a time, and copies what is
    unpacked.
    """
    packed = raw.read(PACKED)
    while packed:
        member = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
        while packed and not member.eof:
            if some := member.decompress(packed, CHUNK):
                yield some
            packed = member.unconsumed_tail or member.unused_data or raw.read(PACKED)
        while rest := b"" if member.eof else member.decompress(b"", CHUNK):
            yield rest
        if not member.eof:
            raise EOFError("the compressed file ends too early")
        while packed and not (packed := packed.lstrip(b"\0")):
            packed = raw.read(PACKED)


def is_broken(error: Exception) -> bool:
    """Whether an error says that bytes are not well compressed."""
    known = isinstance(error, EOFError | zlib.error | gzip.BadGzipFile)
    return known or type(error).__name__ == "ZstdError"  # named: its module is imported late

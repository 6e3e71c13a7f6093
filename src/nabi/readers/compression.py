"""Compression by gzip and Zstandard."""

import gzip
import io
import sys
import zlib
from functools import partial
from typing import Any, BinaryIO, Literal, cast

from nabi.base.ahead import ahead

Compression = Literal["none", "gzip", "zstd"]

EXTENSIONS: dict[str, Compression] = {".gz": "gzip", ".zst": "zstd", ".zstd": "zstd"}
_MAGIC: dict[bytes, Compression] = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}

CHUNK, CHUNKS = 2**20, 8  # bytes that are unpacked at a time, and how many times ahead


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

    def __init__(self, packed: BinaryIO) -> None:
        self._chunks = ahead(iter(partial(packed.read, CHUNK), b""), CHUNKS)
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
    return io.BufferedReader(_Unpacked(plain(raw, compression, "rb")), CHUNK)


def is_broken(error: Exception) -> bool:
    """Whether an error says that bytes are not well compressed."""
    known = isinstance(error, EOFError | zlib.error | gzip.BadGzipFile)
    return known or type(error).__name__ == "ZstdError"  # named: its module is imported late

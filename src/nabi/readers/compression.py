"""Compression by gzip and Zstandard."""

import gzip
import sys
import zlib
from typing import BinaryIO, Literal, cast

Compression = Literal["none", "gzip", "zstd"]

EXTENSIONS: dict[str, Compression] = {".gz": "gzip", ".zst": "zstd", ".zstd": "zstd"}
_MAGIC: dict[bytes, Compression] = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}


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


def is_broken(error: Exception) -> bool:
    """Whether an error says that bytes are not well compressed."""
    known = isinstance(error, EOFError | zlib.error | gzip.BadGzipFile)
    return known or type(error).__name__ == "ZstdError"  # named: its module is imported late

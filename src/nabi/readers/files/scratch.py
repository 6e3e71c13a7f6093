"""Copies of what can be read once, or cannot be read as it is; removed at the end."""

import os
import shutil
import stat
import tempfile
import weakref
from collections.abc import Callable, Iterable
from typing import BinaryIO

from nabi.errors import DataError
from nabi.readers.files.file import START, File


class Scratch:
    """Folders for copies, removed when it is closed, no longer held, or the program ends."""

    def __init__(self) -> None:
        self._made: list[Callable[[], object]] = []

    def path(self, suffix: str = "") -> str:
        """Return a path for a new file, in a folder of its own."""
        folder = tempfile.mkdtemp(prefix="nabi-")
        self._made.append(weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True))
        return os.path.join(folder, f"copy{suffix}")

    def close(self) -> None:
        """Remove the folders."""
        for remove in self._made:
            remove()


def spooled(source: BinaryIO, scratch: Scratch, name: str) -> str:
    """A stream as a file: it must be looked at before it is read, and errors name a line."""
    check_no_device(source, name)
    path = scratch.path()
    read = getattr(source, "read1", source.read)  # comes back between two reads: Ctrl-C is heard
    copy_blocks(iter(lambda: read(START), b""), path, name)
    return path


def check_no_device(source: BinaryIO, name: str) -> None:
    """Refuse a stream that is a device without an end."""
    if _is_device(source):
        raise DataError("a device, expected a file, a folder, a pipe or -", file=name)


def _is_device(source: BinaryIO) -> bool:
    """Whether a stream is a device without an end, such as /dev/zero, or a disk."""
    try:
        status = os.fstat(source.fileno())
    except OSError:  # a stream of Python's own
        return False
    ends = source.isatty() or status.st_rdev == os.stat(os.devnull).st_rdev
    return stat.S_ISBLK(status.st_mode) or (stat.S_ISCHR(status.st_mode) and not ends)


def copy_blocks(blocks: Iterable[bytes], path: str, name: str) -> None:
    """Write a copy; refuse what would take more than half of the free space on the disk."""
    folder = os.path.dirname(path)
    limit = shutil.disk_usage(folder).free // 2
    with open(path, "wb") as copy:
        for block in blocks:
            if copy.tell() + len(block) > limit:
                raise DataError(
                    f"needs a copy of more than {limit / 1e9:.3g} GB, half of what is free in "
                    f"{os.path.dirname(folder)}; give a file in UTF-8 instead, or set TMPDIR to a "
                    f"folder on a larger disk",
                    file=name,
                )
            copy.write(block)


def decompressed(file: File, scratch: Scratch) -> str:
    """The path of a file, or of a decompressed copy, for who cannot read a compressed one."""
    if file.compression == "none":
        return file.path
    path = scratch.path()
    with file.open() as source:
        copy_blocks(iter(lambda: source.read(START), b""), path, file.name)
    return path

"""Replace a file in one step: at any moment there is the old file or the new one."""

import contextlib
import errno
import fcntl
import glob
import os
import stat
from collections.abc import Iterator
from typing import BinaryIO


@contextlib.contextmanager
def replacing(target: str, *, sync: bool = False) -> Iterator[BinaryIO]:
    """Yield a file that takes the target's place if the block ends well, and vanishes if not.

    A symbolic link stays, and the file it points to is replaced. The permission bits of an old file
    are kept. `sync`: the new file survives a power cut.
    """
    real = os.path.realpath(target)
    folder, name = os.path.split(real)
    # A long name is cut: a disk takes 255 bytes, and the temporary name must not be too long.
    temporary = os.path.join(folder, f".{name[:32]}.{os.urandom(8).hex()}.tmp")
    with errors_name(target):
        mode = _mode(real)
        # A new file gets the bits that the umask allows; a replaced one is nobody else's to read
        # until it has its old bits.
        opened = os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666 if mode is None else 0o600
        file = open(temporary, "wb", opener=lambda path, _: os.open(path, *opened))  # noqa: SIM115
    try:
        with file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if mode is not None:
                os.fchmod(file.fileno(), mode)
            yield file
            file.flush()
            if sync:
                os.fsync(file.fileno())
        with errors_name(target):
            os.replace(temporary, real)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
    if sync:
        _sync_folder(folder)


def remove_leftovers(target: str) -> None:
    """Remove temporary files of the target that nobody writes any more: writers hold a lock."""
    folder, name = os.path.split(target)
    for left in glob.glob(f".{glob.escape(name[:32])}.*.tmp", root_dir=folder or "."):
        path = os.path.join(folder, left)
        with contextlib.suppress(OSError), open(path, "rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.unlink(path)


@contextlib.contextmanager
def errors_name(target: str) -> Iterator[None]:
    """Let errors of the operating system name the file that the user has named."""
    try:
        yield
    except OSError as error:
        raise OSError(error.errno, error.strerror, target) from None


def _mode(target: str) -> int | None:
    """Return the permission bits of the file to replace, None if there is none."""
    try:
        mode = os.stat(target).st_mode
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, "Is a directory", target)
    if not stat.S_ISREG(mode):  # to rename over /dev/null would be a disaster
        raise OSError(errno.EINVAL, "Not a regular file", target)
    return stat.S_IMODE(mode)


def _sync_folder(folder: str) -> None:
    """Make the renaming last through a power cut."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno != errno.EINVAL:  # some network disks cannot sync a folder
            raise
    finally:
        os.close(descriptor)

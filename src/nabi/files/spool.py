"""Arrays that grow in temporary files: large results need no memory until they are written."""

import contextlib
import os
import tempfile
from collections.abc import Iterator
from typing import Any, Self

import numpy as np

from nabi.base.arrays import Array

BLOCK = 2**20  # items that are read at a time
SMALL = 2**20  # bytes that stay in memory


class Spool:
    """An array that grows at its end, in a file without a name."""

    def __init__(self, dtype: Any, folder: str) -> None:
        self.dtype, self._size = np.dtype(dtype), 0
        self._file = tempfile.SpooledTemporaryFile(SMALL, dir=folder)  # noqa: SIM115

    def __len__(self) -> int:
        return self._size

    def append(self, values: Array) -> None:
        """Append values, which are of the type of the array."""
        assert values.dtype == self.dtype, "values of another type"
        self._file.write(np.ascontiguousarray(values).data)
        self._size += len(values)

    def blocks(self) -> Iterator[Array]:
        """Yield all that was appended, some at a time."""
        step = BLOCK * self.dtype.itemsize
        for start in range(0, self._size * self.dtype.itemsize, step):
            self._file.seek(start)
            yield np.frombuffer(self._file.read(step), self.dtype)
        self._file.seek(0, os.SEEK_END)

    def close(self) -> None:
        """Give the file back to the disk."""
        self._file.close()


class Spools:
    """Makes arrays that grow in a folder; they vanish with the block."""

    def __init__(self, folder: str) -> None:
        self._folder, self._open = folder, contextlib.ExitStack()

    def new(self, dtype: Any) -> Spool:
        """Return an empty array."""
        return self._open.enter_context(contextlib.closing(Spool(dtype, self._folder)))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

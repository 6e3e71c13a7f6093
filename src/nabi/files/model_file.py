"""The `.nabi` model file: a safetensors container with a checksum over every byte.

    8 bytes    length of the header, little-endian
    header     {"__metadata__":{"nabi":"<JSON>"},"<array>":{...},...}, spaces up to a multiple of 8
    arrays     largest items first, then by name, so that each array is aligned
    16 bytes   the array "~checksum": XXH3-128, big-endian, of every byte before it

The bytes depend on the content alone, and a reader takes them only as a writer would put them:
the header it parsed, written again, must give the same bytes. That rules out holes, overlaps,
doubled keys and trailing data at once. In every format, past and future, the file starts with
the length and `{"__metadata__":{"nabi":"`, and ends with the checksum.
"""

# The writer is ours because the bytes must not depend on the version of a library, and the reader
# because safetensors' own copies every array.

import contextlib
import errno
import fcntl
import json
import mmap
import os
import re
import stat
import threading
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from typing import Any

import numpy as np

from nabi.base.arrays import Array, Blocks
from nabi.errors import (
    DamagedFileError,
    InputError,
    InputTypeError,
    ModelFileError,
    NewerFormatError,
    NotAModelError,
)
from nabi.files.replace import remove_leftovers, replacing

# 2: the header names the kind of fingerprints that the ledger has; 3: source columns, columns of a
# table that are left out, and a decision; 4: a calibration with numbers for each class; 5: the
# version of Unicode, a floor, and a shard.
FORMAT = 5
INNER = "model_"  # what the names of arrays begin with that are of a model inside of another

StrPath = str | os.PathLike[str]

_MAGIC = b'{"__metadata__":{"nabi":"'
_CHECKSUM = "~checksum"  # "~" sorts after every letter, hence after every array of one-byte items
_CHECKSUM_SIZE = 16
_HEADER_LIMIT = 100_000_000  # safetensors refuses longer headers
_LEAN = 2**26  # bytes of a file that are in memory at a time
_NAME = re.compile(r"[a-z][a-z0-9_]*")

_DTYPES = {
    f"{kind}{8 * size}": np.dtype(f"<{kind.lower()}{size}")
    for kind, sizes in {"U": (1, 2, 4, 8), "I": (1, 2, 4, 8), "F": (4, 8)}.items()
    for size in sizes
}
_CODES = {dtype: code for code, dtype in _DTYPES.items()}

_FOREIGN = [  # how other files start
    (rb"\x80[\x02-\x05]", "it looks like a Python pickle, which nabi never loads"),
    (rb"PK(\x03\x04|\x05\x06)", "it is a zip archive; unpack it first if a model is inside"),
    (rb"\x1f\x8b", "it is compressed with gzip; unpack it first: gunzip FILE"),
    (rb'(?s:.{8})\{\s*["}]', "it is a safetensors file of another program"),
]

_held: dict[tuple[int, int], int] = {}  # the thread that holds a file, by device and inode

_HINTS = {
    errno.ENOSPC: "Free some space, or save to another disk",
    errno.EDQUOT: "Free some space, or save to another disk",
    errno.EFBIG: "Save to a disk or with a limit that lets a file be so large",
    errno.ENOENT: "Make the folder first: mkdir -p {folder}",
    errno.ENOTDIR: "A part of the path is a file; save to another folder than {folder}",
    errno.EACCES: "You may not write in the folder {folder}; save to another one",
    errno.EPERM: "You may not write in the folder {folder}; save to another one",
    errno.EROFS: "The disk is read-only; save to another one",
    errno.EISDIR: "That is a folder; give the name of a file in it",
    errno.EINVAL: "Give the name of a new file, or of a model file to replace",
}


class _Mapped(mmap.mmap):
    """The bytes of a file, which is named in errors that are found after it was loaded."""

    name = ""


class Contents(dict[str, Any]):
    """Values of a file by name, and which of them nobody has asked for: none of an honest file."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        super().__init__(given)
        self.unread = set(given)

    def __getitem__(self, name: str) -> Any:
        self.unread.discard(name)
        return super().__getitem__(name)

    def get(self, name: str, default: Any = None) -> Any:
        """Return a value, or the default."""
        self.unread.discard(name)
        return super().get(name, default)


def write(path: StrPath, header: Mapping[str, Any], arrays: Mapping[str, Array]) -> None:
    """Save JSON values and one-dimensional arrays, replacing an old file in one step."""
    blocks = _content(header, arrays)
    first = next(blocks)  # what cannot be saved is refused before a file is made
    try:
        with replacing(os.fspath(path), sync=True) as file:
            for block in chain([first], blocks):
                file.write(block)
    except OSError as error:
        folder = os.path.dirname(os.path.realpath(path))
        hint = _HINTS.get(error.errno or 0, "").format(folder=folder)
        message = f"cannot save the model: {error.strerror}" + (f". {hint}" if hint else "")
        raise OSError(error.errno, message, os.fspath(path)) from error


def to_bytes(header: Mapping[str, Any], arrays: Mapping[str, Array]) -> bytes:
    """Return the bytes of the file that `write` would write."""
    return b"".join(_content(header, arrays))


def from_bytes(data: bytes, *, verify: bool = True) -> tuple[dict[str, Any], dict[str, Array]]:
    """Return the header and the read-only arrays of a file's bytes, which are not copied."""
    try:
        if not data:
            raise NotAModelError("is not a nabi model: it is empty")
        return _contents(data, verify)
    except ModelFileError as error:
        raise type(error)(f"what was given as bytes {error}") from None


def format_of(header: Mapping[str, Any]) -> int:
    """Return the first format whose readers know all that a header says."""
    inner = header.get("model")  # of a model beside rules
    headers = [header, inner] if isinstance(inner, dict) else [header]
    if any(name in each for each in headers for name in ("unicode", "floor", "shard")):
        return 5
    calibrations = [each.get("calibration") for each in headers]
    if any(isinstance(each, dict) and "classes" in each for each in calibrations):
        return 4
    if any(name in each for each in headers for name in ("source_columns", "left_out", "decision")):
        return 3
    return 2 if isinstance(header.get("ledger"), str) else 1


def size(header: Mapping[str, Any], arrays: Mapping[str, Array]) -> int:
    """Return how many bytes the file of a header and arrays would have."""
    types = {
        name: (_CODES[array.dtype.newbyteorder("<")], len(array)) for name, array in arrays.items()
    }
    fields = _fields(types)
    end: int = fields[_CHECKSUM]["data_offsets"][1]
    return len(_head(header, fields)) + end


def read(
    path: StrPath, *, verify: bool = True, lean: bool = False
) -> tuple[dict[str, Any], dict[str, Array]]:
    """Return the header and the read-only arrays of a model file, mapped into memory, not copied.

    `verify=False` skips the checksum: no byte of the arrays is then read before its use. `lean`
    lets go of the memory that verifying takes.
    """
    name = os.fspath(path)
    try:
        return _contents(_mapped(name), verify, lean=lean)
    except ModelFileError as error:
        raise type(error)(f"{name!r} {error}") from None


def release(array: Array) -> None:
    """Let go of the memory of a file that an array lies in; what is needed is read again."""
    holder = _holder(array)
    if isinstance(holder, _Mapped):
        holder.madvise(mmap.MADV_DONTNEED)


def damaged(array: Array, what: object, part: str = "") -> DamagedFileError:
    """Return the error for an array that cannot be right; it names the file of the array."""
    holder = _holder(array)
    name = holder.name if isinstance(holder, _Mapped) else "the model file"
    return DamagedFileError(f"{part}{name} is damaged: {what}")


def _holder(array: Array) -> object:
    """Return what the memory of an array belongs to."""
    holder: object = array
    while isinstance(holder, np.ndarray):
        holder = getattr(holder.base, "obj", holder.base)  # some versions of NumPy hold a view
    return holder


def is_model(path: StrPath) -> bool:
    """Whether a file starts as model files do, of whatever version."""
    with open(path, "rb") as file:
        return file.read(8 + len(_MAGIC))[8:] == _MAGIC


def checksum(path: StrPath) -> str:
    """Return the checksum at the end of a file, in hexadecimal."""
    with open(path, "rb") as file:
        file.seek(-_CHECKSUM_SIZE, os.SEEK_END)
        return file.read().hex()


@contextlib.contextmanager
def exclusive(path: StrPath, waiting: Callable[[], None] = lambda: None) -> Iterator[None]:
    """Hold a model file while it is read, changed and replaced, so that no change is lost.

    Calls `waiting` once where somebody else holds it. A file that is not there is nobody's. What
    a killed writer left beside it is removed. Hold one file at a time, the one that is written: it
    needs no lock to read another, which is always whole, and two locks could wait for each other.
    """
    told = False
    while True:
        try:  # a pipe, which is refused later, is not waited for
            file = open(path, "rb", opener=lambda name, how: os.open(name, how | os.O_NONBLOCK))  # noqa: SIM115
        except FileNotFoundError:
            yield
            return
        with file:
            held = os.fstat(file.fileno())
            key = (held.st_dev, held.st_ino)
            if _held.get(key) == threading.get_ident():
                raise InputError(
                    f"{os.fspath(path)} is being edited already, by this very thread; end that "
                    f"block first"
                )
            try:
                fcntl.flock(file, fcntl.LOCK_EX | (0 if told else fcntl.LOCK_NB))
            except BlockingIOError:
                waiting()
                told = True
                continue
            # Whoever held it before us may have put a new file in its place.
            if os.path.exists(path) and os.path.samestat(held, os.stat(path)):
                remove_leftovers(os.path.realpath(path))
                _held[key], process = threading.get_ident(), os.getpid()
                try:
                    yield
                finally:
                    del _held[key]
                    if os.getpid() == process:  # a child of a fork has the file open too
                        fcntl.flock(file, fcntl.LOCK_UN)
                return


def _content(
    header: Mapping[str, Any], arrays: Mapping[str, Array]
) -> Iterator[bytes | memoryview]:
    """Yield the bytes of a file in blocks, those of the header first and the checksum last."""
    from xxhash import xxh3_128

    stored = {name: _stored(name, array) for name, array in arrays.items()}
    fields = _fields({name: (_CODES[array.dtype], len(array)) for name, array in stored.items()})
    in_order = (stored[name] for name in fields if name != _CHECKSUM)
    hashed = xxh3_128()
    for block in chain([_head(header, fields)], chain.from_iterable(map(_blocks, in_order))):
        hashed.update(block)
        yield block
    yield hashed.digest()


def _stored(name: str, array: Array | Blocks) -> Array | Blocks:
    """Return an array as its bytes go to the file: little-endian, contiguous or in blocks."""
    assert _NAME.fullmatch(name), name
    assert array.ndim == 1, name
    dtype = array.dtype.newbyteorder("<")
    if dtype not in _CODES:
        types = ", ".join(_DTYPES)
        raise InputTypeError(f"array {name!r} holds {array.dtype}; a model file holds {types}")
    return array if isinstance(array, Blocks) else np.ascontiguousarray(array, dtype)


def _blocks(array: Array | Blocks) -> Iterator[bytes | memoryview]:
    """Yield the bytes of an array."""
    parts = array if isinstance(array, Blocks) else [array]
    yield from (np.ascontiguousarray(part, array.dtype).data for part in parts)


def _fields(types: Mapping[str, tuple[str, int]]) -> dict[str, Any]:
    """Return the header of each array by its (code, length), in file order; the checksum last."""
    fields, end = {}, 0
    order = sorted(types, key=lambda name: (-_DTYPES[types[name][0]].itemsize, name))
    for name in [*order, _CHECKSUM]:
        code, length = types.get(name, ("U8", _CHECKSUM_SIZE))
        start, end = end, end + length * _DTYPES[code].itemsize
        fields[name] = {"dtype": code, "shape": [length], "data_offsets": [start, end]}
    return fields


def _head(header: Mapping[str, Any], fields: Mapping[str, Any]) -> bytes:
    """Return the bytes before the arrays: the length, the JSON and its padding."""
    assert "format" not in header, "write adds the format itself"
    metadata = {"nabi": _compact({"format": format_of(header), **header})}
    try:
        encoded = _compact({**fields, "__metadata__": metadata}).encode()
    except UnicodeEncodeError as error:
        text = error.object[max(0, error.start - 10) : error.end + 10]
        raise InputError(f"invalid Unicode cannot be saved: {text!r}") from None
    encoded += b" " * (-len(encoded) % 8)
    if len(encoded) > _HEADER_LIMIT:
        message = f"labels and recipe take {len(encoded):,} bytes; {_HEADER_LIMIT:,} fit in a file"
        raise InputError(message)
    return len(encoded).to_bytes(8, "little") + encoded


def _compact(value: Any) -> str:
    """Return the one JSON text of a value."""
    return json.dumps(
        value, ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":")
    )


def _mapped(name: str) -> _Mapped:
    """Return the bytes of a file that is there, regular and not empty."""
    status = os.stat(name)
    if stat.S_ISDIR(status.st_mode):
        raise NotAModelError("is a folder, not a nabi model: give the name of a file in it")
    if not stat.S_ISREG(status.st_mode):
        raise NotAModelError("is not a nabi model: a model is read from a regular file")
    if status.st_size == 0:
        raise NotAModelError("is not a nabi model: it is empty")
    with open(name, "rb") as file:
        # 500 MB in the page cache: mapped, hashed in 30 ms, as fast as from plain memory. Advice
        # to the kernel (sequential, will need, populate) changed nothing, warm or cold; reading
        # into a buffer took 55 ms.
        mapped = _Mapped(file.fileno(), 0, access=mmap.ACCESS_READ)
    mapped.name = name
    return mapped


def _contents(
    data: mmap.mmap | bytes, verify: bool, *, lean: bool = False
) -> tuple[dict[str, Any], dict[str, Array]]:
    """Return the header and the arrays in the bytes of a file, which may be hostile."""
    start = _data_start(data)
    try:
        fields = json.loads(data[8:start])
        header = json.loads(fields.pop("__metadata__")["nabi"])
        version = header.pop("format")
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        raise DamagedFileError("is damaged: its header cannot be read") from None
    if type(version) is int and version > FORMAT:
        if verify:
            _verify(data)
        raise NewerFormatError(
            f"was written by a newer nabi (format {version}; this nabi reads up to {FORMAT}). "
            "Upgrade: pip install -U nabi"
        )
    fields = _checked_fields(data[:start], header, fields)
    size, expected = len(data), start + fields.pop(_CHECKSUM)["data_offsets"][1]
    if size < expected:
        raise DamagedFileError(f"is cut short: {size:,} bytes of {expected:,}")
    if size > expected:
        raise DamagedFileError(f"is damaged: it has {size:,} bytes, not {expected:,}")
    if verify:
        _verify(data, lean=lean)
    arrays = {}
    for name, field in fields.items():
        (length,), (offset, _) = field["shape"], field["data_offsets"]
        arrays[name] = np.frombuffer(data, _DTYPES[field["dtype"]], length, start + offset)
    return header, arrays


def _data_start(data: mmap.mmap | bytes) -> int:
    """Return where the header ends."""
    magic = data[8 : 8 + len(_MAGIC)]
    if not magic or not _MAGIC.startswith(magic):
        what = next((what for start, what in _FOREIGN if re.match(start, data[:64])), "")
        raise NotAModelError(f"is not a nabi model{': ' if what else ''}{what}")
    start = 8 + int.from_bytes(data[:8], "little")
    if start > 8 + _HEADER_LIMIT:
        raise DamagedFileError("is damaged: the length of its header makes no sense")
    if len(data) < start:
        raise DamagedFileError(f"is cut short: {len(data):,} bytes of more than {start:,}")
    return start


def _checked_fields(head: bytes, header: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    """Return the headers of arrays in file order, if they are as `write` would write them."""
    try:
        types = {name: (field["dtype"], _length(field["shape"])) for name, field in given.items()}
        del types[_CHECKSUM]
        fields = _fields(types)
        sound = all(map(_NAME.fullmatch, types)) and _head(header, fields) == head
    except (ValueError, LookupError, TypeError, RecursionError):
        sound = False
    if not sound:
        raise DamagedFileError("is damaged: its header is not as nabi writes it")
    return fields


def _length(shape: Any) -> int:
    """[7] -> 7"""
    (length,) = shape
    if type(length) is not int or not 0 <= length < 2**48:
        raise ValueError(shape)
    return length


def _verify(data: mmap.mmap | bytes, *, lean: bool = False) -> None:
    """Refuse a file of which a byte has changed since it was written."""
    from xxhash import xxh3_128

    hashed, end = xxh3_128(), len(data) - _CHECKSUM_SIZE
    step = _LEAN if lean else end
    with memoryview(data) as view:
        for start in range(0, end, step):
            hashed.update(view[start : min(start + step, end)])
            if lean and isinstance(data, mmap.mmap):
                data.madvise(mmap.MADV_DONTNEED)
    if hashed.digest() != data[-_CHECKSUM_SIZE:]:
        raise DamagedFileError("is damaged: its checksum differs. Restore it from a copy")

"""Hostile model files: content that no nabi wrote, under a checksum that fits."""

import os
import tempfile
from pathlib import Path

import numpy as np
from xxhash import xxh3_128

import nabi
from nabi.files import model_file

MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # no disk to wait for, if there
LENGTHS = {"short": lambda array: array[:-1], "long": lambda array: array[[*range(len(array)), 0]]}


def parts(model):
    """(header, arrays) of the model's file, to be changed at will."""
    with tempfile.TemporaryDirectory(dir=MEMORY) as folder:
        path = Path(folder, "model.nabi")
        model.save(path)
        header, arrays = model_file.read(path)
        return header, {name: array.copy() for name, array in arrays.items()}


def without(mapping, name):
    """A copy of a header or of arrays that lacks one of them."""
    return {key: value for key, value in mapping.items() if key != name}


def changed(arrays, name, index, value):
    """A copy of arrays with one number in one of them replaced."""
    array = arrays[name].copy()
    array[index] = value
    return {**arrays, name: array}


def damaged(array, rnd):
    """A copy of an array with one thing changed at random: a number, the length or the order."""
    if not len(array):
        return np.ones(1, array.dtype)
    index = rnd.randrange(len(array))
    number = array.copy()
    number[index] = rnd.choice(_extremes(array.dtype, array[index]))
    return rnd.choice([number, number, number, array[:index], array[::-1].copy(), np.sort(array)])


def _extremes(dtype, value):
    """Numbers of a type that have broken readers before: beside the value and at the limits."""
    if dtype.kind == "f":
        return [0.0, -1.0, np.nan, np.inf, *([1e300, 1e308, 5e-324] if dtype == np.float64 else [])]
    least, most = np.iinfo(dtype).min, np.iinfo(dtype).max
    near = [0, 1, 3, 255, 2**31, 2**32 - 1, 2**63, int(value) - 1, int(value) + 1]
    return [least, most, *(number for number in near if least <= number <= most)]


def sealed(head, data=b""):
    """The bytes of a file with this header, these bytes after it and a checksum that fits."""
    body = len(head).to_bytes(8, "little") + head + data
    return body + xxh3_128(body).digest()


def outcomes(path, header, arrays, uses):
    """What each use of a model loaded from such a file gives: an answer or the error."""
    model_file.write(path, header, arrays)
    return {name: _outcome(path, use) for name, use in uses.items()}


def _outcome(path, use):
    try:
        return use(nabi.load(path))
    except Exception as error:
        return error


def errors(found, *, but=()):
    """The outcomes that are errors, except those of the classes in `but`."""
    return {
        use: what
        for use, what in found.items()
        if isinstance(what, Exception) and not isinstance(what, but)
    }


def accepted(found):
    """The outcomes that are anything but a refusal of the file."""
    return {use: what for use, what in found.items() if not isinstance(what, nabi.ModelFileError)}

"""The model file of a browser: what native/web/module.cc reads. It has weights, and no counts."""

import struct
import zlib

import numpy as np

from nabi.base.arrays import Array, narrow, offsets_of
from nabi.engines.terms import Terms
from nabi.errors import InputError
from nabi.features.recipe import Features

MAGIC, FORMAT = b"nabi-web", 1
PRESETS = ("words", "sklearn", "tweets", "chars")  # as the kernel numbers them
MOST = 2**31  # bytes, of a module that has 4 GB


def check_recipe(recipe: Features) -> None:
    """Refuse a recipe whose work is done outside of the kernel."""
    given = {
        "a tokenizer of your own": recipe.tokenizer is not None,
        f"the normal form {recipe.normalize}": recipe.normalize is not None,
        f"stems ({recipe.stem})": recipe.stem is not None,
        "Korean morphemes": recipe.korean,
    }
    for what, is_given in given.items():
        if is_given:
            raise InputError(
                f"a browser has no {what}: nabi makes them in Python, outside of the kernel; "
                f"train without, or serve the model: nabi serve MODEL"
            )


def model_bytes(terms: Terms) -> bytes:
    """The file of the terms of a model."""
    check_recipe(terms.recipe)
    parts = [MAGIC, struct.pack("<I", FORMAT), _recipe(terms.recipe), *_weights(terms)]
    data = b"".join(parts)
    if len(data) > MOST:
        raise InputError(
            f"the model takes {len(data):,} bytes, and a browser 2 GB; keep fewer words: "
            f"model.select(100_000)"
        )
    return data + struct.pack("<I", zlib.crc32(data))


def _recipe(recipe: Features) -> bytes:
    cuts = recipe.unspaced if recipe.preset in ("words", "tweets") else None
    ranges = (recipe.ngrams, recipe.chars or recipe.hangul, cuts)
    numbers = [PRESETS.index(recipe.preset)]
    for given in ranges:
        numbers += given or (0, 0)
    flags = (
        recipe.lowercase,
        recipe.binary,
        recipe.negation,
        recipe.strip_accents,
        recipe.hangul is not None,
    )
    words = recipe.stop_words if isinstance(recipe.stop_words, tuple) else ()
    stops = [word.encode() for word in words]
    numbers += [sum(2**i for i, flag in enumerate(flags) if flag), recipe.buckets or 0]
    numbers += [len(stops), sum(map(len, stops))]
    ends = offsets_of(np.array([len(word) for word in stops], np.uint32), np.uint32)
    return np.array(numbers, "<u4").tobytes() + ends.tobytes() + b"".join(stops)


def _weights(terms: Terms) -> list[bytes]:
    """The numbers, then the arrays. Of many cells few are different: each is stored once."""
    values, codes = np.unique(terms.cells, return_inverse=True)
    codes, classes = (_narrow(each) for each in (codes, terms.classes))
    shared = terms.shared if terms.shared.any() else np.empty(0)
    numbers = [
        len(terms.labels),
        len(terms.shared),
        len(terms.cells),
        len(values),
        len(terms.names),
        codes.itemsize,
        classes.itemsize,
        int(len(shared) > 0),
    ]
    reals = [terms.start, terms.slope, shared, values]
    arrays = [
        np.array(numbers, "<u4"),
        *(np.asarray(each, "<f8") for each in reals),
        *(each.astype("<u4") for each in (terms.offsets, terms.name_offsets)),
        codes,
        classes,
        terms.names,
    ]
    return [np.ascontiguousarray(each).tobytes() for each in arrays]


def _narrow(indexes: Array) -> Array:
    return narrow(indexes.astype("<u4"), np.dtype("u1"), np.dtype("<u2"))

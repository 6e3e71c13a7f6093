"""Model files back to models."""

import os
from collections.abc import Mapping
from importlib import import_module
from itertools import pairwise
from typing import Any

from nabi import model_file
from nabi.errors import (
    DamagedFileError,
    InputError,
    MissingExtraError,
    NabiError,
    NotAModelError,
)
from nabi.features import Tokenizer
from nabi.labels import KINDS as LABELS
from nabi.labels import kind_of

# The class of each kind of model, loaded when a file asks for it.
KINDS = {
    "text": ("nabi.text", "TextClassifier"),
    "table": ("nabi.table", "TableClassifier"),
    "linear": ("nabi.linear.text", "LinearClassifier"),
    "pruned": ("nabi.pruned", "PrunedClassifier"),
}


def load(
    path: str | os.PathLike[str], *, verify: bool = True, tokenizer: Tokenizer | None = None
) -> Any:
    """The model of a file, mapped into memory: what is not needed is not read.

    Parameters
    ----------
    path : path
        A file that `save` wrote.
    verify : bool
        Check the checksum over the whole file. Without it, loading takes no time whatever the
        size, and a damaged file may give wrong answers.
    tokenizer : callable, optional
        The tokenizer the model was trained with, where it was one of your own.
    """
    header, arrays = model_file.read(path, verify=verify)
    kind = header.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        raise NotAModelError(f"{os.fspath(path)} holds a model of kind {kind!r}")
    options: dict[str, Any] = {}
    if tokenizer is not None:
        recipe = header.get("recipe")
        if not isinstance(recipe, dict) or "tokenizer" not in recipe:
            raise InputError(
                f"{os.fspath(path)} was trained without a tokenizer; load it without one"
            )
        options["tokenizer"] = tokenizer
    module, name = KINDS[kind]
    loaded: Any = getattr(import_module(module), name)
    try:
        _check_header(header)
        return loaded.from_state(header, arrays, **options)
    except MissingExtraError:
        raise
    except (NabiError, AttributeError, KeyError, TypeError, ValueError) as error:
        raise DamagedFileError(f"{os.fspath(path)} is damaged: {error}") from None


def _check_header(header: Mapping[str, Any]) -> None:
    """Refuse a header whose labels could not have been written by `save`."""
    labels = header["labels"]
    if not isinstance(labels, list) or not labels:
        raise ValueError("no labels")
    kinds = {kind_of(label) for label in labels}
    if len(kinds) != 1 or not kinds <= set(LABELS):
        raise ValueError("labels of strange kinds")
    if any(not a < b for a, b in pairwise(labels)):
        raise ValueError("labels out of order")
    if not isinstance(header["ledger"], bool):
        raise ValueError("no word on the ledger")

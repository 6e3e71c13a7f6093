"""Model files back to models."""

import os
from collections.abc import Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from nabi import model_file
from nabi.errors import (
    DamagedFileError,
    InputError,
    MissingExtraError,
    NabiError,
    NotAModelError,
)
from nabi.features import Tokenizer
from nabi.labels import KINDS, kind_of
from nabi.text import TextClassifier

if TYPE_CHECKING:
    from nabi.table import TableClassifier


def load(
    path: str | os.PathLike[str], *, verify: bool = True, tokenizer: Tokenizer | None = None
) -> "TextClassifier | TableClassifier":
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
    if header.get("kind") not in ("text", "table"):
        raise NotAModelError(f"{os.fspath(path)} holds a model of kind {header.get('kind')!r}")
    try:
        _check_header(header)
        if header["kind"] == "table" and tokenizer is None:
            from nabi.table import TableClassifier

            return TableClassifier.from_state(header, arrays)
        if tokenizer is None or "tokenizer" in header.get("recipe", ()):
            return TextClassifier.from_state(header, arrays, tokenizer=tokenizer)
    except MissingExtraError:
        raise
    except (NabiError, AttributeError, KeyError, TypeError, ValueError) as error:
        raise DamagedFileError(f"{os.fspath(path)} is damaged: {error}") from None
    raise InputError(f"{os.fspath(path)} was trained without a tokenizer; load it without one")


def _check_header(header: Mapping[str, Any]) -> None:
    """Refuse a header whose labels could not have been written by `save`."""
    labels = header["labels"]
    if not isinstance(labels, list) or not labels:
        raise ValueError("no labels")
    kinds = {kind_of(label) for label in labels}
    if len(kinds) != 1 or not kinds <= set(KINDS):
        raise ValueError("labels of strange kinds")
    if any(not a < b for a, b in pairwise(labels)):
        raise ValueError("labels out of order")
    if not isinstance(header["ledger"], bool):
        raise ValueError("no word on the ledger")

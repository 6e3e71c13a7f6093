"""Model files back to models."""

import contextlib
import os
import re
from collections.abc import Iterator, Mapping
from importlib import import_module
from itertools import pairwise
from typing import Any

from nabi.base.labels import KINDS as LABELS
from nabi.base.labels import kind_of, shown
from nabi.errors import (
    DamagedFileError,
    InputError,
    InputTypeError,
    MissingExtraError,
    NabiError,
    NotAModelError,
)
from nabi.features.recipe import Tokenizer
from nabi.files import model_file
from nabi.files.model_file import INNER, Contents

Header = Mapping[str, Any]
# The class of each kind of model, loaded when a file asks for it.
KINDS = {
    "text": ("nabi.models.text", "TextClassifier"),
    "table": ("nabi.models.table", "TableClassifier"),
    "linear": ("nabi.models.linear.classifier", "LinearClassifier"),
    "pruned": ("nabi.models.pruned.classifier", "PrunedClassifier"),
    "neighbours": ("nabi.models.neighbours", "NeighboursClassifier"),
    "rules": ("nabi.rules", "RulesClassifier"),
    "ruled": ("nabi.rules", "RuledClassifier"),  # beside another model, which its file holds too
}

REALS = ("C", "alpha", "beta", "sharpness", "shrink", "var_smoothing")


def load(
    path: str | os.PathLike[str],
    *,
    verify: bool = True,
    tokenizer: Tokenizer | None = None,
    time_limit: float | None = None,
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
    time_limit : float, optional
        Seconds that a regular expression of rules may take on a document. Default: 1, or what the
        file says where that is less. Models without rules do not use it.
    """
    contents = model_file.read(path, verify=verify)
    return _checked(contents, os.fspath(path), tokenizer, time_limit)


def load_lean(path: str | os.PathLike[str]) -> Any:
    """The model of a file, without the memory that verifying a large one takes."""
    contents = model_file.read(path, lean=True)
    return _checked(contents, os.fspath(path), None, None)


def from_bytes(
    data: bytes,
    *,
    verify: bool = True,
    tokenizer: Tokenizer | None = None,
    time_limit: float | None = None,
) -> Any:
    """The model of a file's bytes, as `to_bytes` gives them; they are checked as `load` does.

    Parameters
    ----------
    data : bytes
        What a file of a model holds, also as a bytearray or a memoryview.
    verify, tokenizer, time_limit
        As in `load`.

    Examples
    --------
    >>> import nabi
    >>> model = nabi.TextClassifier().fit(["good film", "bad film"], ["pos", "neg"])
    >>> nabi.from_bytes(model.to_bytes()).predict(["good"]).tolist()
    ['pos']
    """
    if not isinstance(data, bytes | bytearray | memoryview):
        what = f"data is {type(data).__name__}, expected the bytes of a model file"
        raise InputTypeError(f"{what}; for a file of this name: nabi.load")
    contents = model_file.from_bytes(bytes(data), verify=verify)
    return _checked(contents, "the model", tokenizer, time_limit)


def _checked(
    contents: tuple[Header, Mapping[str, Any]],
    name: str,
    tokenizer: Tokenizer | None,
    time_limit: float | None,
) -> Any:
    """The model of a file's contents, which may be hostile; errors name the file."""
    header, arrays = contents
    kind = header.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        raise NotAModelError(f"{name} holds a model of kind {kind!r}")
    if tokenizer is not None and not _has_tokenizer(header):
        raise InputError(f"{name} was trained without a tokenizer; load it without one")
    try:
        model = _built(header, arrays, tokenizer)
    except MissingExtraError:
        raise
    except (NabiError, AttributeError, KeyError, TypeError, ValueError) as error:
        said = f"{name} is damaged: "
        raise DamagedFileError(said + str(error).removeprefix(said)) from None
    if time_limit is not None and kind in ("rules", "ruled"):
        model.rules = model.rules.limited(time_limit)
    return model


@contextlib.contextmanager
def edit(
    path: str | os.PathLike[str], *, verify: bool = True, tokenizer: Tokenizer | None = None
) -> Iterator[Any]:
    """Load a model file, change the model in the block, and save it where the block ends well.

    No other `edit`, and no command of nabi that changes the file, comes in between: they wait. So
    no change is lost. After `load` and `save`, the last writer wins. An exception in the block
    leaves the file as it was. So does a file that was replaced meanwhile, which is an error.

    Parameters
    ----------
    path : path
        A file that `save` wrote. One that is not there is a FileNotFoundError.
    verify, tokenizer
        As in `load`.

    Notes
    -----
    What is saved is the model that the block is given: learn, forget, calibrate. `+`, `-` and
    `relabel` return new models; use `nabi merge` and `nabi classes`, which hold the file likewise.
    The lock is one of the operating system (`flock`), and ends with the process.

    Examples
    --------
    >>> with nabi.edit("mail.nabi") as model:  # doctest: +SKIP
    ...     model.partial_fit(["win a prize"], ["spam"])
    """
    with model_file.exclusive(path):
        before = os.stat(path)
        model = load(path, verify=verify, tokenizer=tokenizer)
        yield model
        if not os.path.samestat(before, os.stat(path)):
            raise InputError(
                f"{os.fspath(path)} was replaced while it was edited, by a `save` in the block or "
                f"by a program that takes no lock; it stays as it is now, and this edit is not "
                f"saved. Leave `save` out of the block, and edit again"
            )
        model.save(path)


def _has_tokenizer(header: Header) -> bool:
    own = header.get("model") if header["kind"] == "ruled" else header  # beside rules
    recipe = own.get("recipe") if isinstance(own, dict) else None
    return isinstance(recipe, dict) and "tokenizer" in recipe


def _built(header: Header, arrays: Mapping[str, Any], tokenizer: Tokenizer | None) -> Any:
    """The model of a header and arrays, with the one inside of it where there is one."""
    module, name = KINDS[header["kind"]]
    loaded: Any = getattr(import_module(module), name)
    header = Contents(header)
    _check_header(header)
    options: dict[str, Any] = {}
    if header["kind"] == "ruled":
        if header["model"]["kind"] in ("rules", "ruled"):
            raise ValueError("rules beside rules")
        inner = [name for name in arrays if name.startswith(INNER)]
        of_inner = {name.removeprefix(INNER): arrays[name] for name in inner}
        arrays = {name: array for name, array in arrays.items() if name not in inner}
        options["model"] = _built(header["model"], of_inner, tokenizer)
    elif tokenizer is not None:
        options["tokenizer"] = tokenizer
    arrays = Contents(arrays)
    model = loaded.from_state(header, arrays, **options)
    if "source_columns" in header:
        model.source_columns = _source_columns(header["source_columns"])
    if "shard" in header and header["kind"] in ("text", "table"):
        model.shard = _shard(header["shard"])
    unread = sorted({*header.unread, *arrays.unread} - {"kind"})
    if unread:
        raise ValueError(f"no such model has {shown(unread)}")
    return model


def _shard(stored: Any) -> dict[str, Any]:
    """The job that trained a share of the data, of a file that may be hostile."""
    sound = isinstance(stored, dict) and stored.keys() == {"number", "of", "inputs"}
    if not sound or not all(type(stored[name]) is int for name in ("number", "of")):
        raise ValueError("a shard that is none")
    fits = 0 <= stored["number"] < stored["of"] and isinstance(stored["inputs"], str)
    if not fits or not re.fullmatch("[0-9a-f]{32}", stored["inputs"]):
        raise ValueError("a shard that is none")
    return dict(stored)


def _source_columns(stored: Any) -> dict[str, str]:
    """The columns that a model was trained on, of a file that may be hostile."""
    sound = isinstance(stored, dict) and stored and stored.keys() <= {"text", "label"}
    if not sound or not all(isinstance(name, str) and name for name in stored.values()):
        raise ValueError("source columns that are none")
    return dict(stored)


def _check_header(header: Header) -> None:
    """Refuse a header whose labels could not have been written by `save`."""
    labels = header["labels"]
    if not isinstance(labels, list) or not labels:
        raise ValueError("no labels")
    kinds = {kind_of(label) for label in labels}
    if len(kinds) != 1 or not kinds <= set(LABELS):
        raise ValueError("labels of strange kinds")
    if any(not a < b for a, b in pairwise(labels)):
        raise ValueError("labels out of order")
    if not isinstance(header["ledger"], bool) and header["ledger"] not in ("plain", "strong"):
        raise ValueError("no word on the ledger")
    if header["ledger"] is not False and header["kind"] not in ("text", "table", "ruled"):
        raise ValueError("a ledger of a model that has none")
    # 1 and True are equal to 1.0, but are other bytes when they are saved again.
    plain = dict(header)
    prior = plain.get("prior", "")
    shares = prior if isinstance(prior, list) else []
    shares = [each[-1] if isinstance(each, list) and each else each for each in shares]
    numbers = [plain.get(name, 0.0) for name in REALS] + shares
    if any(isinstance(x, int) for x in numbers) or type(plain.get("ddof", 0)) is not int:
        raise ValueError("numbers of strange kinds")

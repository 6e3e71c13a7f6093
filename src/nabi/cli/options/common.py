"""Options that several commands share, and how they are read."""

import os
from collections.abc import Iterable
from dataclasses import MISSING
from functools import partial
from typing import Any

from click import UsageError

from nabi.base.labels import Label, shown
from nabi.cli.options.declare import argument, option
from nabi.errors import InputError
from nabi.files import model_file
from nabi.models.base import Model as AnyModel


def writable(path: str | None) -> str | None:
    """Return the path; refuse it before all the work if nothing can be written there."""
    if path and path != "-":
        check_folder(path, "-o")
    return path


def check_folder(path: str, name: str) -> None:
    """Refuse a path where no file can be: it is a folder, or lies in none."""
    if os.path.isdir(path):
        raise InputError(f"{name} {path}: that is a folder; give the name of a file in it")
    folder = os.path.dirname(path)
    if folder and not os.path.isdir(folder):
        raise InputError(f"{name} {path}: no folder {folder}; make it first: mkdir -p {folder}")


def _a_model_file(path: str | None) -> str | None:
    if path == "-":
        raise UsageError("A model goes to a file, not to standard output: -o model.nabi.")
    if path and os.path.isfile(path) and os.path.getsize(path) and not model_file.is_model(path):
        raise InputError(
            f"-o {path}: that file is no nabi model; choose another name for the model"
        )
    return writable(path)


def check_apart(written: str | None, kept: Iterable[str], name: str = "-o") -> None:
    """Refuse to write over what is read."""
    if not written or written == "-" or not os.path.exists(written):
        return
    for path in kept:
        if os.path.exists(path) and os.path.samefile(path, written):
            raise InputError(f"{name} {written}: that file is read here; give another name")


def _beta(value: float) -> float:
    if not 0 < value < float("inf"):
        raise UsageError(f"--beta {value:g}: expected a number above 0, such as 2.")
    return value


MODEL: Any = argument("A model file, as `train` writes it.", "MODEL")
_model_to_write = partial(option, metavar="MODEL", short="-o", check=_a_model_file)
NEW_MODEL: Any = _model_to_write("The model file to write.", default="model.nabi")
REQUIRED_MODEL: Any = _model_to_write("The model file to write.", default=MISSING)
OTHER_MODEL: Any = _model_to_write("The model file to write (default: replace MODEL).")
PRIOR: Any = option(
    "Prior to use instead of the model's: uniform, empirical, or spam=0.1,ham=0.9.", "PRIOR"
)
BETA: Any = option(
    "Weight of recall in F: B times as important as precision.", "B", default=1.0, check=_beta
)


def prior(typed: str | None, labels: list[Label] | None) -> Any:
    """'spam=0.1,ham=0.9' -> a number for each label; 'uniform' and 'empirical' as they are."""
    if typed is None or typed in ("uniform", "empirical"):
        return typed
    shares: dict[Label, float] = {}
    for item in typed.split(","):
        name, _, number = item.rpartition("=")
        share = as_number(number)
        if not name or share is None:
            raise InputError(
                f"--prior {typed}; expected uniform, empirical or c=p,... such as spam=0.1,ham=0.9"
            )
        shares[named_label(name.strip(), labels)] = share
    return shares


def as_number(typed: str) -> float | None:
    """'0.5' -> 0.5; None for what is no number"""
    try:
        return float(typed)
    except ValueError:
        return None


def named_label(name: str, labels: list[Label] | None) -> Label:
    """Return the label that is written like this; refuse an unknown one."""
    if labels is None:
        return name
    by_name = {str(label): label for label in labels}
    if name not in by_name:
        raise InputError(f"no class {name!r}; the classes are {shown(labels)}")
    return by_name[name]


def labels_of(model: AnyModel) -> list[Label]:
    """Return the classes of a model."""
    labels: list[Label] = model.classes_.tolist()
    return labels


def class_counts(model: AnyModel) -> dict[str, float]:
    """Return the number of texts of each class, by its name."""
    counts: list[float] = model.class_count_.tolist()
    return dict(zip(map(str, labels_of(model)), counts, strict=True))


def facts(model: Any) -> dict[str, Any]:
    """Return the kind of a model, and what it says of itself."""
    from nabi.models.counting import CountingModel

    if not isinstance(model, CountingModel):
        return {"kind": model.kind, **model.facts}
    return {"kind": model.kind, **model.extent, "alpha": model.alpha_}

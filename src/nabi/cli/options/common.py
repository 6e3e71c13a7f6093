"""Options that several commands share, and how they are read."""

import os
from collections.abc import Iterable
from typing import Annotated, Any

import typer

from nabi.base.labels import Label, shown
from nabi.errors import InputError
from nabi.files import model_file
from nabi.models.base import Model as AnyModel

UsageError: Any = typer.BadParameter.__bases__[0]  # typer exports no name for it


def writable(path: str | None) -> str | None:
    """The path, unless nothing can be written there: better said before all the work."""
    if path and path != "-":
        check_folder(path, "-o")
    return path


def check_folder(path: str, option: str) -> None:
    """Refuse a path where no file can be: it is a folder, or lies in none."""
    if os.path.isdir(path):
        raise InputError(f"{option} {path}: that is a folder; give the name of a file in it")
    folder = os.path.dirname(path)
    if folder and not os.path.isdir(folder):
        raise InputError(f"{option} {path}: no folder {folder}; make it first: mkdir -p {folder}")


def _a_model_file(path: str | None) -> str | None:
    if path == "-":
        raise UsageError("A model goes to a file, not to standard output: -o model.nabi.")
    if path and os.path.isfile(path) and os.path.getsize(path) and not model_file.is_model(path):
        raise InputError(
            f"-o {path}: that file is no nabi model; choose another name for the model"
        )
    return writable(path)


def check_apart(written: str | None, kept: Iterable[str], option: str = "-o") -> None:
    """Refuse to write over what is read."""
    if not written or written == "-" or not os.path.exists(written):
        return
    for path in kept:
        if os.path.exists(path) and os.path.samefile(path, written):
            raise InputError(f"{option} {written}: that file is read here; give another name")


Model = Annotated[str, typer.Argument(metavar="MODEL", help="A model file, as `train` writes it.")]
NewModel = Annotated[
    str,
    typer.Option(
        "--output", "-o", metavar="MODEL", help="The model file to write.", callback=_a_model_file
    ),
]
OtherModel = Annotated[
    str | None,
    typer.Option(
        "--output",
        "-o",
        metavar="MODEL",
        help="The file to write; otherwise MODEL itself is replaced.",
        callback=_a_model_file,
    ),
]
OtherPrior = Annotated[
    str | None,
    typer.Option(metavar="PRIOR", help="Another prior: uniform, empirical or c=p,..."),
]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Quiet = Annotated[
    bool,
    typer.Option("--quiet", "-q", help="Print warnings and errors only: no progress, no summary."),
]

NoProgress = Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")]


def prior(given: str | None, labels: list[Label] | None) -> Any:
    """'spam=0.1,ham=0.9' by label; 'uniform' and 'empirical' as they are."""
    if given is None or given in ("uniform", "empirical"):
        return given
    shares: dict[Label, float] = {}
    for item in given.split(","):
        name, _, share = item.rpartition("=")
        if not name or not _is_number(share):
            raise InputError(
                f"--prior {given}; expected uniform, empirical or c=p,... such as spam=0.1,ham=0.9"
            )
        shares[named_label(name.strip(), labels)] = float(share)
    return shares


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def named_label(name: str, labels: list[Label] | None) -> Label:
    """The label that a person writes like this."""
    if labels is None:
        return name
    by_name = {str(label): label for label in labels}
    if name not in by_name:
        raise InputError(f"no class {name!r}; the classes are {shown(labels)}")
    return by_name[name]


def labels_of(model: AnyModel) -> list[Label]:
    """The model's classes."""
    labels: list[Label] = model.classes_.tolist()
    return labels


def extent(model: AnyModel) -> dict[str, Any]:
    """How much a model knows, for a program: its vocabulary, or the models of its columns."""
    return model.extent


def class_counts(model: AnyModel) -> dict[str, float]:
    """How many texts each class has, by its name."""
    counts: list[float] = model.class_count_.tolist()
    return dict(zip(map(str, labels_of(model)), counts, strict=True))

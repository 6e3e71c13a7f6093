"""The file for bad rows: never over what is read, over what is written, or over someone's file."""

import glob
import os
import sys
from collections.abc import Iterable

from nabi.cli.options.common import check_folder
from nabi.errors import InputError
from nabi.readers.rejects import are_rejects


def rejects_path(named: str | None, beside: str) -> str:
    """Return the file that was named, or `mail.rejects.csv` beside `mail.nabi`."""
    return named or f"{os.path.splitext(beside)[0]}.rejects.csv"


def check_rejects(
    path: str, *, named: bool, read: Iterable[str], written: Iterable[str], query: str = ""
) -> None:
    """Refuse a file for bad rows that is read here, is written here, or is something else."""
    check_folder(path, "--rejects")
    where = f"--rejects {path}" if named else f"{path}, where bad rows would go"
    else_ = "give another name" if named else "give another one: --rejects FILE"
    if any(
        _holds(other, path) for name in read for other in (name, *glob.glob(name, recursive=True))
    ):
        raise InputError(f"{where}: that file is read here; {else_}")
    is_full = os.path.isfile(path) and os.path.getsize(path) > 0
    if query and (os.path.basename(path) in query or is_full):
        raise InputError(f"{where}: that file is there, and --sql may read it; {else_}")
    if any(_holds(other, path) for other in (*written, "-")):
        raise InputError(f"{where}: that file is written here; {else_}")
    if (os.path.islink(path) and not named) or not are_rejects(path):
        raise InputError(f"{where}: that file is something else; {else_}")


def _holds(other: str, path: str) -> bool:
    """Tell whether a path is another file by whatever name, or lies in it as a folder."""
    if other == "-":
        return any(_is_stream(stream, path) for stream in (sys.stdin, sys.stdout))
    one, two = os.path.realpath(other), os.path.realpath(path)
    if one == two or (os.path.isdir(one) and os.path.commonpath([one, two]) == one):
        return True
    return os.path.exists(one) and os.path.exists(two) and os.path.samefile(one, two)


def _is_stream(stream: object, path: str) -> bool:
    """Tell whether a stream of the process is a file that the shell opened."""
    try:
        number: int = stream.fileno()  # type: ignore[attr-defined]
        return os.path.isfile(path) and os.path.samestat(os.fstat(number), os.stat(path))
    except (OSError, ValueError, AttributeError):  # one that is closed, or not of the system
        return False

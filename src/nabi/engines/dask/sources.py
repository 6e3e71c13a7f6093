"""Sources that workers read: paths, and dataframes of Dask."""

import os
from collections.abc import Iterable
from typing import Any

from nabi.errors import InputError, InputTypeError

# Options of `nabi.read` that make sense where others read.
READING = ("text", "label", "format", "encoding", "delimiter", "quotes", "header", "skip_bad")


def is_dataframe(data: Any) -> bool:
    """Whether data are a dataframe of Dask."""
    return hasattr(data, "npartitions") and hasattr(data, "to_delayed")


def check_reading(given: Iterable[str], known: Iterable[str] = READING) -> None:
    """Refuse options that cannot be used."""
    for name in given:
        if name == "sql":
            raise InputError("sql: workers cannot share a query; write its rows to files first")
        if name not in known:
            listed = ", ".join(known) or "none: a dataframe is read already"
            raise InputError(f"no option {name!r}; expected options of nabi.read: {listed}")


def paths_of(data: Any) -> list[str]:
    """Return the names of files in full, since workers may be in other folders."""
    listed = [data] if isinstance(data, str | os.PathLike) else data
    names: list[Any] = [*listed] if isinstance(listed, list | tuple) else []
    if not names or not all(isinstance(each, str | os.PathLike) for each in names):
        what = f"data is {type(data).__name__}, expected paths or a dask.dataframe.DataFrame"
        raise InputTypeError(f"{what}; for data in memory: nabi.TextClassifier().fit")
    if "-" in names:
        raise InputError("standard input cannot be read by workers; name files")
    return [os.path.abspath(each) for each in names]

"""The commands that a command proposes next: each runs as it stands, when it is pasted."""

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from shlex import join, quote
from typing import Any

TEXT = '"a text of yours"'


def following(model: Any, path: str, data: Sequence[str], columns: Iterable[str]) -> list[str]:
    """Return commands for a model that was just trained: explain, predict, and what it knows.

    `data` is what to type to read some data, with these columns, or nothing.
    """
    document = _row(model.columns_) if model.is_table else TEXT
    known = "words" if hasattr(model, "words") and not model.is_table else "info"
    row = f"{join(data)} --rows 1" if model.is_table and data else document
    return [
        f"nabi explain {quote(path)} {row}",
        f"nabi predict {quote(path)} {_to_file(data, columns) if data else document}",
        f"nabi {known} {quote(path)}",
    ]


def _to_file(data: Sequence[str], columns: Iterable[str]) -> str:
    """`mail.csv --encoding latin-1 -o labelled.csv`, with names that are free"""
    taken = {name.lower() for name in columns}
    column = [] if "predicted" not in taken else ["--column", _free("predicted", taken)]
    return join([*data, *column, "-o", f"{_free('labelled', _stems())}.csv"])


def _stems() -> set[str]:
    """Return the names of the files that are here, without .csv."""
    return {name.removesuffix(".csv") for name in os.listdir()}


def _free(name: str, taken: set[str]) -> str:
    """'labelled' -> 'labelled_2', if the first is taken"""
    names = (name, *(f"{name}_{i}" for i in range(2, len(taken) + 3)))
    return next(each for each in names if each not in taken)


def _row(columns: Mapping[str, str]) -> str:
    """Return a row of a table as it is typed in a shell; columns left out are missing."""
    name, model = next(iter(columns.items()))
    value = "..." if model in ("text", "categorical") else model == "bernoulli" or 1
    return quote(json.dumps({name: value}, ensure_ascii=False))

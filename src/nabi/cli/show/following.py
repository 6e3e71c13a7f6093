"""The commands that a command proposes next: each runs as it stands, when it is pasted."""

import json
import os
from collections.abc import Mapping
from shlex import quote
from typing import Any

from nabi.cli.options.source import LabelledTexts
from nabi.readers import Reader

TEXT = '"a text of yours"'


def following(model: Any, path: str, source: LabelledTexts, reader: Reader) -> list[str]:
    """Return commands for a model that was just trained: explain, predict, and what it knows."""
    document = _row(model.columns_) if model.is_table else TEXT
    known = "words" if hasattr(model, "words") else "info"
    return [
        f"nabi explain {quote(path)} {document}",
        f"nabi predict {quote(path)} {_data(source, reader) or document}",
        f"nabi {known} {quote(path)}",
    ]


def _data(source: LabelledTexts, reader: Reader) -> str:
    """`mail.csv --encoding latin-1 -o labelled.csv`; empty where data cannot be read again."""
    if source.sql is not None or "-" in source.data:
        return ""
    taken = {name.lower() for name in reader.names}
    column = [] if "predicted" not in taken else ["--column", _free("predicted", taken)]
    output = ["-o", f"{_free('labelled', _stems())}.csv"]
    return " ".join(map(quote, [source.data[0], *source.reading(), *column, *output]))


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

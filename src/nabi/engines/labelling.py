"""Labelling files that are shared among workers: each file gives one, which a worker writes."""

import os
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import closing
from functools import lru_cache
from typing import Any

import numpy as np

from nabi.errors import InputError
from nabi.files import writers
from nabi.models import streaming
from nabi.models.base import Model
from nabi.models.load import load
from nabi.readers import read
from nabi.readers.files import Scratch, find

KINDS = (".csv", ".tsv", ".jsonl", ".parquet", ".xlsx")


def outputs_of(
    paths: Iterable[str | os.PathLike[str]],
    folder: str | os.PathLike[str],
    *,
    format: str | None = None,
    encoding: str | None = None,
) -> list[tuple[str, str]]:
    """Return (file, file of its labelled rows) for each file, the largest first.

    The new files have the names of the old ones; what is no CSV, TSV, JSON Lines, Parquet or Excel
    file becomes CSV.
    """
    with closing(Scratch()) as scratch:
        files = find(paths, scratch, format=format, encoding=encoding)
    found: dict[str, str] = {}
    for file in sorted(files, key=lambda file: (-file.size, file.name)):
        if file.format == "folder":
            raise InputError(f"{file.name}: an engine labels files; name the files of this folder")
        name = os.path.basename(file.path)
        stem = name.split(file.extension)[0] if file.extension else name
        new = stem + (file.extension if file.extension in KINDS else ".csv")
        target = os.path.join(os.path.abspath(folder), new)
        if target in found:
            raise InputError(
                f"{file.name} and {found[target]} would both become {target}; label them by two "
                f"commands, or give them different names"
            )
        if os.path.realpath(target) == os.path.realpath(file.path):
            raise InputError(f"{file.name} would be replaced; give another folder for the output")
        found[target] = os.path.abspath(file.name)
    return [(path, target) for target, path in found.items()]


def label_file(
    model: str,
    path: str,
    target: str,
    *,
    reading: Mapping[str, Any],
    asked: Mapping[str, Any],
    safe_csv: bool = False,
) -> Counter[int]:
    """Write the rows of a file with their labels; return how often each label was predicted.

    `reading` are options of `nabi.readers.read`, `asked` those of `streaming.predict`. The file is
    written whole or not at all, so that a task can run again.
    """
    classifier = _loaded(model, os.stat(model).st_mtime_ns)
    classifier.threads = 1
    return label_by(classifier, path, target, reading=reading, asked=asked, safe_csv=safe_csv)


def label_by(
    classifier: Any,
    path: str,
    target: str,
    *,
    reading: Mapping[str, Any],
    asked: Mapping[str, Any],
    safe_csv: bool = False,
) -> Counter[int]:
    """Write the rows of a file with their labels by a model; see `label_file`."""
    found: Counter[int] = Counter()
    decision = asked.get("decision")
    labels = classifier.classes_.tolist()
    outcomes = labels if decision is None else decision.outcomes(labels)
    known = {"table": classifier.reads_columns, "remembered": classifier.source_columns}
    options: dict[str, Any] = {**known, "labelled": False, "keep": True, "threads": 1, **reading}
    with closing(read(path, **options)) as reader:

        def counted(rows: Iterable[writers.Labelled]) -> Any:
            for part, chosen in rows:
                numbers, times = np.unique(chosen[0].numbers, return_counts=True)
                found.update(dict(zip(numbers.tolist(), times.tolist(), strict=True)))
                yield part, chosen

        rows = streaming.predict(classifier, reader, **asked)
        writers.write(target, counted(rows), outcomes, safe_csv=safe_csv)
    return found


@lru_cache(maxsize=2)
def _loaded(path: str, changed: int) -> Model:
    """The model of a file; a worker has one for all of its tasks."""
    model: Model = load(path)
    return model

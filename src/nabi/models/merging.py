"""The sum of model files: any number of them, in memory that does not grow with them."""

import contextlib
import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

from nabi.base.checks import whole_number
from nabi.base.fixed_point import UNIT
from nabi.base.settings import largest_setting
from nabi.counts.merging import Merging, check_like, merged
from nabi.errors import InputError, RecipeError
from nabi.features.recipe import MOST
from nabi.files.model_file import exclusive
from nabi.files.spool import Spools
from nabi.metrics.thresholds import Decision
from nabi.models.base import require
from nabi.models.calibration_state import of_sum
from nabi.models.counting import CountingModel
from nabi.models.load import load, load_lean

MOST_FILES = 256  # that are open at a time; of more, the sum of these is merged with the next

Path = str | os.PathLike[str]
Step = Callable[[int, int], None]


@dataclass
class MergedModel:
    """The sum of some model files, until the block ends in which it was made."""

    model: CountingModel
    # How many documents of each file were in those before it, with the same label, if any were.
    shared: dict[str, float] = field(default_factory=dict)
    decisions: list[Decision | None] = field(default_factory=list)
    shards: list[Mapping[str, Any] | None] = field(default_factory=list)


def merge(
    paths: Sequence[Path], output: Path, *, floor: int | None = None, threads: int | None = None
) -> CountingModel:
    """Merge model files into one: the model that was trained on all their documents.

    The files are read as the sum is written, so that memory does not grow with them. The bytes are
    those of `sum(models)`.

    Parameters
    ----------
    paths : sequence of paths
        Files of models with the same recipe, in any order.
    output : path
        The file to write. It may be one of the others.
    floor : int, optional
        Leave out words that were seen fewer times in all files; see `TextClassifier.floor`.
    threads : int, optional
        How many threads to use; by default all that the process may.

    Returns
    -------
    model
        The model of the file that was written.

    Examples
    --------
    >>> nabi.merge(["monday.nabi", "tuesday.nabi"], "week.nabi")  # doctest: +SKIP
    """
    with exclusive(output), merging(paths, output, floor=floor, threads=threads) as found:
        found.model.save(output)
    model: CountingModel = load(output, verify=False)
    return model


@contextlib.contextmanager
def merging(
    paths: Sequence[Path],
    output: Path,
    *,
    floor: int | None = None,
    threads: int | None = None,
    watch: Step = lambda done, of: None,
) -> Iterator[MergedModel]:
    """The sum of model files, to be saved in the block; large arrays are in temporary files."""
    names = [os.fspath(path) for path in paths]
    if not names:
        raise InputError("no models to merge; name their files")
    if floor is not None:
        expected = "a whole number from 1"
        floor = whole_number("floor", floor, 1, MOST["min_count"], expected=expected)
    folder = os.path.dirname(os.path.realpath(output)) or "."
    if len(names) == 1 and floor is None:
        yield _alone(names[0])
        return
    with tempfile.TemporaryDirectory(prefix=".nabi-merge-", dir=folder) as rounds:
        place = os.path.join(rounds, "sum.nabi")
        shared: dict[str, float] = {}
        decisions: list[Decision | None] = []
        shards: list[Mapping[str, Any] | None] = []
        while len(names) > MOST_FILES:
            with Spools(folder) as spools:
                before = _sum(names[:MOST_FILES], Merging(spools, threads, None, watch))
                before.model.save(place)
            shared |= before.shared
            decisions += before.decisions
            shards += before.shards if not shards else before.shards[1:]
            names = [place, *names[MOST_FILES:]]
        with Spools(folder) as spools:
            found = _sum(names, Merging(spools, threads, floor, watch))
            found.shared = shared | found.shared
            found.decisions = decisions + found.decisions
            found.shards = shards + found.shards[bool(shards) :]
            yield found


def _alone(path: str) -> MergedModel:
    model = _counting(load(path), path)
    told, model.shard = model.shard, None
    return MergedModel(model, {}, [model.decision], [told])


def _sum(paths: list[str], how: Merging) -> MergedModel:
    """The sum of files that are open at the same time."""
    models = [_counting(load_lean(path), path) for path in paths]
    first = models[0]
    for model, path in zip(models, paths, strict=True):
        if type(model) is not type(first):
            raise _not_alike(paths, path, "one is a model of texts, the other of tables")
    if how.floor is not None and first.is_table:
        raise InputError("a floor is for models of texts; merge tables without it")
    many = [model.counts for model in models]
    try:
        check_like(many)
    except RecipeError as error:
        raise _not_alike(paths, paths[error.at or 0], error) from None
    counts, shared = merged(many, how)
    kept = None
    if how.floor is None:
        kept = reduce(of_sum, [model._kept for model in models])
    model = first._with_counts(counts, kept)
    rules = [each._decision_rule for each in models if each._decision_rule is not None]
    model._decision_rule = max(rules, key=str, default=None)
    model.source_columns = largest_setting(*(each.source_columns for each in models))
    decisions = [each.decision for each in models]
    told = [each.shard for each in models]
    return MergedModel(model, _shared(paths, models, shared), decisions, told)


def _counting(model: CountingModel, path: str) -> CountingModel:
    """Refuse a model that cannot be merged."""
    try:
        require(model, "__add__")
    except InputError as error:
        raise InputError(f"{path}: {error}") from None
    return model


def _not_alike(paths: list[str], path: str, why: object) -> RecipeError:
    return RecipeError(f"{path} does not fit {paths[0]}: {why}")


def _shared(
    paths: list[str], models: list[CountingModel], units: Sequence[int]
) -> dict[str, float]:
    """How many documents of each file were in those before it.

    Without a ledger nobody knows but of a file that is named twice.
    """
    found: dict[str, float] = {}
    for i, path in enumerate(paths):
        number = 0.0
        if i and i < len(units):
            number = units[i] / UNIT
        elif any(os.path.samefile(path, earlier) for earlier in paths[:i]):
            number = float(models[i].class_count_.sum())
        found[path] = found.get(path, 0.0) + number
    return {path: number for path, number in found.items() if number}

"""Counting that is shared among workers: what all engines that do so have in common.

    rows or files --count--> pieces --merge, range by range--> pieces --assemble--> model

An engine carries pieces from step to step, as rows or as values of tasks. Each step is a pure
function of what it is given, so that a task may run twice, and the order of pieces does not matter.
The model is that of one process, byte for byte.
"""

import contextlib
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from nabi.base.checks import whole_number
from nabi.base.fixed_point import UNIT
from nabi.counts.merging import Merging, merged
from nabi.counts.pieces import MOST, Cuts, Piece, assembled, cut, merged_pieces
from nabi.counts.text import Counts
from nabi.errors import InconsistentError, InputError
from nabi.features.recipe import MOST as HIGHEST
from nabi.features.recipe import Tokenizer
from nabi.files.spool import Spools
from nabi.models import streaming
from nabi.models.counting import CountingModel
from nabi.models.load import from_bytes, load
from nabi.models.text import TextClassifier
from nabi.readers import read
from nabi.readers.files import Scratch, find
from nabi.readers.shares import Share, files_of

RANGES = 16
SAMPLE = 1000  # texts by which ranges are cut
TASK = 2**27  # bytes of files that one task counts
FEW = 8  # tasks, where there are as many files

Reading = Mapping[str, Any]  # options of `nabi.readers.read`


@dataclass(frozen=True)
class Plan:
    """Plan that all workers know: the model to learn, and where counts are cut."""

    model: CountingModel  # which has learned nothing
    cuts: Cuts = field(default_factory=Cuts)
    floor: int | None = None

    @classmethod
    def of(
        cls,
        model: CountingModel | None = None,
        sample: Any = (),
        *,
        ranges: int | None = None,
        floor: int | None = None,
        most: int = MOST,
    ) -> "Plan":
        """A plan for a model (default: TextClassifier()); `sample` are some of the texts.

        Ranges of features are cut by the sample, so that they are about even. The cuts change how
        the work is shared, and never the result.
        """
        model = TextClassifier() if model is None else model
        floor = checked_floor(model, floor)
        twin = type(model)(**model.get_params())  # which no other thread changes
        if model.is_table:
            return cls(twin)
        n = whole_number("ranges", RANGES if ranges is None else ranges, 1)
        counts = Counts(model.recipe, ledger=False)  # type: ignore[attr-defined]
        if len(sample):
            texts = sample[:SAMPLE] if isinstance(sample, list) else sample
            counts, _ = twin.count(texts, ["sample"] * len(texts))
        return cls(twin, Cuts.even(counts, n, most), floor)

    def new_model(self) -> Any:
        """Return a model that has learned nothing, for one worker: it counts on one thread.

        A prior is of all classes, and a worker may see some of them alone.
        """
        params = {**self.model.get_params(), "threads": 1, "prior": "empirical"}
        return type(self.model)(**params)


def checked_floor(model: Any, floor: int | None) -> int | None:
    """Return the floor; refuse one that the model cannot have, and models that cannot be trained.

    So nothing is counted in vain.
    """
    if not isinstance(model, CountingModel) or model.__sklearn_is_fitted__():
        raise InputError(
            f"an engine trains a counting model that has learned nothing, and this is "
            f"{model!r}; give a new TextClassifier, and train other kinds in one process"
        )
    model.check()
    if floor is None:
        return None
    if model.is_table:
        raise InputError("a floor is for models of texts; train tables without it")
    return whole_number("floor", floor, 1, HIGHEST["min_count"], expected="a whole number from 1")


def tokenizer_of(model: Any) -> Tokenizer | None:
    """Return the tokenizer of its own that a model has: a file cannot hold it."""
    found: Tokenizer | None = getattr(getattr(model, "recipe", None), "tokenizer", None)
    return found


# ---- count ----


class Task(NamedTuple):
    """Files that one worker reads, or a share of the rows of all of them."""

    paths: tuple[str, ...]
    share: tuple[int, int] = (0, 1)


def tasks_of(
    paths: Iterable[str | os.PathLike[str]],
    n: int | None = None,
    *,
    format: str | None = None,
    encoding: str | None = None,
) -> list[Task]:
    """Share files among n tasks: whole files where that gives even shares, rows where not.

    By default a task has about 128 MB.
    """
    with closing(Scratch()) as scratch:
        files = find(paths, scratch, format=format, encoding=encoding)
        if n is None:
            size = sum(file.size for file in files)
            n = max(1, min(len(files), FEW), -(-size // TASK))
        n = whole_number("tasks", n, 1)
        names = {id(file): os.path.abspath(file.name) for file in files}
        shares = [files_of(files, Share(i, n)) for i in range(n)]
    whole = tuple(names.values())
    return [
        Task(whole, (i, n)) if own is None else Task(tuple(names[id(file)] for file in own))
        for i, own in enumerate(shares)
    ]


def count(plan: Plan, batches: Iterable[tuple[Any, Any]]) -> Iterator[Piece]:
    """Yield the pieces of texts and labels that come in batches; nothing where none come."""
    model = plan.new_model()
    if isinstance(model, TextClassifier):
        stream = model.count_stream()
        n = 0
        for texts, labels in batches:
            n += len(labels)
            if len(labels):
                stream.add(texts, labels)
        if n:
            model.learn_counts(stream.finish())
    else:
        for rows, labels in batches:
            if len(labels):
                model.partial_fit(rows, labels)
    yield from pieces_of(plan, model)


def count_files(plan: Plan, task: Task, reading: Reading) -> Iterator[Piece]:
    """Yield the pieces of the rows of a task; nothing where there are none."""
    model = plan.new_model()
    with closing(read(*task.paths, share=task.share, threads=1, **reading)) as reader:
        streaming.learn(model, reader)
    yield from pieces_of(plan, model)


def pieces_of(plan: Plan, model: Any) -> Iterator[Piece]:
    """Yield the pieces of what a model has learned: of a table the whole, of texts by ranges."""
    if not model.__sklearn_is_fitted__():
        return
    if model.is_table:
        yield Piece(0, 0, model.to_bytes())
    else:
        yield from cut(model.counts, plan.cuts)


# ---- merge ----


def merge(plan: Plan, pieces: Sequence[bytes]) -> Iterator[tuple[int, bytes]]:
    """Yield (part, bytes) of the sum of all pieces of one range, which come in any order."""
    with Spools(tempfile.gettempdir()) as spools:
        how = Merging(spools, 1, plan.floor)
        if plan.model.is_table:
            models = [from_bytes(data) for data in pieces]
            counts, _ = merged([model.counts for model in models], how)
            yield 0, _model_of(plan, counts).to_bytes()
            return
        recipe = Counts(plan.model.recipe, ledger=False).recipe  # type: ignore[attr-defined]
        yield from merged_pieces(pieces, recipe, how, plan.cuts)


def _model_of(plan: Plan, counts: Any) -> CountingModel:
    model = type(plan.model)(**plan.model.get_params())
    model.learn_counts(counts)
    return model


# ---- assemble ----


class Assembly:
    """Merged pieces, in files of a folder; `model` puts them together."""

    def __init__(self, plan: Plan, folder: str) -> None:
        self._plan, self._folder = plan, folder
        self._paths: dict[tuple[int, int], str] = {}

    def add(self, range: int, part: int, data: bytes) -> None:
        """Take a merged piece, in any order."""
        path = os.path.join(self._folder, f"{range:06}-{part:06}")
        with open(path, "wb") as file:
            file.write(data)
        self._paths[range, part] = path

    def model(self) -> CountingModel:
        """Return the model, to be saved while the folder is there."""
        if not self._paths:
            raise InputError("no rows: there is nothing to learn; look at the data that was given")
        paths = [self._paths[at] for at in sorted(self._paths)]
        if self._plan.model.is_table:
            return _model_of(self._plan, load(paths[0], verify=False).counts)
        self._check_whole()
        empty = Counts(self._plan.model.recipe, ledger=False)  # type: ignore[attr-defined]
        return _model_of(self._plan, assembled(empty, paths, self._plan.floor))

    def path(self, name: str) -> str:
        """Return the path of another file of the folder."""
        return os.path.join(self._folder, name)

    def _check_whole(self) -> None:
        cuts, has_ledger = self._plan.cuts, self._plan.model.ledger is not False
        ranges = cuts.ranges + (cuts.shards if has_ledger else 0)
        there = {range for range, part in self._paths}
        if len(there) != ranges:
            raise InconsistentError(f"{len(there)} ranges came of {ranges}; fit again")


@contextlib.contextmanager
def assembling(plan: Plan, beside: str | os.PathLike[str] | None = None) -> Iterator[Assembly]:
    """A place for merged pieces, in the folder of a file or of temporary files."""
    folder = None if beside is None else os.path.dirname(os.path.realpath(beside))
    with tempfile.TemporaryDirectory(prefix=".nabi-merge-", dir=folder) as place:
        yield Assembly(plan, place)


def check_documents(model: CountingModel, rows: int) -> None:
    """Refuse a model that has not learned as many documents as there are rows."""
    learned = sum(model.counts.docs.tolist()) / UNIT
    if learned != rows:
        raise InconsistentError(
            f"the model has learned {learned:,.0f} documents, and the data have {rows:,} rows: "
            f"they changed meanwhile; write them to files or cache them, and fit again"
        )

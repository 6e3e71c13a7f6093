"""Learning from Structured Streaming: every batch once, also where Spark gives it again."""

import os
import re
from contextlib import suppress
from typing import TYPE_CHECKING

from nabi.engines.partials import tokenizer_of
from nabi.engines.spark.fitting import fit
from nabi.errors import InputError
from nabi.models.counting import CountingModel
from nabi.models.load import load
from nabi.models.merging import merge
from nabi.models.text import TextClassifier

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

BATCH, SUM = re.compile(r"batch-(\d+)\.nabi"), re.compile(r"to-(\d+)\.nabi")
EVERY = 16  # batches that are in files of their own, before they are merged


class BatchLearner:
    """A function for `foreachBatch`: learns each batch of a stream once, in files of a folder.

    Spark gives the last batch again when a query goes on after a failure. Each batch has a file of
    its own by its number, which a batch that comes again replaces: the model is that of learning it
    once. Files of earlier batches are merged now and then.

    Parameters
    ----------
    folder : path
        Where the files are; it is made if it is not there. One query writes into a folder, and the
        folder belongs to the checkpoint of that query.
    model : TextClassifier, optional
        A model that has learned nothing: its parameters say what is counted.
    text, label : str
        The columns.

    Examples
    --------
    >>> learner = BatchLearner(folder)
    >>> rows = [("good film", "pos"), ("bad film", "neg")]
    >>> learner(spark.createDataFrame(rows, ["text", "label"]), 0)
    >>> learner.model().class_count_.tolist()
    [1.0, 1.0]

    With a stream:

    >>> options = {"checkpointLocation": "/data/checkpoint"}
    >>> mails.writeStream.foreachBatch(learner).options(**options).start()  # doctest: +SKIP
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        model: CountingModel | None = None,
        *,
        text: str = "text",
        label: str = "label",
    ) -> None:
        self._folder = os.path.abspath(folder)
        self._empty = TextClassifier() if model is None else model
        self._text, self._label = text, label

    def __call__(self, frame: "DataFrame", batch: int) -> None:
        """Learn a batch, which `batch` is the number of."""
        os.makedirs(self._folder, exist_ok=True)
        sums, batches = self._numbers(SUM), self._numbers(BATCH)
        last = max([-1, *sums, *batches])
        if batch < last:
            raise InputError(
                f"batch {batch} came after batch {last} of {self._folder}: the checkpoint of this "
                f"query is another one than that of the folder; give the query a new folder"
            )
        path = self._path(f"batch-{batch}")
        if frame.isEmpty():
            with suppress(FileNotFoundError):
                os.unlink(path)
            return
        fit(frame, self._empty, text=self._text, label=self._label, output=path)
        earlier = [number for number in batches if number < batch]
        if len(earlier) >= EVERY:
            self._merge(max(earlier))

    def model(self) -> CountingModel:
        """Return the model of all batches that were learned."""
        tokenizer = tokenizer_of(self._empty)
        models = [load(path, tokenizer=tokenizer) for _, path in self._files()]
        if not models:
            raise InputError(f"{self._folder}: no batch was learned yet")
        found: CountingModel = sum(models[1:], models[0])
        return found

    def _merge(self, last: int) -> None:
        """Merge the files of all batches up to one that cannot come again."""
        merge([path for number, path in self._files() if number <= last], self._path(f"to-{last}"))
        gone = [f"batch-{number}" for number in self._numbers(BATCH) if number <= last]
        gone += [f"to-{number}" for number in self._numbers(SUM) if number < last]
        for name in gone:
            os.unlink(self._path(name))

    def _files(self) -> list[tuple[int, str]]:
        """Return the files that count, by number: the newest sum, and the batches after it."""
        newest = max([-1, *self._numbers(SUM)])
        found = [(newest, self._path(f"to-{newest}"))] if newest >= 0 else []
        own = [number for number in self._numbers(BATCH) if number > newest]
        return [*found, *((number, self._path(f"batch-{number}")) for number in own)]

    def _numbers(self, name: re.Pattern[str]) -> list[int]:
        with suppress(FileNotFoundError):
            matches = map(name.fullmatch, os.listdir(self._folder))
            return sorted(int(match[1]) for match in matches if match)
        return []

    def _path(self, name: str) -> str:
        return os.path.join(self._folder, f"{name}.nabi")

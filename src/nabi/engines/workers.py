"""Engines that share work among workers, as the command line sees them: all alike."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from importlib import import_module
from typing import Any, Protocol

from nabi.base.checks import one_of
from nabi.models.counting import CountingModel

NAMES = ("spark", "dask")

Step = Callable[[str, int, int], None]  # told what is done, and how many tasks of all


class Workers(Protocol):
    """A connection to an engine."""

    def fit_files(
        self,
        paths: Sequence[str],
        model: CountingModel,
        *,
        output: str,
        watch: Step,
        **reading: Any,
    ) -> CountingModel:
        """Train on files that workers read, and write the model to a file; return it."""

    def predict_files(
        self, model: str, paths: Sequence[str], *, output: str, watch: Step, **options: Any
    ) -> Mapping[int, int]:
        """Label the rows of files that workers read, into files of a folder.

        `options` are those of `nabi.engines.labelling.label_file`. Returns how often each label was
        predicted, by its number.
        """


def connect(engine: str, url: str | None) -> AbstractContextManager[Workers]:
    """Return a connection to the engine of that name; without a URL, to workers on this machine.

    `nabi.engines.NAME.connected(url)` makes it.
    """
    one_of("engine", engine, NAMES)
    found: AbstractContextManager[Workers] = import_module(f"nabi.engines.{engine}").connected(url)
    return found

"""Spark as the command line sees it: a connection that trains and predicts on files."""

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from nabi.engines.spark.fitting import fit
from nabi.engines.spark.predicting import predict_files
from nabi.engines.spark.session import explained, followed, new_session
from nabi.engines.workers import Step
from nabi.models.counting import CountingModel

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@contextlib.contextmanager
def connected(url: str | None) -> "Iterator[SparkWorkers]":
    """A connection for the command line, which ends with the block."""
    with explained():
        session = new_session(url)
    try:
        yield SparkWorkers(session)
    finally:
        session.stop()


class SparkWorkers:
    """Workers of a session, as the command line sees them."""

    def __init__(self, session: "SparkSession") -> None:
        self._session = session

    def fit_files(
        self,
        paths: Sequence[str],
        model: CountingModel,
        *,
        output: str,
        watch: Step,
        **options: Any,
    ) -> CountingModel:
        """Train on files that workers read, and write the model to a file; return it."""
        with followed(self._session, "training", watch):
            return fit(paths, model, spark=self._session, output=output, **options)

    def predict_files(
        self, model: str, paths: Sequence[str], *, output: str, watch: Step, **options: Any
    ) -> Mapping[int, int]:
        """Label the rows of files that workers read, into files of a folder."""
        with followed(self._session, "predicting", watch):
            return predict_files(model, paths, output, spark=self._session, **options)

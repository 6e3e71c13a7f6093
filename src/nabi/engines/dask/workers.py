"""Dask as the command line sees it: a connection that trains and predicts on files."""

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from nabi.engines.dask.cluster import Cluster
from nabi.engines.dask.predicting import label_files
from nabi.engines.dask.training import fit
from nabi.engines.judging import Sent
from nabi.engines.workers import Step
from nabi.models.counting import CountingModel


@contextlib.contextmanager
def connected(url: str | None) -> "Iterator[DaskWorkers]":
    """A connection for the command line, which ends with the block."""
    with Cluster.connected(url, None) as cluster:
        yield DaskWorkers(cluster.client)


class DaskWorkers:
    """Workers of a scheduler, as the command line sees them."""

    def __init__(self, client: Any) -> None:
        self._client = client

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
        how: dict[str, Any] = {"client": self._client, "watch": watch}
        found: CountingModel = fit(paths, model=model, **how, **reading)
        found.save(output)
        return found

    def predict_files(
        self, model: str, paths: Sequence[str], *, output: str, watch: Step, **options: Any
    ) -> Mapping[int, int]:
        """Label the rows of files that workers read, into files of a folder."""
        sent = Sent(np.fromfile(model, np.uint8), None)
        with Cluster.connected(self._client, watch) as cluster:
            return label_files(cluster, sent, paths, output, options)

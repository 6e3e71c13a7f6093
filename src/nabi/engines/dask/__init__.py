"""Train, judge and predict on a cluster of Dask: the model of one process, byte for byte.

    from nabi.engines.dask import evaluate, fit, predict

    model = fit("reviews-*.parquet", client="tcp://10.0.0.1:8786")
    predict(model, "new-*.parquet", output="labelled", client="tcp://10.0.0.1:8786")

Data are paths, which the workers read (so that all of them must see the files), or a Dask
dataframe, a partition a task. `cluster` finds workers and follows tasks; what a task does is in
`nabi.engines.tasks` and `nabi.engines.judging`.
"""

from nabi.engines.dask.predicting import evaluate, predict
from nabi.engines.dask.training import fit
from nabi.engines.dask.workers import connected

__all__ = ["connected", "evaluate", "fit", "predict"]

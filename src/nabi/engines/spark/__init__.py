"""Spark trains, predicts and judges with nabi: the DataFrame API alone, also by Spark Connect.

    model = spark.fit(mails, text="body", label="folder")              # rows of a DataFrame
    model = spark.fit(["/data/mails-*.parquet"], text="body")          # files that workers read
    labelled = spark.predict(model, mails, text="body", proba=True)
    matrix = spark.evaluate(model, judged, text="body", label="folder")
    mails.writeStream.foreachBatch(spark.BatchLearner("/models/mails")).start()

The model of `fit` has the bytes of one process that learns the same rows, whatever the partitions,
the order, and the attempts of tasks. Workers need nabi, and the same paths where they read files.
"""

from nabi.engines.spark.batches import BatchLearner
from nabi.engines.spark.fitting import fit
from nabi.engines.spark.predicting import evaluate, predict
from nabi.engines.spark.workers import connected

__all__ = ["BatchLearner", "connected", "evaluate", "fit", "predict"]

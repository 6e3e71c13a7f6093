"""A model as functions of DuckDB: `select nabi_predict(body) from mails`."""

import contextlib
from typing import TYPE_CHECKING, Any

from nabi.engines.judging import typed_outcomes
from nabi.errors import InputError, MissingExtraError
from nabi.models.base import Model

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

__all__ = ["register"]

TYPES = {"str": "VARCHAR", "int": "BIGINT", "bool": "BOOLEAN", "float": "DOUBLE"}


def register(
    connection: "DuckDBPyConnection", model: Model, name: str = "nabi_predict"
) -> "DuckDBPyConnection":
    """Make a model known to a connection of DuckDB, as two functions.

    `name(text)` gives the label, as `model.predict` does, and `name_proba(text)` a map from each
    label to its probability, as `model.predict_proba`. Of null both are null. DuckDB hands over up
    to 2,048 texts at once, as an Arrow array, which the kernel reads in place.

    A model that learns or forgets later answers as it is then.

    Parameters
    ----------
    connection : duckdb.DuckDBPyConnection
        A connection; others to the same database do not see the functions.
    model : a model of texts, of any kind
        A trained model.
    name : str
        The name of the first function. Functions of that name that were registered before are
        replaced.

    Examples
    --------
    >>> import duckdb, nabi
    >>> model = nabi.TextClassifier().fit(["good film", "bad film"], ["pos", "neg"])
    >>> database = register(duckdb.connect(), model)
    >>> database.sql("select nabi_predict('So good!')").fetchall()
    [('pos',)]
    >>> database.sql("select round(nabi_predict_proba('So good!')['pos'], 2)").fetchall()
    [(0.67,)]
    """
    if model.is_table:
        raise InputError("the model classifies tables; a function of DuckDB takes one text")
    kind = TYPES[typed_outcomes(model)[1]]
    _define(connection, name, _Labels(model), kind)
    _define(connection, f"{name}_proba", _Probabilities(model), f"MAP({kind}, DOUBLE)")
    return connection


def _define(connection: "DuckDBPyConnection", name: str, function: Any, returned: str) -> None:
    """Define a function of a text, in place of the one of that name that was registered before."""
    import duckdb
    from duckdb.func import ARROW

    with contextlib.suppress(duckdb.InvalidInputException):  # there was none
        connection.remove_function(name)
    connection.create_function(name, function, ["VARCHAR"], returned, type=ARROW)


def _arrow() -> Any:
    try:
        import pyarrow
    except ImportError:
        raise MissingExtraError("nabi.engines.duckdb", "duckdb") from None
    return pyarrow


class _Labels:
    """The label of each text."""

    def __init__(self, model: Model) -> None:
        self._model, self._arrow = model, _arrow()

    def __call__(self, texts: Any) -> Any:
        return self._arrow.array(self._model.predict(texts).tolist())


class _Probabilities:
    """The probabilities of each text, as a map by label."""

    def __init__(self, model: Model) -> None:
        self._model, self._arrow = model, _arrow()

    def __call__(self, texts: Any) -> Any:
        pa, proba = self._arrow, self._model.predict_proba(texts)
        labels = pa.array(self._model.classes_.tolist() * len(proba))
        ends = pa.array(range(0, proba.size + 1, proba.shape[1]), pa.int32())
        return pa.MapArray.from_arrays(ends, labels, pa.array(proba.ravel()))

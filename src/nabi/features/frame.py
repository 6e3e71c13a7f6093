"""Convert pandas, polars or Arrow tables, dicts and lists to columns of numbers or strings."""

import contextlib
import math
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from typing import Any

import numpy as np

from nabi.base.arrays import F64, I64, Bools
from nabi.errors import InputError, InputTypeError
from nabi.features.written import BLANK, NONE, number_of, written_numbers

# A pandas, polars or Arrow table, a DuckDB relation, a dict of columns or a list of dicts.
Table = Any

EXACT = 2.0**53  # whole numbers from it on are not all float64
NUMBERS = ("bool", "int", "float")
TYPES = (*NUMBERS, "str")


@dataclass(frozen=True, eq=False)
class Column:
    """The values of a column: numbers (NaN: missing), or strings (None: missing).

    Its dtype is bool, int, float, str, or the name of what nothing can be made of.
    """

    dtype: str
    numbers: F64 | None = None
    texts: Sequence[str | None] = ()
    categorical: bool = False  # names, whatever they look like
    written: bool = False  # strings of a file, in which numbers are written as people do

    def __len__(self) -> int:
        return len(self.texts) if self.numbers is None else len(self.numbers)

    @cached_property
    def missing(self) -> Bools:
        """Whether each value is missing."""
        if self.numbers is not None:
            return np.isnan(self.numbers)
        return np.array([text is None for text in self.texts], bool)

    def taken(self, rows: I64) -> "Column":
        """The values of some rows."""
        if self.numbers is not None:
            return replace(self, numbers=self.numbers[rows])
        return replace(self, texts=[self.texts[i] for i in rows.tolist()])

    def check(self, name: str, model: str) -> None:
        """Refuse values that no model can make anything of."""
        if self.dtype not in TYPES:
            raise InputError(
                f"column {name!r} is of type {self.dtype}, expected numbers or strings ({model}); "
                f"convert it, or leave it out: columns={{{name!r}: 'ignore'}}"
            )

    def value(self, i: int) -> Any:
        """Return a value in Python's own type; None where it is missing."""
        if self.numbers is None:
            return self.texts[i]
        number = float(self.numbers[i])
        if math.isnan(number):
            return None
        return {"bool": bool, "int": int}.get(self.dtype, float)(number)


@dataclass(frozen=True, eq=False)
class Frame:
    """Columns of one length, by name."""

    columns: dict[str, Column]
    rows: int
    ragged: bool = False  # made of rows of their own, which need not name every column

    def __len__(self) -> int:
        return self.rows

    def left(self, out: I64) -> "Frame":
        """Return all rows but some."""
        return self.taken(np.delete(np.arange(self.rows), out))

    def taken(self, rows: I64) -> "Frame":
        """Return the rows at these indexes."""
        columns = {name: column.taken(rows) for name, column in self.columns.items()}
        return replace(self, columns=columns, rows=len(rows))

    def without(self, name: str) -> "Frame":
        """Return all columns but one."""
        return replace(self, columns={n: c for n, c in self.columns.items() if n != name})


def frame_of(table: Table) -> Frame:
    """Return the columns of a table."""
    if isinstance(table, Frame):
        return table
    columns, ragged = _columns(table), isinstance(table, list | tuple)
    lengths = {len(column) for column in columns.values()} or {len(table) if ragged else 0}
    if len(lengths) > 1:
        sizes = ", ".join(f"{name!r} {len(column)}" for name, column in list(columns.items())[:5])
        raise InputError(f"the columns are not of one length: {sizes}")
    return Frame(columns, lengths.pop(), ragged)


def frame_of_row(row: Any) -> Frame:
    """Return the frame of one row: a dict, a pandas Series by column, or a table of one row."""
    if hasattr(row, "items") and getattr(row, "ndim", None) == 1:  # a row of a pandas table
        row = dict(row.items())
    frame = frame_of([row] if isinstance(row, Mapping) else row)
    if len(frame) != 1:
        raise InputTypeError(
            f"{len(frame)} rows, expected one: a dict, or a table of one row; of several explain "
            f"each, such as table.iloc[0]"
        )
    return frame


def is_table(documents: Any) -> bool:
    """Whether documents are rows of columns, and not texts."""
    if isinstance(documents, Frame | Mapping) or hasattr(documents, "fetchnumpy"):
        return True
    if isinstance(documents, list | tuple):
        return bool(documents) and isinstance(documents[0], Mapping)
    two_dimensional = len(getattr(documents, "shape", ())) == 2
    return two_dimensional or hasattr(documents, "column_names") or hasattr(documents, "schema")


def _columns(table: Table) -> dict[str, Column]:
    if isinstance(table, Mapping):
        return _unique(table.items())
    if isinstance(table, np.ndarray) and table.dtype.names is None:
        if table.ndim != 2:
            raise InputError(f"table has shape {table.shape}, expected rows and columns")
        return _unique((f"x{i}", table[:, i]) for i in range(table.shape[1]))
    if isinstance(table, list | tuple):
        return _of_rows(table)
    if hasattr(table, "fetchnumpy"):  # a DuckDB relation
        return _unique(table.fetchnumpy().items())
    return _of_narwhals(table)


def _of_narwhals(table: Any) -> dict[str, Column]:
    import narwhals.stable.v1 as nw
    from narwhals.exceptions import DuplicateError

    if type(table).__name__ == "RecordBatch" and "pyarrow" in sys.modules:
        table = sys.modules["pyarrow"].Table.from_batches([table])
    try:
        frame = nw.from_native(table, eager_only=True)
        series = list(frame.iter_columns())
    except TypeError:
        lazy = " (call .collect() first)" if type(table).__name__ == "LazyFrame" else ""
        raise InputTypeError(
            f"table is {type(table).__name__}{lazy}, expected a pandas, polars or Arrow table, a "
            f"dict of columns or a list of dicts"
        ) from None
    except DuplicateError:
        raise InputError("two columns have one name; rename one of them") from None
    return _unique((each.name, _of_series(each.name, each, nw)) for each in series)


def _unique(columns: Iterable[tuple[object, Any]]) -> dict[str, Column]:
    """The columns of (name, values) by name, which must differ."""
    found: dict[str, Column] = {}
    for given, values in columns:
        if not isinstance(given, str | int | np.integer) or isinstance(given, bool):
            kind = type(given).__name__
            raise InputTypeError(f"a column is called {given!r} ({kind}), expected a str")
        name = str(given)
        if name in found:
            raise InputError(f"two columns are called {name!r}; rename one of them")
        found[name] = column_of(given, values)
    return found


def _of_series(name: object, series: Any, nw: Any) -> Column:
    dtype = series.dtype
    if dtype in (nw.Categorical, nw.Enum):
        return replace(_of_list(name, series.to_list()), categorical=True)
    if dtype == nw.Boolean or dtype.is_numeric():
        return _of_numeric(name, series, nw)
    if dtype == nw.String:
        return Column("str", texts=_strings(series.to_list()))
    if dtype == nw.Object or series.null_count() == len(series):
        return column_of(name, series.to_list())
    return Column(str(dtype).lower(), texts=[None] * len(series))


def _of_numeric(name: object, series: Any, nw: Any) -> Column:
    dtype = series.dtype
    kind = "bool" if dtype == nw.Boolean else "int" if dtype.is_integer() else "float"
    try:
        numbers = series.cast(nw.Float64).to_numpy()
    except Exception:  # pyarrow's own, where a whole number is not a float64
        return _of_list(name, series.to_list())
    numbers = np.where(series.is_null().to_numpy(), np.nan, numbers)
    return _of_numbers(kind, np.ascontiguousarray(numbers, np.float64), series.to_list)


def _of_rows(rows: Sequence[Any]) -> dict[str, Column]:
    """The columns of a list of dicts; a name that a row does not have is missing there."""
    for i, row in enumerate(rows):
        if not isinstance(row, Mapping):
            raise InputTypeError(
                f"table[{i}] is {type(row).__name__}, expected a dict of names and values"
            )
    names = dict.fromkeys(name for row in rows for name in row)
    return _unique((name, [row.get(name) for row in rows]) for name in names)


def column_of(name: object, values: Any) -> Column:
    """The column of a list, array or series."""
    if isinstance(values, Column):
        return values
    if isinstance(values, str | bytes) or not isinstance(values, Iterable):
        raise InputTypeError(f"column {name!r} is one {type(values).__name__}, expected a list")
    if isinstance(values, np.ma.MaskedArray):
        gone = np.ma.getmaskarray(values)
        values = np.array(values.data, object if gone.any() else None)
        if gone.any():
            values[gone] = None
    if isinstance(values, np.ndarray) and values.dtype.kind in "biuf":
        if values.ndim != 1:
            raise InputError(f"a column has shape {values.shape}, expected one value for each row")
        dtype = {"b": "bool", "f": "float"}.get(values.dtype.kind, "int")
        return _of_numbers(dtype, values.astype(np.float64), values.tolist)
    if isinstance(values, np.ndarray) and values.dtype.kind in "mM":
        return Column(str(values.dtype), texts=[None] * len(values))
    if not isinstance(values, list | tuple | np.ndarray):
        import narwhals.stable.v1 as nw

        with contextlib.suppress(TypeError):
            values = nw.from_native(values, series_only=True)
        if isinstance(values, nw.Series):
            return _of_series(name, values, nw)
    return _of_list(name, values.tolist() if isinstance(values, np.ndarray) else list(values))


def _of_numbers(dtype: str, numbers: F64, values: Callable[[], list[Any]]) -> Column:
    """The column of numbers; whole ones beyond what float64 holds are names, not amounts."""
    if dtype != "int" or not (np.abs(numbers) >= EXACT).any():
        return Column(dtype, numbers)
    texts = [None if _kind(value) == "missing" else str(int(value)) for value in values()]
    return Column("str", texts=texts, categorical=True)


def _of_list(name: object, values: list[Any]) -> Column:
    """The column of Python's own values, all of one kind."""
    first: dict[str, int] = {}
    for i, value in enumerate(values):
        first.setdefault(_kind(value), i)
    first.pop("missing", None)
    if set(first) == {"int", "float"}:
        del first["int"]
    if len(first) > 1:
        (one, i), (two, j) = list(first.items())[:2]
        raise InputTypeError(
            f"column {name!r} mixes {one} and {two}: row {i} has {values[i]!r}, row {j} "
            f"{values[j]!r}; make them all of one kind"
        )
    dtype = next(iter(first), "float")
    if dtype not in NUMBERS:
        return Column(dtype, texts=_strings(values))
    return _of_numbers(dtype, np.array([_number(value, dtype) for value in values]), lambda: values)


def _number(value: Any, dtype: str) -> float:
    try:
        return math.nan if _kind(value) == "missing" else float(value)
    except OverflowError:
        if dtype == "int":
            return math.inf  # a name
        raise InputError("a number beyond 1.8e308; nothing can be counted of it") from None


def _kind(value: Any) -> str:
    """Return the name of a value's type, or missing."""
    if isinstance(value, str):
        return "str"
    if isinstance(value, bool | np.bool_):
        return "bool"
    if isinstance(value, int | np.integer):
        return "int"
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return "missing"
    if isinstance(value, float | np.floating | Decimal):
        return "missing" if math.isnan(value) else "float"
    return type(value).__name__


def _strings(values: Iterable[Any]) -> list[str | None]:
    """Strings as they are, all else as missing."""
    return [value if isinstance(value, str) else None for value in values]


# ---- strings that stand for other values ----

_TRUE, _FALSE = {"true", "yes", "t", "y", "1"}, {"false", "no", "f", "n", "0"}


def as_numbers(column: Column, model: str) -> tuple[F64, Bools]:
    """The values as numbers (NaN: missing), and where they cannot be such."""
    if column.numbers is not None:
        bad = np.zeros(len(column), bool)
        if model == "bernoulli":
            bad = ~(column.missing | (column.numbers == 0) | (column.numbers == 1))
        return column.numbers, bad
    if column.written and model != "bernoulli":
        found = written_numbers(column.texts)
        return found.numbers, found.unread
    read = _bit if model == "bernoulli" else number_of
    gone = {*BLANK, *(NONE if column.written else ())}
    known = {text: read(text.strip()) for text in set(column.texts) if text is not None}
    values = [math.nan if text is None else known[text] for text in column.texts]
    blank = [text is not None and text.strip().lower() in gone for text in column.texts]
    bad = np.array([value is None for value in values], bool) & ~np.array(blank, bool)
    return np.array(values, np.float64), bad


def _bit(text: str) -> float | None:
    lower = text.lower()
    return 1.0 if lower in _TRUE else 0.0 if lower in _FALSE else None
